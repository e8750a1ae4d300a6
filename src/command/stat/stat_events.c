/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted, and in which cgroups. */
#include "base/vec.h"
#include "command/stat/stat.h"
#include "symbol/function_offset.h"

#include <string.h>

/* Events. */

static const char *const detail_events[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static bool events_add(struct stat_run *run, const char *text, struct error *err)
{
    run->events.tables = run->options.tables;
    return event_list_parse(&run->events, text, run->context->root, &run->arena, err);
}

/* The events perf counts when none are named; stalled cycles only where the PMU lists them. */
static bool events_default(struct stat_run *run, bool by_cpu, struct error *err)
{
    const struct sysroot *root = run->context->root;
    static const char *const stalled[] = {"stalled-cycles-frontend", "stalled-cycles-backend"};
    if (!events_add(run, by_cpu ? "cpu-clock" : "task-clock", err) ||
        !events_add(run, "context-switches,cpu-migrations,page-faults,cycles", err))
        return false;
    for (size_t at = 0; at < array_count(stalled); at++)
        if (sysroot_exists(root, "/sys/bus/event_source/devices/cpu/events/%s", stalled[at]) &&
            !events_add(run, stalled[at], err))
            return false;
    return events_add(run, "instructions,branches,branch-misses", err);
}

/* --all-user, --all-kernel. PMUs outside of the cores know no user. */
static void privilege_limit(struct stat_run *run)
{
    for (size_t at = 0; at < run->events.count; at++) {
        struct event_spec *event = &run->events.items[at];
        if (event->cpu_count && !event->cpus_are_core)
            continue;
        event->attr.exclude_kernel |= run->options.all_user;
        event->attr.exclude_user |= run->options.all_kernel;
    }
}

bool stat_events_parse(struct stat_run *run, bool by_cpu, struct error *err)
{
    const struct stat_options *options = &run->options;
    if (options->null_run)
        return true;
    bool good = true;
    for (size_t at = 0; good && at < options->events.count; at++)
        good = events_add(run, options->events.items[at], err);
    if (good && !options->events.count && !stat_metrics_wanted(run))
        good = events_default(run, by_cpu, err);
    for (int level = 0; good && level < options->detailed && level < (int)array_count(detail_events); level++)
        good = events_add(run, detail_events[level], err);
    if (good && (stat_metrics_wanted(run) || stat_metrics_suit(run)))
        good = stat_metrics_prepare(run, !stat_metrics_wanted(run), err);
    if (good)
        privilege_limit(run);
    good = good && event_list_resolve_probes(&run->events, function_offset, NULL, err);
    if (!good && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_USAGE))
        run->context->exit_code = EXIT_CODE_USAGE;
    return good;
}

/* Cgroups. */

static bool cgroup_add(struct stat_run *run, size_t event, struct view name, struct error *err)
{
    if (!name.length)
        return true;
    for (size_t at = 0; at < event; at++)
        if (run->cgroups[at].name && view_equal(name, run->cgroups[at].name)) {
            run->cgroups[event] = run->cgroups[at];
            return true;
        }
    run->cgroups[event].name = arena_string_n(&run->arena, name.text, name.length);
    return cgroup_open(run->context->root, run->cgroups[event].name, &run->cgroups[event].fd, err);
}

static bool cgroups_assign(struct stat_run *run, struct error *err)
{
    struct view rest = view_of(run->options.cgroups);
    bool one = !memchr(rest.text, ',', rest.length);
    size_t event = 0;
    run->cgroups = arena_array(&run->arena, struct counter_cgroup, run->events.count);
    for (; event < run->events.count && (one || rest.length); event++)
        if (!cgroup_add(run, event, one ? rest : view_cut(&rest, ','), err))
            return false;
    if (!one && rest.length)
        return error_set(err, ERROR_USAGE, "-G names more cgroups than there are events (%zu)", run->events.count);
    return true;
}

/* Every event once for each cgroup. */
static bool cgroups_multiply(struct stat_run *run, struct error *err)
{
    struct view rest = view_of(run->options.each_cgroup);
    size_t events = run->events.count, copies = 0;
    int groups = run->events.group_count;
    vec(struct view) names = {0};
    while (rest.length)
        *vec_push(&names) = view_cut(&rest, ',');
    vec_reserve(&run->events, events * names.count);
    run->cgroups = arena_array(&run->arena, struct counter_cgroup, events * names.count);
    bool good = true;
    vec_for_each(&names, name)
    {
        for (size_t at = 0; good && at < events; at++) {
            struct event_spec *copy = &run->events.items[copies * events + at];
            *copy = run->events.items[at];
            if (copies && copy->group != EVENT_NO_GROUP)
                copy->group += groups * (int)copies;
            good = cgroup_add(run, copies * events + at, *name, err);
        }
        copies++;
    }
    run->events.count = events * copies;
    run->events.group_count = groups * (int)copies;
    vec_done(&names);
    return good;
}

bool stat_cgroups_prepare(struct stat_run *run, struct error *err)
{
    if (run->options.cgroups)
        return cgroups_assign(run, err);
    return run->options.each_cgroup ? cgroups_multiply(run, err) : true;
}
