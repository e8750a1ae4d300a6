/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where did the time (or whatever the event counts) go? Rows by command, process, thread, dso, symbol, line
 * or CPU, each with its share of the event's total and that share's interval.
 *
 * The denominator is `total_period`: all samples of the event that passed the time and CPU filters, including
 * those whose row a name filter hides, unless options.relative.
 */
#ifndef PLUMB_ANALYSE_CODE_HOTSPOTS_H
#define PLUMB_ANALYSE_CODE_HOTSPOTS_H

#include "analyse/code/call_tree.h"
#include "analyse/code/places.h"
#include "analyse/code/sample_tally.h"
#include "statistics/interval.h"

enum hotspot_column {
    COLUMN_CHILDREN, /* share including what was called */
    COLUMN_OVERHEAD,
    COLUMN_SAMPLES,
    COLUMN_PERIOD,
    COLUMN_COMM, /* from here on: what tells rows apart */
    COLUMN_PID,
    COLUMN_TID,
    COLUMN_DSO,
    COLUMN_SYMBOL,
    COLUMN_LINE,
    COLUMN_CPU,
    COLUMN_COUNT
};

#define HOTSPOT_COLUMNS_MOST 16
#define hotspot_key(column) (1u << (column))

struct hotspot {
    uint32_t place; /* PLACE_NONE when the keys name none */
    const char *comm;
    uint32_t pid, tid, cpu;
    const char *dso, *symbol, *line; /* NULL: not a key, or nothing names it */
    uint64_t addr;                   /* of a nameless row */
    char level;
    bool is_inlined;
    uint64_t samples, period;             /* of samples in it */
    uint64_t children_samples, children_period; /* of samples in it or in what it called */
    double share, children_share;         /* of the denominator, 0..1 */
    struct interval share_interval;       /* 95 %, counting samples as independent */
    uint32_t thread;                      /* one that was in it */
    size_t stack_depth_most;
    uint64_t tree_least;    /* paths below this weight are left out */
    struct call_tree *tree; /* NULL: no chains, or below options.tree_share_least */
};

struct hotspots_options {
    unsigned keys; /* hotspot_key(COLUMN_…) of what tells rows apart */
    enum hotspot_column order[HOTSPOT_COLUMNS_MOST]; /* rows are sorted by these, the first first */
    size_t order_count;
    bool children; /* count callers too */
    bool trees;
    bool callers_first;      /* trees begin at the root, not at the leaf */
    double tree_share_least; /* branches below this share of the denominator are left out */
    bool tree_relative;      /* … of their row instead */
    uint32_t stack_most;     /* frames of a stack to look at; 0: all */
    /* Names to show: NULL or comma-separated; rows of others are dropped. */
    const char *comms, *dsos, *symbols;
    bool named_only; /* drop rows whose address nothing names */
    bool relative; /* the denominator is what the names let through */
};

struct hotspots {
    struct hotspot *items; /* in the order asked for */
    size_t count, capacity;
    uint64_t total_period, total_samples; /* the denominator */
    bool has_stacks;

    char denominator[160]; /* in words: "all 1234 samples of cpu-clock" */
    struct places *places; /* not ours: names the trees' places */
};

/* Rows of one event. places must outlive the result. */
void hotspots_build(struct hotspots *hotspots, const struct sample_tally *tally, uint32_t event,
                    const struct recording *recording, struct places *places, const struct hotspots_options *options);
void hotspots_done(struct hotspots *hotspots);

#endif
