/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does the top-down tree say, given what was counted, or what another tool computed?
 *
 * Nodes come parents first. A node that could not be computed says why; thresholds are decided on what is known. What
 * doesn't add up is said, and told apart: shares of cycles overlap and may exceed a parent, shares of slots may not.
 * Readings have no intervals; values that were counted here (topdown_values.h) bring theirs, and decisions made on
 * them.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_TOPDOWN_TREE_H
#define PLUMB_ANALYSE_TOPDOWN_TOPDOWN_TREE_H

#include "base/arena.h"
#include "base/measured.h"
#include "statistics/interval.h"

#include <stddef.h>

struct metric_table;
struct table_readings;
struct topdown_values;

enum topdown_decision { TOPDOWN_UNDECIDED, TOPDOWN_NOT_FLAGGED, TOPDOWN_FLAGGED };

struct topdown_node {
    const char *name, *path; /* "Memory_Bound", "Backend_Bound.Memory_Bound" */
    const char *about, *unit, *domain, *see_also;
    unsigned level;          /* 0: an information metric */
    size_t parent;           /* index, or SIZE_MAX */
    struct measured value;   /* a fraction where the unit is % */
    double scale;            /* to the unit */
    const char *threshold;   /* "" : it has none */
    enum topdown_decision decision;
    bool reported;           /* another tool's value */
    bool estimate;           /* with fixed latencies */
    bool default_latency;    /* with published instead of sampled latencies */
    bool across;             /* no run counted all of its events: parts are of different runs or groups */
    bool suspect;            /* no share can be that */
    bool contradicted;       /* it was counted, and isn't known all the same: passes contradict each other */
    double running_ratio;    /* of the event that was counted least */
    struct interval interval; /* 95 %, of the value; unknown: there are readings only, or one window */
    unsigned marks;          /* enum quality_mark, where there is an interval or could be one */
    const char *sample;      /* events to sample it with, "a, b", or "" */
};

struct topdown_tree {
    const char *cpu, *tables;
    const struct topdown_node *nodes;
    size_t count;
    /* the deepest node that is flagged with all above it, the largest of its siblings; SIZE_MAX: none */
    size_t leaf;
    const char *sample;      /* what to sample that leaf with: its own or the nearest ancestor's; "" */
    const char *sample_of;   /* the node whose event that is */
    const char *const *notes; /* what doesn't add up, and what to keep in mind */
    size_t note_count;
};

/* given: values that another tool computed, one for each metric of the table; NULL: none. Owner: arena. */
void topdown_tree_find(struct topdown_tree *tree, const struct metric_table *table,
                       const struct table_readings *readings, const struct measured *given, struct arena *arena);
/* The same of what was counted here. Owner: arena. */
void topdown_tree_of_values(struct topdown_tree *tree, const struct metric_table *table,
                            const struct topdown_values *values, struct arena *arena);

/* "tma_l3_miss_bound" and "L3_Miss_Bound" are one; "tma_dram_bound" is what its followers call that. */
bool topdown_node_is_named(const struct topdown_node *node, const char *name);

#endif
