/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Groups of events in turns beside counts of another kind, as plumb diagnose counts them, on whatever PMU there is: what each counted.
 *
 *     turn_counts PROGRAM [ARGUMENT]...
 */
#include "base/clock.h"
#include "capture/counters/turn_counters.h"
#include "command/topdown/topdown_machine.h"
#include "command/topdown/topdown_session.h"
#include "source/live/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fail(const struct error *err)
{
    printf("failed: %s\n", err->message);
    exit(1);
}

static void turns_run(struct turn_counters *turns, struct workload *workload)
{
    struct error err = {0};
    turn_counters_start(turns, clock_ns(CLOCK_MONOTONIC));
    if (!workload_release(workload, &err))
        fail(&err);
    while (!workload_wait(workload, 0)) {
        uint64_t left_ns = turn_counters_left_ns(turns, clock_ns(CLOCK_MONOTONIC)) + 1000000;
        nanosleep(&(struct timespec){(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)}, NULL);
        turn_counters_tick(turns, clock_ns(CLOCK_MONOTONIC));
    }
}

static void told(const struct pass_record *record, const struct scheduled_counters_request *request)
{
    for (size_t at = 0; at < record->group_count; at++) {
        const struct pass_group *group = &record->groups[at];
        const struct schedule_group *planned = &request->schedule->groups[group->group];
        printf("group %zu: %zu windows", at, group->window_count);
        for (size_t event = 0; event < planned->count; event++) {
            double sum = 0;
            for (size_t window = 0; window < group->window_count; window++)
                sum += group->windows[window].counts[event];
            printf(", %s %.0f", request->specs[planned->events[event]].name, sum);
        }
        printf("\n");
    }
}

/* Turns are one group's each, in the caller's clock: what was counted in a stretch of time is known by that. */
static void turns_told(const struct pass_record *record, uint64_t start_ns, uint64_t end_ns)
{
    uint64_t counted_ns = 0;
    size_t outside = 0, together = 0;
    for (size_t at = 0; at < record->group_count; at++)
        for (size_t window = 0; window < record->groups[at].window_count; window++) {
            const struct group_window *one = &record->groups[at].windows[window];
            counted_ns += one->end_ns - one->start_ns;
            outside += one->start_ns < start_ns || one->end_ns > end_ns;
            for (size_t other = 0; other < record->group_count; other++)
                for (size_t its = 0; its < record->groups[other].window_count; its++) {
                    const struct group_window *beside = &record->groups[other].windows[its];
                    together += beside != one && one->start_ns < beside->end_ns && beside->start_ns < one->end_ns;
                }
        }
    printf("turns: %zu outside, %zu together, %.3f of the time\n", outside, together, (double)counted_ns / (double)(end_ns - start_ns));
}

static void others_told(struct counter_set *others)
{
    const struct counter_total *totals;
    size_t count = counter_set_finish(others, &totals);
    for (size_t at = 0; at < count; at++)
        if (totals[at].hardware && totals[at].count.known)
            printf("other: %s %.0f ratio %.3f\n", totals[at].name, totals[at].count.value, totals[at].running_ratio);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct sysroot root;
    struct topdown_machine machine;
    struct topdown_session session;
    struct topdown_step *step;
    struct scheduled_counters_request request;
    struct workload workload;
    struct target target;
    struct counter_set *others;
    struct turn_counters *turns;
    struct pass_record record = {0};
    sysroot_init(&root, NULL);
    if (argc < 2 || !topdown_machine_find(&machine, NULL, kernel_live(), &root, &err))
        fail(&err);
    struct topdown_setup setup = {.kernel = kernel_live(), .root = &root, .table = &machine.table, .pmu = machine.pmu, .constants = machine.constants};
    topdown_session_init(&session, &setup);
    uint32_t *metrics = arena_array(&session.arena, uint32_t, machine.table.metrics.count + 1);
    for (uint32_t at = 0; at < machine.table.metrics.count; at++)
        metrics[at] = at;
    if (!topdown_step_plan(&session, metrics, machine.table.metrics.count, &step, &request, &err) || !workload_start(&workload, argv + 1, &err))
        fail(&err);
    target_of_workload(&target, workload.pid, &session.arena);
    request.target = &target;
    request.inherit = true;
    if (!counter_set_open(&others, &target, true, kernel_live(), &root, &err))
        fail(&err);
    const struct turn_request with = {.groups = &request, .others = others, .seed = 1};
    if (!turn_counters_open(&turns, &with, kernel_live(), &root, &err))
        fail(&err);
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    turns_run(turns, &workload);
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
    turn_counters_finish(turns, end_ns, &root, &session.arena, &record);
    told(&record, &request);
    turns_told(&record, start_ns, end_ns);
    others_told(others);
    topdown_step_take(step, &record);
    struct topdown_values values;
    topdown_session_values(&session, session.groups.items, &values);
    for (size_t at = 0; at < machine.table.metrics.count; at++)
        if (values.qualities[at].value.known)
            printf("node: %s %.4f seen %.3f\n", machine.table.metrics.items[at].name, values.qualities[at].value.value, values.qualities[at].seen);
    turn_counters_free(turns);
    counter_set_free(others);
    workload_done(&workload);
    topdown_session_done(&session);
    topdown_machine_done(&machine);
    return 0;
}
