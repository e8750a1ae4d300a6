/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which events have a name of their own in the kernel's interface: software, hardware and cache events, in
 * every spelling that perf's users know.
 */
#ifndef PLUMB_METRIC_EVENT_NAME_H
#define PLUMB_METRIC_EVENT_NAME_H

#include "base/text.h"

struct event_name {
    const char *name;
    const char *alias; /* a second name, or NULL */
    uint32_t type;     /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
    uint64_t config;
    const char *unit;  /* of the scaled count, or NULL */
    double scale;
};

/* The fixed table, in the order of `plumb list`. Owner: static. */
const struct event_name *event_name_table(size_t *ret_count);
/* Index in the table, or -1. */
int event_name_find(struct view name);

/* Cache events: the config of "L1-dcache-load-misses" in any spelling; false when it isn't one. */
bool event_cache_parse(struct view name, uint64_t *ret_config);
/* The usual spelling of the index-th cache event that makes sense; NULL after the last. buffer: at least 64. */
const char *event_cache_name(size_t index, char *buffer, size_t size, uint64_t *ret_config);

#endif
