/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes that samples can't tell from others: machine clears, busy units, decoding and its cache, aliasing, blocked
 * forwarding.
 *
 * What can be had without counters is an upper end: where even that is below the effect the cause is ruled out. Else it
 * is not testable here, and says which event would tell; the estimate decides where it names the cause itself.
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/held_in.h"

/* Ruled out below the effect; above it a bound so loose says nothing, and the finding is not testable. */
static void bound_or_not_testable(const struct results *results, struct finding *finding, struct interval share)
{
    finding_decide_bound(finding, share.known ? share.high : 1, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "only-counters", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

/* What it stands at in user code, whatever could not be read included. */
static struct interval user_share(const struct results *results, const struct finding *finding)
{
    return share_of_samples(results, finding, (double)results->stalls->user_samples);
}

/* ---- machine clears ---- */

/*
 * Documented for a clear: the pipeline is emptied and refilled, 20 cycles at least, about 100 at most (Intel's guide,
 * Agner Fog).
 */
enum { CLEAR_CYCLES_LEAST = 20, CLEAR_CYCLES_USUAL = 35, CLEAR_CYCLES_MOST = 100 };

static void machine_clears_test(const struct results *results, struct finding *finding)
{
    struct measured clears = counter_of(results->counters, "machine_clears.count"),
                    cycles = counter_of(results->counters, "cycles");
    struct measured ratio = measured_ratio(clears, cycles);
    if (!ratio.known) {
        bound_or_not_testable(results, finding, user_share(results, finding));
        return;
    }
    struct interval share = interval_of(ratio.value * CLEAR_CYCLES_LEAST, ratio.value * CLEAR_CYCLES_USUAL,
                                        ratio.value * CLEAR_CYCLES_MOST);
    finding->is_estimate = false;
    finding_decide(finding, share_of_run(results, finding, interval_clamped(share, 0, 1)), results->effect);
    finding_evidence(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_COUNTERS,
                     "counted", VALUE_COUNT("clears", clears.value), VALUE_COUNT("cycles", cycles.value));
    if (finding->verdict != VERDICT_SUPPORTED) {
        finding_reason_bound(finding, "counted-bound", finding->recoverable);
        return;
    }
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_machine_clears = {
    .id = "machine-clears",
    .family = "core",
    .title = "machine clears",
    .rule = "supported when counted clears at 20 to 100 cycles each hold the effect at the lower end, or counted or "
            "imported tma_machine_clears does; ruled out "
            "when they stay below it, or when so little is user code",
    .gain = "count times 20 to 100 cycles over cycles",
    .overturn = "perf stat -e machine_clears.memory_ordering,machine_clears.smc,cycles: few of them",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COUNTERS),
    .test = machine_clears_test,
};

/* ---- units ---- */

static void port_pressure_say(struct finding *finding, const struct bottleneck_verdict *verdict)
{
    bool splits = verdict->split_ratio > 0;
    if (splits)
        finding_set(finding, headline, "headline-splits",
                    VALUE_TEXT("function", verdict->function ? verdict->function : "its code"),
                    VALUE_SHARE("loads", interval_exactly(verdict->split_ratio)));
    finding_advise(finding, splits ? "advice-splits" : "advice", NO_VALUES);
    finding_set(finding, confirm, splits ? "confirm-splits" : "confirm", NO_VALUES);
}

/* Loads across two lines, in a program of which nothing else is known: what they cost was not measured. */
static bool splits_are_open(const struct results *results, struct finding *finding)
{
    const struct bottleneck_verdict *verdict = results->bottleneck ? &results->bottleneck->program : NULL;
    struct interval share = share_of_samples(results, finding, (double)results->stalls->load_samples);
    if (!verdict || verdict->class != BOTTLENECK_UNKNOWN || verdict->split_ratio <= 0 || share.high < results->effect)
        return false;
    finding_decide_bound(finding, share.high, results->effect);
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_ADDRESSES, "splits",
                     VALUE_SHARE("loads", interval_exactly(verdict->split_ratio)));
    finding_reason_bound(finding, "undecided-splits", share);
    finding_set(finding, remedy, "remedy-splits", NO_VALUES);
    finding_advise(finding, "advice-splits", NO_VALUES);
    finding_set(finding, confirm, "confirm-splits", NO_VALUES);
    return true;
}

static void port_pressure_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    if (decide_by_estimate(results, finding, CAUSE_BIT(CAUSE_PORTS))) {
        port_pressure_say(finding, &results->bottleneck->program);
        return;
    }
    if (splits_are_open(results, finding))
        return;
    /* What waits for memory holds no unit. */
    double computing = (double)results->stalls->user_samples - (double)results->stalls->memory_samples;
    bound_or_not_testable(results, finding, share_of_samples(results, finding, computing > 0 ? computing : 0));
}

