/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/counting.h"

#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PIDFD_MOST = 64,                 /* processes watched by descriptor; more: by looking */
    LOOK_INTERVAL_NS = 50 * 1000000, /* how often we look whether attached threads still live */
    NS_PER_MS = 1000000
};

/* Roles. */

#define CACHE_CONFIG(cache, miss)                                                                                 \
    ((uint64_t)(cache) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | (uint64_t)(miss) << 16)
#define CACHE_MISS PERF_COUNT_HW_CACHE_RESULT_MISS

static const struct {
    uint32_t type;
    uint64_t config;
    enum count_role role;
} roles[] = {
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, ROLE_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, ROLE_CLOCK},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ROLE_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, ROLE_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, ROLE_CACHE_REFERENCES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, ROLE_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ROLE_BRANCHES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, ROLE_BRANCH_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, ROLE_STALLED_FRONTEND},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, ROLE_STALLED_BACKEND},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_L1D, 0), ROLE_L1D_LOADS},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_L1D, CACHE_MISS), ROLE_L1D_LOAD_MISSES},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_L1I, 0), ROLE_L1I_LOADS},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_L1I, CACHE_MISS), ROLE_L1I_LOAD_MISSES},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_LL, 0), ROLE_LLC_LOADS},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_LL, CACHE_MISS), ROLE_LLC_LOAD_MISSES},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_DTLB, 0), ROLE_DTLB_LOADS},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_DTLB, CACHE_MISS), ROLE_DTLB_LOAD_MISSES},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_ITLB, 0), ROLE_ITLB_LOADS},
    {PERF_TYPE_HW_CACHE, CACHE_CONFIG(PERF_COUNT_HW_CACHE_ITLB, CACHE_MISS), ROLE_ITLB_LOAD_MISSES},
};

enum count_role count_role_of(const struct perf_event_attr *attr)
{
    uint64_t config = attr->config & UINT32_MAX; /* above: the PMU's type, on hybrid processors */
    for (size_t at = 0; at < array_count(roles); at++)
        if (roles[at].type == attr->type && roles[at].config == config)
            return roles[at].role;
    return ROLE_OTHER;
}

static unsigned excluded_bits(const struct perf_event_attr *attr)
{
    return (unsigned)(attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_host << 2 |
                      attr->exclude_idle << 3);
}

/* Counters to rows. */

static size_t cell_count(const struct counter *counter)
{
    return counter->cpu_count * counter->thread_count;
}

static struct reading reading_of(const struct counter *counter, const struct counter_value *value,
                                 const struct counter_value *before)
{
    struct reading reading = {.status = READING_NOT_SUPPORTED, .open_errno = counter->open_errno};
    if (counter->refusal != REFUSAL_NONE)
        return reading;
    reading.status = READING_NOT_COUNTED;
    if (!value->valid)
        return reading;
    reading.value = value->value - before->value;
    reading.enabled_ns = value->enabled_ns - before->enabled_ns;
    reading.running_ns = value->running_ns - before->running_ns;
    if (reading.enabled_ns && reading.running_ns)
        reading.status = READING_COUNTED;
    /* the kernel's clock of cgroup events starts late now and then; a software event always runs when enabled */
    bool alone = !(counter->attr.read_format & PERF_FORMAT_GROUP);
    if (counter->cgroup && alone && counter->attr.type == PERF_TYPE_SOFTWARE && reading.running_ns)
        reading.enabled_ns = reading.running_ns;
    return reading;
}

static size_t merge_target(const struct counters *counters, size_t index)
{
    const struct event_spec *spec = counters->items[index].spec;
    size_t first = index;
    while (first > 0 && spec->one_of_several && counters->items[first - 1].spec->one_of_several &&
           strcmp(counters->items[first - 1].spec->name, spec->name) == 0 &&
           counters->items[first - 1].cgroup == counters->items[index].cgroup)
        first--;
    return first;
}

