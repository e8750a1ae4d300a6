/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where was the time that wasn't spent on a CPU: waiting for what, and called from where?
 *
 * From context switches (who left a CPU when, and whether it still wanted to run) and from samples of the
 * context-switches event (the stack at that moment). Where those came too often for all of them to be taken, a wait
 * without a stack is laid where waits like it were (analyse/time/wait_spread); what is left is counted, not attributed.
 * Idle time is when no thread of the recording ran, and none had been taken off while ready: it belongs to the wait
 * that ended it, so that a pool of idle workers doesn't hide what the one that matters waited for.
 * Time before a thread's first switch and after its end is nobody's.
 * Does not support: who woke it up, waits shorter than the clock of the recording, several threads' overlap
 * (thread times are added up: two threads waiting for a second each wait two seconds).
 */
#ifndef PLUMB_ANALYSE_TIME_WAITING_H
#define PLUMB_ANALYSE_TIME_WAITING_H

#include "base/arena.h"
#include "model/recording.h"
#include "symbol/symboliser.h"

enum wait_kind {
    WAIT_UNKNOWN, /* no stack, or no function in it that is known to wait */
    WAIT_SLEEP,
    WAIT_LOCK,    /* a lock that another thread holds: a mutex, a rwlock, one of the kernel's, a language's own */
    WAIT_FUTEX,   /* a lock or another thread: its stack doesn't tell which */
    WAIT_THREAD,  /* another thread's end, a condition, a semaphore: idle pools and joins do this */
    WAIT_EVENTS,  /* poll, select, epoll: idle servers do this */
    WAIT_NETWORK,
    WAIT_PIPE,
    WAIT_DISK,
    WAIT_CHILD,
    WAIT_FAULT,   /* page fault that had to wait: swap, file-backed memory */
    WAIT_TERMINAL,
    WAIT_SIGNAL,
    WAIT_TRACED,  /* held by its tracer: a debugger, strace, a probe of ours */
    WAIT_KIND_COUNT
};

const char *wait_kind_name(enum wait_kind kind); /* "lock" */

struct wait_site { /* one kind, one stack */
    enum wait_kind kind;
    uint32_t stack;         /* of the recording; STACK_NONE: no stack was recorded */
    uint32_t user_location; /* innermost user frame outside the C library's wrappers, or LOCATION_NONE */
    uint64_t total_ns, longest_ns, count;
    uint64_t idle_ns;       /* no thread ran until a wait here ended */
    uint64_t spread_ns;     /* of total_ns: of waits without a stack that are like those seen here */
};

struct waiting {
    bool known;              /* false: the recording has no context switches */
    uint64_t span_ns;        /* first to last record */
    uint64_t waiting_ns;     /* of all threads: off the CPU and not wanting it */
    uint64_t runnable_ns;    /* off the CPU although it wanted to run (preempted) */
    uint64_t running_ns;     /* between switch-in and switch-out */
    uint64_t unattributed_ns; /* of waiting_ns: no stack, and no other wait like it */
    uint64_t spread_ns;       /* of waiting_ns: no stack, laid where waits like it were */
    uint64_t wait_count, stack_count; /* waits; those with a stack */
    uint64_t idle_ns;        /* no thread ran or had been taken off while ready, until one came back from a wait */
    uint64_t by_kind_ns[WAIT_KIND_COUNT];
    struct wait_site *sites; /* longest total first; owner: arena */
    size_t site_count;
    size_t thread_count;     /* that switched */
};

/* symboliser may be NULL: then every kind is unknown. */
void waiting_analyse(const struct recording *recording, struct symboliser *symboliser, struct waiting *ret_waiting,
                     struct arena *arena);

/* What a function name says of a wait, or WAIT_UNKNOWN. */
enum wait_kind wait_kind_of_function(const char *name);

#endif
