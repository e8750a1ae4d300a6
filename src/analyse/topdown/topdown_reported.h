/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the top-down tree stand the metrics that other tools printed?
 *
 * An imported table says names and percentages, not which CPU they are of: the built-in table that knows most of the
 * names gives the tree and its thresholds, the first of several that know as many. Where several tables have a metric,
 * the first one's value stands, as in the findings. Does not support: imported counts (plumb topdown --from computes
 * with them, for a CPU that is named to it).
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_TOPDOWN_REPORTED_H
#define PLUMB_ANALYSE_TOPDOWN_TOPDOWN_REPORTED_H

#include "analyse/imported.h"
#include "analyse/topdown/topdown_tree.h"
#include "metric/table/table.h"

struct topdown_reported {
    struct metric_table table;
    struct topdown_tree tree; /* its names are the table's */
    const char *files;        /* "a.txt, b.txt" */
    const char *strange;      /* metrics that have no place in the tree, "a, b"; "" */
};

/* False: no metric of a tree was imported. Owner: the caller (topdown_reported_done), but for what is in the arena. */
bool topdown_reported_find(struct topdown_reported *ret_reported, const struct imported *imported, struct arena *arena);
void topdown_reported_done(struct topdown_reported *reported);

#endif
