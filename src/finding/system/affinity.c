/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is it kept from CPUs that stand idle: the process by its mask, or threads of it by masks of their own? */
#include "analyse/time/thread_masks.h"
#include "finding/family.h"

#include <string.h>

/* Of CPUs that it may not use, so many stood idle on average; those that it may use and left idle are another cause. */
static double idle_elsewhere(const struct activity *activity, double allowed)
{
    double online = activity->cpus_online.value,
           busy = activity->busy_ratio.known ? activity->busy_ratio.value * online : 0;
    double idle = online - busy;
    return idle < online - allowed ? idle : online - allowed;
}

static double part_of_elapsed(const struct run_time *run, double seconds)
{
    return run->elapsed_s.known && run->elapsed_s.value > 0 ? seconds / run->elapsed_s.value : 1;
}

/*
 * It loses by the mask where one of its threads was ready and had no CPU; nobody else's CPU would have been there
 * where none stood idle. On all of them its CPU time takes as long as it takes spread evenly, at least.
 */
static double masked_most(const struct run_time *run, double delayed, double idle, double usable)
{
    double used = run->cpus_used.known ? run->cpus_used.value : 0, spread = usable > 0 ? 1 - used / usable : 0;
    double most = delayed < idle ? delayed : idle;
    most = spread < most ? spread : most;
    return most < 0 ? 0 : most < 1 ? most : 1;
}

/* What came and went between two looks may have waited all the time. */
static double delayed_part(const struct run_time *run, double delay_s)
{
    return run->run_delay_s.known && !run->run_delay_is_least ? part_of_elapsed(run, delay_s) : 1;
}

/*
 * Of the time at least so much went by with a thread ready and without a CPU while one stood idle elsewhere, however
 * the two lay: as many threads at once as there are, as many CPUs idle at once as there are. One CPU more works it off
 * by one part in those that ran and that one.
 */
static double masked_least(const struct run_time *run, double delay_s, const struct thread_masks *masks)
{
    double waiting = masks->threads > masks->allowed ? masks->threads - masks->allowed : 1;
    if (!run->elapsed_s.known || run->elapsed_s.value <= 0 || !run->cpus_used.known || masks->outside <= 0)
        return 0;
    double ready = delay_s / run->elapsed_s.value / waiting;
    double both = (ready < 1 ? ready : 1) + masks->idle / masks->outside - 1;
    return both > 0 ? both / (1 + run->cpus_used.value) : 0;
}

/* "CPU 0", "CPUs 0-3". */
static const char *cpus_words(const struct finding *finding, const char *list)
{
    return arena_printf(finding->arena, "CPU%s %s", strpbrk(list, "-,") ? "s" : "", list);
}

/* Threads of it are kept to CPUs by masks of their own. */
static void threads_test(const struct results *results, const struct thread_masks *masks, struct finding *finding)
{
    const struct run_time *run = results->run;
    double delay_s = masks->kept_delay_s + masks->unknown_delay_s;
    double used = run->cpus_used.known ? run->cpus_used.value : 0;
    double most = masked_most(run, delayed_part(run, delay_s), masks->idle_most, used + masks->idle_anywhere);
    double least = masked_least(run, masks->delay_s, masks);
    finding->is_estimate = false;
    finding_decide_fact(finding, interval_of(least < most ? least : most, most, most), results->effect);
    struct value threads = VALUE_COUNT("threads", masks->threads),
                 cpus = VALUE_TEXT("cpus", cpus_words(finding, masks->cpus)), stood = VALUE_COUNT("idle", masks->idle),
                 bound = VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)),
                 delay = VALUE_SECONDS("delay", interval_exactly(masks->delay_s)),
                 elapsed = VALUE_SECONDS("elapsed", run->elapsed_s.known ? interval_exactly(run->elapsed_s.value)
                                                                         : interval_exactly(0));
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound-threads" : "undecided-threads",
                    bound);
    if (finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "mask-threads", threads, cpus);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "ready-threads", delay, elapsed, stood);
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_set(finding, headline, "headline-threads", threads, cpus, delay, elapsed, stood, bound);
        finding_set(finding, reason, "gain", bound);
        finding_set(finding, confirm, "confirm-threads", NO_VALUES);
    }
    finding_advise(finding, "advice-threads", NO_VALUES);
}

