/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/run_time.h"

#include "analyse/time/stolen.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

struct lane { /* one thread while the switches are walked */
    uint64_t since_ns;
    uint32_t cpu;
    bool seen, running, was_preempted; /* was_preempted: it is ready, be it that it never ran yet */
};

struct occupied { /* one CPU, which one thread has at a time: what bounds a thread whose record was lost */
    uint64_t changed_ns; /* the last switch there */
    struct lane *by;     /* on it now as far as is known, or NULL */
};

enum { CPUS_MOST = 65536 }; /* beyond it a record's CPU number is nonsense */

struct walk {
    struct lane *lanes;
    struct occupied *cpus;
    uint32_t cpu_count;
    uint32_t running; /* threads on a CPU now */
    uint32_t wanting; /* on a CPU, or taken off it while ready */
    uint64_t first_ns; /* of anything recorded */
    uint64_t last_busy_ns, last_wanted_ns; /* until when time is accounted for */
    uint64_t busy_since_ns, busy_ns, wanted_since_ns, wanted_ns, preempted_ns, migrations, switches;
    uint64_t cpu_ns; /* summed over threads */
};

static void count_up(uint32_t *count, uint64_t *since_ns, uint64_t now_ns)
{
    if ((*count)++ == 0)
        *since_ns = now_ns;
}

static void count_down(uint32_t *count, uint64_t since_ns, uint64_t now_ns, uint64_t *sum_ns, uint64_t *last_ns)
{
    if (--*count != 0)
        return;
    *sum_ns += now_ns - since_ns;
    *last_ns = now_ns;
}

static struct occupied *cpu_of(const struct walk *walk, const struct context_switch *change)
{
    return change->cpu < walk->cpu_count ? &walk->cpus[change->cpu] : NULL;
}

/*
 * That it left was lost: it had done so at the latest when the CPU went to somebody else. Whether it wanted on isn't
 * known.
 */
static void walk_displace(struct walk *walk, struct lane *lane, uint64_t now_ns)
{
    if (!lane->running)
        return;
    walk->cpu_ns += now_ns - lane->since_ns;
    count_down(&walk->running, walk->busy_since_ns, now_ns, &walk->busy_ns, &walk->last_busy_ns);
    count_down(&walk->wanting, walk->wanted_since_ns, now_ns, &walk->wanted_ns, &walk->last_wanted_ns);
    lane->running = lane->was_preempted = false;
    lane->since_ns = now_ns;
}

/* Who has that CPU from now on; lane NULL: the idle thread. */
static void cpu_pass(struct walk *walk, struct lane *lane, const struct context_switch *change)
{
    struct occupied *cpu = cpu_of(walk, change);
    if (!cpu)
        return;
    if (cpu->by && cpu->by != lane && cpu->by->cpu == change->cpu)
        walk_displace(walk, cpu->by, change->time_ns);
    cpu->by = change->out ? NULL : lane;
}

/*
 * A thread that is first seen leaving a CPU ran since it began, since the recording did, or since that CPU was last
 * passed on.
 */
static void walk_first_out(struct walk *walk, const struct context_switch *change, uint64_t began_ns)
{
    const struct occupied *cpu = cpu_of(walk, change);
    uint64_t now_ns = change->time_ns, since_ns = began_ns > walk->first_ns ? began_ns : walk->first_ns;
    since_ns = cpu && cpu->changed_ns > since_ns ? cpu->changed_ns : since_ns;
    uint64_t busy_ns = since_ns > walk->last_busy_ns ? since_ns : walk->last_busy_ns;
    uint64_t wanted_ns = since_ns > walk->last_wanted_ns ? since_ns : walk->last_wanted_ns;
    walk->cpu_ns += now_ns > since_ns ? now_ns - since_ns : 0;
    if (!walk->running && now_ns > busy_ns) {
        walk->busy_ns += now_ns - busy_ns;
        walk->last_busy_ns = now_ns;
    }
    if (!walk->wanting && now_ns > wanted_ns) {
        walk->wanted_ns += now_ns - wanted_ns;
        walk->last_wanted_ns = now_ns;
    }
}

