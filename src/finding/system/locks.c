/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do its threads keep one another waiting at locks, and what do they spend on that? */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/wording.h"

#include <string.h>

/*
 * What its stacks don't tell is taken for turns at a lock when it is often and short: idle members of a pool wait
 * seldom and long.
 */
static const double TURNS_PER_S_LEAST = 100, TURN_S_MOST = 0.05;

struct lock_waits {
    const struct wait_row *longest; /* NULL: none */
    double longest_s;               /* its waits, and all those for the same global lock */
    double told_s, maybe_s;         /* thread times: of locks, and of what may be locks */
    uint64_t told, others;          /* waits: for locks, for other threads */
};

/* Woken at a condition, it takes the mutex again: seldom and long is a worker that has nothing to do. */
static bool is_idle_worker(const struct wait_row *row, bool turns)
{
    static const char condition[] = "pthread_cond_";
    return !row->global_lock && !turns && row->asked && strncmp(row->asked, condition, sizeof(condition) - 1) == 0;
}

static double waited_for_lock_of(const struct wait_rows *waits, const struct wait_row *row)
{
    double sum_s = 0;
    for (size_t at = 0; row->global_lock && at < waits->count; at++) {
        const char *lock = waits->items[at].global_lock;
        sum_s += lock && strcmp(lock, row->global_lock) == 0 ? waits->items[at].total_s : 0;
    }
    return row->global_lock ? sum_s : row->total_s;
}

static struct lock_waits lock_waits_of(const struct wait_rows *waits, double elapsed_s)
{
    struct lock_waits found = {0};
    for (size_t at = 0; waits && at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        bool turns =
            (double)row->count >= TURNS_PER_S_LEAST * elapsed_s && row->total_s <= TURN_S_MOST * (double)row->count;
        bool is_lock = row->kind == WAIT_LOCK && !is_idle_worker(row, turns);
        bool may_be = row->kind == WAIT_FUTEX || row->kind == WAIT_UNKNOWN;
        if (is_lock && (!found.longest || row->total_s > found.longest->total_s))
            found.longest = row;
        found.told_s += is_lock ? row->total_s : 0;
        found.maybe_s += may_be && turns ? row->total_s : 0;
        found.told += is_lock ? row->count : 0;
        found.others += row->kind == WAIT_THREAD || row->kind == WAIT_FUTEX ? row->count : 0;
    }
    if (found.longest)
        found.longest_s = waited_for_lock_of(waits, found.longest);
    return found;
}

double futex_samples_of_locks(const struct kernel_time *kernel, const struct wait_rows *waits)
{
    struct lock_waits found = lock_waits_of(waits, 0);
    double part = found.told ? (double)found.told / (double)(found.told + found.others) : 0, samples = 0;
    for (size_t at = 0; found.told && at < kernel->entry_count; at++) {
        bool own = strncmp(kernel->entries[at].name, "lll_", strlen("lll_")) == 0;
        bool shared = strcmp(kernel->entries[at].name, "futex") == 0;
        samples += own ? (double)kernel->entries[at].samples : shared ? part * (double)kernel->entries[at].samples : 0;
    }
    return samples;
}

/*
 * Of the time in which its threads ran, were ready or waited for a lock. A wait lasts until the thread runs again, so
 * that being ready without a CPU is in it: that is no lock's doing.
 */
static struct interval waited_share(const struct run_time *run, double waited_s)
{
    double delay_s = run->run_delay_s.known ? run->run_delay_s.value : 0;
    double preempted_s = run->preempted_s.known && run->preempted_s.value < delay_s ? run->preempted_s.value : delay_s;
    double least_s = waited_s - (delay_s - preempted_s);
    least_s = least_s > 0 ? least_s : 0;
    double whole_s = waited_s + run->cpu_s.value + preempted_s;
    return whole_s > 0 ? interval_of(least_s / whole_s, (least_s + waited_s) / 2 / whole_s, waited_s / whole_s)
                       : interval_exactly(0);
}

/*
 * Calls into the kernel are made by locks that are taken: they are the least that comes back, and all locking the most.
 */
static void decide_by_calls(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    if (!kernel || !results->stalls || finding->verdict != VERDICT_SUPPORTED || !kernel->sample_count)
        return;
    double total = (double)kernel->sample_count, calls = futex_samples_of_locks(kernel, results->waits);
    double all = calls + (double)locking_samples(results->stalls);
    enum denominator of = finding->of;
    finding->of = share_denominator(results->run);
    struct interval least = share_of_run(results, finding, wilson_interval(calls, total, total));
    struct interval most = share_of_run(results, finding, wilson_interval(all < total ? all : total, total, total));
    if (!least.known || !most.known || least.low < results->effect) {
        finding->of = of;
        return;
    }
    finding_decide(finding, interval_of(least.low, (least.low + most.high) / 2, most.high), results->effect);
    finding->gain_unmeasured = false;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "calls",
                     VALUE_SHARE("calls", wilson_interval(calls, total, total)),
                     VALUE_SHARE("all", wilson_interval(all < total ? all : total, total, total)));
}

/*
 * What the calls take is CPU time; a user waits for the end. Without the lock, what is left of the CPU time takes as
 * long as on all CPUs at once, at least: more may go of the elapsed time than of the CPU time. "": not more.
 */
