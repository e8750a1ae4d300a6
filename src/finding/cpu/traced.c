/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/traced.h"

#include "finding/family.h"
#include "finding/maker.h"

enum {
    BURSTS_LEAST = 3,     /* fewer may have missed what the program does at other times */
    TRACED_LEAST = 12000, /* instructions */
};

/* NULL: there was none, or too little of it to bound anything. */
const struct trace_summary *traced_of(const struct results *results)
{
    const struct probe_result *step = results->probes ? &results->probes->of[PROBE_STEP] : NULL;
    bool enough =
        step && step->known && step->step.trace.bursts >= BURSTS_LEAST && step->step.trace.instructions >= TRACED_LEAST;
    return enough && step->step.trace.all.per_1000.known ? &step->step.trace : NULL;
}

const char *traced_rate_words(struct finding *finding, struct interval rate)
{
    return arena_printf(finding->arena, "%.2g (%.2g to %.2g)", rate.mid, rate.low, rate.high);
}

double traced_part(double cycles, double others)
{
    return cycles + others > 0 ? cycles / (cycles + others) : 0;
}

/* The kernel's part of the time was not traced. */
struct interval traced_share(const struct results *results, const struct finding *finding, struct interval share)
{
    double user = results->stalls->sample_count
                      ? (double)results->stalls->user_samples / (double)results->stalls->sample_count
                      : 1;
    return share_of_run(results, finding, interval_clamped(interval_scaled(share, user), 0, 1));
}