const struct hypothesis hypothesis_port_pressure = {
    .id = "port-pressure",
    .family = "core",
    .title = "one kind of unit always busy",
    .rule = "a fact when the estimate lays at least the effect at a loop whose turns take as long as its busiest units "
            "need, or counted or imported "
            "tma_ports_utilized_3m does, or of imported runs with as many instructions the slower one has ten times "
            "the accesses across the border of lines; ruled out when less than the effect doesn't wait for memory",
    .gain = "0 to that share",
    .overturn = "half of the instructions of that kind left out of a copy: the time must fall",
    .changes_code = true,
    .is_capacity = true,
    .causes = CAUSE_BIT(CAUSE_PORTS),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = port_pressure_test,
};

/* ---- decoding ---- */

/*
 * The cache of decoded instructions with the least room since 2011 has 32 sets of 8 lines, each for up to 6
 * micro-operations of one 32-byte window, three lines a window at most (Intel's guide, 2.5): so much code fits, however
 * small its instructions are.
 */
static const double DECODED_CODE_BYTES = 32.0 * 8 / 3 * 32;

/*
 * 98 % of the samples lie in so little code that all of it stays decoded; what was met once stands for what was not met
 * (Good 1953).
 */
static void decoded_code_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    double hot_bytes = (double)stalls->hot_code_lines * 64, user = (double)stalls->user_samples;
    double outside = user * 0.02 + (double)stalls->single_lines;
    bool fits = hot_bytes > 0 && hot_bytes < DECODED_CODE_BYTES && outside < user;
    struct interval share = share_of_samples(results, finding, fits ? outside : user);
    bound_or_not_testable(results, finding, share);
    if (finding->verdict == VERDICT_RULED_OUT && fits)
        finding_set(finding, reason, "bound-fits", VALUE_BYTES("code", hot_bytes),
                    VALUE_BYTES("room", DECODED_CODE_BYTES), VALUE_SHARE("bound", interval_exactly(share.high)),
                    VALUE_TEXT("of", denominator_name(finding->of)));
}

const struct hypothesis hypothesis_uop_cache = {
    .id = "uop-cache",
    .family = "core",
    .title = "more hot code than the cache of decoded instructions holds",
    .rule = "ruled out when 98 % of the samples (or an imported loop) lie in less code than the smallest such cache "
            "certainly holds; else only counters tell "
            "(counted or imported tma_mite, tma_dsb_switches, tma_fetch_bandwidth)",
    .gain = "0 to the share outside that code",
    .overturn = "perf stat -e idq.dsb_uops,idq.mite_uops: most of them from the cache",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = decoded_code_test,
};

const struct hypothesis hypothesis_decoding = {
    .id = "decoding",
    .family = "core",
    .title = "instructions that are slow to decode",
    .rule = "ruled out as long as the hot code stays decoded (see uop-cache), or by counted or imported tma_mite and "
            "tma_lcp, or tma_fetch_bandwidth, below the effect; a fact by tma_decoder0_alone or tma_lcp above it; else "
            "only counters tell",
    .gain = "0 to the share outside that code",
    .overturn = "perf stat -e idq.mite_cycles_any,ild_stall.lcp,cycles: few of them",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = decoded_code_test,
};

/* ---- loads behind stores ---- */