static void walk_in(struct walk *walk, struct lane *lane, const struct context_switch *change)
{
    if (lane->seen && lane->cpu != change->cpu)
        walk->migrations++;
    if (lane->seen && !lane->running && lane->was_preempted)
        walk->preempted_ns += change->time_ns - lane->since_ns;
    if (!lane->running)
        count_up(&walk->running, &walk->busy_since_ns, change->time_ns);
    if (!lane->running && !lane->was_preempted)
        count_up(&walk->wanting, &walk->wanted_since_ns, change->time_ns);
    *lane = (struct lane){change->time_ns, change->cpu, true, true, false};
}

static void walk_out(struct walk *walk, struct lane *lane, const struct context_switch *change, uint64_t began_ns)
{
    walk->switches++;
    if (!lane->seen && !lane->was_preempted) {
        walk_first_out(walk, change, began_ns);
        if (change->preempted)
            count_up(&walk->wanting, &walk->wanted_since_ns, change->time_ns);
        *lane = (struct lane){change->time_ns, change->cpu, true, false, change->preempted};
        return;
    }
    if (lane->running) {
        walk->cpu_ns += change->time_ns - lane->since_ns;
        count_down(&walk->running, walk->busy_since_ns, change->time_ns, &walk->busy_ns, &walk->last_busy_ns);
        if (!change->preempted)
            count_down(&walk->wanting, walk->wanted_since_ns, change->time_ns, &walk->wanted_ns,
                       &walk->last_wanted_ns);
    }
    /* Its coming back was lost: it ran, and now waits, or wants on. */
    bool lost = !lane->running && lane->was_preempted;
    if (lost && !change->preempted)
        count_down(&walk->wanting, walk->wanted_since_ns, change->time_ns, &walk->wanted_ns, &walk->last_wanted_ns);
    *lane = (struct lane){change->time_ns, change->cpu, true, false, (lane->running || lost) && change->preempted};
}

/* A new thread is ready until it first runs. */
static void walk_start(struct walk *walk, struct lane *lane, uint64_t now_ns)
{
    if (lane->seen || lane->was_preempted)
        return;
    lane->was_preempted = true;
    lane->since_ns = now_ns;
    count_up(&walk->wanting, &walk->wanted_since_ns, now_ns);
}

/* A thread's end is no switch: whatever it held is given back. */
static void walk_end(struct walk *walk, struct lane *lane, uint64_t now_ns)
{
    if (lane->running) {
        walk->cpu_ns += now_ns > lane->since_ns ? now_ns - lane->since_ns : 0;
        count_down(&walk->running, walk->busy_since_ns, now_ns, &walk->busy_ns, &walk->last_busy_ns);
    }
    if (lane->running || lane->was_preempted)
        count_down(&walk->wanting, walk->wanted_since_ns, now_ns, &walk->wanted_ns, &walk->last_wanted_ns);
    lane->running = lane->was_preempted = false;
}

struct moment { /* a switch, or (change NULL) a thread's end or beginning */
    uint64_t time_ns;
    uint32_t thread;
    bool begins;
    const struct context_switch *change;
};

static int moment_compare(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;
    if (left->time_ns != right->time_ns)
        return left->time_ns > right->time_ns ? 1 : -1;
    bool left_comes = left->change && !left->change->out, right_comes = right->change && !right->change->out;
    return left_comes - right_comes; /* a CPU is left before it is taken */
}

/*
 * Threads that began while we recorded, and whose first switch is onto a CPU: until then they were ready. One that is
 * first seen leaving a CPU ran before, and one that is never seen may have run where nobody looked.
 */
