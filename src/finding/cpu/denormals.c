/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on numbers so small that the core takes a detour. */
#include "finding/family.h"
#include "finding/maker.h"

/* Samples of loops whose arithmetic takes longer than it should. */
static double unexplained_samples(const struct bottleneck *bottleneck, const char **ret_function,
                                  const char **ret_instruction)
{
    double samples = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->fp_is_unexplained)
            continue;
        if (samples <= 0) {
            *ret_function = loop->verdict.function;
            *ret_instruction = loop->verdict.instruction;
        }
        samples += loop->masses[CAUSE_FP] * (double)loop->samples;
    }
    return samples;
}

static void denormals_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    struct interval share = share_of_stalls(results, finding, (double)results->stalls->arithmetic_samples);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    const char *function = NULL, *instruction = NULL;
    struct interval slow =
        share_of_samples(results, finding, unexplained_samples(results->bottleneck, &function, &instruction));
    if (function && slow.known && slow.low >= results->effect) {
        finding->pointed = slow.mid;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "slow", VALUE_SHARE("share", slow),
                         VALUE_TEXT("function", function),
                         VALUE_TEXT("instruction", instruction ? instruction : "one instruction"));
    }
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_denormals = {
    .id = "denormals",
    .family = "core",
    .title = "denormal numbers",
    .rule =
        "ruled out when less than the effect stands at floating-point arithmetic; supported only by a count of assists "
        "(counted or imported tma_fp_assists, assists.fp); pointed at by arithmetic that was measured to take longer "
        "than its core's costs say",
    .gain = "0 to the share at floating-point arithmetic",
    .overturn = "flush-to-zero in a copy, old against new",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = denormals_test,
};
