/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/steadiness.h"

#include "base/scope.h"
#include "statistics/interval.h"

#include <math.h>

void steadiness_judge(struct steadiness *steadiness, const struct run_table *table, size_t a, size_t quantity)
{
    *steadiness = (struct steadiness){0};
    scoped_free double *values = memory_alloc(memory_product(table->block_count + 1, sizeof(*values)));
    size_t count = run_table_column(table, a, quantity, values);
    if (!count)
        return;
    struct interval quartiles = quartile_interval(values, count);
    steadiness->spread = quartiles.mid > 0 ? (quartiles.high - quartiles.low) / quartiles.mid : 0;
    for (size_t at = 0; at < count; at++) {
        if (!(values[at] > 0))
            return;
        values[at] = log(values[at]);
    }
    steadiness->trend = trend_of(values, count);
    steadiness->resemblance = resemblance_of(values, count);
}
