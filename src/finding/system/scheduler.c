/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do others, or a limit, keep it from the CPUs, and does it use those it may have? */
#include "finding/family.h"

#include <string.h>

static void quota_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    finding->of = OF_ELAPSED;
    bool unlimited = !activity->quota_cpus.known && activity->quota_cpus.why_not &&
                     strcmp(activity->quota_cpus.why_not, "no limit is set") == 0;
    if (unlimited && !(activity->throttled_s.known && activity->throttled_s.value > 0)) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "unlimited", NO_VALUES);
        return;
    }
    struct measured elapsed = results->run->elapsed_s;
    if (!activity->throttled_s.known || !elapsed.known || elapsed.value <= 0) {
        finding_not_testable(
            finding, activity->throttled_s.known ? "its elapsed time isn't known" : activity->throttled_s.why_not,
            NULL);
        return;
    }
    struct time_shares shares = shares_of_time(results);
    if (!shares.known) {
        finding_not_testable(finding, shares.why_not, NULL);
        return;
    }
    struct interval share = shares.throttled;
    finding->is_estimate = false;
    finding_decide_share(finding, results, share_of(OF_ELAPSED, share));
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, "group", VALUE_SHARE("bound", interval_exactly(share.high)),
                    VALUE_TEXT("cgroup", activity->cgroup));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "throttled",
                     VALUE_SECONDS("time", interval_exactly(activity->throttled_s.value)),
                     VALUE_COUNT("times", activity->throttled_periods.known ? activity->throttled_periods.value : 0));
    if (activity->quota_cpus.known)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "limit", VALUE_COUNT("cpus", activity->quota_cpus.value),
                         VALUE_TEXT("cgroup", activity->cgroup));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, activity->cgroup_version == 1 ? "advice-v1" : "advice",
                   VALUE_TEXT("cgroup", activity->cgroup));
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_quota = {
    .id = "cpu-quota",
    .family = "system",
    .title = "throttled by a CPU quota",
    .rule =
        "supported when throttling held all its ready threads in at least the effect of the elapsed time; ruled out "
        "without a limit or below it",
    .gain = "the throttled part of the elapsed time",
    .overturn = "one run without the limit",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_WAITS),
    .test = quota_test,
};

static void steal_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    if (results->surroundings && strcmp(results->surroundings->hypervisor, "bare metal") == 0) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "bare-metal", NO_VALUES);
        return;
    }
    struct interval stolen = results->run ? results->run->stolen.ratio : (struct interval){0};
    struct share machine = share_of(OF_MACHINE, interval_exactly(activity->steal_ratio.value));
    if (!stolen.known && !activity->steal_ratio.known) {
        finding_not_testable(finding, activity->steal_ratio.why_not, NULL);
        return;
    }
    finding->is_estimate = false;
    finding_decide_share(finding, results, stolen.known ? share_of(OF_CPU_TIME, stolen) : machine);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", finding->recoverable);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, stolen.known ? "undecided" : "whose", VALUE_SHARE("all", machine.part));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "stolen", VALUE_SHARE("share", finding->recoverable));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_steal = {
    .id = "steal",
    .family = "system",
    .is_disturbance = true,
    .title = "CPU time stolen by the host",
    .rule = "supported when the host took at least the effect of its time on CPUs; ruled out on bare metal or below it",
    .gain = "the stolen part of its time on CPUs",
    .overturn = "another hour, or another host",
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_RUN),
    .test = steal_test,
};

/*
 * What its threads lost to others while one of them ran all the same: at most the time in which one ran, all delays one
 * after the other, and no more than others ran on its CPUs. For one another's CPUs they lose nothing.
 */
static double lost_beside(const struct results *results, double delay_s)
{
    const struct run_time *run = results->run;
    struct measured cpus = cpus_allowed_to(results->activity);
    double delayed = delay_s / run->elapsed_s.value;
    if (run->run_delay_is_least || !run->run_delay_s.known)
        delayed = 1;
    double others = cpus.known && run->cpus_used.known ? 1 - run->cpus_used.value / cpus.value : 1;
    others = others > 0 ? others : 0;
    double ran = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 1;
    others = ran < others ? ran : others;
    return run->threads_seen <= 1 ? 0 : delayed < others ? delayed : others;
}

/*
 * All that was to be done took this much of the CPUs: without anybody beside anybody else it would still. What one
 * program of them gains when others stop is another number, and none of the machine's.
 */