static size_t starts_of(const struct recording *recording, struct moment *moments)
{
    size_t count = 0;
    scoped_free bool *seen = memory_alloc(recording->threads.count + 1);
    memset(seen, 0, recording->threads.count + 1);
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *change = &recording->switches[at];
        if (change->thread >= recording->threads.count || seen[change->thread])
            continue;
        const struct thread *thread = &recording->threads.items[change->thread];
        seen[change->thread] = true;
        if (thread->tid != 0 && thread->started_ns && thread->started_ns < change->time_ns && !change->out)
            moments[count++] = (struct moment){.time_ns = thread->started_ns, .thread = change->thread, .begins = true};
    }
    return count;
}

static size_t moments_of(const struct recording *recording, struct moment *moments)
{
    size_t count = 0;
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *change = &recording->switches[at];
        if (change->thread < recording->threads.count)
            moments[count++] = (struct moment){.time_ns = change->time_ns, .thread = change->thread, .change = change};
    }
    for (size_t at = 0; at < recording->threads.count; at++) {
        uint64_t ended_ns = recording->threads.items[at].ended_ns;
        if (ended_ns != UINT64_MAX && ended_ns && recording->threads.items[at].tid != 0)
            moments[count++] = (struct moment){.time_ns = ended_ns, .thread = (uint32_t)at};
    }
    count += starts_of(recording, moments + count);
    qsort(moments, count, sizeof(*moments), moment_compare);
    return count;
}

static void walk_close(struct walk *walk, size_t lanes, uint64_t last_ns)
{
    for (size_t at = 0; at < lanes; at++)
        if (walk->lanes[at].running && last_ns > walk->lanes[at].since_ns)
            walk->cpu_ns += last_ns - walk->lanes[at].since_ns;
    if (walk->running && last_ns > walk->busy_since_ns)
        walk->busy_ns += last_ns - walk->busy_since_ns;
    if (walk->wanting && last_ns > walk->wanted_since_ns)
        walk->wanted_ns += last_ns - walk->wanted_since_ns;
}

static uint32_t cpus_of(const struct recording *recording)
{
    uint32_t count = 0;
    for (size_t at = 0; at < recording->switch_count; at++)
        if (recording->switches[at].cpu < CPUS_MOST && recording->switches[at].cpu >= count)
            count = recording->switches[at].cpu + 1;
    return count;
}

static void walk_switch(struct walk *walk, struct lane *lane, const struct thread *thread,
                        const struct context_switch *change)
{
    struct occupied *cpu = cpu_of(walk, change);
    cpu_pass(walk, thread->tid ? lane : NULL, change);
    if (thread->tid && change->out)
        walk_out(walk, lane, change, thread->started_ns);
    else if (thread->tid)
        walk_in(walk, lane, change);
    if (cpu)
        cpu->changed_ns = change->time_ns;
}

