/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread waits in a futex: for a lock that another holds, or for another thread to do something, or is that not told?
 *
 * The kernel knows a futex only. The frames of the program tell, the innermost that says something first; a lock that
 * is made of a condition (an interpreter's own, a Java monitor) is told by who waits there.
 * Does not support: locks that a program makes of futexes without a name; programs without symbols.
 */
#ifndef PLUMB_ANALYSE_TIME_WAIT_LOCKS_H
#define PLUMB_ANALYSE_TIME_WAIT_LOCKS_H

#include "analyse/time/waiting.h"
#include "base/text.h"

struct wait_lock {
    enum wait_kind kind;     /* WAIT_LOCK, WAIT_THREAD; else as it was given */
    /* one lock for all of the program, in words: "Python's global interpreter lock (GIL)"; NULL */
    const char *global_lock;
};

/*
 * names: of the program's frames, innermost first; NULL: a frame without a name. kind: what the kernel's frames told.
 */
struct wait_lock wait_lock_of(enum wait_kind kind, const char *const *names, size_t count);

/* They are the words of a global_lock. */
bool wait_lock_is_global(const char *words);
/* "pthread_mutex_lock" for "___pthread_mutex_lock@@GLIBC_2.2.5": as a program calls it. */
struct view wait_plain_name(const char *name);

#endif
