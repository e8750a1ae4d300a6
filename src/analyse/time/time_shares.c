/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/time_shares.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* A thread of Go's scheduler that watches, or has no goroutine to run: nothing of the program's work waits there. */
static bool is_idle_scheduler(const struct wait_row *row)
{
    static const char *const places[] = {"runtime.sysmon", "runtime.stopm"};
    for (uint32_t caller = 0; caller < row->caller_count; caller++)
        for (size_t at = 0; at < array_count(places); at++)
            if (strcmp(row->callers[caller], places[at]) == 0)
                return true;
    return false;
}

const struct wait_row *wait_rows_longest(const struct wait_rows *waits)
{
    double idle_s = waits ? waits->idle_s : 0;
    for (size_t at = 0; waits && at < waits->count; at++)
        if (is_idle_scheduler(&waits->items[at]))
            idle_s -= waits->items[at].idle_s;
        else if (waits->items[at].kind != WAIT_UNKNOWN)
            return waits->items[at].idle_s * 4 >= idle_s ? &waits->items[at] : NULL;
    return NULL;
}

/*
 * Between what is left when no two delays fall together, and what is left of preemptions alone. Delays of threads that
 * nobody saw are in neither: then only the looks tell whether it was ready.
 */
static struct interval waiting_between(const struct run_time *run, double least, double most, bool in_turn)
{
    most = in_turn && least < most ? least : most;
    most = most > 0 ? most : 0;
    least = least < 0 ? 0 : least > most ? most : least;
    double looked = run->looked_ready.known ? 1 - run->looked_ready.high : 0;
    looked = looked < most ? looked : most;
    if (run->run_delay_is_least ? looked < least : !in_turn && looked > least)
        least = looked;
    return least < most ? interval_of(least, (least + most) / 2, most) : interval_exactly(most);
}

/*
 * So much of the elapsed time it may have been ready while none of its threads ran. What was taken off while ready is
 * seen in the switches; the rest of its delays came after it was woken, and those may all fall where nothing else of it
 * ran.
 */
static double ready_most(const struct run_time *run, double seen_ready, bool in_turn)
{
    if (!run->run_delay_s.known || !run->elapsed_s.known || run->elapsed_s.value <= 0)
        return 0;
    bool split = run->from_switches && run->preempted_s.known && !in_turn;
    double woken_s = run->run_delay_s.value - (split ? run->preempted_s.value : 0);
    woken_s = woken_s > 0 ? woken_s : 0;
    return (split ? seen_ready : 0) + woken_s / run->elapsed_s.value;
}

static struct interval waiting_of(const struct run_time *run, const struct wait_rows *waits)
{
    const struct wait_row *row = wait_rows_longest(waits);
    /* A parent waits while its child is ready without a CPU: one after the other, like one thread. */
    bool in_turn = run->threads_seen <= 1 || (row && row->kind == WAIT_CHILD);
    double on_cpu = run->on_cpu_ratio.value, wanted = run->wanted_ratio.value;
    double least = 1 - on_cpu - ready_most(run, wanted - on_cpu, in_turn);
    double ready_least = run->ready_least_s.known && run->elapsed_s.known && run->elapsed_s.value > 0
                             ? run->ready_least_s.value / run->elapsed_s.value
                             : 0;
    /*
     * Without switches that is the CPU time as if its threads had run one after the other: they may have run at once.
     */
    unsigned at_once = !run->from_switches && run->threads_seen > 1 ? run->threads_seen : 1;
    wanted /= at_once;
    double wanted_least = on_cpu / at_once + ready_least;
    wanted = wanted > wanted_least ? wanted : wanted_least;
    return waiting_between(run, least, 1 - wanted, in_turn);
}

/* So much of its group's CPU time, and it is the group. */
static const double OWN_GROUP = 0.9;

/* On how many CPUs at a time the group may have been held back. */
static double throttled_width(const struct run_time *run, const struct activity *activity)
{
    struct measured cpus = activity->cpus_online.known ? activity->cpus_online : activity->cpus_allowed;
    bool own = activity->group_usage_s.known && run->cpu_s.known
                   ? run->cpu_s.value >= OWN_GROUP * activity->group_usage_s.value
                   : activity->group_others.known && activity->group_others.value == 0;
    double width = own && (!cpus.known || run->threads_seen < cpus.value) ? run->threads_seen
                   : cpus.known                                           ? cpus.value
                                                                          : 0;
    return width >= 1 ? width : own ? 1 : INFINITY;
}

/*
 * The kernel adds up the throttled time of each CPU, so that is too much for several; a period is throttled at most
 * whole. While one of its threads ran, one CPU fewer can have been held back. What held the group back held this target
 * back unless it slept just then.
 */