static void run_time_from_switches(struct run_time *result, const struct recording *recording, double elapsed_s)
{
    size_t threads = recording->threads.count;
    uint32_t cpus = cpus_of(recording);
    struct walk walk = {.lanes = memory_alloc((threads + 1) * sizeof(*walk.lanes)),
                        .cpus = memory_alloc((cpus + 1) * sizeof(*walk.cpus)), .cpu_count = cpus};
    memset(walk.lanes, 0, (threads + 1) * sizeof(*walk.lanes));
    memset(walk.cpus, 0, (cpus + 1) * sizeof(*walk.cpus));
    struct moment *moments = memory_alloc((recording->switch_count + 2 * threads + 1) * sizeof(*moments));
    size_t count = moments_of(recording, moments);
    const struct samples *samples = &recording->samples;
    walk.first_ns = count ? moments[0].time_ns : 0;
    uint64_t last_ns = count ? moments[count - 1].time_ns : 0;
    if (samples->count && samples->items[0].time_ns < walk.first_ns)
        walk.first_ns = samples->items[0].time_ns;
    if (samples->count && samples->items[samples->count - 1].time_ns > last_ns)
        last_ns = samples->items[samples->count - 1].time_ns;
    for (size_t at = 0; at < count; at++) {
        struct lane *lane = &walk.lanes[moments[at].thread];
        const struct thread *thread = &recording->threads.items[moments[at].thread];
        if (moments[at].begins) {
            walk_start(&walk, lane, moments[at].time_ns);
            continue;
        }
        if (!moments[at].change) {
            walk_end(&walk, lane, moments[at].time_ns);
            continue;
        }
        walk_switch(&walk, lane, thread, moments[at].change);
    }
    walk_close(&walk, threads, last_ns);
    free(walk.lanes);
    free(walk.cpus);
    free(moments);
    if (!count || elapsed_s <= 0)
        return;
    double ratio = (double)walk.busy_ns * 1e-9 / elapsed_s;
    double wanted = (double)walk.wanted_ns * 1e-9 / elapsed_s;
    result->preempted_s = measured_as((double)walk.preempted_ns * 1e-9);
    result->migrations = measured_as((double)walk.migrations);
    result->switches = measured_as((double)walk.switches);
    result->on_cpu_ratio = measured_as(ratio < 1 ? ratio : 1);
    result->wanted_ratio = measured_as(wanted < 1 ? wanted : 1);
    result->from_switches = true;
    result->switched_cpu_s = measured_as((double)walk.cpu_ns * 1e-9);
}

/*
 * A thread that has a CPU to itself may be switched never or once, and be in all samples. The idle thread is none of
 * them.
 */
static uint32_t threads_met(const struct recording *recording)
{
    const struct threads *threads = &recording->threads;
    scoped_free bool *met = memory_alloc((threads->count + 1) * sizeof(*met));
    memset(met, 0, (threads->count + 1) * sizeof(*met));
    for (size_t at = 0; at < recording->samples.count; at++)
        if (recording->samples.items[at].thread < threads->count)
            met[recording->samples.items[at].thread] = true;
    for (size_t at = 0; at < recording->switch_count; at++)
        if (recording->switches[at].thread < threads->count)
            met[recording->switches[at].thread] = true;
    uint32_t count = 0;
    for (size_t at = 0; at < threads->count; at++)
        count += met[at] && threads->items[at].tid != 0;
    return count;
}

static struct measured sum_of(struct measured a, struct measured b)
{
    return a.known && b.known ? measured_as(a.value + b.value) : a.known ? b : a;
}

/* Threads that came and went between two looks are missing from /proc: then the parts don't make up the whole. */
static const double PARTS_LEAST = 0.95;

/* Of the elapsed time: so little CPU time that a look missed comes with little delay. */
static const double MISSING_LEAST = 0.01;

/* CPUs used by several threads beyond which their overlap matters to whether it waits. */
static const double SEVERAL_MOST = 0.5;

static void cpu_time_settle(struct run_time *result, const struct run_time_request *request)
{
    struct measured own = sum_of(request->user_s, request->system_s), clock = request->task_clock_s;
    struct measured seen = sum_of(result->user_s, result->system_s);
    result->cpu_s = own.known ? own : clock.known ? clock : result->switched_cpu_s.known
                        ? result->switched_cpu_s
                        : seen;
    if (own.known && clock.known && clock.value > own.value)
        result->cpu_s = clock;
    if (!own.known && seen.known && result->cpu_s.known && seen.value < PARTS_LEAST * result->cpu_s.value)
        result->user_s = result->system_s = not_measured("threads ended between two looks at /proc");
    if (!result->cpu_s.known)
        result->cpu_s = not_measured("plumb measured no CPU time of it");
}

