/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/sampled.h"

#include <stdlib.h>

static int index_compare(const void *a, const void *b)
{
    const struct sampled *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static int samples_compare(const void *a, const void *b)
{
    const struct sampled *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return index_compare(a, b);
}

void sampled_sort(struct sampled *items, size_t count)
{
    if (count)
        qsort(items, count, sizeof(*items), samples_compare);
}

size_t sampled_join(struct sampled *items, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(items, count, sizeof(*items), index_compare);
    for (size_t at = 0; at < count; at++)
        if (kept && items[kept - 1].index == items[at].index)
            items[kept - 1].samples += items[at].samples;
        else
            items[kept++] = items[at];
    sampled_sort(items, kept);
    return kept;
}