static struct interval gain_of_machine(const struct results *results, double cpus)
{
    struct measured used = results->run->cpus_used;
    double gain = used.known && used.value < cpus ? 1 - used.value / cpus : used.known ? 0 : 1;
    return interval_of(0, gain / 2, gain);
}

/*
 * Of CPUs that are watched: what is ready shares them. Of the time in which a thread could run it waits for all but its
 * part; one of those that the looks count is the one that looks.
 */
static void overbooked_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    finding->of = OF_ELAPSED;
    finding->is_own_doing = true;
    if (!activity || !activity->runnable_mean.known || !activity->cpus_online.known ||
        activity->cpus_online.value <= 0) {
        finding_not_testable(finding, activity ? activity->runnable_mean.why_not : "the machine was not looked at",
                             NULL);
        return;
    }
    double ready = activity->runnable_mean.value - 1, cpus = activity->cpus_online.value;
    struct interval share = interval_exactly(ready > cpus ? (ready - cpus) / ready : 0);
    finding->is_estimate = false;
    finding_decide_fact(finding, share, results->effect);
    finding->recoverable = gain_of_machine(results, cpus);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding->recoverable = share;
        finding_set(finding, reason, "machine-bound", VALUE_COUNT("runnable", ready > 0 ? ready : 0),
                    VALUE_COUNT("cpus", cpus));
        return;
    }
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "runnable", VALUE_COUNT("runnable", ready),
                     VALUE_COUNT("cpus", cpus));
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SCHEDULER, "machine-least",
                     VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)), VALUE_COUNT("cpus", cpus));
    finding_set(finding, headline, "machine", VALUE_COUNT("runnable", ready), VALUE_COUNT("cpus", cpus),
                VALUE_SHARE("share", share));
    finding_set(finding, reason, "machine-gain", NO_VALUES);
    finding_advise(finding, "machine-advice", NO_VALUES);
    finding_set(finding, confirm, "machine-confirm", NO_VALUES);
}

/* No more than leaves its CPU time as long as it takes on all CPUs that it may have. */
static double most_returned(const struct run_time *run, struct measured cpus, double lost)
{
    double width = cpus.known && cpus.value < run->threads_seen ? cpus.value : run->threads_seen;
    double most = run->cpus_used.known && width >= 1 ? 1 - run->cpus_used.value / width : 1;
    most = most > 0 ? most : 0;
    return lost < most ? lost : most;
}

static void oversubscribed_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    if (run->scope == RUN_MACHINE) {
        overbooked_test(results, finding);
        return;
    }
    struct measured delay = run->run_delay_s.known ? run->run_delay_s : run->preempted_s;
    struct measured cpus = cpus_allowed_to(results->activity);
    struct time_shares shares = shares_of_time(results);
    finding->of = OF_ELAPSED;
    bool timed = run->cpu_s.known && run->elapsed_s.known && run->elapsed_s.value > 0;
    if (!delay.known || !timed || !shares.known) {
        finding_not_testable(finding,
                             !delay.known ? delay.why_not
                             : !timed     ? "its CPU or elapsed time isn't known"
                                          : shares.why_not,
                             NULL);
        return;
    }
    struct interval share = shares.ready;
    double beside = lost_beside(results, delay.value);
    bool own = cpus.known && run->threads_seen > 1 && delay.value / run->elapsed_s.value >= results->effect &&
               beside < results->effect;
    /* What is certain is said with the table's figures; beyond it nothing is, and that is said as a part of its own. */
    double most = most_returned(run, cpus, shares.ready.high + beside);
    bool more_beside = share.low < results->effect && most > share.high && beside >= results->effect;
    if (more_beside)
        share = interval_of(share.low, share.mid, most);
    finding->is_estimate = false;
    finding_decide_share(finding, results, share_of(OF_ELAPSED, share));
    if (finding->verdict == VERDICT_RULED_OUT && own) {
        finding_set(finding, reason, "own", VALUE_COUNT("used", run->cpus_used.value), VALUE_COUNT("cpus", cpus.value));
        return;
    }
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason,
                    more_beside               ? "beside"
                    : run->run_delay_is_least ? "unseen"
                                              : "undecided",
                    VALUE_SHARE("ready", shares.ready),
                    VALUE_SHARE("beside", interval_exactly(most - shares.ready.high)));
    struct measured proven = run->run_delay_s.known ? run_time_delay_proven(run) : delay;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, run->run_delay_is_least ? "delay-least" : "delay",
                     VALUE_SECONDS("delay", interval_exactly(proven.value)));
    if (run->threads_seen > 1)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SCHEDULER, "none-ran", VALUE_SHARE("share", shares.ready));
    if (results->activity && results->activity->runnable_mean.known && results->activity->cpus_online.known)
        finding_evidence(finding,
                         results->activity->runnable_mean.value > results->activity->cpus_online.value
                             ? WEIGHT_FOR
                             : WEIGHT_CONTEXT,
                         ORIGIN_MACHINE, "runnable",
                         VALUE_COUNT("runnable", results->activity->runnable_mean.value),
                         VALUE_COUNT("cpus", results->activity->cpus_online.value));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_oversubscribed = {
    .id = "oversubscribed",
    .family = "system",
    .is_disturbance = true,
    .title = "more to run than CPUs",
    .rule = "supported when it was ready and others ran in at least the effect of the elapsed time; ruled out below it",
    .gain = "that part of the elapsed time, no more than its CPU time leaves",
    .overturn = "a run with nothing beside it",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_WAITS),
    .test = oversubscribed_test,
};

