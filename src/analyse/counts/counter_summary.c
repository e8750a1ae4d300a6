/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/counts/counter_summary.h"

#include <string.h>

struct measured counter_of(const struct counter_summary *summary, const char *name)
{
    for (size_t at = 0; summary && at < summary->count; at++)
        if (strcmp(summary->items[at].name, name) == 0)
            return summary->items[at].count;
    return not_measured("it wasn't counted");
}
