/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/activity/watch.h"

static double thread_cpu_s(const struct watched_thread *thread)
{
    return thread->last.user_s + thread->last.system_s - thread->first.user_s - thread->first.system_s;
}

size_t activity_processes(const struct activity_watch *watch, pid_t *ret_pids, size_t most)
{
    size_t count = 0;
    vec(struct { pid_t pid; double cpu_s; }) order = {0};
    vec_for_each(&watch->processes, process) {
        if (!process->alive)
            continue;
        double cpu_s = 0;
        vec_for_each(&watch->threads, thread)
            cpu_s += thread->pid == (uint32_t)process->pid ? thread_cpu_s(thread) : 0;
        size_t at = order.count;
        (void)vec_push(&order);
        for (; at > 0 && order.items[at - 1].cpu_s < cpu_s; at--)
            order.items[at] = order.items[at - 1];
        order.items[at].pid = process->pid;
        order.items[at].cpu_s = cpu_s;
    }
    for (; count < most && count < order.count; count++)
        ret_pids[count] = order.items[count].pid;
    vec_done(&order);
    return count;
}

static struct measured difference(bool known, double later, double earlier, const char *why_not)
{
    return known ? measured_as(later > earlier ? later - earlier : 0) : not_measured(why_not);
}

static void result_threads(const struct activity_watch *watch, struct arena *arena, struct activity *result)
{
    size_t count = watch->threads.count;
    result->thread_count = (uint32_t)count;
    result->threads = arena_array(arena, struct activity_thread, count ? count : 1);
    for (size_t from = 0; from < count; from++) {
        const struct watched_thread *thread = &watch->threads.items[from];
        struct activity_thread entry = {
            .pid = thread->pid,
            .tid = thread->tid,
            .user_s = thread->last.user_s - thread->first.user_s,
            .system_s = thread->last.system_s - thread->first.system_s,
            .run_s = difference(thread->has_schedstat, thread->last.run_s, thread->first.run_s,
                                "schedstat can't be read"),
            .run_delay_s = difference(thread->has_schedstat, thread->last.delay_s, thread->first.delay_s,
                                      "schedstat can't be read"),
            .seen = thread->seen,
            .seen_running = thread->seen_running,
            .seen_sleeping = thread->seen_sleeping,
            .seen_disk = thread->seen_disk,
        };
        memcpy(entry.comm, thread->comm, sizeof(entry.comm));
        memcpy(entry.cpus, thread->cpus, sizeof(entry.cpus));
        memcpy(entry.waits, thread->waits, sizeof(entry.waits));
        size_t at = from;
        for (; at > 0 && result->threads[at - 1].user_s + result->threads[at - 1].system_s <
                             entry.user_s + entry.system_s;
             at--)
            result->threads[at] = result->threads[at - 1];
        result->threads[at] = entry;
    }
}

static struct task_counters processes_sum(const struct activity_watch *watch)
{
    struct task_counters sum = {0};
    vec_for_each(&watch->processes, process) {
        sum.user_s += process->last.user_s - process->first.user_s;
        sum.system_s += process->last.system_s - process->first.system_s;
        sum.minor_faults += process->last.minor_faults - process->first.minor_faults;
        sum.major_faults += process->last.major_faults - process->first.major_faults;
    }
    return sum;
}

