/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/scope.h"
#include "system/activity/watch.h"

#include <time.h>
#include <unistd.h>

static void machine_look_memory(struct activity_watch *watch, struct machine_counters *counters,
                                struct text *scratch)
{
    if (!watch_read(watch, scratch, "/proc/vmstat", 0, 0))
        return;
    struct view all = text_view(scratch);
    (void)!status_number(all, "thp_fault_alloc ", &counters->huge_faults);
    (void)!status_number(all, "thp_fault_fallback ", &counters->huge_fallbacks);
    counters->has_vmstat =
        status_number(all, "pswpin ", &counters->swap_ins) && status_number(all, "pswpout ", &counters->swap_outs);
}

static void cpus_look(struct activity_watch *watch, struct machine_counters *counters, struct text *scratch)
{
    if (!watch_read(watch, scratch, "/proc/stat", 0, 0))
        return;
    counters->has_interrupts = status_number(text_view(scratch), "intr ", &counters->interrupts);
    cpu_ticks_list *list = watch->look_count == 0 ? &watch->cpus_first : &watch->cpus_last;
    vec_reserve(list, CPUS_MOST);
    list->count = cpu_ticks_parse(text_view(scratch), list->items, CPUS_MOST);
}

/*
 * Of many CPUs and devices the file is long: it may take a two-hundredth of the time, and rates over less than that say
 * little.
 */
static void interrupts_look(struct activity_watch *watch, struct text *scratch)
{
    static const double STEP_LEAST_S = 0.2, PAUSE_TIMES = 200;
    double start_s = clock_s(CLOCK_MONOTONIC);
    if (start_s < watch->interrupts_next_s || !watch_read(watch, scratch, "/proc/interrupts", 0, 0))
        return;
    bool is_first = !watch->interrupts_first.count;
    cpu_interrupts_list *list = is_first ? &watch->interrupts_first : &watch->interrupts_last;
    vec_reserve(list, CPUS_MOST);
    list->count = cpu_interrupts_parse(text_view(scratch), list->items, CPUS_MOST);
    *(is_first ? &watch->interrupts_first_s : &watch->interrupts_last_s) = start_s;
    double pause_s = (clock_s(CLOCK_MONOTONIC) - start_s) * PAUSE_TIMES;
    watch->interrupts_next_s = start_s + (pause_s > STEP_LEAST_S ? pause_s : STEP_LEAST_S);
}

void watch_machine_look(struct activity_watch *watch, struct text *scratch)
{
    struct machine_counters counters = {0};
    cpu_time_read(&counters.cpu, watch->root);
    machine_look_memory(watch, &counters, scratch);
    cpus_look(watch, &counters, scratch);
    interrupts_look(watch, scratch);
    if (watch->look_count == 0)
        watch->machine_first = counters;
    watch->machine_last = counters;
    if (!watch_read(watch, scratch, "/proc/loadavg", 0, 0))
        return;
    struct view rest = text_view(scratch);
    for (int skipped = 0; skipped < 3; skipped++)
        view_word(&rest);
    struct view running = view_word(&rest);
    uint64_t count;
    if (view_u64(view_cut(&running, '/'), 10, &count)) {
        watch->runnable_sum += (double)count - (count > 0); /* less ourselves, who read it */
        watch->runnable_count++;
    }
}

/*
 * Who shares the limit: besides the target and plumb, which does next to nothing. Groups below it have lists of their
 * own.
 */
static void members_look(struct activity_watch *watch, const struct cgroup_cpu *cgroup)
{
    char limited[sizeof(cgroup->folder) + sizeof(cgroup->quota_path.text)];
    snprintf(limited, sizeof(limited), "%s%s", cgroup->mount.text,
             strcmp(cgroup->quota_path.text, "/") == 0 ? "" : cgroup->quota_path.text);
    scoped_text struct text members = {0};
    struct error ignored;
    watch->has_members = cgroup->limited && cgroup->quota_path.known && strcmp(limited, cgroup->folder) == 0 &&
                         sysroot_read(watch->root, &members, &ignored, "%s/cgroup.procs", cgroup->folder);
    if (!watch->has_members)
        return;
    struct view rest = text_view(&members), line;
    uint32_t others = 0;
    while (view_line(&rest, &line)) {
        uint64_t pid;
        if (view_u64(view_trim(line), 10, &pid) && (pid_t)pid != getpid() && !watch_process_find(watch, (pid_t)pid))
            others++;
    }
    watch->others_most = others > watch->others_most ? others : watch->others_most;
}

/*
 * A program may be put into a limited group only once it runs (a shell that does so and execs, systemd-run): that one
 * counts from then on.
 */
static void cgroup_follow(struct activity_watch *watch)
{
    pid_t busiest;
    struct cgroup_cpu now;
    if (watch->cgroup_is_given || watch->cgroup_last.limited || !activity_processes(watch, &busiest, 1))
        return;
    cgroup_cpu_read(&now, watch->root, busiest);
    if (!now.path.known || !now.limited ||
        (watch->has_cgroup && strcmp(now.path.text, watch->cgroup_first.path.text) == 0))
        return;
    watch->cgroup_first = watch->cgroup_last = now;
    watch->has_cgroup = true;
    watch->others_most = 0;
}

/* The group is kept by its path: at the last look the process may have ended. */
void watch_cgroup_look(struct activity_watch *watch)
{
    cgroup_follow(watch);
    if (!watch->has_cgroup)
        return;
    struct cgroup_cpu cgroup;
    cgroup_cpu_read_path(&cgroup, watch->root, watch->cgroup_first.path.text);
    if (!cgroup.version)
        return;
    watch->cgroup_last = cgroup;
    members_look(watch, &cgroup);
}
