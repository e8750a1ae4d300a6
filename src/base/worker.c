/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/worker.h"

#include <sched.h>
#include <signal.h>

static void *run(void *argument)
{
    struct worker *worker = argument;
    worker->work(worker->context);
    atomic_store(&worker->is_ready, true);
    return NULL;
}

/* All but those that a thread's own instructions raise: blocked, these would end the program. */
static void signals_of_others(sigset_t *ret_signals)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigfillset(ret_signals);
    for (size_t at = 0; at < sizeof(own) / sizeof(own[0]); at++)
        sigdelset(ret_signals, own[at]);
}

void worker_begin(struct worker *worker, void (*work)(void *context), void *context)
{
    sigset_t blocked, before;
    *worker = (struct worker){.work = work, .context = context};
    signals_of_others(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    worker->is_running = pthread_create(&worker->thread, NULL, run, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!worker->is_running)
        work(context);
}

void worker_end(struct worker *worker)
{
    if (worker->is_running)
        pthread_join(worker->thread, NULL);
    worker->is_running = false;
}

bool worker_is_idle(struct worker *worker)
{
    return !worker->is_running || atomic_load(&worker->is_ready);
}

bool worker_has_core(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 1;
}