static const char *row_name(const struct counter *counter, bool apart, struct arena *arena)
{
    if (!apart || !counter->spec->one_of_several)
        return counter->name;
    const char *slash = strchr(counter->name, '/');
    return slash ? arena_printf(arena, "%s%s", counter->spec->pmu, slash)
                 : arena_printf(arena, "%s [%s]", counter->name, counter->spec->pmu);
}

static void table_init(struct count_table *table, const struct counting_plan *plan, const struct counters *counters,
                       const struct target *target, struct arena *arena)
{
    bool by_task = target->kind != TARGET_CPUS && target->kind != TARGET_CGROUP;
    table->row_count = counters->count;
    table->rows = arena_array(arena, struct count_row, counters->count);
    if (by_task) {
        struct count_thread *threads = arena_array(arena, struct count_thread, target->thread_count);
        for (size_t at = 0; at < target->thread_count; at++)
            threads[at] = (struct count_thread){target->threads[at].tid, target->threads[at].comm};
        table->threads = threads;
        table->thread_count = target->thread_count;
    }
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        struct count_row *row = &table->rows[at];
        *row = (struct count_row){
            .event = row_name(counter, plan->keep_pmus_apart, arena),
            .unit = counter->spec->unit,
            .scale = counter->spec->scale,
            .cgroup = counter->cgroup,
            .pmu = counter->spec->pmu,
            .role = count_role_of(&counter->attr),
            .excluded = excluded_bits(&counter->attr),
            .group = counter->leader,
            .merged_with = plan->keep_pmus_apart ? at : merge_target(counters, at),
            .cells = arena_array(arena, struct count_cell, cell_count(counter)),
            .cell_count = cell_count(counter),
        };
        for (size_t cell = 0; cell < row->cell_count; cell++) {
            row->cells[cell].cpu = counter->cpus[cell / counter->thread_count];
            row->cells[cell].thread = by_task && !counter->machine_wide ? (int)(cell % counter->thread_count) : -1;
        }
    }
}

/* before: cumulative values at the window's start, one array per counter; NULL: since the beginning. */
static void table_fill(struct count_table *table, const struct counters *counters,
                       struct counter_value *const *before)
{
    static const struct counter_value zero = {0};
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        for (size_t cell = 0; cell < cell_count(counter); cell++)
            table->rows[at].cells[cell].reading =
                reading_of(counter, &counter->values[cell], before ? &before[at][cell] : &zero);
    }
}

/* Waiting. */

struct waiter {
    struct counting *counting;
    const struct counting_plan *plan;
    struct pollfd polled[PIDFD_MOST + 2];
    nfds_t polled_count;
    bool look; /* nothing can be polled for the target's end: look now and then */
    int control_at; /* index in polled, or -1 */
    sigset_t mask_while_waiting;
    bool enabled;
    uint64_t start_ns, next_interval_ns, end_ns, enable_ns;
    uint64_t intervals;
    struct count_table window;
    struct counter_value **before;
};

