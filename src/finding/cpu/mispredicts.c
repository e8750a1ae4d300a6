/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that were guessed wrong. */
#include "finding/cpu/dispatch.h"
#include "finding/cpu/traced.h"
#include "finding/estimated_place.h"
#include "finding/family.h"
#include "finding/maker.h"

enum {
    GUESS_CYCLES_LEAST = 12,
    GUESS_CYCLES_USUAL = 18,
    GUESS_CYCLES_MOST = 25,
    LANDING_CYCLES_MOST = 2, /* of a well guessed branch and the instruction it leads to, when neither waits */
};

/* Of branches in a loop over an array, which its order decides. */
enum { DISPATCH_OF_DATA = DISPATCH_CALLS + 1 };

/* What is said of wrong guesses, by which jumps they are of. */
static const struct {
    const char *headline, *estimated, *advice, *remedy, *confirm;
} guess_words[] = {
    [DISPATCH_FIXED] = {"headline", "headline-estimated", "advice-branches", "remedy-branches", "confirm-branches"},
    [DISPATCH_JUMPS] = {"headline-indirect", "headline-estimated-jumps", "advice-jumps", "remedy-jumps",
                        "confirm-jumps"},
    [DISPATCH_CALLS] = {"headline-indirect", "headline-estimated-calls", "advice-calls", "remedy-calls",
                        "confirm-calls"},
    [DISPATCH_OF_DATA] = {"headline", "headline-estimated", "advice", "remedy", "confirm"},
};

/* The loop that most conditional branches are guessed wrong in, by the estimate, goes through its data in order. */
static bool data_decides(const struct results *results)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const struct bottleneck_loop *most = NULL;
    double laid = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        double own = loop->masses[CAUSE_CONDITIONAL] * (double)loop->samples;
        most = own > laid ? loop : most;
        laid = own > laid ? own : laid;
    }
    return most && most->walks_in_order;
}

static int words_of(const struct results *results, const struct dispatch *dispatch)
{
    return dispatch->kind == DISPATCH_FIXED && data_decides(results) ? DISPATCH_OF_DATA : (int)dispatch->kind;
}

static void advise_on_guesses(const struct results *results, struct finding *finding, const struct dispatch *dispatch)
{
    finding_advise(
        finding, guess_words[words_of(results, dispatch)].advice,
        VALUE_TEXT("function", dispatch->function ? dispatch->function : "the hot code"),
        VALUE_TEXT("instruction", dispatch->instruction ? dispatch->instruction : "through a register or table"));
}

/* Documented cost of one wrong guess on cores since 2010: 12 to 25 cycles. */
static bool mispredicts_counted(const struct results *results, struct finding *finding, const struct dispatch *dispatch)
{
    struct measured misses = counter_of(results->counters, "branch-misses");
    struct measured cycles = counter_of(results->counters, "cycles");
    struct measured ratio = measured_ratio(misses, cycles);
    if (!ratio.known)
        return false;
    struct interval share = interval_of(ratio.value * 12, ratio.value * 18, ratio.value * 25);
    finding->is_estimate = false;
    finding_decide(finding, share_of_run(results, finding, interval_clamped(share, 0, 1)), results->effect);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_COUNTERS, "counted", VALUE_COUNT("misses", misses.value),
                     VALUE_COUNT("cycles", cycles.value));
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "counted-bound", finding->recoverable);
    else
        advise_on_guesses(results, finding, dispatch);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, guess_words[dispatch->kind].headline,
                    VALUE_SHARE("share", finding->recoverable));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "undecided", finding->recoverable);
    return true;
}

/*
 * How many cycles 1000 instructions took isn't known without counters. At most: all that isn't wrong guesses runs at
 * full width. At least: of the samples where guesses show, the part that well guessed branches can't explain.
 */
static struct interval mispredict_share(const struct stalls *stalls, const struct trace_summary *trace)
{
    struct interval rate = trace->all.per_1000;
    double branches = 0, high = traced_part(rate.high * GUESS_CYCLES_MOST, TRACED_WIDEST_CYCLES);
    static const enum instruction_class classes[] = {INSTRUCTION_BRANCH, INSTRUCTION_JUMP, INSTRUCTION_CALL,
                                                     INSTRUCTION_RETURN};
    for (size_t at = 0; at < sizeof(classes) / sizeof(classes[0]); at++)
        branches += (double)trace->class_counts[classes[at]] * 1000 / (double)trace->instructions;
    struct interval shown =
        wilson_interval((double)stalls->guess_samples, (double)stalls->user_samples, (double)stalls->user_samples);
    double low = !stalls->attributed || !shown.known
                     ? 0
                     : shown.low * traced_part(rate.low * GUESS_CYCLES_LEAST, LANDING_CYCLES_MOST * branches);
    double mid = traced_part(rate.mid * GUESS_CYCLES_USUAL, TRACED_USUAL_CYCLES);
    low = low < high ? low : high;
    return interval_of(low, mid < low ? low : mid > high ? high : mid, high);
}

