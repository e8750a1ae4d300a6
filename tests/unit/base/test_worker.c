/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/worker.h"

#include <criterion/criterion.h>
#include <signal.h>

struct seen {
    int number;
    bool blocks_interrupts, blocks_bus_errors;
};

static void look(void *context)
{
    struct seen *seen = context;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    seen->number++;
    seen->blocks_interrupts = sigismember(&blocked, SIGINT);
    seen->blocks_bus_errors = sigismember(&blocked, SIGBUS);
}

Test(worker, has_done_its_work_at_its_end_and_leaves_signals_to_the_caller)
{
    struct seen seen = {0};
    struct worker worker;
    sigset_t blocked;
    worker_begin(&worker, look, &seen);
    worker_end(&worker);
    worker_end(&worker);
    cr_assert_eq(seen.number, 1);
    cr_assert(seen.blocks_interrupts && !seen.blocks_bus_errors);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    cr_assert_not(sigismember(&blocked, SIGINT));
}