static void polled_add(struct waiter *waiter, int fd)
{
    waiter->polled[waiter->polled_count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* A descriptor per attached process; threads and crowds are looked at instead. */
static void polled_processes(struct waiter *waiter)
{
    const struct target *target = &waiter->counting->target;
    pid_t last = 0;
    size_t processes = 0;
    for (size_t at = 0; at < target->thread_count; at++) {
        processes += target->threads[at].pid != last;
        last = target->threads[at].pid;
    }
    waiter->look = true;
#ifdef SYS_pidfd_open
    if (target->kind != TARGET_PROCESSES || processes > PIDFD_MOST)
        return;
    last = 0;
    for (size_t at = 0; at < target->thread_count; at++) {
        if (target->threads[at].pid == last)
            continue;
        last = target->threads[at].pid;
        int fd = (int)syscall(SYS_pidfd_open, last, 0);
        if (fd >= 0)
            polled_add(waiter, fd);
        else if (errno != ESRCH)
            return;
    }
    waiter->look = waiter->polled_count == 0;
#endif
}

static bool any_thread_alive(const struct target *target)
{
    for (size_t at = 0; at < target->thread_count; at++)
        if (syscall(SYS_tgkill, target->threads[at].pid, target->threads[at].tid, 0) == 0 || errno == EPERM)
            return true;
    return false;
}

/* Whether what is measured has ended. */
static bool target_ended(struct waiter *waiter)
{
    struct counting *counting = waiter->counting;
    const struct target *target = &counting->target;
    if (counting->has_workload)
        return workload_wait(&counting->workload, 0);
    if (target->kind == TARGET_CPUS || target->kind == TARGET_CGROUP)
        return false;
    if (waiter->look)
        return !any_thread_alive(target);
    nfds_t alive = 0;
    for (nfds_t at = 0; at < waiter->polled_count; at++) {
        struct pollfd *polled = &waiter->polled[at];
        if ((int)at == waiter->control_at || polled->fd < 0)
            continue;
        if (polled->revents)
            close(fd_steal(&polled->fd));
        else
            alive++;
    }
    return alive == 0;
}

static void notice_give(const struct counting_plan *plan, enum counting_notice notice, const char *about)
{
    if (plan->notice)
        plan->notice(plan->context, notice, about);
}

static void counters_switch(struct waiter *waiter, bool on)
{
    if (on)
        counters_enable(&waiter->counting->counters);
    else
        counters_disable(&waiter->counting->counters);
    waiter->enabled = on;
    notice_give(waiter->plan, on ? NOTICE_ENABLED : NOTICE_DISABLED, NULL);
}

static void window_print(struct waiter *waiter, uint64_t now)
{
    struct counting *counting = waiter->counting;
    counters_read(&counting->counters);
    waiter->window.start_ns = waiter->window.end_ns;
    waiter->window.end_ns = now - waiter->start_ns;
    table_fill(&waiter->window, &counting->counters, waiter->before);
    for (size_t at = 0; at < counting->counters.count; at++)
        memcpy(waiter->before[at], counting->counters.items[at].values,
               cell_count(&counting->counters.items[at]) * sizeof(struct counter_value));
    counting->interval_failed |= !waiter->plan->interval(waiter->plan->context, &waiter->window);
    waiter->intervals++;
}

static bool intervals_wanted(const struct waiter *waiter)
{
    return waiter->plan->interval_ns &&
           (!waiter->plan->interval_count || waiter->intervals < waiter->plan->interval_count);
}

/* Intervals, the time limit and the elapsed time count from here. */
static void clock_start(struct waiter *waiter, uint64_t now)
{
    waiter->start_ns = now;
    waiter->next_interval_ns = now + waiter->plan->interval_ns;
    waiter->end_ns = waiter->plan->timeout_ns ? now + waiter->plan->timeout_ns : 0;
}

/* "enable EVENT", "disable EVENT"; an event that is counted in several places is all of them. */
static bool event_switch(struct waiter *waiter, const char *name, bool on)
{
    struct counters *counters = &waiter->counting->counters;
    bool found = false;
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        if (strcmp(counter->name, name) != 0 && strcmp(counter->spec->name, name) != 0)
            continue;
        counter_switch(counters, at, on);
        found = true;
    }
    notice_give(waiter->plan, !found ? NOTICE_UNKNOWN_EVENT : on ? NOTICE_ENABLED : NOTICE_DISABLED, name);
    return found;
}

static bool order_switch(struct waiter *waiter, const struct control_order *order)
{
    bool on = order->command == CONTROL_ENABLE;
    waiter->enable_ns = 0; /* it was said otherwise */
    if (order->event)
        return event_switch(waiter, order->event, on);
    if (on && !waiter->enabled && waiter->plan->delay_ns > 0 && waiter->next_interval_ns == UINT64_MAX)
        clock_start(waiter, clock_ns(CLOCK_MONOTONIC));
    counters_switch(waiter, on);
    return true;
}

/* Whether it was done. */
static bool order_obey(struct waiter *waiter, const struct control_order *order)
{
    const struct counters *counters = &waiter->counting->counters;
    switch (order->command) {
    case CONTROL_ENABLE:
    case CONTROL_DISABLE:
        return order_switch(waiter, order);
    case CONTROL_EVENTS:
        for (size_t at = 0; at < counters->count; at++)
            notice_give(waiter->plan, NOTICE_EVENT, counters->items[at].name);
        return true;
    case CONTROL_UNKNOWN:
        notice_give(waiter->plan, NOTICE_UNKNOWN_ORDER, order->line);
        return false;
    case CONTROL_STOP:
    case CONTROL_PING:
        break;
    }
    return true;
}

/* Returns whether an order was to stop. */
static bool control_read(struct waiter *waiter)
{
    struct control *control = waiter->plan->control;
    struct control_order order;
    bool stop = false;
    while (control_next(control, &order)) {
        if (order_obey(waiter, &order))
            control_acknowledge(control);
        stop |= order.command == CONTROL_STOP;
    }
    waiter->polled[waiter->control_at].fd = control->command_fd; /* -1: the other side has gone; counting goes on */
    return stop;
}

/* The next moment at which something is to be done; UINT64_MAX: none. */
static uint64_t next_deadline(const struct waiter *waiter, uint64_t now)
{
    uint64_t deadline = UINT64_MAX;
    if (intervals_wanted(waiter))
        deadline = waiter->next_interval_ns;
    if (waiter->end_ns && waiter->end_ns < deadline)
        deadline = waiter->end_ns;
    if (waiter->enable_ns && waiter->enable_ns < deadline)
        deadline = waiter->enable_ns;
    if (waiter->look && now + LOOK_INTERVAL_NS < deadline)
        deadline = now + LOOK_INTERVAL_NS;
    return deadline;
}

static void wait_until(struct waiter *waiter, uint64_t deadline, uint64_t now)
{
    uint64_t left = deadline > now ? deadline - now : 0;
    struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    if (ppoll(waiter->polled, waiter->polled_count, deadline == UINT64_MAX ? NULL : &timeout,
              &waiter->mask_while_waiting) < 0)
        for (nfds_t at = 0; at < waiter->polled_count; at++)
            waiter->polled[at].revents = 0;
}

/* Do what is due; true when counting is over. */
static bool due(struct waiter *waiter, uint64_t now)
{
    struct counting *counting = waiter->counting;
    if (waiter->enable_ns && now >= waiter->enable_ns) {
        waiter->enable_ns = 0;
        clock_start(waiter, now);
        counters_switch(waiter, true);
    }
    if (intervals_wanted(waiter) && now >= waiter->next_interval_ns) {
        window_print(waiter, now);
        while (waiter->next_interval_ns <= now)
            waiter->next_interval_ns += waiter->plan->interval_ns;
        bool last = waiter->plan->interval_count && waiter->intervals >= waiter->plan->interval_count;
        if (counting->interval_failed || (last && !counting->has_workload))
            return true;
    }
    if (waiter->end_ns && now >= waiter->end_ns) {
        waiter->end_ns = 0;
        counting->ended_here = true;
        if (!counting->has_workload)
            return true;
        kill(counting->workload.pid, SIGTERM);
    }
    return false;
}

static void wait_for_end(struct waiter *waiter)
{
    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (due(waiter, now) || target_ended(waiter))
            return;
        if (!waiter->counting->has_workload && workload_stop_requested())
            return;
        wait_until(waiter, next_deadline(waiter, now), now);
        if (waiter->control_at >= 0 && waiter->polled[waiter->control_at].revents && control_read(waiter)) {
            if (!waiter->counting->has_workload)
                return;
            waiter->counting->ended_here = true;
            kill(waiter->counting->workload.pid, SIGTERM);
        }
    }
}

