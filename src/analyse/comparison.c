/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/comparison.h"

static enum comparison_verdict judge(const struct comparison *comparison)
{
    const struct interval *ratio = &comparison->ratio;
    double effect = comparison->effect_ratio;
    if (!ratio->known || comparison->too_few_pairs)
        return COMPARISON_UNDECIDED;
    if (ratio->low >= 1 - effect && ratio->high <= 1 + effect)
        return COMPARISON_EQUIVALENT;
    if (ratio->high < 1)
        return COMPARISON_FASTER;
    if (ratio->low > 1)
        return COMPARISON_SLOWER;
    return COMPARISON_UNDECIDED;
}

struct comparison comparison_of(const double *a_s, const double *b_s, size_t pair_count, double effect_ratio)
{
    struct comparison comparison = {
        .a_s = quartile_interval(a_s, pair_count),
        .b_s = quartile_interval(b_s, pair_count),
        .ratio = paired_ratio_interval(a_s, b_s, pair_count),
        .pair_count = pair_count,
        .effect_ratio = effect_ratio,
        .too_few_pairs = pair_count < SIGNED_RANK_COUNT_LEAST,
    };
    comparison.verdict = judge(&comparison);
    return comparison;
}