/* What was seen of it in /proc: whether that is all, and what the looks found at their moments. */
static void looks_settle(struct run_time *result, const struct activity *activity)
{
    if (!activity)
        return;
    struct measured seen = activity->seen_run_s;
    result->run_delay_is_least =
        seen.known && result->cpu_s.known && seen.value < PARTS_LEAST * result->cpu_s.value;
    /*
     * A look just before its last breath misses a little of threads that are known: their delays are not unseen for
     * that.
     */
    double missing_s = result->run_delay_is_least ? result->cpu_s.value - seen.value : 0;
    if (result->threads_seen <= activity->thread_count && result->elapsed_s.known &&
        missing_s < MISSING_LEAST * result->elapsed_s.value)
        result->run_delay_is_least = false;
    double looks = activity->look_count > 1 ? activity->look_count - 1 : 0;
    if (activity->ready_ratio.known && looks > 0)
        result->looked_ready = wilson_interval(activity->ready_ratio.value * looks, looks, looks);
}

/*
 * Of CPUs: events begin before the clock is read and end after it, on a crowded machine by a tenth of a second and
 * more. What fell on the CPUs meanwhile counts, so that time counts, too.
 */
static void elapsed_cover(struct measured *elapsed_s, const struct recording *recording)
{
    const struct samples *samples = &recording->samples;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t at = 0; at < recording->switch_count; at++) {
        uint64_t time_ns = recording->switches[at].time_ns;
        first = time_ns < first ? time_ns : first;
        last = time_ns > last ? time_ns : last;
    }
    for (size_t at = 0; at < samples->count; at++) {
        first = samples->items[at].time_ns < first ? samples->items[at].time_ns : first;
        last = samples->items[at].time_ns > last ? samples->items[at].time_ns : last;
    }
    double covered = last > first ? (double)(last - first) * 1e-9 : 0;
    elapsed_s->value = covered > elapsed_s->value ? covered : elapsed_s->value;
}

/* The kernel counts a wait when it ends: what one thread waited before it was watched, or after, may be in it. */
static double delay_over(const struct activity_thread *thread, double elapsed_s)
{
    if (!thread->run_delay_s.known)
        return 0;
    double most_s = elapsed_s - (thread->run_s.known ? thread->run_s.value : 0);
    most_s = most_s > 0 ? most_s : 0;
    return thread->run_delay_s.value > most_s ? thread->run_delay_s.value - most_s : 0;
}

/* Ticks are cut at both ends. */
static double ran_least(const struct activity_thread *thread)
{
    static const double CUT_S = 0.02;
    double ticks_s = thread->user_s + thread->system_s - CUT_S;
    return thread->run_s.known ? thread->run_s.value : ticks_s > 0 ? ticks_s : 0;
}

/*
 * While one thread was ready, others of its program ran for no longer than they ran in all: the rest of its delay is a
 * delay of all.
 */
static struct measured ready_least(const struct run_time *run, const struct activity *activity)
{
    double most_s = 0;
    for (uint32_t at = 0; activity && activity->threads && at < activity->thread_count; at++) {
        const struct activity_thread *thread = &activity->threads[at];
        if (!thread->run_delay_s.known)
            continue;
        double others_s = run->cpu_s.value - ran_least(thread);
        double least_s =
            thread->run_delay_s.value - delay_over(thread, run->elapsed_s.value) - (others_s > 0 ? others_s : 0);
        most_s = least_s > most_s ? least_s : most_s;
    }
    return measured_as(most_s);
}

/*
 * /proc counts from a thread's beginning and is read a moment after the end: a thread can't have waited for a CPU for
 * longer than elapsed while it didn't run.
 */
static void delay_settle(struct run_time *result, const struct activity *activity)
{
    double over_s = 0;
    for (uint32_t at = 0; activity && activity->threads && result->elapsed_s.known && at < activity->thread_count; at++)
        over_s += delay_over(&activity->threads[at], result->elapsed_s.value);
    uint32_t threads =
        activity && activity->thread_count > result->threads_seen ? activity->thread_count : result->threads_seen;
    if (result->scope == RUN_MACHINE || !result->run_delay_s.known || !result->elapsed_s.known ||
        !result->cpu_s.known || !threads)
        return;
    result->ready_least_s = ready_least(result, activity);
    double most_s = result->elapsed_s.value * threads - result->cpu_s.value;
    most_s = most_s > 0 ? most_s : 0;
    result->run_delay_s.value -= over_s < result->run_delay_s.value ? over_s : result->run_delay_s.value;
    if (result->run_delay_s.value > most_s)
        result->run_delay_s.value = most_s;
}

