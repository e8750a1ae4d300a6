/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/system/kernel_time.h"

#include "finding/family.h"

bool kernel_time_test_with(const struct results *results, struct finding *finding, double hits, double maybe)
{
    double total = (double)results->kernel->sample_count,
           most = hits + maybe + (double)results->kernel->unnamed_samples;
    struct interval seen = share_of_run(results, finding, wilson_interval(hits, total, total));
    struct interval blind = share_of_run(results, finding, wilson_interval(most < total ? most : total, total, total));
    struct interval share = seen.known && blind.known ? interval_of(seen.low, seen.mid, blind.high) : seen;
    finding_decide(finding, share, results->effect);
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return false;
    }
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "samples", VALUE_SHARE("share", share));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_SHARE("share", share));
    else
        finding_reason_bound(finding, "bound", share);
    return true;
}

bool kernel_time_test(const struct results *results, struct finding *finding, double hits)
{
    return kernel_time_test_with(results, finding, hits, 0);
}
