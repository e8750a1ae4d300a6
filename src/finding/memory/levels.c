/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which level of memory answers, and does the code go to memory more often than its work asks for?
 *
 * Samples see that a load waits, not who answers it: 'cache misses' judges all of that waiting as one. The levels apart
 * want counters; without them the waiting as a whole is their upper end.
 */
#include "base/cache_line.h"
#include "finding/family.h"
#include "finding/held_in.h"

#include <string.h>

static void level_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    struct interval bound = share_of_stalls(results, finding, (double)results->stalls->memory_samples);
    finding_decide_bound(finding, bound.known ? bound.high : 1, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", bound);
        return;
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "only-counters", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_dram_latency = {
    .id = "dram-latency",
    .family = "memory",
    .title = "single accesses that wait for DRAM",
    .rule = "supported by counted or imported tma_mem_latency of at least the effect; ruled out by it, or when less "
            "than the effect waits for memory; without counters it is "
            "judged with the caches as one, by 'cache misses'",
    .gain = "0 to that share",
    .overturn = "the addresses known earlier (prefetched, or two chains at once), old against new",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = level_test,
};

const struct hypothesis hypothesis_cache_levels = {
    .id = "l2-l3-latency",
    .family = "memory",
    .title = "loads that the second or third cache answers",
    .rule = "supported by counted or imported tma_l3_bound or tma_l2_bound of at least the effect; ruled out by both, "
            "or when less than the effect waits for memory; without "
            "counters it is judged by 'cache misses'",
    .gain = "0 to that share",
    .overturn = "an input that fits the nearest cache: the time per element must fall",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = level_test,
};

/* ---- trips ---- */


/*
 * Of a loop's traffic the part that fewer trips would save; its time beyond waiting for bandwidth doesn't fall with it.
 */
static double saved_part(const struct bottleneck_loop *loop)
{
    double extra = loop->extra_memory_trips.value * CACHE_LINE_BYTES, all = loop->bytes_per_turn.value;
    return loop->masses[CAUSE_BANDWIDTH] * (all > extra ? extra / all : 1);
}

static double saved_samples(const struct bottleneck_loop *loop)
{
    bool is_known = loop->extra_memory_trips.known && loop->bytes_per_turn.known;
    return is_known && loop->extra_memory_trips.value > 0 ? (double)loop->samples * saved_part(loop) : 0;
}

static bool is_loop_of(const struct bottleneck_loop *loop, const struct stall_function *function)
{
    return loop->verdict.function && strcmp(loop->verdict.function, function->name) == 0;
}

static double saved_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct bottleneck *bottleneck = context;
    double saved = 0;
    for (size_t at = 0; at < bottleneck->loop_count; at++)
        saved += is_loop_of(&bottleneck->loops[at], &stalls->functions[function])
                     ? saved_samples(&bottleneck->loops[at])
                     : 0;
    return saved;
}

static void extra_trips_headline(const struct results *results, struct finding *finding,
                                 const struct bottleneck_loop *leading, struct interval share)
{
    uint32_t at = 0;
    while (at < results->stalls->function_count && !is_loop_of(leading, &results->stalls->functions[at]))
        at++;
    struct held_in held = at < results->stalls->function_count
                              ? held_in_function(results, finding, at, saved_held, results->bottleneck, share)
                              : (struct held_in){share, false, ""};
    finding_set(finding, headline, "headline", VALUE_TEXT("function", finding->subject),
                VALUE_SHARE("share", held.share), VALUE_TEXT("together", held.together));
}

static void extra_trips_test(const struct results *results, struct finding *finding)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    double saved = 0, told = 0, most = 0, total = (double)results->stalls->sample_count;
    const struct bottleneck_loop *leading = NULL;
    if (!bottleneck) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "no-loops", NO_VALUES);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    for (size_t at = 0; at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->extra_memory_trips.known || !loop->bytes_per_turn.known)
            continue;
        double own = saved_samples(loop);
        told += (double)loop->samples * loop->masses[CAUSE_BANDWIDTH];
        saved += own;
        leading = own > most ? loop : leading;
        most = own > most ? own : most;
    }
    /* Loops whose streams aren't known may make any number of trips, as far as they wait for bandwidth at all. */
    double open = estimated_samples(results, CAUSE_BIT(CAUSE_BANDWIDTH)) - told;
    double high = saved + (open > 0 ? open : 0);
    struct interval least = share_of_samples(results, finding, saved);
    struct interval share =
        interval_of(least.low, least.mid, share_of_stalls(results, finding, high < total ? high : total).high);
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED) {
        finding_not_testable(finding, "", NULL);
        finding_reason_bound(finding, "not", share);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    const char *function = leading->verdict.function ? leading->verdict.function : "its loop";
    finding->subject = function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "trips", VALUE_TEXT("function", function),
                     VALUE_COUNT("extra", leading->extra_memory_trips.value),
                     VALUE_BYTES("bytes", leading->bytes_per_turn.value));
    extra_trips_headline(results, finding, leading, share);
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_extra_trips = {
    .id = "extra-trips",
    .family = "memory",
    .title = "more trips to memory than the work asks for",
    .rule = "a fact when loops that wait for bandwidth, and whose streams are known, would save at least the effect "
            "with the fewest trips; ruled out when all "
            "waiting for bandwidth that such trips could be part of stays below it; supported where a sentence tells "
            "of more trips than another way takes, and the program that it names took less time by at least the "
            "effect later; with that sentence alone undecided",
    .gain = "0 to the extra part of the bytes times the share that waits for bandwidth",
    .overturn = "the passes over the same data in one, or stores past the cache, old against new",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = extra_trips_test,
};
