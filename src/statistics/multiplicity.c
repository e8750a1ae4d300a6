/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/multiplicity.h"

#include "base/arena.h"
#include "base/scope.h"

#include <math.h>
#include <stdlib.h>

struct ordered {
    double p;
    size_t index;
};

static int compare_p(const void *a, const void *b)
{
    double left = ((const struct ordered *)a)->p, right = ((const struct ordered *)b)->p;
    return (left > right) - (left < right);
}

void false_discovery_rates(const double *p, size_t count, double *ret_q)
{
    scoped_free struct ordered *order = memory_alloc(memory_product(count + 1, sizeof(*order)));
    for (size_t at = 0; at < count; at++)
        order[at] = (struct ordered){p[at], at};
    qsort(order, count, sizeof(*order), compare_p);
    double least = 1;
    for (size_t rank = count; rank > 0; rank--) {
        least = fmin(least, order[rank - 1].p * (double)count / (double)rank);
        ret_q[order[rank - 1].index] = least;
    }
}
