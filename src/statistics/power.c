/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/power.h"

#include <math.h>

/* (z of 97.5 % + z of 80 %) / z of 97.5 % */
static const double reach_of_half_width = (1.959963984540054 + 0.841621233572914) / 1.959963984540054;

static double log_detectable(const struct interval *ratio)
{
    return reach_of_half_width * log(ratio->high / ratio->low) / 2;
}

double ratio_detectable(const struct interval *ratio)
{
    return expm1(log_detectable(ratio));
}

double pairs_needed(const struct interval *ratio, size_t pair_count, double effect)
{
    double wider = log_detectable(ratio) / log1p(effect);
    return ceil((double)pair_count * wider * wider);
}