/* When a program is waited for and nothing else can happen, waiting costs one system call. */
static bool only_the_program(const struct counting *counting, const struct counting_plan *plan)
{
    return counting->has_workload && !plan->interval_ns && !plan->timeout_ns && plan->delay_ns == 0 &&
           !plan->control;
}

static void waiter_init(struct waiter *waiter, struct counting *counting, const struct counting_plan *plan)
{
    *waiter = (struct waiter){.counting = counting, .plan = plan, .control_at = -1};
    clock_start(waiter, counting->has_workload ? counting->workload.started_ns : clock_ns(CLOCK_MONOTONIC));
    if (plan->delay_ns > 0) { /* the clock starts anew when counting does */
        waiter->enable_ns = waiter->start_ns + (uint64_t)plan->delay_ns;
        waiter->next_interval_ns = UINT64_MAX;
        waiter->end_ns = 0;
    }
    bool by_task = counting->target.kind != TARGET_CPUS && counting->target.kind != TARGET_CGROUP;
    if (counting->has_workload && counting->workload.pid_fd >= 0)
        polled_add(waiter, counting->workload.pid_fd);
    else if (counting->has_workload)
        waiter->look = true;
    else if (by_task)
        polled_processes(waiter);
    if (plan->control) {
        waiter->control_at = (int)waiter->polled_count;
        polled_add(waiter, plan->control->command_fd);
    }
    if (!plan->interval_ns)
        return;
    table_init(&waiter->window, plan, &counting->counters, &counting->target, &counting->arena);
    waiter->before = arena_array(&counting->arena, struct counter_value *, counting->counters.count);
    for (size_t at = 0; at < counting->counters.count; at++)
        waiter->before[at] =
            arena_array(&counting->arena, struct counter_value, cell_count(&counting->counters.items[at]));
}

