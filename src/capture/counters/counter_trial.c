/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/counter_trial.h"

#include "base/clock.h"
#include "base/vec.h"
#include "source/live/target.h"

#include <string.h>

/* Enough for a few of the scheduler's ticks to not matter: a group is put on the counters when it is enabled. */
static const uint64_t spin_ns = 200000;
/* Several intervals of the rotation (4 ms, or 1 ms, usually); and for all groups of a trial together. */
static const uint64_t turn_ns = 30000000, patience_ns = 150000000;

static void spin(void)
{
    uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + spin_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        continue;
}

/*
 * Whether the group had a turn on this thread; one that can't even be opened has none. Others who take turns with us,
 * not hold the counters, give them up at a tick of the kernel's rotation.
 */
static bool group_runs(struct scheduled_counters *set, uint64_t *left_ns)
{
    const struct group_window *windows;
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), waited = 0, most = *left_ns < turn_ns ? *left_ns : turn_ns;
    size_t count;
    bool ran;
    scheduled_counters_start(set, SCHEDULED_ALL, 0);
    do {
        spin();
        scheduled_counters_read(set, SCHEDULED_ALL, 0);
        count = scheduled_counters_windows(set, 0, &windows);
        ran = count && windows[count - 1].running_ns > 0;
        waited = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    } while (!ran && count && waited < most);
    scheduled_counters_stop(set, SCHEDULED_ALL);
    *left_ns -= waited < *left_ns ? waited : *left_ns;
    return ran;
}

static bool groups_try(struct counter_trial *trial, const struct schedule *schedule,
                       const struct schedule_request *request, const struct event_spec *specs,
                       const struct kernel *kernel, const struct sysroot *root, struct arena *arena, uint64_t *patience,
                       struct error *err)
{
    struct target self;
    target_of_workload(&self, 0, arena);
    self.kind = TARGET_THREADS;
    trial->never_ran = 0;
    trial->group_ran = arena_array(arena, bool, schedule->group_count + 1);
    for (uint32_t group = 0; group < schedule->group_count; group++) {
        struct scheduled_counters *set;
        struct scheduled_counters_request one = {.events = request,
                                                 .schedule = schedule,
                                                 .specs = specs,
                                                 .groups = &group,
                                                 .group_count = 1,
                                                 .target = &self};
        if (!scheduled_counters_open(&set, &one, kernel, root, err))
            return false;
        trial->group_ran[group] = group_runs(set, patience);
        trial->never_ran += !trial->group_ran[group];
        scheduled_counters_free(set);
    }
    return true;
}

/* Of each PMU that has a group which never ran. */
static bool give_up(struct counter_trial *trial, const struct schedule *schedule, size_t pmu_count)
{
    bool less = false;
    unsigned step = (unsigned)trial->given_up_count;
    for (unsigned pmu = 0; pmu < pmu_count; pmu++) {
        bool failed = false;
        for (size_t group = 0; group < schedule->group_count; group++)
            failed |= !trial->group_ran[group] && schedule->groups[group].pmu == pmu;
        less |= failed && schedule_pmu_give_up(&trial->pmus[pmu], step);
    }
    if (less && step < COUNTER_TRIAL_STEPS_MOST)
        trial->given_up[trial->given_up_count++] = schedule_pmu_given_up(step);
    return less;
}

bool counter_trial_run(struct counter_trial *trial, struct schedule *schedule, const struct schedule_request *request,
                       const struct event_spec *specs, const struct kernel *kernel, const struct sysroot *root,
                       struct arena *arena, struct error *err)
{
    size_t pmu_count = request->pmu_count < array_count(trial->pmus) ? request->pmu_count : array_count(trial->pmus);
    struct schedule_request with = *request;
    *trial = (struct counter_trial){0};
    memcpy(trial->pmus, request->pmus, pmu_count * sizeof(*trial->pmus));
    uint64_t patience = patience_ns;
    with.pmus = trial->pmus;
    with.pmu_count = pmu_count;
    do {
        if (!schedule_build(schedule, &with, arena, err) ||
            !groups_try(trial, schedule, &with, specs, kernel, root, arena, &patience, err))
            return false;
    } while (trial->never_ran && give_up(trial, schedule, pmu_count));
    return true;
}
