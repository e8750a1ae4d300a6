/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do others, or a limit, keep it from the CPUs, and does it use those it may have? */
#include "finding/family.h"

#include <math.h>
#include <string.h>

/* So much of its group's CPU time, and it is the group. */
static const double OWN_GROUP = 0.9;

/* On how many CPUs at a time the group may have been held back. */
static double throttled_width(const struct run_time *run, const struct activity *activity)
{
    struct measured cpus = activity->cpus_online.known ? activity->cpus_online : activity->cpus_allowed;
    bool own = activity->group_usage_s.known && run->cpu_s.known
                   ? run->cpu_s.value >= OWN_GROUP * activity->group_usage_s.value
                   : activity->group_others.known && activity->group_others.value == 0;
    double width = own && (!cpus.known || run->threads_seen < cpus.value) ? run->threads_seen : cpus.known ? cpus.value : 0;
    return width >= 1 ? width : own ? 1 : INFINITY;
}

/*
 * The kernel adds up the throttled time of each CPU, so that is too much for several; a period is throttled at most
 * whole. What held the group back held this target back unless it slept just then.
 */
static struct interval throttled_share(const struct results *results, double elapsed_s)
{
    const struct activity *activity = results->activity;
    double summed = activity->throttled_s.value / elapsed_s, most = summed;
    if (activity->throttled_periods.known && activity->period_s.known) {
        double periods = activity->throttled_periods.value * activity->period_s.value / elapsed_s;
        most = periods < most ? periods : most;
    }
    most = most < 1 ? most : 1;
    struct interval asleep = share_asleep(results);
    double least = summed / throttled_width(results->run, activity) - (asleep.known ? asleep.high : 1);
    least = least < 0 ? 0 : least < most ? least : most;
    return least < most ? interval_of(least, (least + most) / 2, most) : interval_exactly(most);
}

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
        finding_not_testable(finding, activity->throttled_s.known ? "its elapsed time isn't known" : activity->throttled_s.why_not,
                             NULL);
        return;
    }
    struct interval share = throttled_share(results, elapsed.value);
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
    finding_advise(finding, "advice", VALUE_TEXT("cgroup", activity->cgroup));
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_quota = {
    .id = "cpu-quota",
    .family = "system",
    .title = "throttled by a CPU quota",
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
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_RUN),
    .test = steal_test,
};

/*
 * One thread's delays are so much elapsed time. Several threads' may fall together: at least each thread's share of its
 * runnable time, at most all of them one after the other. Threads that nobody saw add to the upper end.
 */
static struct interval delayed_share(const struct run_time *run, double delay_s)
{
    double in_turn = delay_s / run->elapsed_s.value;
    in_turn = in_turn < 1 ? in_turn : 1;
    bool is_least = run->run_delay_is_least || !run->run_delay_s.known;
    double most = !is_least ? in_turn : run->looked_ready.known ? run->looked_ready.high : 1;
    most = most < in_turn ? in_turn : most;
    if (run->threads_seen <= 1) {
        /* What the kernel adds up when it comes back may have begun before the watch: it ran the rest of the time. */
        double off = run->on_cpu_ratio.known ? 1 - run->on_cpu_ratio.value : 1;
        in_turn = in_turn < off ? in_turn : off;
        most = most < off ? most : off;
    }
    if (run->threads_seen <= 1)
        return most > in_turn ? interval_of(in_turn, (in_turn + most) / 2, most) : interval_exactly(in_turn);
    double runnable_s = delay_s + run->cpu_s.value;
    double wanted = run->wanted_ratio.known ? run->wanted_ratio.value : 1;
    double least = runnable_s > 0 ? delay_s / runnable_s * wanted : 0;
    least = least < most ? least : most;
    return interval_of(least, (least + most) / 2, most);
}

static void oversubscribed_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    struct measured delay = run->run_delay_s.known ? run->run_delay_s : run->preempted_s;
    struct measured cpus = cpus_allowed_to(results->activity);
    finding->of = OF_ELAPSED;
    if (!delay.known || !run->cpu_s.known || !run->elapsed_s.known || run->elapsed_s.value <= 0) {
        finding_not_testable(finding, !delay.known ? delay.why_not : "its CPU or elapsed time isn't known", NULL);
        return;
    }
    struct interval share = delayed_share(run, delay.value);
    double before = share.high;
    /* A limit holds threads back that are ready, too: whose doing a delay is, the kernel doesn't say. */
    struct measured throttled = results->activity ? results->activity->throttled_s : not_measured("/proc was not watched");
    if (throttled.known && throttled.value > 0) {
        struct interval limited = throttled_share(results, run->elapsed_s.value);
        double least = share.low - limited.high;
        share = interval_of(least > 0 ? least : 0, (least > 0 ? least + share.high : share.high) / 2, share.high);
    }
    /* Its own threads waiting for one another's CPUs lose nothing: only what others ran on them can come back. */
    if (cpus.known && run->cpus_used.known && run->threads_seen > 1) {
        double others = 1 - run->cpus_used.value / cpus.value;
        others = others > 0 ? others : 0;
        if (others < share.low)
            share = interval_of(0, others / 2, share.high);
        share.high = others < share.high ? others : share.high;
        share.mid = share.mid < share.high ? share.mid : share.high;
    }
    finding->is_estimate = false;
    finding_decide_share(finding, results, share_of(OF_ELAPSED, share));
    if (finding->verdict == VERDICT_RULED_OUT && before >= results->effect) {
        finding_set(finding, reason, "own", VALUE_COUNT("used", run->cpus_used.value), VALUE_COUNT("cpus", cpus.value));
        return;
    }
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, run->run_delay_is_least ? "unseen" : "undecided", NO_VALUES);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "delay",
                     VALUE_SECONDS("delay", interval_exactly(delay.value)), VALUE_SHARE("share", finding->recoverable));
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
    .needs = RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY),
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
    .needs = RESULT_BIT(RESULT_RUN),
    .test = migrations_test,
};

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
    double on_cpu = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 1;
    double width = on_cpu > 0.01 ? run->cpus_used.value / on_cpu : 1;
    double upper = width < cpus.value ? on_cpu * (1 - width / cpus.value) : 0;
    /* CPUs that others keep busy are not idle. */
    double idle = activity->busy_ratio.known && activity->cpus_online.known
                      ? (1 - activity->busy_ratio.value) * activity->cpus_online.value
                      : cpus.value;
    idle = on_cpu > 0.01 ? idle / on_cpu : idle; /* all of it may have been while its threads ran */
    double shared = on_cpu * idle / (width + idle);
    upper = shared < upper ? shared : upper;
    finding_bound_share(finding, results, share_of(OF_ELAPSED, interval_exactly(upper)));
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided",
                VALUE_COUNT("used", width), VALUE_COUNT("cpus", cpus.value), VALUE_COUNT("idle", idle));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_single_threaded = {
    .id = "idle-cpus",
    .family = "system",
    .is_capacity = true,
    .title = "CPUs that it leaves idle",
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY),
    .test = single_threaded_test,
};
