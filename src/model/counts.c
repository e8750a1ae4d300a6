/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/counts.h"

double reading_scaled(const struct reading *reading)
{
    if (reading->running_ns == 0 || reading->running_ns >= reading->enabled_ns)
        return (double)reading->value;
    return (double)reading->value * (double)reading->enabled_ns / (double)reading->running_ns;
}

double reading_running_ratio(const struct reading *reading)
{
    if (reading->enabled_ns == 0)
        return 0;
    if (reading->running_ns >= reading->enabled_ns)
        return 1;
    return (double)reading->running_ns / (double)reading->enabled_ns;
}

struct reading reading_add(struct reading a, struct reading b)
{
    if (a.status != READING_COUNTED || b.status != READING_COUNTED)
        return a.status <= b.status ? a : b;
    a.value += b.value;
    a.enabled_ns += b.enabled_ns;
    a.running_ns += b.running_ns;
    return a;
}
