/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/thread_masks.h"

#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

static double delay_of(const struct activity_thread *thread)
{
    return thread->run_delay_s.known ? thread->run_delay_s.value : 0;
}

static double idle_of(const struct activity_cpu *cpu, double elapsed_s)
{
    double idle = 1 - (cpu->busy_s + cpu->steal_s) / elapsed_s;
    return idle > 0 ? idle : 0;
}

static bool is_listed(const int *cpus, size_t count, uint32_t cpu)
{
    for (size_t at = 0; at < count; at++)
        if (cpus[at] >= 0 && (uint32_t)cpus[at] == cpu)
            return true;
    return false;
}

/* The threads that may use the same CPUs as this one. False: its list can't be read. */
static bool group_of(const struct activity *activity, const char *list, struct thread_masks *ret_group)
{
    struct thread_masks group = {.cpus = list};
    scoped_free int *cpus = NULL;
    size_t count = 0;
    if (!cpu_list_parse(view_of(list), &cpus, &count))
        return false;
    for (uint32_t at = 0; at < activity->cpu_count; at++) {
        bool may = is_listed(cpus, count, activity->cpus[at].cpu);
        group.allowed += may;
        group.outside += !may;
        group.idle += may ? 0 : idle_of(&activity->cpus[at], activity->elapsed_s.value);
    }
    for (uint32_t at = 0; at < activity->thread_count; at++) {
        bool is_member = strcmp(activity->threads[at].cpus, list) == 0;
        group.threads += is_member;
        group.delay_s += is_member ? delay_of(&activity->threads[at]) : 0;
    }
    *ret_group = group;
    return true;
}

static bool is_first_with(const struct activity *activity, uint32_t thread)
{
    for (uint32_t at = 0; at < thread; at++)
        if (strcmp(activity->threads[at].cpus, activity->threads[thread].cpus) == 0)
            return false;
    return true;
}

static void group_add(struct thread_masks *masks, const struct thread_masks *group)
{
    if (group->outside <= 0)
        return;
    masks->kept_delay_s += group->delay_s;
    masks->idle_most = group->idle > masks->idle_most ? group->idle : masks->idle_most;
    if (masks->cpus && group->delay_s <= masks->delay_s)
        return;
    masks->cpus = group->cpus;
    masks->allowed = group->allowed;
    masks->outside = group->outside;
    masks->threads = group->threads;
    masks->delay_s = group->delay_s;
    masks->idle = group->idle;
}

/* Not all threads need be in a case: what is missing of the sum is of nobody who is known. */
static double delay_unknown(const struct activity *activity, double known_s)
{
    double all_s = activity->run_delay_s.known ? activity->run_delay_s.value : known_s;
    return all_s > known_s ? all_s - known_s : 0;
}

struct thread_masks thread_masks_of(const struct activity *activity)
{
    struct thread_masks masks = {.are_alike = true};
    double known_s = 0;
    size_t groups = 0;
    if (!activity->threads || !activity->cpu_count || !activity->elapsed_s.known || activity->elapsed_s.value <= 0)
        return masks;
    for (uint32_t at = 0; at < activity->thread_count; at++) {
        struct thread_masks group;
        if (!activity->threads[at].cpus[0] || !is_first_with(activity, at) ||
            !group_of(activity, activity->threads[at].cpus, &group))
            continue;
        groups++;
        known_s += group.delay_s;
        group_add(&masks, &group);
    }
    for (uint32_t at = 0; at < activity->cpu_count; at++)
        masks.idle_anywhere += idle_of(&activity->cpus[at], activity->elapsed_s.value);
    masks.known = groups > 0;
    masks.are_alike = groups <= 1;
    masks.unknown_delay_s = delay_unknown(activity, known_s);
    return masks;
}