static void load_bound_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    bound_or_not_testable(results, finding, share_of_stalls(results, finding, (double)results->stalls->load_samples));
}

const struct hypothesis hypothesis_aliasing = {
    .id = "4k-aliasing",
    .family = "core",
    .title = "loads held up by stores 4 KiB away",
    .rule = "ruled out when less than the effect stands at loads; supported only by counted or imported "
            "tma_4k_aliasing, else only counters tell",
    .gain = "0 to the share at loads",
    .overturn = "one of the arrays moved by 64 bytes: the time must change",
    .changes_code = true,
    .is_capacity = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = load_bound_test,
};

/* Samples at loads that, by the code, take at once what narrower stores wrote right before. */
static double blocked_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct bottleneck *bottleneck = context;
    double blocked = 0;
    for (size_t at = 0; at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        bool is_its = loop->verdict.function && strcmp(loop->verdict.function, stalls->functions[function].name) == 0;
        blocked += is_its ? loop->blocked_ratio * (double)loop->samples : 0;
    }
    return blocked;
}

/* The loop or function with most of them; NULL: there is none. */
static const struct bottleneck_loop *blocked_most(const struct bottleneck *bottleneck)
{
    const struct bottleneck_loop *most = NULL;
    for (size_t at = 0; at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        double own = loop->blocked_ratio * (double)loop->samples;
        if (loop->verdict.function && own > 0 && (!most || own > most->blocked_ratio * (double)most->samples))
            most = loop;
    }
    return most;
}

/* That the code does so, and that samples stand there, are facts; how much of it is waiting for that isn't known. */
static bool blocked_loads_found(const struct results *results, struct finding *finding)
{
    const struct bottleneck_loop *most = results->bottleneck ? blocked_most(results->bottleneck) : NULL;
    double blocked = 0;
    uint32_t function = 0;
    for (uint32_t at = 0; most && at < results->stalls->function_count; at++) {
        blocked += blocked_held(results->stalls, at, results->bottleneck);
        function = strcmp(most->verdict.function, results->stalls->functions[at].name) == 0 ? at : function;
    }
    struct interval share = share_of_samples(results, finding, blocked);
    if (!most || !share.known || share.low < results->effect)
        return false;
    struct held_in held = held_in_function(results, finding, function, blocked_held, results->bottleneck, share);
    const char *instruction = most->verdict.instruction ? most->verdict.instruction : "the load";
    finding_decide_fact(finding, share, results->effect);
    finding->subject = instruction;
    finding->confidence_most = CONFIDENCE_MEDIUM;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", share),
                     VALUE_TEXT("function", most->verdict.function), VALUE_TEXT("instruction", instruction));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "pieces", NO_VALUES);
    finding_set(finding, headline, "headline", VALUE_TEXT("function", most->verdict.function),
                VALUE_TEXT("instruction", instruction), VALUE_SHARE("share", held.share),
                VALUE_TEXT("together", held.together));
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}

static void forwarding_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding) || blocked_loads_found(results, finding))
        return;
    double loads = (double)results->stalls->load_samples,
           laid = estimated_samples(results, CAUSE_BIT(CAUSE_STORE_FORWARDING));
    bound_or_not_testable(results, finding, share_of_stalls(results, finding, loads > laid ? loads : laid));
}

const struct hypothesis hypothesis_forwarding = {
    .id = "store-forwarding",
    .family = "core",
    .title = "loads that a store can't forward to",
    .rule =
        "ruled out when less than the effect stands at loads; supported by counted or imported tma_store_fwd_blk, "
        "a fact where "
        "the code shows loads of what narrower stores wrote right before, data is in the nearest cache, and samples "
        "stand there; else only counters tell; a value that goes "
        "round through memory unblocked is 'loads that wait for one another'",
    .gain = "0 to the share at loads",
    .overturn = "the value loaded in the width in which it was stored, old against new",
    .changes_code = true,
    .is_capacity = true,
    .causes = CAUSE_BIT(CAUSE_STORE_FORWARDING),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = forwarding_test,
};
