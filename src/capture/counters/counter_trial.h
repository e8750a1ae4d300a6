/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Will the kernel really count these groups here, or does somebody else hold the counters?
 *
 * The kernel checks a group against an empty PMU when it is opened: a group that fits is accepted though the NMI
 * watchdog or another program has the counter that it needs, and then never runs. So each group is opened on this
 * thread, which spins for a moment; when one never ran, the PMU is taken to have less (schedule_pmu_give_up) and the
 * schedule is made again. Does not support: counters that are taken on other CPUs only; who has them (plumb doctor
 * looks for that).
 */
#ifndef PLUMB_CAPTURE_COUNTERS_COUNTER_TRIAL_H
#define PLUMB_CAPTURE_COUNTERS_COUNTER_TRIAL_H

#include "capture/counters/scheduled_counters.h"

enum { COUNTER_TRIAL_STEPS_MOST = 5 };

struct counter_trial {
    struct schedule_pmu pmus[2];      /* what is left of each; the request's first two */
    const char *given_up[COUNTER_TRIAL_STEPS_MOST]; /* in words */
    size_t given_up_count;
    /* groups of the final schedule that still had no turn: their metrics aren't measured */
    size_t never_ran;
    bool *group_ran;                  /* one for each group of the schedule; owner: arena */
};

/*
 * Make the schedule of request, try it, and make it again with less until it runs. request->pmus has one or two PMUs.
 * Errors: of schedule_build and scheduled_counters_open. Owner of the schedule: arena.
 */
MUST_CHECK bool counter_trial_run(struct counter_trial *trial, struct schedule *schedule,
                                  const struct schedule_request *request, const struct event_spec *specs,
                                  const struct kernel *kernel, const struct sysroot *root, struct arena *arena,
                                  struct error *err);

#endif