static void result_target(const struct activity_watch *watch, struct activity *result)
{
    double user_s = 0, system_s = 0, run_s = 0, delay_s = 0, block_s = 0;
    double minor = 0, major = 0, voluntary = 0, involuntary = 0;
    bool schedstat = false, switches = false, any = watch->threads.count > 0;
    vec_for_each(&watch->threads, thread) {
        const struct task_counters *first = &thread->first, *last = &thread->last;
        user_s += last->user_s - first->user_s;
        system_s += last->system_s - first->system_s;
        run_s += last->run_s - first->run_s;
        delay_s += last->delay_s - first->delay_s;
        block_s += last->block_delay_s - first->block_delay_s;
        minor += (double)(last->minor_faults - first->minor_faults);
        major += (double)(last->major_faults - first->major_faults);
        if (thread->has_switches) {
            voluntary += (double)last->voluntary - (double)first->voluntary;
            involuntary += (double)last->involuntary - (double)first->involuntary;
        }
        schedstat |= thread->has_schedstat;
        switches |= thread->has_switches;
    }
    struct task_counters whole = processes_sum(watch);
    user_s = whole.user_s > user_s ? whole.user_s : user_s;
    system_s = whole.system_s > system_s ? whole.system_s : system_s;
    minor = (double)whole.minor_faults > minor ? (double)whole.minor_faults : minor;
    major = (double)whole.major_faults > major ? (double)whole.major_faults : major;
    const char *nobody = "no process of the target was seen in /proc";
    result->user_s = difference(any, user_s, 0, nobody);
    result->system_s = difference(any, system_s, 0, nobody);
    result->minor_faults = difference(any, minor, 0, nobody);
    result->major_faults = difference(any, major, 0, nobody);
    result->run_delay_s = difference(schedstat, delay_s, 0, any ? "schedstat can't be read" : nobody);
    result->seen_run_s = difference(schedstat, run_s, 0, any ? "schedstat can't be read" : nobody);
    result->voluntary_switches = difference(switches, voluntary, 0, any ? "status can't be read" : nobody);
    result->involuntary_switches = difference(switches, involuntary, 0, any ? "status can't be read" : nobody);
    char accounting[8] = "";
    bool delays = sysroot_line(watch->root, accounting, sizeof(accounting), "/proc/sys/kernel/task_delayacct") &&
                  accounting[0] == '1';
    result->block_io_delay_s = difference(any && delays, block_s, 0,
                                          any ? "delay accounting is off (sysctl kernel.task_delayacct=1)" : nobody);
}

static void result_processes(const struct activity_watch *watch, struct activity *result)
{
    double read_bytes = 0, write_bytes = 0, resident = 0, swapped = 0;
    bool io = false;
    vec_for_each(&watch->processes, process) {
        read_bytes += (double)(process->read_bytes - process->first_read_bytes);
        write_bytes += (double)(process->write_bytes - process->first_write_bytes);
        resident += (double)process->resident_most_bytes;
        swapped += (double)process->swapped_bytes;
        io |= process->has_io;
    }
    result->process_count = (uint32_t)watch->processes.count;
    result->read_bytes = difference(io, read_bytes, 0, "/proc/PID/io can't be read");
    result->write_bytes = difference(io, write_bytes, 0, "/proc/PID/io can't be read");
    result->resident_most_bytes = difference(resident > 0, resident, 0, "/proc/PID/status can't be read");
    result->swapped_bytes = difference(resident > 0, swapped, 0, "/proc/PID/status can't be read");
    result->cpus_allowed = watch->cpus_allowed ? measured_as(watch->cpus_allowed)
                                               : not_measured("/proc/PID/status can't be read");
}

static double ticks_between(const struct fact_number *earlier, const struct fact_number *later)
{
    return earlier->known && later->known ? (double)(later->value - earlier->value) : 0;
}

static void result_cpu_ratios(const struct activity_watch *watch, struct activity *result)
{
    const struct cpu_time *a = &watch->machine_first.cpu, *b = &watch->machine_last.cpu;
    double iowait = ticks_between(&a->iowait, &b->iowait);
    double idle = ticks_between(&a->idle, &b->idle) + iowait;
    double steal = ticks_between(&a->steal, &b->steal);
    double interrupts = ticks_between(&a->irq, &b->irq) + ticks_between(&a->softirq, &b->softirq);
    double busy = ticks_between(&a->user, &b->user) + ticks_between(&a->nice, &b->nice) +
                  ticks_between(&a->system, &b->system) + interrupts;
    double total = idle + steal + busy;
    const char *why = a->idle.known ? "watched for less than a clock tick" : "/proc/stat can't be read";
    bool known = a->idle.known && b->idle.known && total > 0;
    result->busy_ratio = known ? measured_as(busy / total) : not_measured(why);
    result->steal_ratio = known && a->steal.known ? measured_as(steal / total)
                                                  : not_measured(known ? "the kernel doesn't count steal" : why);
    result->guest_ratio = known && a->guest.known ? measured_as(ticks_between(&a->guest, &b->guest) / total)
                                                  : not_measured(known ? "the kernel doesn't count guests' time" : why);
    result->iowait_ratio = known ? measured_as(iowait / total) : not_measured(why);
    result->interrupt_ratio = known ? measured_as(interrupts / total) : not_measured(why);
}

