/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More hot code than the caches of instructions hold. */
#include "finding/cpu/traced.h"
#include "finding/family.h"
#include "finding/maker.h"

enum {
    NEAR_LINE_CYCLES_LEAST = 3, /* the second level answers in 14, and the fetch runs ahead */
    NEAR_LINE_CYCLES_MOST = 15,
    FAR_LINE_CYCLES_MOST = 100,
    NEAR_CODE_BYTES = 1 << 20, /* fits the second level of current cores */
};

/* What waits for data or arithmetic doesn't wait for code; the rest may, as far as its misses reach. */
static bool front_end_traced(const struct results *results, struct finding *finding)
{
    const struct trace_summary *trace = traced_of(results);
    const struct stalls *stalls = results->stalls;
    if (!trace || !trace->line_misses.known)
        return false;
    struct interval misses = trace->line_misses;
    bool near = trace->code_lines * 64 <= NEAR_CODE_BYTES;
    double most = near ? NEAR_LINE_CYCLES_MOST : FAR_LINE_CYCLES_MOST;
    double user = (double)stalls->user_samples,
           elsewhere = (double)stalls->load_samples + (double)stalls->arithmetic_samples;
    double open = stalls->attributed && user > elsewhere ? (user - elsewhere) / user : 0;
    double low = open * traced_part(misses.low * NEAR_LINE_CYCLES_LEAST, TRACED_USUAL_CYCLES),
           high = traced_part(misses.high * most, TRACED_WIDEST_CYCLES);
    double mid = traced_part(misses.mid * (NEAR_LINE_CYCLES_LEAST + NEAR_LINE_CYCLES_MOST) / 2, TRACED_USUAL_CYCLES);
    mid = mid < low ? low : mid > high ? high : mid;
    finding_decide(finding, traced_share(results, finding, interval_of(low, mid, high)), results->effect);
    finding_evidence(
        finding, finding->verdict == VERDICT_RULED_OUT ? WEIGHT_AGAINST : WEIGHT_FOR, ORIGIN_PROBE, "traced",
        VALUE_TEXT("misses", traced_rate_words(finding, misses)), VALUE_BYTES("cache", trace->cache_lines * 64.0),
        VALUE_BYTES("code", (double)trace->code_lines * 64), VALUE_COUNT("instructions", (double)trace->instructions));
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_set(finding, headline, "headline", VALUE_TEXT("misses", traced_rate_words(finding, misses)),
                    VALUE_SHARE("share", finding->recoverable));
        finding_advise(finding, "advice", NO_VALUES);
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return true;
    }
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "traced-bound" : "traced-undecided",
                         finding->recoverable);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, remedy, "remedy", NO_VALUES);
    return true;
}

static const double LAID_LEAST = 0.05;

static double footprint_laid(const struct results *results)
{
    return results->bottleneck ? results->bottleneck->masses[CAUSE_FOOTPRINT] : 0;
}

static void front_end_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (stalls->user_samples < 200) {
        finding_not_testable(finding, "too few samples to see how much code is hot", NULL);
        return;
    }
    if (front_end_traced(results, finding))
        return;
    if (decide_by_estimate(results, finding, CAUSE_BIT(CAUSE_FOOTPRINT))) {
        finding_advise(finding, "advice", NO_VALUES);
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return;
    }
    /* 98 % of the samples lie in that much code: misses beyond it hold the rest at most. */
    double hot_bytes = (double)stalls->hot_code_lines * 64;
    bool fits = hot_bytes * 2 < 32768;
    /* What lies in lines that were not met at all weighs as much as the lines met once (Good 1953). */
    double unmet = (double)stalls->single_lines, outside = (double)stalls->user_samples * 0.02 + unmet;
    struct interval beyond = share_of_samples(
        results, finding, outside < (double)stalls->user_samples ? outside : (double)stalls->user_samples);
    struct interval user = share_of_samples(results, finding, (double)stalls->user_samples);
    finding_decide_bound(finding, fits ? beyond.high : user.high, results->effect);
    bool ruled_out = finding->verdict == VERDICT_RULED_OUT;
    finding->is_loose = !fits && footprint_laid(results) < LAID_LEAST;
    finding_set(
        finding, reason,
        ruled_out ? "bound"
        : fits    ? "flat"
                  : "undecided",
        VALUE_BYTES("code", hot_bytes),
        VALUE_SHARE("unmet", wilson_interval(unmet, (double)stalls->user_samples, (double)stalls->user_samples)));
    if (!ruled_out)
        finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_front_end = {
    .id = "front-end",
    .family = "core",
    .title = "too much hot code for the instruction cache",
    .rule = "ruled out when 98 % of the samples lie in code of less than half a first-level cache (or an imported loop "
            "fits "
            "it); supported by the estimate, a stepped copy or tma_frontend_bound, or where of imported runs with as "
            "many instructions the slower one has ten times the misses of the instruction cache",
    .gain = "0 to the share of user samples outside the hot code; traced: misses times 3 to 100 cycles",
    .overturn = "a build with profile-guided optimisation or -Os, old against new",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_FOOTPRINT),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_PROBES) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = front_end_test,
};
