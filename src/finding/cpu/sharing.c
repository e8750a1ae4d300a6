/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a neighbour on the same core take its issue slots? */
#include "finding/family.h"

/*
 * The share of the issue width that kernels of ours got on the program's own CPUs meanwhile. What isn't there can't be
 * had; how much of it this program would have used is not known.
 */
static void smt_sharing_test(const struct results *results, struct finding *finding)
{
    struct interval share = ceilings_share(results->ceilings);
    if (!share.known) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "not", NO_VALUES);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    bool shared = ceilings_are_shared(results->ceilings);
    struct interval gone = interval_clamped(interval_of(1 - share.high, 1 - share.mid, 1 - share.low), 0, 1);
    /* As little is missing alone, too: the kernels' own start, an interrupt. */
    finding_bound_share(finding, results, share_of(OF_CPU_TIME, interval_exactly(shared ? gone.high : gone.low)));
    finding->is_estimate = false;
    if (shared)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_PROBE, "gone", VALUE_SHARE("gone", gone));
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided",
                VALUE_SHARE("gone", gone));
    if (finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_set(finding, remedy, "remedy-shared", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_smt_sharing = {
    .id = "smt-sharing",
    .family = "core",
    .is_disturbance = true,
    .is_capacity = true,
    .title = "a neighbour on the same core",
    .rule = "ruled out when kernels of plumb's on its CPUs, now and then while it ran, got nearly the whole issue "
            "width; else bounded by what they missed",
    .gain = "0 to the share of the issue width that was gone",
    .overturn = "the sibling CPU offline or idle (thread_siblings_list), or another hour on a shared host",
    .needs = RESULT_BIT(RESULT_CEILINGS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = smt_sharing_test,
};
