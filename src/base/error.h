/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What went wrong, in words a person can act on.
 *
 * A fallible function returns bool and takes `struct error *err` as its last parameter. On failure it
 * fills err once, with a message complete enough to print as it is; callers add context with
 * error_wrap() on the way up. Only command/ and main print. On success err is untouched.
 * Does not support: error chains on the heap, error codes for control flow beyond `kind`.
 */
#ifndef PLUMB_BASE_ERROR_H
#define PLUMB_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

enum error_kind {
    ERROR_NONE = 0,
    ERROR_USAGE,       /* the command line is wrong: exit 2 */
    ERROR_SYSTEM,      /* a system call failed: sys_errno says why */
    ERROR_PERMISSION,  /* allowed with other rights or settings: the hint says which */
    ERROR_UNSUPPORTED, /* this machine, kernel or build can't do it */
    ERROR_FORMAT,      /* foreign bytes break their format's rules */
    ERROR_NOT_FOUND,   /* a file, process, event, symbol that isn't there */
    ERROR_LIMIT,       /* a bound was hit: file descriptors, memory lock, size */
    ERROR_INTERRUPTED, /* the user stopped it */
    ERROR_HELP,        /* no error: the options were asked for, and are printed instead */
    ERROR_KIND_COUNT
};

struct error {
    enum error_kind kind;
    int sys_errno;     /* 0 when no system call is to blame */
    char message[400]; /* lower case, no full stop, the subject quoted */
    char hint[400];    /* what the user can do; empty when there is nothing */
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* Fill err and return false, so that a function can `return error_set(...)`. err may be NULL. */
__attribute__((format(printf, 3, 4))) bool error_set(struct error *err, enum error_kind kind, const char *format, ...);

/* Fill err from sys_errno, appending its text (": No such file or directory"), and return false. */
__attribute__((format(printf, 3, 4))) bool error_system(struct error *err, int sys_errno, const char *format, ...);

/* Put "context: " before the message, and return false. */
__attribute__((format(printf, 2, 3))) bool error_wrap(struct error *err, const char *format, ...);

/* Replace the hint, and return false. */
__attribute__((format(printf, 2, 3))) bool error_hint(struct error *err, const char *format, ...);

/* Name of a kind for machine-readable output, such as "permission". */
const char *error_kind_name(enum error_kind kind);

#endif
