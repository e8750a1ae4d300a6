/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is one piece of work done on another core, while the caller goes on?
 *
 * The work and the caller share nothing that either writes until worker_end(). Signals go to the caller's thread.
 * Where no thread can be had, the work is done before worker_begin() returns.
 */
#ifndef PLUMB_BASE_WORKER_H
#define PLUMB_BASE_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct worker {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    bool is_running;      /* until worker_end() */
    atomic_bool is_ready; /* the work is done */
};

/* worker and context stay where they are until worker_end(). */
void worker_begin(struct worker *worker, void (*work)(void *context), void *context);
/* Wait until the work is done; again is allowed. */
void worker_end(struct worker *worker);
/* Whether worker_end() wouldn't wait; true before the first worker_begin(), too. */
bool worker_is_idle(struct worker *worker);
/* Whether this process may use more than one CPU: else a worker only takes turns with its caller. */
bool worker_has_core(void);

#endif