static void migrations_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    if (!run->migrations.known || !run->cpu_s.known || run->cpu_s.value <= 0) {
        finding_not_testable(finding, run->migrations.known ? "its CPU time isn't known" : run->migrations.why_not,
                             NULL);
        return;
    }
    /* Refilling a core's own caches and its share of the next (32 MiB at 10 GB/s) takes about 3 ms. */
    double upper = run->migrations.value * 3e-3 / run->cpu_s.value;
    finding_bound_share(finding, results, share_of(OF_CPU_TIME, interval_exactly(upper < 1 ? upper : 1)));
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided",
                VALUE_COUNT("count", run->migrations.value),
                VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_migrations = {
    .id = "migrations",
    .family = "system",
    .title = "threads moved between CPUs",
    .rule = "ruled out when moves between CPUs at 3 ms each stay below the effect; never supported by itself",
    .gain = "0 to that product",
    .overturn = "pinned (taskset) against free, in turns",
    .needs = RESULT_BIT(RESULT_RUN),
    .test = migrations_test,
};

/*
 * Threads that do the same work, of which one goes on when the others have ended: spread over all, that end would take
 * its part of the time on as many CPUs. Others that hold these CPUs meanwhile would share them with more of its
 * threads.
 */
static double unbalanced_most(const struct results *results, double cpus)
{
    const struct run_time *run = results->run;
    const struct thread_balance *balance = &run->balance;
    double width = balance->threads < cpus ? balance->threads : cpus;
    if (!balance->known || width <= 1 || !run->elapsed_s.known || run->elapsed_s.value <= 0)
        return 0;
    double alone = balance->alone_s / run->elapsed_s.value;
    return (alone < 1 ? alone : 1) * (1 - 1 / width);
}

/*
 * Of the time that one thread alone ended rounds in, what its others didn't wait for something else meanwhile, for a
 * CPU or a device. Where they waited for locks, the one that went on may just have held one.
 */
static double rounds_alone_s(const struct results *results)
{
    enum { ROUNDS_LEAST = 3 };
    static const double LOCKS_MOST = 0.1; /* of the time alone */
    const struct run_time *run = results->run;
    const struct wait_rows *waits = results->waits;
    if (run->balance.rounds.count < ROUNDS_LEAST || !run->run_delay_s.known || !waits)
        return 0;
    double alone_s = run->balance.rounds.alone_s - run->run_delay_s.value;
    double locks_s = 0;
    for (size_t at = 0; at < waits->count; at++) {
        enum wait_kind kind = waits->items[at].kind;
        bool is_for_others = kind == WAIT_THREAD || kind == WAIT_FUTEX || kind == WAIT_TRACED;
        alone_s -= is_for_others ? 0 : waits->items[at].total_s;
        locks_s += kind == WAIT_LOCK ? waits->items[at].total_s : 0;
    }
    return alone_s > 0 && locks_s <= LOCKS_MOST * run->balance.rounds.alone_s ? alone_s : 0;
}

static double rounds_most(const struct results *results, double cpus)
{
    const struct run_time *run = results->run;
    if (!run->elapsed_s.known || run->elapsed_s.value <= 0 || cpus <= 1)
        return 0;
    double width = run->balance.round_threads < cpus ? run->balance.round_threads : cpus,
           alone = rounds_alone_s(results) / run->elapsed_s.value;
    return (alone < 1 ? alone : 1) * (1 - 1 / width);
}