static struct interval throttled_of(const struct run_time *run, const struct activity *activity, double on_cpu,
                                    double ready, double asleep)
{
    if (!activity || !activity->throttled_s.known || activity->throttled_s.value <= 0 || !run->elapsed_s.known ||
        run->elapsed_s.value <= 0)
        return interval_exactly(0);
    double summed = activity->throttled_s.value / run->elapsed_s.value, most = summed < 1 ? summed : 1;
    if (activity->throttled_periods.known && activity->period_s.known) {
        double periods = activity->throttled_periods.value * activity->period_s.value / run->elapsed_s.value;
        most = periods < most ? periods : most;
    }
    most = most < ready ? most : ready;
    double width = throttled_width(run, activity);
    double least = (isfinite(width) ? (summed - (width - 1) * on_cpu) / width : 0) - asleep;
    least = least < 0 ? 0 : least < most ? least : most;
    double mid = isfinite(width) && asleep < summed / width ? summed / width : (least + most) / 2;
    mid = mid < least ? least : mid > most ? most : mid;
    return interval_of(least, mid, most);
}

static double at_least_0(double number)
{
    return number > 0 ? number : 0;
}

/*
 * Out of what looks like waiting. The switches tell it where their stacks name the kernel's functions; else a thread
 * that is alone waited for no longer than it was held, and of several another may have run meanwhile.
 */
static struct interval held_of(const struct run_time *run, const struct wait_rows *waits, double waiting_most)
{
    if (run->held_s <= 0 || !run->elapsed_s.known || run->elapsed_s.value <= 0)
        return interval_exactly(0);
    double most_s = waits && waits->held_known && waits->held_idle_s < run->held_s ? waits->held_idle_s : run->held_s;
    double most = most_s / run->elapsed_s.value;
    most = most < waiting_most ? most : waiting_most;
    bool sure = run->threads_seen <= 1 || (waits && waits->held_known);
    return sure ? interval_exactly(most) : interval_of(0, most / 2, most);
}

static struct interval less(struct interval whole, struct interval part)
{
    return interval_of(at_least_0(whole.low - part.high), at_least_0(whole.mid - part.mid),
                       at_least_0(whole.high - part.low));
}

struct time_shares time_shares_of(const struct run_time *run, const struct activity *activity,
                                  const struct wait_rows *waits)
{
    if (!run || !run->on_cpu_ratio.known)
        return (struct time_shares){.why_not = run ? run->on_cpu_ratio.why_not : "its run was not timed"};
    struct time_shares shares = {.known = true, .waiting = waiting_of(run, waits)};
    double on_cpu = run->on_cpu_ratio.value, off = at_least_0(1 - on_cpu);
    bool at_once = !run->from_switches && run->threads_seen > 1;
    shares.running = at_once ? interval_of(on_cpu / run->threads_seen, on_cpu, on_cpu) : interval_exactly(on_cpu);
    /* They may have run at once: then it waited for more than its CPU time leaves. */
    if (shares.waiting.mid > off)
        shares.waiting.mid = off;
    struct interval without = interval_of(at_least_0(off - shares.waiting.high), off - shares.waiting.mid,
                                          at_least_0(off - shares.waiting.low));
    shares.throttled = throttled_of(run, activity, on_cpu, without.high, shares.waiting.high);
    double most = at_least_0(without.high - shares.throttled.low);
    if (shares.throttled.mid > without.mid)
        shares.waiting.mid -= shares.throttled.mid - without.mid;
    double mid = at_least_0(without.mid - shares.throttled.mid);
    shares.ready = interval_of(at_least_0(without.low - shares.throttled.high), mid, most > mid ? most : mid);
    shares.held = held_of(run, waits, shares.waiting.mid);
    shares.waiting = less(shares.waiting, shares.held);
    return shares;
}

static const char *percent_words(struct interval share, struct arena *arena)
{
    static const double OPEN = 0.01;
    return share.high - share.low < OPEN ? arena_printf(arena, "%.0f %%", share.mid * 100)
                                         : arena_printf(arena, "%.0f to %.0f %%", share.low * 100, share.high * 100);
}

const char *time_shares_no_cpu_problem(const struct time_shares *shares, struct arena *arena)
{
    bool limited = shares->throttled.mid > shares->ready.mid;
    struct interval held = limited ? shares->throttled : shares->ready;
    if (held.mid > shares->waiting.mid)
        return arena_printf(arena, "it is no problem of its code: %s in %s of the time, while it was ready",
                            limited ? "a CPU limit held it back" : "others had the CPUs", percent_words(held, arena));
    return arena_printf(arena, "it is no CPU problem: no thread ran or was ready in %s of the time",
                        percent_words(shares->waiting, arena));
}
