/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "system/activity/watch.h"
#include "system/host/pid_namespace.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare_pid(const void *a, const void *b)
{
    const struct seen_process *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static void processes_list(struct activity_watch *watch, struct text *scratch)
{
    vec_done(&watch->listed_before);
    memcpy(&watch->listed_before, &watch->listed, sizeof(watch->listed));
    memset(&watch->listed, 0, sizeof(watch->listed));
    scoped_dir DIR *proc = sysroot_opendir(watch->root, "/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        uint64_t pid;
        struct task_stat stat = {0};
        if (!view_u64(view_of(entry->d_name), 10, &pid) || !watch_read(watch, scratch, "/proc/%d/stat", (int)pid, 0) ||
            !task_stat_parse(text_view(scratch), watch->tick_s, &stat))
            continue;
        struct seen_process *seen = vec_push(&watch->listed);
        *seen = (struct seen_process){.pid = (pid_t)pid, .parent = (pid_t)stat.parent, .session = (pid_t)stat.session,
                                      .start_ticks = stat.start_ticks, .is_ready = stat.state == 'R',
                                      .cpu_s = stat.counters.user_s + stat.counters.system_s};
        memcpy(seen->comm, stat.comm, sizeof(seen->comm));
    }
    if (watch->listed.count)
        qsort(watch->listed.items, watch->listed.count, sizeof(*watch->listed.items), compare_pid);
}

static const struct seen_process *seen_by_pid(const struct seen_process *items, size_t count, pid_t pid)
{
    const struct seen_process key = {.pid = pid};
    return count ? bsearch(&key, items, count, sizeof(*items), compare_pid) : NULL;
}

/*
 * The first process of a pid namespace is given everybody's orphans. A child of its own has its session unless it
 * began one; what had another parent a look ago is none.
 */
static bool is_orphan(const struct activity_watch *watch, const struct watched_process *parent,
                      const struct seen_process *seen)
{
    if (!parent->given_orphans)
        return false;
    const struct seen_process *before = seen_by_pid(watch->listed_before.items, watch->listed_before.count, seen->pid);
    if (before && before->start_ticks == seen->start_ticks && before->parent != seen->parent)
        return true;
    const struct seen_process *giver = seen_by_pid(watch->listed.items, watch->listed.count, parent->pid);
    return giver && giver->session != seen->session;
}

static void child_note(struct activity_watch *watch, const struct seen_process *seen)
{
    vec_for_each(&watch->children, child)
        if (child->pid == (uint32_t)seen->pid && child->start_ticks == seen->start_ticks) {
            child->last_cpu_s = seen->cpu_s;
            memcpy(child->comm, seen->comm, sizeof(child->comm));
            return;
        }
    struct watched_child *child = vec_push(&watch->children);
    *child = (struct watched_child){.pid = (uint32_t)seen->pid,
                                    .parent = (uint32_t)seen->parent,
                                    .start_ticks = seen->start_ticks,
                                    .first_cpu_s = seen->cpu_s,
                                    .last_cpu_s = seen->cpu_s};
    memcpy(child->comm, seen->comm, sizeof(child->comm));
}

/* Who may do the work of a process that only waits: its children from before, and all of theirs. */
static void children_look(struct activity_watch *watch)
{
    for (bool grew = !watch->started; grew;) {
        grew = false;
        for (size_t at = 0; at < watch->listed.count; at++) {
            struct seen_process *item = &watch->listed.items[at];
            const struct watched_process *parent = watch_process_find(watch, item->parent);
            bool of_target = parent && !is_orphan(watch, parent, item);
            for (size_t other = 0; other < watch->children.count && !of_target; other++)
                of_target = watch->children.items[other].pid == (uint32_t)item->parent;
            if (item->is_child || !of_target || item->pid == getpid() || watch_process_find(watch, item->pid))
                continue;
            item->is_child = grew = true;
            child_note(watch, item);
        }
    }
}

/* A child may have children of its own in the same list: repeat while it grows. */
static void children_join(struct activity_watch *watch)
{
    for (bool grew = true; grew;) {
        grew = false;
        vec_for_each(&watch->listed, item) {
            struct watched_process *parent = watch_process_find(watch, item->parent);
            bool began_before = !watch->started && item->start_ticks < watch->began_ticks;
            if (!parent || !parent->alive || began_before || watch_process_find(watch, item->pid) ||
                is_orphan(watch, parent, item))
                continue;
            watch_process_add(watch, item->pid, false);
            grew = true;
        }
    }
}

void watch_family_look(struct activity_watch *watch, struct text *scratch)
{
    processes_list(watch, scratch);
    children_join(watch);
    /* It may end before its threads are looked at. */
    vec_for_each(&watch->listed, item)
        watch->is_ready |= item->is_ready && watch_process_find(watch, item->pid) != NULL;
    children_look(watch);
}
