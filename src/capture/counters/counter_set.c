/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/counter_set.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/cpu/identity.h"

#include <stdlib.h>
#include <string.h>

struct counter_set {
    struct arena arena;
    struct event_list kernel_events, hardware_events;
    struct counters kernel, hardware; /* the first take no counter of the PMU */
    bool by_cpu, in_turns;
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

/*
 * Cycles at each of the clocks that wide vectors ask for. Source: Intel's event tables of these processors
 * (CORE_POWER).
 */
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
static void model_events_add(struct counter_set *set, const struct sysroot *root)
{
    struct error ignored;
    if (counts_licences(root, &set->arena))
        (void)!event_list_parse(&set->hardware_events, licence_events, root, &set->arena, &ignored);
    if (sysroot_exists(root, "/sys/bus/event_source/devices/msr/events/aperf") &&
        sysroot_exists(root, "/sys/bus/event_source/devices/msr/events/mperf"))
        (void)!event_list_parse(&set->kernel_events, clock_events, root, &set->arena, &ignored);
}

static bool events_parse(struct counter_set *set, const struct sysroot *root, struct error *err)
{
    /* A CPU's task-clock is the clock on the wall. */
    if (!event_list_parse(&set->kernel_events, set->by_cpu ? cpu_events : task_events, root, &set->arena, err) ||
        !event_list_parse(&set->hardware_events, hardware_events, root, &set->arena, err))
        return false;
    model_events_add(set, root);
    return true;
}

/* On failure it holds none. */
static bool part_open(struct counter_set *set, struct counters *part, const struct counter_request *request,
                      const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    if (counters_open(part, request, kernel, root, &set->arena, err))
        return true;
    part->count = 0;
    return false;
}

bool counter_set_open(struct counter_set **ret_set, const struct target *target, bool in_turns,
                      const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    struct counter_set *set = memory_alloc(sizeof(*set));
    *set = (struct counter_set){.by_cpu = target->kind == TARGET_CPUS, .in_turns = in_turns};
    arena_init(&set->arena);
    bool by_exec = target->kind == TARGET_WORKLOAD;
    const struct counter_request always = {
        .events = &set->kernel_events, .target = target, .inherit = true, .enable_on_exec = by_exec};
    const struct counter_request by_turns = {.events = &set->hardware_events, .target = target, .inherit = true,
                                             .enable_on_exec = by_exec && !in_turns, .starts_later = in_turns};
    if (!events_parse(set, root, err) || !part_open(set, &set->kernel, &always, kernel, root, err) ||
        !part_open(set, &set->hardware, &by_turns, kernel, root, err)) {
        counter_set_free(set);
        return false;
    }
    *ret_set = set;
    return true;
}

void counter_set_start(struct counter_set *set)
{
    counters_enable(&set->kernel);
    if (!set->in_turns)
        counters_enable(&set->hardware);
}

void counter_set_turn(struct counter_set *set, bool on)
{
    if (on)
        counters_enable(&set->hardware);
    else
        counters_disable(&set->hardware);
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

/* How long the target ran in all, as a counter that no other one keeps away has it. */
static double ran_ns(const struct counter_set *set)
{
    double sum = 0;
    const struct counter *counter = set->kernel.count ? &set->kernel.items[0] : NULL;
    for (size_t cell = 0; counter && cell < counter->cpu_count * counter->thread_count; cell++)
        sum += counter->values[cell].valid ? (double)counter->values[cell].running_ns : 0;
    return sum;
}

/* Counted in its turns: they stand for all the time in which the target ran. */
static struct counter_total total_of_turns(const struct counter_set *set, const struct counter *counter,
                                           const struct sysroot *root, struct arena *arena)
{
    struct counter_total total = {
        .name = counter->spec->name, .hardware = true, .user_only = counter->user_only, .running_ratio = 1};
    double sum = 0, running = 0, all = ran_ns(set);
    if (counter->refusal != REFUSAL_NONE) {
        total.count = not_measured(refusal_words(counter, root, arena));
        return total;
    }
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++) {
        sum += counter->values[cell].valid ? (double)counter->values[cell].value : 0;
        running += counter->values[cell].valid ? (double)counter->values[cell].running_ns : 0;
    }
    total.running_ratio = all > running ? running / all : 1;
    total.count =
        running > 0
            ? measured_as(sum / total.running_ratio)
            : not_measured(
                  "its turn on the counters never came: the top-down groups had theirs, and it ran too shortly");
    return total;
}

size_t counter_set_finish(struct counter_set *set, const struct counter_total **ret_totals)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    counters_disable(&set->kernel);
    counters_disable(&set->hardware);
    counters_read(&set->kernel);
    counters_read(&set->hardware);
    size_t count = 0;
    struct counter_total *totals =
        arena_array(&set->arena, struct counter_total, set->kernel.count + set->hardware.count + 1);
    for (size_t at = 0; at < set->kernel.count; at++)
        totals[count++] = total_of(&set->kernel.items[at], &root, &set->arena);
    for (size_t at = 0; at < set->hardware.count; at++)
        totals[count++] = set->in_turns ? total_of_turns(set, &set->hardware.items[at], &root, &set->arena)
                                        : total_of(&set->hardware.items[at], &root, &set->arena);
    *ret_totals = totals;
    return count;
}

void counter_set_free(struct counter_set *set)
{
    if (!set)
        return;
    counters_close(&set->kernel);
    counters_close(&set->hardware);
    event_list_done(&set->kernel_events);
    event_list_done(&set->hardware_events);
    arena_done(&set->arena);
    free(set);
}