struct measured run_time_delay_proven(const struct run_time *run)
{
    struct measured delay = run->run_delay_s;
    if (!delay.known || !run->from_switches)
        return delay;
    double ready =
        run->wanted_ratio.known && run->on_cpu_ratio.known ? run->wanted_ratio.value - run->on_cpu_ratio.value : 0;
    double ready_s = run->elapsed_s.known ? ready * run->elapsed_s.value : 0;
    double preempted_s = run->preempted_s.known ? run->preempted_s.value : 0;
    delay.value = delay.value < ready_s ? ready_s : delay.value;
    delay.value = delay.value < preempted_s ? preempted_s : delay.value;
    return delay;
}

struct run_time run_time_of(const struct run_time_request *request)
{
    const char *no_switches = "no context switches were recorded";
    const struct activity *activity = request->activity;
    const struct recording *recording = request->recording;
    struct run_time result = {
        .scope = request->scope,
        .elapsed_s = request->elapsed_s,
        .user_s = !request->user_s.known && activity ? activity->user_s : request->user_s,
        .system_s = !request->system_s.known && activity ? activity->system_s : request->system_s,
        .preempted_s = not_measured(no_switches),
        .migrations = not_measured(no_switches),
        .switches = not_measured(no_switches),
        .on_cpu_ratio = not_measured(no_switches),
        .switched_cpu_s = not_measured(no_switches),
        .ready_least_s = not_measured("/proc was not read"),
        .held_s = request->held_s,
        .run_delay_s = activity ? activity->run_delay_s : not_measured("/proc was not read"),
    };
    if (recording)
        result.threads_seen = threads_met(recording);
    if (recording && request->scope == RUN_MACHINE && result.elapsed_s.known)
        elapsed_cover(&result.elapsed_s, recording);
    if (recording && recording->switch_count && request->elapsed_s.known)
        run_time_from_switches(&result, recording, result.elapsed_s.value);
    cpu_time_settle(&result, request);
    looks_settle(&result, activity);
    delay_settle(&result, activity);
    result.stolen = stolen_of(recording, activity, result.cpu_s);
    result.cpus_used = measured_ratio(result.cpu_s, result.elapsed_s);
    struct measured at_most_one = result.cpus_used;
    if (at_most_one.known && at_most_one.value > 1)
        at_most_one.value = 1;
    if (!result.from_switches)
        result.on_cpu_ratio = result.wanted_ratio = at_most_one;
    /* Side by side or one after the other: that much CPU time of several threads leaves open whether any always ran. */
    bool several = activity && activity->threads_at_once > 1;
    if (!result.from_switches && several && at_most_one.known && at_most_one.value > SEVERAL_MOST)
        result.on_cpu_ratio = result.wanted_ratio =
            not_measured("several threads ran, and no context switches were recorded");
    /* The first switch-in of a started program is not always seen: CPU time is a lower bound for one thread. */
    if (result.from_switches && result.threads_seen <= 1 && result.cpus_used.known &&
        result.cpus_used.value <= 1 && result.cpus_used.value > result.on_cpu_ratio.value)
        result.on_cpu_ratio = result.cpus_used;
    if (result.wanted_ratio.known && result.wanted_ratio.value < result.on_cpu_ratio.value)
        result.wanted_ratio = result.on_cpu_ratio;
    if (!result.threads_seen && activity)
        result.threads_seen = activity->thread_count;
    return result;
}
