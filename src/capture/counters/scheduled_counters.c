/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/scheduled_counters.h"

#include "base/vec.h"
#include "source/live/counters.h"

#include <stdlib.h>
#include <string.h>

struct group {
    const struct schedule_group *planned;
    struct event_list events;
    struct counters counters; /* in the plan's order */
    double *sums;             /* of each event at the last read; cumulative */
    uint64_t enabled_ns, running_ns, window_start_ns;
    bool takes_turns;
    size_t slots;             /* its place in the group, or SIZE_MAX */
    vec(struct group_window) windows;
};

struct scheduled_counters {
    struct arena arena;
    struct group *groups;
    size_t group_count;
    size_t turns; /* that a round of slices has */
    bool by_exec;
};

static bool group_open(struct scheduled_counters *set, struct group *group,
                       const struct scheduled_counters_request *request, const struct kernel *kernel,
                       const struct sysroot *root, struct error *err)
{
    const struct schedule_group *planned = group->planned;
    group->slots = SIZE_MAX;
    group->sums = arena_array(&set->arena, double, planned->count + 1);
    for (size_t at = 0; at < planned->count; at++) {
        struct event_spec spec = request->specs[planned->events[at]];
        spec.group = 0;
        spec.weak_group = false;
        *vec_push(&group->events) = spec;
        if (request->events->events[planned->events[at]].kind == SCHEDULE_SLOTS)
            group->slots = at;
    }
    group->events.group_count = 1;
    struct counter_request wanted = {
        .events = &group->events,
        .target = request->target,
        .inherit = request->inherit,
        .enable_on_exec = set->by_exec,
        .starts_later = !set->by_exec,
    };
    return counters_open(&group->counters, &wanted, kernel, root, &set->arena, err);
}

bool scheduled_counters_open(struct scheduled_counters **ret_set, const struct scheduled_counters_request *request,
                             const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    struct scheduled_counters *set = memory_alloc(sizeof(*set));
    *set = (struct scheduled_counters){.by_exec = request->target->kind == TARGET_WORKLOAD && !request->turns,
                                       .turns = request->turns ? request->turns : request->group_count};
    arena_init(&set->arena);
    set->groups = arena_array(&set->arena, struct group, request->group_count + 1);
    for (; set->group_count < request->group_count; set->group_count++) {
        struct group *group = &set->groups[set->group_count];
        group->planned = &request->schedule->groups[request->groups[set->group_count]];
        if (!group_open(set, group, request, kernel, root, err)) {
            group->counters.count = 0;
            event_list_done(&group->events);
            scheduled_counters_free(set);
            return false;
        }
    }
    *ret_set = set;
    return true;
}

void scheduled_counters_free(struct scheduled_counters *set)
{
    if (!set)
        return;
    for (size_t at = 0; at < set->group_count; at++) {
        counters_close(&set->groups[at].counters);
        event_list_done(&set->groups[at].events);
        vec_done(&set->groups[at].windows);
    }
    arena_done(&set->arena);
    free(set);
}

static bool is_meant(int group, size_t index)
{
    return group == SCHEDULED_ALL || (size_t)group == index;
}

void scheduled_counters_start(struct scheduled_counters *set, int group, uint64_t now_ns)
{
    for (size_t at = 0; at < set->group_count; at++) {
        if (!is_meant(group, at))
            continue;
        set->groups[at].window_start_ns = now_ns;
        set->groups[at].takes_turns = group != SCHEDULED_ALL;
        if (!set->by_exec)
            counters_enable(&set->groups[at].counters);
    }
}

void scheduled_counters_stop(struct scheduled_counters *set, int group)
{
    for (size_t at = 0; at < set->group_count; at++)
        if (is_meant(group, at))
            counters_disable(&set->groups[at].counters);
}

/* ---- windows ----------------------------------------------------------------------------------------------- */

struct cells {
    double count;
    uint64_t enabled_ns, running_ns;
};

