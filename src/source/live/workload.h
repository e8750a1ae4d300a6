/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured program: forked, held before exec until the counters are open, then let go, signalled and
 * reaped.
 *
 * Invariants: after workload_start the child exists and waits (its descriptors close on exec);
 * enable_on_exec counters opened on its pid miss nothing of the program. A child that is never released is
 * killed by workload_done. SIGINT, SIGTERM, SIGHUP, SIGQUIT that reach us are passed on.
 */
#ifndef PLUMB_SOURCE_LIVE_WORKLOAD_H
#define PLUMB_SOURCE_LIVE_WORKLOAD_H

#include "base/error.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

struct workload {
    pid_t pid;
    const char *program; /* argv[0], the caller's */
    int release_fd;     /* one byte written here lets it exec */
    int exec_error_fd;  /* the errno of a failed exec comes from here */
    int pid_fd;         /* readable when it has ended; -1 where pidfd_open is missing */
    bool reaped;
    bool never_started; /* it was killed while it waited */
    int wait_status;
    struct rusage usage; /* of the child and its waited-for children; valid once reaped */
    uint64_t started_ns, ended_ns; /* CLOCK_MONOTONIC at release and when it was reaped */
    void (*ended)(void *context, pid_t pid); /* of its surroundings; NULL: nothing */
    void *ended_context;
};

struct text;
/*
 * Which file a name stands for: in the first folder of path (as in PATH) that has such a program, itself where it has a
 * slash. Whether there is one; else ret_found is the name.
 */
bool workload_program_find(const char *name, const char *path, struct text *ret_found);
/* Fork and hold. argv ends with NULL. The program inherits our streams and environment. */
MUST_CHECK bool workload_start(struct workload *workload, char *const argv[], struct error *err);

/* What a started program finds around it. */
struct workload_surroundings {
    char *const *environment; /* "NAME=value" added to ours; ends with NULL; may be NULL */
    bool streams_null;        /* standard input and output are /dev/null */
    int output_fd;            /* with streams_null: standard output instead; 0: none */
    /* Called in the child before it execs; other than 0 is an errno: it isn't started then. NULL: nothing. */
    int (*prepare)(const void *context);
    const void *prepare_context;
    /* Called when it has ended, before it is reaped: /proc/PID still has its accounts. NULL: nothing. */
    void (*ended)(void *context, pid_t pid);
    void *ended_context;
};
/* surroundings NULL: as workload_start. What the contexts point to must live until it is reaped. */
MUST_CHECK bool workload_start_in(struct workload *workload, char *const argv[],
                                  const struct workload_surroundings *surroundings, struct error *err);
/*
 * Let it exec. Errors: ERROR_NOT_FOUND (no such program; exit 127), ERROR_PERMISSION (not executable; exit
 * 126), with the words a shell would use. workload_exec_exit_code(err) tells which.
 */
MUST_CHECK bool workload_release(struct workload *workload, struct error *err);
/*
 * The same in two steps, for counting: waiting for the exec wakes us up just then, often on the program's own CPU,
 * and that shows in its counts. workload_exec_check waits for the exec, or for the end of a child that failed to.
 */
void workload_let_go(struct workload *workload);
MUST_CHECK bool workload_exec_check(struct workload *workload, struct error *err);
int workload_exec_exit_code(const struct error *err);
/* Wait at most timeout_ns (negative: for ever) for its end; true when it has ended and was reaped. */
bool workload_wait(struct workload *workload, int64_t timeout_ns);
/* The status that a shell would report: its own, or 128 + the signal that killed it. */
int workload_exit_code(const struct workload *workload);
/* Kill what still waits to exec; never kills a released program. */
void workload_done(struct workload *workload);

/*
 * While set, SIGINT & co. are forwarded to the child instead of ending us, and the stop flag is raised. Those that were
 * ignored stay so, but SIGINT when there will be no child. One that isn't started yet (all 0) gets nothing.
 * workload_stop_requested() tells whether the user asked to stop; workload_stop_signal() which signal, or 0.
 */
void workload_forward_signals(const struct workload *workload_or_null);
bool workload_stop_requested(void);
int workload_stop_signal(void);

#endif
