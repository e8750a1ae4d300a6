/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/divisions.h"

#include "finding/family.h"
#include "finding/held_in.h"

#include <string.h>

/* The hottest division, of those in chains alone if asked for; NULL: none. */
static const struct stall_row *hottest_division(const struct stalls *stalls, bool in_chain)
{
    const struct stall_row *best = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++) {
            const struct stall_row *here = &function->rows[row];
            bool divides = here->class == INSTRUCTION_DIV || here->class == INSTRUCTION_FP_DIV;
            if (divides && (!in_chain || here->is_divide_chained) && (!best || here->samples > best->samples))
                best = here;
        }
    }
    return best;
}

static double at_divisions(const struct stalls *stalls)
{
    return (double)(stalls->class_samples[INSTRUCTION_DIV] + stalls->class_samples[INSTRUCTION_FP_DIV]);
}

/* In loops that keep the divider busy its wait may show at whatever comes behind. */
static double divider_may_hold(const struct results *results)
{
    double samples = 0;
    for (size_t at = 0; results->bottleneck && at < results->bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &results->bottleneck->loops[at];
        samples += loop->divider_most * (double)loop->samples;
    }
    return samples;
}

/*
 * What stands at divisions, and in their chains at what leads from one to the next, is certain. What else needs a
 * result of one waits for that or for something else; the estimate may lay it there, too.
 */
static struct interval divisions_share(const struct results *results, const struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    double sure = at_divisions(stalls) + (double)stalls->divide_chain_users;
    double most = at_divisions(stalls) + (double)stalls->divided_samples;
    double laid = estimated_mass(results, CAUSE_BIT(CAUSE_DIVIDE));
    double likely = laid > sure ? laid : sure, foretold = estimated_samples(results, CAUSE_BIT(CAUSE_DIVIDE));
    double busy = divider_may_hold(results);
    most = most > foretold ? most : foretold;
    most = most > busy ? most : busy;
    struct interval share = share_of_stalls(results, finding, sure);
    struct interval high = share_of_stalls(results, finding, most > likely ? most : likely);
    struct interval mid = share_of_samples(results, finding, likely);
    return share.known && high.known ? interval_of(share.low, mid.mid > high.high ? high.high : mid.mid, high.high)
                                     : share;
}

/* Most of what waits at divisions, or for one, is in chains of them. */
static bool are_chained(const struct stalls *stalls)
{
    return 2 * (double)stalls->divide_chain_samples > at_divisions(stalls) + (double)stalls->divide_chain_users;
}

static const char *function_of(const struct results *results, const struct stall_row *row)
{
    return results->stalls->functions[row->function].name;
}

static double divisions_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct stall_function *here = &stalls->functions[function];
    const struct stall_code *code = stalls->codes ? &stalls->codes[function] : NULL;
    const bool *with_users = context;
    double held = 0;
    for (size_t row = 0; row < here->row_count; row++) {
        bool divides = here->rows[row].class == INSTRUCTION_DIV || here->rows[row].class == INSTRUCTION_FP_DIV;
        held += divides || here->rows[row].is_divide_chained ? (double)here->rows[row].samples : 0;
    }
    for (size_t row = 0; *with_users && code && code->marks && row < code->count; row++) {
        bool counted = code->items[row].divides || code->marks[row] & MARK_DIVIDE_CHAIN;
        held += code->marks[row] & MARK_DIVIDED && !counted ? (double)code->hits[row] : 0;
    }
    return held;
}

static void divisions_headline(const struct results *results, struct finding *finding, const char *key,
                               const struct stall_row *row, struct interval share, bool with_users)
{
    struct held_in held = held_in_function(results, finding, row->function, divisions_held, &with_users, share);
    finding_set(finding, headline, key, VALUE_TEXT("function", function_of(results, row)),
                VALUE_TEXT("instruction", row->text), VALUE_SHARE("share", held.share),
                VALUE_TEXT("together", held.together));
}

static void chain_say(const struct results *results, struct finding *finding, const struct stall_row *row,
                      struct interval share)
{
    finding->subject = row->text;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled-divisions", VALUE_SHARE("share", share),
                     VALUE_TEXT("function", function_of(results, row)), VALUE_TEXT("instruction", row->text));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "divided", VALUE_TEXT("instruction", row->text));
    finding_set(finding, reason, "gain", NO_VALUES);
    divisions_headline(results, finding, "headline-divisions", row, share, false);
    finding_advise(finding, "advice-divisions", NO_VALUES);
    finding_set(finding, confirm, "confirm-divisions", NO_VALUES);
}

bool divisions_chain_found(const struct results *results, struct finding *finding, double chained)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_row *row = hottest_division(stalls, true);
    double hits = (double)stalls->divide_chain_samples;
    struct interval share = divisions_share(results, finding);
    if (!row || !are_chained(stalls) || hits < chained ||
        share_of_samples(results, finding, hits).low < results->effect)
        return false;
    finding_decide_fact(finding, share, results->effect);
    chain_say(results, finding, row, share);
    return true;
}

static void divider_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    bool integers = stalls->class_samples[INSTRUCTION_DIV] >= stalls->class_samples[INSTRUCTION_FP_DIV];
    const char *advice = integers ? "advice-integer" : "advice";
    if (divisions_chain_found(results, finding, 0)) {
        finding_advise(finding, integers ? "advice-divisions-integer" : advice, NO_VALUES);
        return;
    }
    struct interval share = divisions_share(results, finding);
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    const struct stall_row *row = hottest_division(stalls, false);
    bool has_users = share.known && share.high > 2 * share_of_stalls(results, finding, at_divisions(stalls)).high;
    if (row) {
        finding->subject = row->text;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, has_users ? "stalled-users" : "stalled",
                         VALUE_SHARE("share", share), VALUE_TEXT("function", function_of(results, row)),
                         VALUE_TEXT("instruction", row->text));
    }
    finding_set(finding, reason, "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED && row)
        divisions_headline(results, finding, has_users ? "headline-users" : "headline", row, share, has_users);
    finding_advise(finding, advice, NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_divider = {
    .id = "divider",
    .family = "core",
    .title = "divisions and square roots",
    .rule = "a fact when at least the effect stands at divisions and square roots; ruled out when less does, with what "
            "needs their results, what the estimate lays at them, and what loops keep the divider busy for",
    .gain = "0 to that share",
    .overturn = "a multiplication in place of the division, old against new",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_DIVIDE),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = divider_test,
};