/* All of it may use the same CPUs, and not all that are online. */
static void process_test(const struct results *results, double allowed, struct finding *finding)
{
    const struct activity *activity = results->activity;
    const struct run_time *run = results->run;
    double online = activity->cpus_online.value, idle = idle_elsewhere(activity, allowed);
    struct value may = VALUE_COUNT("allowed", allowed), all = VALUE_COUNT("online", online);
    struct thread_masks masks = {
        .allowed = allowed, .outside = online - allowed, .threads = run->threads_seen, .idle = idle};
    struct measured delay = run_time_delay_proven(run);
    double most = masked_most(run, delayed_part(run, run->run_delay_s.value), idle, allowed + idle);
    double least = activity->busy_ratio.known && delay.known ? masked_least(run, delay.value, &masks) : 0;
    finding_decide_fact(finding, interval_of(least < most ? least : most, most, most), results->effect);
    struct value bound = VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)),
                 stood = VALUE_COUNT("idle", idle);
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", may, all, stood,
                    bound);
    if (finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "mask", may, all);
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "ready",
                         VALUE_SECONDS("delay", interval_exactly(delay.value)),
                         VALUE_SECONDS("elapsed", interval_exactly(run->elapsed_s.value)), stood);
        finding_set(finding, headline, "headline", may, all, stood, bound);
        finding_set(finding, reason, "gain", bound);
        finding_set(finding, confirm, "confirm", NO_VALUES);
    }
    finding_advise(finding, "advice", NO_VALUES);
}

/* The process may use them all: so may its threads, as far as they are known, or as far as they never waited. */
static void free_test(const struct results *results, const struct thread_masks *masks, struct finding *finding)
{
    const struct run_time *run = results->run;
    const struct activity *activity = results->activity;
    double unknown_s = !masks->known && run->run_delay_s.known ? run->run_delay_s.value : masks->unknown_delay_s;
    bool is_alone = activity->thread_count <= 1 && run->threads_seen <= 1;
    double most = is_alone || (masks->known && masks->unknown_delay_s <= 0)
                      ? 0
                      : masked_most(run, masks->known ? part_of_elapsed(run, unknown_s) : delayed_part(run, unknown_s),
                                    activity->cpus_online.value - 1, activity->cpus_online.value);
    if (most >= results->effect) {
        finding_not_testable(finding, "what CPUs each of its threads may use was not recorded", NULL);
        finding_set(finding, remedy, "remedy-threads", NO_VALUES);
        return;
    }
    finding_decide_bound(finding, most, results->effect);
    finding_set(finding, reason, most > 0 ? "free-bound" : "free", VALUE_COUNT("online", activity->cpus_online.value),
                VALUE_SHARE("bound", interval_exactly(most)));
}

static void affinity_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    struct measured allowed = activity->cpus_allowed;
    finding->of = OF_ELAPSED;
    if (!allowed.known || !activity->cpus_online.known) {
        finding_not_testable(finding, allowed.known ? activity->cpus_online.why_not : allowed.why_not, NULL);
        return;
    }
    struct thread_masks masks = thread_masks_of(activity);
    finding->is_estimate = false;
    bool is_by_thread = masks.known && masks.cpus && (!masks.are_alike || allowed.value >= activity->cpus_online.value);
    if (is_by_thread)
        threads_test(results, &masks, finding);
    else if (allowed.value < activity->cpus_online.value)
        process_test(results, allowed.value, finding);
    else
        free_test(results, &masks, finding);
}

const struct hypothesis hypothesis_affinity = {
    .id = "affinity",
    .family = "system",
    .title = "kept from CPUs that stand idle",
    .rule =
        "a fact when threads of it were ready without a CPU while CPUs that they may not use, by the process's mask "
        "or by their own, stood idle, so long that one of them would take the effect off; ruled out when each "
        "thread may use every CPU that is online, or when either was so for less than the effect; not told where "
        "its threads' masks weren't recorded and they waited for a CPU; else bounded by the smaller of both",
    .gain = "0 to the time its threads were ready without a CPU, no more than CPUs elsewhere stood idle, nor than "
            "spreading its CPU time over them returns",
    .overturn = "taskset -apc 0-N PID (all CPUs, all threads) and compare",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN),
    .test = affinity_test,
};