static void rounds_describe(const struct results *results, struct finding *finding, double most, double cpus)
{
    const struct thread_balance *balance = &results->run->balance;
    struct value function = VALUE_TEXT("function", balance->function),
                 rounds = VALUE_COUNT("rounds", balance->rounds.count),
                 alone = VALUE_SECONDS("alone", interval_exactly(rounds_alone_s(results))),
                 elapsed = VALUE_SECONDS("elapsed", interval_exactly(results->run->elapsed_s.value));
    finding_decide_fact(finding, interval_exactly(most), results->effect);
    finding->is_estimate = false;
    finding->subject = balance->function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "rounds", rounds, function, alone, elapsed);
    finding_set(finding, headline, "headline-rounds", rounds, function, alone, elapsed);
    finding_set(finding, reason, "rounds-gain", VALUE_COUNT("cpus", cpus),
                VALUE_SHARE("bound", interval_exactly(most)));
    finding_advise(finding, "advice-unbalanced", function);
    finding_set(finding, confirm, "confirm-unbalanced", NO_VALUES);
}

static void unbalanced_describe(const struct results *results, struct finding *finding, double most, double cpus)
{
    const struct thread_balance *balance = &results->run->balance;
    struct value share = VALUE_SHARE("share", interval_exactly(balance->busiest_share)),
                 threads = VALUE_COUNT("threads", balance->threads);
    struct value function = VALUE_TEXT("function", balance->function),
                 alone = VALUE_SECONDS("alone", interval_exactly(balance->alone_s));
    struct value tid = VALUE_TEXT("tid", arena_printf(finding->arena, "%u", balance->busiest_tid));
    finding_decide_fact(finding, interval_exactly(most), results->effect);
    finding->is_estimate = false;
    finding->subject = balance->function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "unbalanced", tid, share, threads, function);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "alone", tid, alone,
                     VALUE_SECONDS("elapsed", interval_exactly(results->run->elapsed_s.value)));
    finding_set(finding, headline, "headline", threads, function, share, alone);
    finding_set(finding, reason, "unbalanced-gain", VALUE_COUNT("cpus", cpus),
                VALUE_SHARE("bound", interval_exactly(most)));
    finding_advise(finding, "advice-unbalanced", function);
    finding_set(finding, confirm, "confirm-unbalanced", NO_VALUES);
}

static void single_threaded_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    const struct activity *activity = results->activity;
    struct measured cpus = cpus_allowed_to(activity);
    finding->of = OF_ELAPSED;
    if (!run->cpus_used.known || !cpus.known) {
        finding_not_testable(finding, run->cpus_used.known ? cpus.why_not : run->cpus_used.why_not, NULL);
        return;
    }
    double unbalanced = unbalanced_most(results, cpus.value), rounds = rounds_most(results, cpus.value);
    if (rounds >= results->effect && rounds > unbalanced) {
        rounds_describe(results, finding, rounds, cpus.value);
        return;
    }
    if (unbalanced >= results->effect) {
        unbalanced_describe(results, finding, unbalanced, cpus.value);
        return;
    }
    double on_cpu = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 1;
    double width = on_cpu > 0.01 ? run->cpus_used.value / on_cpu : 1;
    double alone = width < cpus.value ? on_cpu * (1 - width / cpus.value) : 0;
    /* CPUs that others keep busy are not idle. */
    double idle = activity->busy_ratio.known && activity->cpus_online.known
                      ? (1 - activity->busy_ratio.value) * activity->cpus_online.value
                      : cpus.value;
    idle = on_cpu > 0.01 ? idle / on_cpu : idle; /* all of it may have been while its threads ran */
    double shared = on_cpu * idle / (width + idle);
    static const double MOST_OF = 0.5; /* of less priority, they would give way */
    bool by_others = alone >= results->effect && shared < MOST_OF * alone;
    double upper = shared < alone && !by_others ? shared : alone;
    finding_bound_share(finding, results, share_of(OF_ELAPSED, interval_exactly(upper)));
    finding_set(finding, reason,
                finding->verdict == VERDICT_RULED_OUT ? "bound"
                : by_others                           ? "undecided-others"
                                                      : "undecided",
                VALUE_COUNT("used", width), VALUE_COUNT("cpus", cpus.value), VALUE_COUNT("idle", idle));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_single_threaded = {
    .id = "idle-cpus",
    .family = "system",
    .is_capacity = true,
    .title = "too few threads, or unevenly loaded ones",
    .rule = "a fact when one thread goes on alone after others that did the same work, at the end or in each of many "
            "rounds; otherwise what idle CPUs could take, bounded from above",
    .gain = "0 to the elapsed time that as many CPUs as stood idle would save",
    .overturn = "more threads or processes for the same work",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_WAITS),
    .test = single_threaded_test,
};
