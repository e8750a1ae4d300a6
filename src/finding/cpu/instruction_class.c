/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/instruction_class.h"

#include "finding/family.h"
#include "finding/held_in.h"
#include "finding/maker.h"

double class_samples(const struct stalls *stalls, unsigned mask)
{
    double hits = 0;
    for (int class = 0; class < INSTRUCTION_CLASS_COUNT; class ++)
        hits += mask >> class & 1 ? (double)stalls->class_samples[class] : 0;
    return hits;
}

/* The hottest stalled instruction of some classes, or NULL. */
static const struct stall_row *hottest_row(const struct stalls *stalls, unsigned mask)
{
    const struct stall_row *best = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++)
            if (mask >> function->rows[row].class & 1 && (!best || function->rows[row].samples > best->samples))
                best = &function->rows[row];
    }
    return best;
}

static double class_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct stall_function *here = &stalls->functions[function];
    const unsigned *mask = context;
    double held = 0;
    for (size_t row = 0; row < here->row_count; row++)
        held += *mask >> here->rows[row].class & 1 ? (double)here->rows[row].samples : 0;
    return held;
}

static void class_headline(const struct results *results, struct finding *finding, unsigned mask, struct interval share)
{
    uint32_t function = hottest_row(results->stalls, mask)->function;
    struct held_in held = held_in_function(results, finding, function, class_held, &mask, share);
    finding_set(finding, headline, held.is_spread ? "headline-spread" : "headline",
                VALUE_TEXT("function", results->stalls->functions[function].name),
                VALUE_TEXT("instruction", finding->subject), VALUE_SHARE("share", held.is_spread ? share : held.share),
                VALUE_SHARE("own", held.share), VALUE_TEXT("together", held.together));
}

static void name_row(const struct results *results, struct finding *finding, unsigned mask, struct interval share)
{
    const struct stall_row *row = hottest_row(results->stalls, mask);
    if (!row)
        return;
    finding->subject = row->text;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", share),
                     VALUE_TEXT("function", results->stalls->functions[row->function].name),
                     VALUE_TEXT("instruction", row->text));
}

/* Time at these instructions is a fact; what removing them returns is not known. */
void class_test_fact(const struct results *results, struct finding *finding, unsigned mask)
{
    if (!stalls_are_attributed(results, finding))
        return;
    struct interval share = share_of_stalls(results, finding, class_samples(results->stalls, mask));
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    name_row(results, finding, mask, share);
    finding_set(finding, reason, "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED && finding->subject)
        class_headline(results, finding, mask, share);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

/* Only an upper bound can be had without counters; the estimated bottleneck lays time at such causes, too. */
void class_test_bound(const struct results *results, struct finding *finding, unsigned mask, unsigned causes)
{
    if (!stalls_are_attributed(results, finding))
        return;
    double hits = class_samples(results->stalls, mask), estimated = estimated_most(results, causes);
    struct interval share = share_of_stalls(results, finding, hits > estimated ? hits : estimated);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    name_row(results, finding, mask, share);
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}
