/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/run_time.h"

#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

struct lane { /* one thread while the switches are walked */
    uint64_t since_ns;
    uint32_t cpu;
    bool seen, running, was_preempted;
};

struct walk {
    struct lane *lanes;
    uint32_t running; /* threads on a CPU now */
    uint64_t busy_since_ns, busy_ns, preempted_ns, migrations, switches;
};

static void walk_switch(struct walk *walk, const struct context_switch *change)
{
    struct lane *lane = &walk->lanes[change->thread];
    walk->switches += change->out;
    if (!change->out) {
        if (lane->seen && lane->cpu != change->cpu)
            walk->migrations++;
        if (lane->seen && !lane->running && lane->was_preempted)
            walk->preempted_ns += change->time_ns - lane->since_ns;
        if (!lane->running && walk->running++ == 0)
            walk->busy_since_ns = change->time_ns;
        *lane = (struct lane){change->time_ns, change->cpu, true, true, false};
        return;
    }
    if (lane->running && --walk->running == 0)
        walk->busy_ns += change->time_ns - walk->busy_since_ns;
    *lane = (struct lane){change->time_ns, change->cpu, true, false, change->preempted};
}

static void run_time_from_switches(struct run_time *result, const struct recording *recording, double elapsed_s)
{
    size_t threads = recording->threads.count;
    struct walk walk = {.lanes = memory_alloc((threads + 1) * sizeof(*walk.lanes))};
    memset(walk.lanes, 0, (threads + 1) * sizeof(*walk.lanes));
    const struct context_switch *last = NULL;
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *change = &recording->switches[at];
        if (change->thread >= threads || recording->threads.items[change->thread].tid == 0)
            continue;
        if (!walk.lanes[change->thread].seen)
            result->threads_seen++;
        walk_switch(&walk, change);
        last = change;
    }
    if (walk.running && last)
        walk.busy_ns += last->time_ns - walk.busy_since_ns;
    free(walk.lanes);
    if (!last || elapsed_s <= 0)
        return;
    double ratio = (double)walk.busy_ns * 1e-9 / elapsed_s;
    result->preempted_s = measured_as((double)walk.preempted_ns * 1e-9);
    result->migrations = measured_as((double)walk.migrations);
    result->switches = measured_as((double)walk.switches);
    result->on_cpu_ratio = measured_as(ratio < 1 ? ratio : 1);
    result->from_switches = true;
}

struct run_time run_time_of(const struct recording *recording, const struct activity *activity, enum run_scope scope,
                            struct measured elapsed_s, struct measured user_s, struct measured system_s)
{
    const char *no_switches = "no context switches were recorded";
    struct run_time result = {
        .scope = scope,
        .elapsed_s = elapsed_s,
        .user_s = user_s,
        .system_s = system_s,
        .preempted_s = not_measured(no_switches),
        .migrations = not_measured(no_switches),
        .switches = not_measured(no_switches),
        .run_delay_s = activity ? activity->run_delay_s : not_measured("/proc was not read"),
    };
    if (!result.user_s.known && activity)
        result.user_s = activity->user_s;
    if (!result.system_s.known && activity)
        result.system_s = activity->system_s;
    result.cpu_s = result.user_s.known && result.system_s.known
                       ? measured_as(result.user_s.value + result.system_s.value)
                       : not_measured("its CPU time isn't known");
    result.cpus_used = measured_ratio(result.cpu_s, elapsed_s);
    result.on_cpu_ratio = result.cpus_used;
    if (result.on_cpu_ratio.known && result.on_cpu_ratio.value > 1)
        result.on_cpu_ratio.value = 1;
    if (recording && recording->switch_count && elapsed_s.known)
        run_time_from_switches(&result, recording, elapsed_s.value);
    /* The first switch-in of a started program is not always seen: CPU time is a lower bound for one thread. */
    if (result.from_switches && result.threads_seen <= 1 && result.cpus_used.known &&
        result.cpus_used.value <= 1 && result.cpus_used.value > result.on_cpu_ratio.value)
        result.on_cpu_ratio = result.cpus_used;
    if (!result.threads_seen && activity)
        result.threads_seen = activity->thread_count;
    return result;
}
