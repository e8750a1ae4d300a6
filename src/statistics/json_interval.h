/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An interval in JSON: {"low": …, "mid": …, "high": …}, or null when it isn't known. */
#ifndef PLUMB_STATISTICS_JSON_INTERVAL_H
#define PLUMB_STATISTICS_JSON_INTERVAL_H

#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "statistics/interval.h"

static inline void json_interval(struct json_writer *json, const char *key, struct interval interval)
{
    if (!interval.known) {
        json_null(json, key);
        return;
    }
    json_object_open(json, key);
    json_double(json, "low", interval.low);
    json_double(json, "mid", interval.mid);
    json_double(json, "high", interval.high);
    json_object_close(json);
}

/* Not known when a bound is missing or they are out of order. */
static inline struct interval json_interval_or_unknown(struct json_value value)
{
    double low, mid, high;
    if (!json_number(json_member(value, "low"), &low) || !json_number(json_member(value, "mid"), &mid) ||
        !json_number(json_member(value, "high"), &high) || low > mid || mid > high)
        return (struct interval){0};
    return interval_of(low, mid, high);
}

#endif
