/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the nodes of a top-down tree that was counted here say about a hypothesis? Internal to finding.
 *
 * A node that stands for the cause decides, whatever samples led to estimate: below the effect it is ruled out, flagged
 * with all above it it is there for that share. A node that only holds the cause bounds what was left open.
 */
#ifndef PLUMB_FINDING_COUNTED_H
#define PLUMB_FINDING_COUNTED_H

#include "finding/hypothesis.h"

/* False: no node speaks of it. */
bool counted_test(const struct results *results, struct finding *finding);
/* The leaf that flags lead to, else the largest node of the first level; NULL: none is known. */
const struct topdown_node *counted_node(const struct topdown_counted *counted);
/* Of what its value is a share: "issue slots", "cycles". */
const char *counted_whole(const struct topdown_node *node);
/* "by the counters 62 % of its issue slots are Memory_Bound"; NULL: no tree was counted. */
const char *counted_words(const struct results *results, struct arena *arena);

#endif
