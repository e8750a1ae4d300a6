/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where did the time (or whatever the event counts) go? Rows by command, process, thread, dso, symbol, line
 * or CPU, each with its share of the event's total and that share's interval.
 *
 * The denominator is `total_period`: all samples of the event that passed the time and CPU filters, including
 * those whose row a name filter hides, unless options.relative.
 */
#ifndef PLUMB_ANALYSE_PROFILE_HOTSPOTS_H
#define PLUMB_ANALYSE_PROFILE_HOTSPOTS_H

#include "analyse/profile/call_tree.h"
#include "analyse/profile/places.h"
#include "analyse/profile/sample_tally.h"
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
    COLUMN_DSO_FROM, /* from here on: of branch records */
    COLUMN_DSO_TO,
    COLUMN_SYMBOL_FROM,
    COLUMN_SYMBOL_TO,
    COLUMN_LINE_FROM,
    COLUMN_LINE_TO,
    COLUMN_MISPREDICTED,
    COLUMN_BRANCH_CYCLES,
    COLUMN_IN_TRANSACTION,
    COLUMN_ABORT,
    COLUMN_TRAIT, /* from here on: of hotspots_options.traits, by index */
    COLUMN_COUNT = COLUMN_TRAIT + TRAITS_MOST
};

#define HOTSPOT_COLUMNS_MOST 40
#define hotspot_key(column) (UINT64_C(1) << (column))

/* A row's numbers for one event of a group. */
struct hotspot_counts {
    uint64_t samples, period;                   /* of samples in it */
    uint64_t children_samples, children_period; /* of samples in it or in what it called */
    double share, children_share;               /* of the event's denominator, 0..1 */
};

struct hotspot {
    uint32_t place; /* PLACE_NONE when the keys name none; of a branch: where it led */
    uint32_t from;  /* of a branch: where it began; else PLACE_NONE */
    uint16_t branch_cycles; /* since the branch before it; 0: not recorded, or not a key */
    enum branch_outcome branch_outcome;
    uint8_t branch_marks; /* enum branch_mark; 0 unless a key */
    uint32_t traits; /* a set; TRAITS_NONE without such keys */
    const char *comm;
    const char *owner; /* the process' or, where threads are told apart, the thread's name at the end */
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
    uint32_t others; /* index of its numbers for the group's other events in hotspots.others */
    uint64_t tree_least;    /* paths below this weight are left out */
    struct call_tree *tree; /* NULL: no chains, or below options.tree_share_least */
};

struct hotspots_options {
    uint64_t keys; /* hotspot_key(COLUMN_…) of what tells rows apart */
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
    const char *symbol_part; /* NULL, or what the names of functions to show contain */
    bool named_only; /* samples and callers whose address nothing names count nowhere */
    bool relative; /* the denominator is what the names let through */
    const struct sample_traits *traits; /* NULL: no key is a trait */
    uint32_t event_count; /* events of the group, which follow each other; 0: the one */
};

struct hotspots {
    struct hotspot *items; /* in the order asked for */
    size_t count, capacity;
    uint64_t total_period, total_samples; /* the denominator */
    bool has_stacks;
    /* Of a group: how many events there are besides the first, their totals, and each row's numbers for them. */
    uint32_t other_count;
    struct hotspot_counts *other_totals;
    struct hotspot_counts *others;

    char denominator[160]; /* in words: "all 1234 samples of cpu-clock" */
    struct places *places; /* not ours: names the trees' places */
    const struct sample_traits *traits; /* the options', not ours */
};

/*
 * Rows of one event, or of a group: then a row's own numbers, order and call tree are the first event's, and the
 * other events' stand in hotspots.others. places must outlive the result.
 */
void hotspots_build(struct hotspots *hotspots, const struct sample_tally *tally, uint32_t event,
                    const struct recording *recording, struct places *places, const struct hotspots_options *options);
void hotspots_done(struct hotspots *hotspots);
/* Whether a list of names (NULL: all) has this one; "free" asks for "free@GLIBC_2.2.5" too. */
bool hotspot_name_listed(const char *list, const char *name);
bool hotspot_symbol_listed(const char *list, const char *symbol);
/* A row's numbers for the group's event number `member` (0: the first). */
struct hotspot_counts hotspot_counts_of(const struct hotspots *hotspots, const struct hotspot *row, uint32_t member);

#endif