static void waiter_done(struct waiter *waiter)
{
    for (nfds_t at = 0; at < waiter->polled_count; at++)
        if ((int)at != waiter->control_at && waiter->polled[at].fd >= 0 && !waiter->counting->has_workload)
            close(waiter->polled[at].fd);
}

/* Signals are blocked but while waiting, so that none slips in between looking at the flag and waiting. */
static void wait_with_signals(struct waiter *waiter)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t at = 0; at < array_count(numbers); at++)
        sigaddset(&blocked, numbers[at]);
    sigprocmask(SIG_BLOCK, &blocked, &waiter->mask_while_waiting);
    wait_for_end(waiter);
    sigprocmask(SIG_SETMASK, &waiter->mask_while_waiting, NULL);
}

static bool run_to_end(struct counting *counting, const struct counting_plan *plan, struct error *err)
{
    struct waiter waiter;
    waiter_init(&waiter, counting, plan);
    if (only_the_program(counting, plan))
        workload_wait(&counting->workload, -1);
    else
        wait_with_signals(&waiter);
    uint64_t end =
        counting->has_workload && counting->workload.reaped ? counting->workload.ended_ns : clock_ns(CLOCK_MONOTONIC);
    if (!counting->has_workload)
        counters_disable(&counting->counters); /* what goes on running would skew groups while they are read */
    counting->elapsed_ns = end - waiter.start_ns;
    bool started = !counting->has_workload || !counting->workload.reaped ||
                   workload_exec_check(&counting->workload, err);
    if (started && intervals_wanted(&waiter) && !counting->interval_failed)
        window_print(&waiter, end);
    waiter_done(&waiter);
    return started;
}

/* Starting. */