static struct cells counter_sum(const struct counter *counter)
{
    struct cells sum = {0};
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++) {
        const struct counter_value *value = &counter->values[cell];
        if (!value->valid)
            continue;
        sum.count += (double)value->value;
        sum.enabled_ns += value->enabled_ns;
        sum.running_ns += value->running_ns;
    }
    return sum;
}

static void window_put(struct scheduled_counters *set, struct group *group, uint64_t now_ns)
{
    double *counts = arena_array(&set->arena, double, group->planned->count + 1);
    struct cells whole = {0};
    for (size_t at = 0; at < group->planned->count; at++) {
        struct cells sum = counter_sum(&group->counters.items[at]);
        counts[at] = sum.count - group->sums[at];
        group->sums[at] = sum.count;
        if (group->counters.items[at].refusal == REFUSAL_NONE && !whole.enabled_ns)
            whole = sum;
    }
    struct group_window window = {.start_ns = group->window_start_ns, .end_ns = now_ns, .counts = counts,
                                  .enabled_ns = whole.enabled_ns - group->enabled_ns,
                                  .running_ns = whole.running_ns - group->running_ns};
    group->enabled_ns = whole.enabled_ns;
    group->running_ns = whole.running_ns;
    window.enabled_ns *= group->takes_turns ? set->turns : 1;
    group->window_start_ns = now_ns;
    if (group->slots != SIZE_MAX && !(counts[group->slots] > 0))
        window.running_ns = 0;
    if (window.enabled_ns)
        *vec_push(&group->windows) = window;
}

void scheduled_counters_read(struct scheduled_counters *set, int group, uint64_t now_ns)
{
    for (size_t at = 0; at < set->group_count; at++) {
        if (!is_meant(group, at))
            continue;
        counters_read(&set->groups[at].counters);
        window_put(set, &set->groups[at], now_ns);
    }
}

size_t scheduled_counters_windows(const struct scheduled_counters *set, size_t group,
                                  const struct group_window **ret_windows)
{
    *ret_windows = set->groups[group].windows.items;
    return set->groups[group].windows.count;
}

bool scheduled_counters_refused(const struct scheduled_counters *set, size_t group, size_t event,
                                const struct sysroot *root, struct error *ret_reason)
{
    const struct counter *counter = &set->groups[group].counters.items[event];
    if (counter->refusal == REFUSAL_NONE)
        return false;
    counter_refusal_explain(counter, root, ret_reason);
    return true;
}

bool scheduled_counters_never_ran(const struct scheduled_counters *set, size_t group)
{
    return set->groups[group].enabled_ns > 0 && !set->groups[group].running_ns;
}

bool scheduled_counters_user_only(const struct scheduled_counters *set, size_t group)
{
    bool any = false;
    for (size_t at = 0; at < set->groups[group].counters.count; at++)
        any |= set->groups[group].counters.items[at].user_only;
    return any;
}

size_t scheduled_counters_cpus(const struct scheduled_counters *set, size_t group, const int **ret_cpus)
{
    const struct counters *counters = &set->groups[group].counters;
    for (size_t at = 0; at < counters->count; at++)
        if (counters->items[at].refusal == REFUSAL_NONE && counters->items[at].cpus &&
            counters->items[at].cpus[0] >= 0) {
            *ret_cpus = counters->items[at].cpus;
            return counters->items[at].cpu_count;
        }
    return 0;
}

struct group_window scheduled_counters_cpu_window(const struct scheduled_counters *set, size_t group, size_t cpu,
                                                  double *ret_counts)
{
    const struct counters *counters = &set->groups[group].counters;
    struct group_window window = {.counts = ret_counts};
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        const struct counter_value *value =
            cpu < counter->cpu_count ? &counter->values[cpu * counter->thread_count] : NULL;
        bool valid = value && counter->refusal == REFUSAL_NONE && value->valid;
        ret_counts[at] = valid ? (double)value->value : 0;
        if (valid && !window.enabled_ns) {
            window.enabled_ns = value->enabled_ns;
            window.running_ns = value->running_ns;
            window.end_ns = value->enabled_ns;
        }
    }
    return window;
}
