/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was counted, or computed, by another tool? Counts out of perf stat's -x, -j and text output, metrics that it or
 * toplev printed, and what it says of time.
 *
 * Lines of several CPUs, sockets, threads and intervals of one event are added up. An event that stands there again for
 * the same CPUs and the same interval was counted again, in another group or run: a new set begins, and what follows is
 * of that set. A count that perf couldn't make is kept with its reason. Told apart by the lines themselves; tables
 * drawn with bars ("| 66.5 % | tma_dram_bound |") are text. --metric-only's lines of values are read by the heading
 * above them.
 * Text in other languages' numbers is read ("3,50 msec", "44.120.903.881 cycles"); of -x and --metric-only with a comma
 * as mark of fraction and separator nothing is. Does not support: -r's spread (the mean is read).
 */
#ifndef PLUMB_SOURCE_COUNT_TEXT_H
#define PLUMB_SOURCE_COUNT_TEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct counted_event {
    const char *name;     /* as it stands there: "cpu/event=0x3c/u", "INST_RETIRED.ANY" */
    const char *unit;     /* "msec", "ns", or "" */
    double count;         /* the sum; undefined unless known */
    bool known;
    const char *why_not;  /* "<not counted>"; NULL when known */
    double running_ratio; /* least share of time that it was on a counter; 1: all */
    double counted_s;     /* for how long threads or CPUs could have it counted, added up; 0: not said */
    size_t lines;
    size_t set;           /* 0 …: those of one set were counted in the same run */
};

struct counted_metric {
    const char *name; /* "tma_dram_bound", "Backend_Bound.Memory_Bound" */
    double value;     /* as printed */
    const char *unit; /* "%", "% Slots", or "" */
};

struct count_text {
    const char *form; /* "perf stat -x", "perf stat -j", "perf stat", "toplev -x" */
    const struct counted_event *events;
    size_t event_count;
    size_t set_count;
    const struct counted_metric *metrics;
    size_t metric_count;
    double seconds;   /* that it took, the mean of the sets; 0: not said */
    size_t intervals; /* -I: how many there are; 0: none */
    size_t broken_lines; /* JSON that ends early, or is none */
};

/*
 * Errors: ERROR_FORMAT when not a single count or metric is in it; ERROR_LIMIT: over a thousand runs. Owner of all
 * strings: arena.
 */
MUST_CHECK bool count_text_read(struct count_text *counts, struct view text, struct arena *arena, struct error *err);

#endif