static const char *less_elapsed(const struct results *results, const struct finding *finding, double width)
{
    const struct run_time *run = results->run;
    double calls = finding->gain_unmeasured || run->scope != RUN_STARTED || finding->of != OF_CPU_TIME
                       ? 0
                       : finding->recoverable.high;
    double less = 1 - run->cpu_s.value * (1 - calls) / width / run->elapsed_s.value;
    if (calls <= 0 || less < calls)
        return "";
    return arena_printf(finding->arena, "; without it, the same work may take up to %.0f %% less time", less * 100);
}

static void lock_describe(const struct results *results, struct finding *finding, const struct lock_waits *found,
                          double width)
{
    const struct wait_row *row = found->longest;
    const struct run_time *run = results->run;
    struct value function = VALUE_TEXT("function", row->function), lock = VALUE_TEXT("lock", row->global_lock);
    struct value waited = VALUE_SECONDS("waited", interval_exactly(found->longest_s)),
                 cpu = VALUE_SECONDS("cpu", interval_exactly(run->cpu_s.value));
    finding->subject = row->function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "turns", function, VALUE_COUNT("count", (double)row->count),
                     VALUE_SECONDS("mean", interval_exactly(row->count ? row->total_s / (double)row->count : 0)),
                     VALUE_SECONDS("longest", interval_exactly(row->longest_s)));
    if (found->told > row->count)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SCHEDULER, "all-locks",
                         VALUE_COUNT("count", (double)found->told),
                         VALUE_SECONDS("time", interval_exactly(found->told_s)));
    if (row->call)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "call", function, VALUE_TEXT("call", row->call));
    decide_by_calls(results, finding);
    if (finding->gain_unmeasured)
        finding_set(finding, reason, "gain", NO_VALUES);
    finding_set(finding, headline, row->global_lock ? "headline-global" : "headline", function, lock, waited, cpu,
                VALUE_TEXT("less", less_elapsed(results, finding, width)));
    if (row->global_lock) {
        finding_advise(finding, "advice-global", lock);
        finding_advise(finding, "advice-native", lock);
        finding_set(finding, confirm, "confirm-global", NO_VALUES);
        return;
    }
    finding_advise(finding, "advice", function);
    finding_advise(finding, "advice-parts", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

/* Who spins for a lock doesn't sleep for it: few waits then tell nothing of how long threads wait for one another. */
static void spinning_leave_open(const struct results *results, struct finding *finding)
{
    double total = results->stalls ? (double)results->stalls->sample_count : 0,
           spinning = results->stalls ? (double)locking_samples(results->stalls) : 0;
    if (finding->verdict != VERDICT_RULED_OUT || !(total > 0) || spinning < results->effect * total)
        return;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding_set(finding, reason, "spinning", VALUE_SHARE("share", wilson_interval(spinning, total, total)));
}

static void lock_turns_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    struct measured cpus = cpus_allowed_to(results->activity);
    finding->of = OF_ELAPSED;
    if (run->threads_seen <= 1) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "one-thread", NO_VALUES);
        return;
    }
    if (!results->waits->known || !run->from_switches || !run->elapsed_s.known || !run->cpu_s.known || !cpus.known) {
        finding_not_testable(finding, "no context switches were recorded", NULL);
        return;
    }
    if (results->waits->wait_count && !results->waits->stack_count) {
        finding_not_testable(finding,
                             "of its waits no stacks were taken, which would tell a lock from having nothing to do",
                             wording_find("lock-turns", "remedy-stacks"));
        return;
    }
    struct lock_waits found = lock_waits_of(results->waits, run->elapsed_s.value);
    struct interval told = waited_share(run, found.told_s), most = waited_share(run, found.told_s + found.maybe_s);
    struct interval share = interval_of(told.low, told.mid, most.high > told.mid ? most.high : told.mid);
    /* Without any waiting its work would still take as long as all its CPUs need for it. */
    double width = run->threads_seen < cpus.value ? run->threads_seen : cpus.value;
    double least_s = run->cpu_s.value / width;
    double gain = run->elapsed_s.value > least_s ? 1 - least_s / run->elapsed_s.value : 0;
    finding->is_estimate = false;
    finding_decide_fact(finding, share, results->effect);
    if (gain < finding->recoverable.high)
        finding->recoverable = interval_of(0, gain / 2, gain);
    if (finding->verdict == VERDICT_SUPPORTED)
        lock_describe(results, finding, &found, width);
    else if (finding->verdict == VERDICT_UNDECIDED && found.maybe_s > found.told_s)
        finding_set(finding, reason, "untold", VALUE_SHARE("share", most));
    else if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, "undecided", VALUE_SHARE("share", share));
    else
        finding_set(finding, reason, "bound-threads", VALUE_SHARE("bound", interval_exactly(share.high)));
    spinning_leave_open(results, finding);
}

const struct hypothesis hypothesis_lock_turns = {
    .id = "lock-turns",
    .family = "system",
    .title = "threads that take turns at a lock",
    .rule =
        "a fact when waits for locks, told by their stacks, hold the effect of the threads' time; ruled out with one "
        "thread, or when such waits and untold ones hold less and its threads don't spin at locks instead",
    .gain = "0 to what leaves its CPU time on all its CPUs",
    .overturn = "one thread: as much work then takes hardly longer",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_KERNEL) | RESULT_BIT(RESULT_STALLS),
    .test = lock_turns_test,
};