/* Stepping says which kind is guessed wrong; the samples, whether its jumps are calls. */
static struct dispatch dispatch_traced(const struct trace_summary *trace, struct dispatch dispatch)
{
    bool jumps = trace->indirect.per_1000.known && trace->indirect.per_1000.mid * 2 > trace->all.per_1000.mid;
    dispatch.kind = !jumps ? DISPATCH_FIXED : dispatch.calls > dispatch.jumps ? DISPATCH_CALLS : DISPATCH_JUMPS;
    return dispatch;
}

static bool mispredicts_traced(const struct results *results, struct finding *finding, struct dispatch dispatch)
{
    const struct trace_summary *trace = traced_of(results);
    if (!trace)
        return false;
    finding_decide(finding, traced_share(results, finding, mispredict_share(results->stalls, trace)), results->effect);
    finding_evidence(finding, finding->verdict == VERDICT_RULED_OUT ? WEIGHT_AGAINST : WEIGHT_FOR, ORIGIN_PROBE,
                     "traced", VALUE_TEXT("conditional", traced_rate_words(finding, trace->conditional.per_1000)),
                     VALUE_TEXT("indirect", traced_rate_words(finding, trace->indirect.per_1000)),
                     VALUE_TEXT("returns", traced_rate_words(finding, trace->returns.per_1000)),
                     VALUE_COUNT("instructions", (double)trace->instructions),
                     VALUE_COUNT("bursts", (double)trace->bursts));
    dispatch = dispatch_traced(trace, dispatch);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, guess_words[dispatch.kind].headline, VALUE_SHARE("share", finding->recoverable));
    else
        finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "traced-bound" : "traced-undecided",
                             finding->recoverable);
    if (finding->verdict == VERDICT_RULED_OUT)
        return true;
    advise_on_guesses(results, finding, &dispatch);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, remedy, guess_words[words_of(results, &dispatch)].remedy, NO_VALUES);
    finding_set(finding, confirm, guess_words[words_of(results, &dispatch)].confirm, NO_VALUES);
    return true;
}

#define GUESSES (CAUSE_BIT(CAUSE_CONDITIONAL) | CAUSE_BIT(CAUSE_INDIRECT))

/* A wrong guess shows where it leads: behind the branch or at its target. Right guesses pass there, too. */
static void mispredicts_test(const struct results *results, struct finding *finding)
{
    struct dispatch dispatch = dispatch_of(results);
    if (mispredicts_counted(results, finding, &dispatch) || mispredicts_traced(results, finding, dispatch) ||
        !stalls_are_attributed(results, finding))
        return;
    struct interval share;
    if (estimate_decides(results, finding, GUESSES, &share)) {
        struct estimated_place place = estimated_place_of(results, GUESSES, share, finding->arena);
        finding_set(finding, headline, guess_words[dispatch.kind].estimated, VALUE_TEXT("function", place.function),
                    VALUE_SHARE("share", share), VALUE_TEXT("in", place.parts));
        finding_set(finding, reason, "gain-estimated", NO_VALUES);
        advise_on_guesses(results, finding, &dispatch);
        finding_set(finding, confirm, guess_words[words_of(results, &dispatch)].confirm, NO_VALUES);
        return;
    }
    double shown = (double)results->stalls->guess_samples, estimated = estimated_most(results, GUESSES);
    share = share_of_stalls(results, finding, shown > estimated ? shown : estimated);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding,
                         finding->verdict == VERDICT_RULED_OUT ? "bound"
                         : estimated > shown                   ? "undecided-estimated"
                                                               : "undecided",
                         share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    finding_set(finding, remedy, guess_words[words_of(results, &dispatch)].remedy, NO_VALUES);
    advise_on_guesses(results, finding, &dispatch);
}

const struct hypothesis hypothesis_mispredicts = {
    .id = "branch-mispredicts",
    .family = "core",
    .title = "wrongly guessed branches",
    .rule = "supported when counted wrong guesses at 12 to 25 cycles each, a stepped copy's simulated ones, or the "
            "estimate "
            "hold the effect; ruled out when they, or all samples at branches and where they lead, stay below it",
    .gain = "count times cost over cycles; without counters 0 to the share of samples",
    .overturn = "input on which its branches go one way (of one kind, or sorted): the time must fall",
    .changes_code = true,
    .causes = GUESSES,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COUNTERS) | RESULT_BIT(RESULT_PROBES) |
            RESULT_BIT(RESULT_BOTTLENECK),
    .test = mispredicts_test,
};