static const struct cpu_interrupts *interrupts_of(const cpu_interrupts_list *list, uint32_t cpu)
{
    for (size_t at = 0; at < list->count; at++)
        if (list->items[at].cpu == cpu)
            return &list->items[at];
    return NULL;
}

static void result_interrupts(const struct activity_watch *watch, struct activity_cpu *cpu)
{
    const struct cpu_interrupts *from = interrupts_of(&watch->interrupts_first, cpu->cpu);
    const struct cpu_interrupts *to = interrupts_of(&watch->interrupts_last, cpu->cpu);
    double span_s = watch->interrupts_last_s - watch->interrupts_first_s;
    cpu->timer_per_s = cpu->others_per_s = -1;
    if (!from || !to || span_s <= 0 || to->timer < from->timer || to->ipi < from->ipi || to->other < from->other)
        return;
    cpu->timer_per_s = (double)(to->timer - from->timer) / span_s;
    cpu->others_per_s = ((double)(to->ipi - from->ipi) + (double)(to->other - from->other)) / span_s;
}

/* CPUs that were online all the time: both lists are in the order of their numbers. */
static void result_cpus(const struct activity_watch *watch, struct arena *arena, struct activity *result)
{
    const double tick_s = 1.0 / CPU_TIME_TICKS_PER_SECOND;
    result->cpus = arena_array(arena, struct activity_cpu, watch->cpus_last.count + 1);
    size_t first = 0;
    vec_for_each(&watch->cpus_last, last) {
        while (first < watch->cpus_first.count && watch->cpus_first.items[first].cpu < last->cpu)
            first++;
        const struct cpu_ticks *from = first < watch->cpus_first.count ? &watch->cpus_first.items[first] : NULL;
        if (!from || from->cpu != last->cpu || last->busy < from->busy || last->steal < from->steal)
            continue;
        struct activity_cpu *cpu = &result->cpus[result->cpu_count++];
        *cpu = (struct activity_cpu){.cpu = last->cpu, .busy_s = (double)(last->busy - from->busy) * tick_s,
                                     .steal_s = (double)(last->steal - from->steal) * tick_s};
        result_interrupts(watch, cpu);
    }
}

static void result_machine(const struct activity_watch *watch, struct activity *result)
{
    result_cpu_ratios(watch, result);
    const struct machine_counters *a = &watch->machine_first, *b = &watch->machine_last;
    const char *why;
    bool memory = a->has_vmstat && b->has_vmstat;
    why = "/proc/vmstat can't be read";
    result->huge_faults = difference(memory, (double)b->huge_faults, (double)a->huge_faults, why);
    result->huge_fault_fallbacks = difference(memory, (double)b->huge_fallbacks, (double)a->huge_fallbacks, why);
    result->swap_ins = difference(memory, (double)b->swap_ins, (double)a->swap_ins, why);
    result->swap_outs = difference(memory, (double)b->swap_outs, (double)a->swap_outs, why);
    result->interrupts = difference(a->has_interrupts && b->has_interrupts, (double)b->interrupts,
                                    (double)a->interrupts, "/proc/stat doesn't count interrupts");
    result->runnable_mean = watch->runnable_count
                                ? measured_as(watch->runnable_sum / watch->runnable_count)
                                : not_measured("/proc/loadavg can't be read");
    char line[256];
    int *cpus = NULL;
    size_t count = 0;
    if (sysroot_line(watch->root, line, sizeof(line), "/sys/devices/system/cpu/online") &&
        cpu_list_parse(view_of(line), &cpus, &count) && count)
        result->cpus_online = measured_as((double)count);
    else
        result->cpus_online = not_measured("/sys/devices/system/cpu/online can't be read");
    free(cpus);
}

