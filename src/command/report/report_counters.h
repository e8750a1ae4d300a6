/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did each thread's counters stand at when it ended? A table of the records that perf record -s asks the kernel
 * for, one row a thread, in the order in which they came.
 */
#ifndef PLUMB_COMMAND_REPORT_REPORT_COUNTERS_H
#define PLUMB_COMMAND_REPORT_REPORT_COUNTERS_H

#include "base/hashmap.h"
#include "base/text.h"
#include "base/vec.h"
#include "source/source.h"

struct counted_thread {
    uint32_t pid, tid;
};

struct counted_value {
    uint32_t thread, event; /* places in threads, and in the source's events */
    uint64_t value;
};

/* Zeroed: none yet. */
struct report_counters {
    vec(struct counted_thread) threads;
    vec(struct counted_value) values;
    struct hashmap thread_map, value_map;
};

void report_counters_done(struct report_counters *counters);
/* Records of other kinds are passed over. */
void report_counters_add(struct report_counters *counters, const struct source *source, const struct record *record);
/* "-": not read. */
void report_counters_show(const struct report_counters *counters, const struct source *source, struct text *out);

#endif
