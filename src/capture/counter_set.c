/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counter_set.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/cpu/identity.h"

#include <stdlib.h>
#include <string.h>

struct counter_set {
    struct arena arena;
    struct event_list events;
    struct counters counters;
    bool by_cpu;
};

/*
 * At most four events of general counters stand in a group, the least that a PMU with counters has; what is divided
 * by one another stands in one group. Weak: a PMU with fewer counters takes them one by one.
 */
static const char *const task_events = "task-clock,context-switches,cpu-migrations,page-faults,major-faults";
static const char *const cpu_events = "context-switches,cpu-migrations,page-faults,major-faults";
static const char *const hardware_events = "{cycles,instructions,branches,branch-misses}:W,"
                                           "{ref-cycles}:W,"
                                           "{cache-references,cache-misses}:W,"
                                           "{LLC-loads,LLC-load-misses}:W,"
                                           "{L1-dcache-loads,L1-dcache-load-misses}:W,"
                                           "{dTLB-loads,dTLB-load-misses}:W,"
                                           "{iTLB-load-misses}:W,"
                                           "{stalled-cycles-frontend,stalled-cycles-backend}:W";

/* Cycles at each of the clocks that wide vectors ask for. Source: Intel's event tables of these processors (CORE_POWER). */
static const char *const licence_events = "{cpu/event=0x28,umask=0x07,name=core_power.lvl0_turbo_license/,"
                                          "cpu/event=0x28,umask=0x18,name=core_power.lvl1_turbo_license/,"
                                          "cpu/event=0x28,umask=0x20,name=core_power.lvl2_turbo_license/}:W";
static const char *const licence_keys[] = {"SKX", "CLX", "CPX", "ICX"};

/* Free-running: they take no counter, and their quotients are the mean clock. */
static const char *const clock_events = "{msr/aperf/,msr/mperf/,msr/tsc/}:W";

static bool is_hardware(const struct counter *counter)
{
    bool is_free = counter->spec->pmu && strcmp(counter->spec->pmu, "msr") == 0;
    return counter->spec->attr.type != PERF_TYPE_SOFTWARE && !is_free;
}

static bool counts_licences(const struct sysroot *root, struct arena *arena)
{
    struct cpu_identity identity;
    if (!sysroot_exists(root, "/sys/bus/event_source/devices/cpu/format/umask"))
        return false;
    cpu_identity_read(&identity, root, arena);
    for (size_t at = 0; identity.microarchitecture && at < array_count(licence_keys); at++)
        if (strcmp(identity.microarchitecture->key, licence_keys[at]) == 0)
            return true;
    return false;
}

/* What this model has beside the events that all have; without any of it the others count all the same. */
static void model_events_add(struct event_list *events, const struct sysroot *root, struct arena *arena)
{
    struct error ignored;
    if (counts_licences(root, arena))
        (void)!event_list_parse(events, licence_events, root, arena, &ignored);
    if (sysroot_exists(root, "/sys/bus/event_source/devices/msr/events/aperf") &&
        sysroot_exists(root, "/sys/bus/event_source/devices/msr/events/mperf"))
        (void)!event_list_parse(events, clock_events, root, arena, &ignored);
}

bool counter_set_open(struct counter_set **ret_set, const struct target *target, const struct kernel *kernel,
                      const struct sysroot *root, struct error *err)
{
    struct counter_set *set = memory_alloc(sizeof(*set));
    *set = (struct counter_set){.by_cpu = target->kind == TARGET_CPUS};
    arena_init(&set->arena);
    struct counter_request request = {
        .events = &set->events,
        .target = target,
        .inherit = true,
        .enable_on_exec = target->kind == TARGET_WORKLOAD,
    };
    /* A CPU's task-clock is the clock on the wall. */
    bool opened = event_list_parse(&set->events, set->by_cpu ? cpu_events : task_events, root, &set->arena, err) &&
                  event_list_parse(&set->events, hardware_events, root, &set->arena, err);
    if (opened)
        model_events_add(&set->events, root, &set->arena);
    opened = opened &&
             counters_open(&set->counters, &request, kernel, root, &set->arena, err);
    if (!opened) {
        set->counters.count = 0;
        counter_set_free(set);
        return false;
    }
    *ret_set = set;
    return true;
}

void counter_set_start(struct counter_set *set)
{
    counters_enable(&set->counters);
}

/* A software event always runs while it is enabled; the kernel's clock of cgroup events starts late now and then. */
static struct reading reading_of(const struct counter *counter, const struct counter_value *value)
{
    struct reading reading = {.status = READING_NOT_COUNTED};
    if (!value->valid)
        return reading;
    reading.value = value->value;
    reading.enabled_ns = is_hardware(counter) ? value->enabled_ns : value->running_ns;
    reading.running_ns = value->running_ns;
    if (reading.enabled_ns && reading.running_ns)
        reading.status = READING_COUNTED;
    return reading;
}

static const char *refusal_words(const struct counter *counter, const struct sysroot *root, struct arena *arena)
{
    struct error reason = {0};
    counter_refusal_explain(counter, root, &reason);
    return arena_string(arena, reason.message);
}

/*
 * Parts that were enabled and never on a counter are missing from a sum, which then isn't one; parts that never ran add
 * nothing.
 */
static struct counter_total total_of(const struct counter *counter, const struct sysroot *root, struct arena *arena)
{
    struct counter_total total = {
        .name = counter->spec->name,
        .hardware = is_hardware(counter),
        .user_only = counter->user_only,
        .running_ratio = 1,
    };
    if (counter->refusal != REFUSAL_NONE) {
        total.count = not_measured(refusal_words(counter, root, arena));
        return total;
    }
    double sum = 0;
    size_t counted = 0, missed = 0;
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++) {
        struct reading part = reading_of(counter, &counter->values[cell]);
        missed += part.status == READING_NOT_COUNTED && part.enabled_ns > 0;
        if (part.status != READING_COUNTED)
            continue;
        counted++;
        sum += reading_scaled(&part);
        double ratio = reading_running_ratio(&part);
        total.running_ratio = ratio < total.running_ratio ? ratio : total.running_ratio;
    }
    if (counted && !missed)
        total.count = measured_as(sum);
    else if (missed || total.hardware)
        total.count = not_measured("its turn on the counters never came: others hold them, or it ran too shortly");
    else
        total.count = not_measured("the target never ran");
    return total;
}

size_t counter_set_finish(struct counter_set *set, const struct counter_total **ret_totals)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    counters_disable(&set->counters);
    counters_read(&set->counters);
    struct counter_total *totals = arena_array(&set->arena, struct counter_total, set->counters.count + 1);
    for (size_t at = 0; at < set->counters.count; at++)
        totals[at] = total_of(&set->counters.items[at], &root, &set->arena);
    *ret_totals = totals;
    return set->counters.count;
}

void counter_set_free(struct counter_set *set)
{
    if (!set)
        return;
    counters_close(&set->counters);
    event_list_done(&set->events);
    arena_done(&set->arena);
    free(set);
}