static struct measured fact_growth(const struct fact_number *earlier, const struct fact_number *later, double unit,
                                   const char *why)
{
    if (!earlier->known || !later->known)
        return not_measured(why);
    return measured_as((double)(later->value - earlier->value) * unit);
}

static void result_cgroup(const struct activity_watch *watch, struct activity *result)
{
    const struct cgroup_cpu *a = &watch->cgroup_first, *b = &watch->cgroup_last;
    const char *why = !watch->has_cgroup ? "its cgroup isn't known" : "its cgroup doesn't count throttling";
    if (watch->has_cgroup)
        snprintf(result->cgroup, sizeof(result->cgroup), "%s", a->path.text);
    result->cgroup_version = watch->has_cgroup ? a->version : 0;
    result->quota_cpus = !watch->has_cgroup ? not_measured(why)
                         : b->limited       ? measured_as(b->quota_cpus)
                                            : not_measured("no limit is set");
    result->throttled_s = fact_growth(&a->throttled_us, &b->throttled_us, 1e-6, why);
    result->periods = fact_growth(&a->periods, &b->periods, 1, why);
    result->group_usage_s = fact_growth(&a->usage_us, &b->usage_us, 1e-6, why);
    result->group_others = watch->has_members ? measured_as(watch->others_most)
                                              : not_measured("the processes of the limited group aren't known");
    result->period_s = b->period_us.known ? measured_as((double)b->period_us.value * 1e-6)
                                          : not_measured(watch->has_cgroup ? "no limit is set" : why);
    result->throttled_periods = fact_growth(&a->throttled_periods, &b->throttled_periods, 1, why);
}

static void result_children(const struct activity_watch *watch, struct activity *result)
{
    vec_for_each(&watch->children, child) {
        struct activity_child entry = {
            .pid = child->pid, .parent = child->parent, .cpu_s = child->last_cpu_s - child->first_cpu_s};
        memcpy(entry.comm, child->comm, sizeof(entry.comm));
        size_t at = result->child_count < ACTIVITY_CHILDREN_MOST ? result->child_count++ : ACTIVITY_CHILDREN_MOST;
        for (; at > 0 && result->children[at - 1].cpu_s < entry.cpu_s; at--)
            if (at < ACTIVITY_CHILDREN_MOST)
                result->children[at] = result->children[at - 1];
        if (at < ACTIVITY_CHILDREN_MOST)
            result->children[at] = entry;
    }
}

void activity_result(const struct activity_watch *watch, struct arena *arena, struct activity *ret_activity)
{
    struct activity result = {
        .elapsed_s = measured_as(watch->last_s - watch->began_s),
        .threads_at_once = watch->threads_at_once,
        .look_count = watch->look_count,
    };
    uint32_t looks = watch->look_count > 1 ? watch->look_count - 1 : 0;
    result.ready_ratio = looks && watch->threads.count ? measured_as((double)watch->ready_looks / looks)
                                                       : not_measured("it was not looked at while it ran");
    result.stopped_ratio =
        looks && watch->threads.count ? measured_as((double)watch->stopped_looks / looks) : result.ready_ratio;
    result.blocked_ratio =
        looks && watch->threads.count ? measured_as((double)watch->blocked_looks / looks) : result.ready_ratio;
    result_children(watch, &result);
    result_files(watch, &result);
    result_threads(watch, arena, &result);
    result_target(watch, &result);
    result_processes(watch, &result);
    result_machine(watch, &result);
    result_cpus(watch, arena, &result);
    result_cgroup(watch, &result);
    *ret_activity = result;
}

static void raise_to(struct measured *seen, double total)
{
    if (!seen->known || seen->value < total)
        *seen = measured_as(total);
}

void activity_raise(struct activity *activity, const struct activity_totals *totals)
{
    raise_to(&activity->minor_faults, totals->minor_faults);
    raise_to(&activity->major_faults, totals->major_faults);
    raise_to(&activity->voluntary_switches, totals->voluntary_switches);
    raise_to(&activity->involuntary_switches, totals->involuntary_switches);
    if (totals->resident_most_bytes > 0)
        raise_to(&activity->resident_most_bytes, totals->resident_most_bytes);
}
