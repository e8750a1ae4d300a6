/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/pass_agreement.h"

#include <math.h>

static const double instructions_tolerated = 0.02;
static const double share_tolerated = 0.03;
/* Shares below this are too small for their relative spread to mean anything. */
static const double share_least = 0.05;

struct column {
    double low, high, mean, deviation;
    size_t pass_low, pass_high, count;
};

static void column_add(struct column *column, double *squares, double value, size_t pass)
{
    if (!column->count || value < column->low) {
        column->low = value;
        column->pass_low = pass;
    }
    if (!column->count || value > column->high) {
        column->high = value;
        column->pass_high = pass;
    }
    double difference = value - column->mean;
    column->mean += difference / (double)++column->count;
    *squares += difference * (value - column->mean);
}

/* share SIZE_MAX: the instructions. */
static struct column column_of(const struct pass_control_values *passes, size_t pass_count, size_t share)
{
    struct column column = {0};
    double squares = 0;
    for (size_t pass = 0; pass < pass_count; pass++) {
        struct measured value = share == SIZE_MAX ? passes[pass].instructions : passes[pass].shares[share];
        if (value.known)
            column_add(&column, &squares, value.value, pass);
    }
    column.deviation = column.count > 1 ? sqrt(squares / (double)(column.count - 1)) : 0;
    return column;
}

static void share_compare(struct pass_agreement *agreement, const struct column *column, size_t share)
{
    if (column->count < 2)
        return;
    agreement->compared = true;
    if (column->high - column->low > share_tolerated)
        agreement->ranges[share] = interval_of(column->low, column->mean, column->high);
    if (column->high - column->low > agreement->share_spread) {
        agreement->share_spread = column->high - column->low;
        agreement->share = share;
        agreement->pass_low = column->pass_low;
        agreement->pass_high = column->pass_high;
    }
    if (column->mean < share_least || column->deviation / column->mean <= agreement->run_spread)
        return;
    agreement->run_spread = column->deviation / column->mean;
    agreement->run_freedom = (double)column->count - 1;
}

void pass_agreement_find(struct pass_agreement *agreement, const struct pass_control_values *passes, size_t pass_count,
                         size_t share_count)
{
    *agreement = (struct pass_agreement){0};
    struct column instructions = column_of(passes, pass_count, SIZE_MAX);
    if (instructions.count > 1 && instructions.mean > 0) {
        agreement->compared = true;
        agreement->instructions_spread = (instructions.high - instructions.low) / instructions.mean;
    }
    for (size_t share = 0; share < share_count && share < PASS_CONTROLS_MOST; share++) {
        struct column column = column_of(passes, pass_count, share);
        share_compare(agreement, &column, share);
    }
    agreement->agree = agreement->compared && agreement->instructions_spread <= instructions_tolerated &&
                       agreement->share_spread <= share_tolerated;
}