static bool target_start(struct counting *counting, const struct counting_plan *plan, const struct sysroot *root,
                         struct error *err)
{
    if (!target_resolve(&counting->target, plan->target, root, &counting->arena, err))
        return false;
    counting->has_workload = plan->argv != NULL;
    if (!counting->has_workload)
        return true;
    if (!workload_start_in(&counting->workload, plan->argv, plan->surroundings, err))
        return false;
    if (counting->target.kind == TARGET_WORKLOAD)
        target_of_workload(&counting->target, counting->workload.pid, &counting->arena);
    return true;
}

/*
 * Without a single counter there is nothing to tell of what we attach to, and waiting for it would be for nothing. A
 * program that we start is still run and timed.
 */
static bool nothing_to_wait_for(const struct counting *counting, const struct sysroot *root, struct error *err)
{
    const struct counters *counters = &counting->counters;
    const struct counter *refused = NULL;
    if (counting->target.kind == TARGET_WORKLOAD || !counters->count || counters_open_count(counters))
        return false;
    for (size_t at = 0; at < counters->count && !refused; at++)
        if (counters->items[at].refusal == REFUSAL_PERMISSION || counters->items[at].refusal == REFUSAL_NO_SYSCALL)
            refused = &counters->items[at];
    if (!refused && counting->has_workload)
        return false;
    refused = refused ? refused : &counters->items[0];
    counter_refusal_explain(refused, root, err);
    error_wrap(err, "can't count '%s'", refused->spec->name);
    return true;
}

/* Attached processes that are stopped count nothing until somebody lets them go on: said before the waiting for it. */
static void stopped_say(const struct counting *counting, const struct counting_plan *plan, const struct sysroot *root)
{
    char name[100];
    for (size_t from = plan->target->every_thread ? SIZE_MAX : 0;
         target_stopped_next(&counting->target, root, &from, name, sizeof(name));)
        notice_give(plan, NOTICE_STOPPED, name);
}

static bool counting_start(struct counting *counting, const struct counting_plan *plan, const struct kernel *kernel,
                           const struct sysroot *root, struct error *err)
{
    bool by_exec = counting->target.kind == TARGET_WORKLOAD && plan->delay_ns == 0;
    struct counter_request request = {.events = plan->events,
                                      .target = &counting->target,
                                      .cgroups = plan->cgroups,
                                      .inherit = plan->inherit,
                                      .enable_on_exec = by_exec,
                                      .starts_later = plan->delay_ns != 0};
    if (!counters_open(&counting->counters, &request, kernel, root, &counting->arena, err))
        return false;
    if (nothing_to_wait_for(counting, root, err))
        return false;
    if (plan->delay_ns == 0 && !by_exec)
        counters_enable(&counting->counters);
    else if (by_exec)
        counters_enable_machine_wide(&counting->counters);
    workload_forward_signals(counting->has_workload ? &counting->workload : NULL);
    if (plan->delay_ns != 0)
        notice_give(plan, NOTICE_DISABLED, NULL);
    stopped_say(counting, plan, root);
    if (counting->has_workload)
        workload_let_go(&counting->workload);
    return true;
}

bool counting_run(struct counting *counting, const struct counting_plan *plan, const struct kernel *kernel,
                  const struct sysroot *root, struct error *err)
{
    *counting = (struct counting){.counters = {.kernel = kernel}, .target = {.cgroup_fd = -1}};
    counting->workload = (struct workload){.release_fd = -1, .exec_error_fd = -1, .pid_fd = -1};
    if (!target_start(counting, plan, root, err) || !counting_start(counting, plan, kernel, root, err))
        return false;
    if (!run_to_end(counting, plan, err))
        return false;
    counters_read(&counting->counters);
    table_init(&counting->total, plan, &counting->counters, &counting->target, &counting->arena);
    table_fill(&counting->total, &counting->counters, NULL);
    counting->total.end_ns = counting->elapsed_ns;
    return true;
}

void counting_done(struct counting *counting)
{
    counters_close(&counting->counters);
    workload_done(&counting->workload);
    target_done(&counting->target);
    arena_done(&counting->arena);
}
