/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/exits/mapping_levels.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#define EVENT "kvmmmu:kvm_mmu_set_spte"

static void absent(struct mapping_levels *levels, const char *why)
{
    for (int level = 0; level < MAPPING_LEVELS; level++)
        fact_number_absent(&levels->set[level], "%s", why);
}

static bool filter_set(const struct counter *counter, int level, const struct kernel *kernel, struct error *err)
{
    char filter[32];
    snprintf(filter, sizeof(filter), "level == %d", level);
    for (size_t at = 0; at < counter->thread_count * counter->cpu_count; at++)
        if (counter->fds[at] >= 0 &&
            kernel->ioctl(kernel->context, counter->fds[at], PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter) < 0)
            return error_system(err, errno, "'%s' can't be filtered by its level", EVENT);
    return true;
}

static bool levels_open(struct mapping_levels *levels, pid_t monitor, const struct kernel *kernel,
                        const struct sysroot *root, struct arena *arena, struct error *err)
{
    struct event_list list = {0};
    char process[24];
    snprintf(process, sizeof(process), "%d", monitor);
    const struct target_request whom = {.processes = process};
    bool good = event_list_parse(&list, EVENT "," EVENT "," EVENT, root, arena, err) &&
                target_resolve(&levels->target, &whom, root, arena, err);
    if (good) {
        struct event_list *kept = arena_new(arena, struct event_list);
        *kept = (struct event_list){.items = arena_copy(arena, list.items, list.count * sizeof(*list.items)),
                                    .count = list.count};
        const struct counter_request request = {
            .events = kept, .target = &levels->target, .inherit = true, .starts_later = true};
        good = counters_open(&levels->counters, &request, kernel, root, arena, err);
    }
    event_list_done(&list);
    if (good && !counters_open_count(&levels->counters)) {
        counter_refusal_explain(&levels->counters.items[0], root, err);
        good = false;
    }
    for (size_t at = 0; good && at < levels->counters.count; at++)
        good = filter_set(&levels->counters.items[at], (int)at + 1, kernel, err);
    return good;
}

void mapping_levels_begin(struct mapping_levels *levels, pid_t monitor, const struct kernel *kernel,
                          const struct sysroot *root, struct arena *arena)
{
    struct error err = {0};
    *levels = (struct mapping_levels){.counters = {.kernel = kernel}, .target = {.cgroup_fd = -1}};
    absent(levels, "nothing was counted");
    if (!monitor)
        absent(levels, "the process that made it isn't found");
    else if (levels_open(levels, monitor, kernel, root, arena, &err))
        counters_enable(&levels->counters);
    else
        absent(levels, err.message);
}

void mapping_levels_end(struct mapping_levels *levels)
{
    counters_disable(&levels->counters);
    counters_read(&levels->counters);
    for (size_t at = 0; at < levels->counters.count && at < MAPPING_LEVELS; at++) {
        const struct counter *counter = &levels->counters.items[at];
        int64_t sum = 0;
        bool valid = false;
        for (size_t cell = 0; cell < counter->thread_count * counter->cpu_count; cell++)
            if (counter->values[cell].valid) {
                sum += (int64_t)counter->values[cell].value;
                valid = true;
            }
        if (valid)
            fact_number_set(&levels->set[at], sum);
    }
    counters_close(&levels->counters);
    target_done(&levels->target);
}
