/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits each phase of a run, by the counters that had turns in it, and which cause that is?
 *
 * A phase's verdict is its tree's leaf; where no flag leads to one, the largest of its first level. Recoverable time is
 * said of the whole run alone (finding.h): a phase's share is of its own slots or cycles.
 */
#ifndef PLUMB_FINDING_VERDICT_PHASE_VERDICTS_H
#define PLUMB_FINDING_VERDICT_PHASE_VERDICTS_H

#include "analyse/topdown/phase_trees.h"

struct phase_verdict {
    const struct phase_tree *tree;
    const struct topdown_node *node; /* NULL: not known, because of why_not */
    bool is_flagged;                 /* with all above it */
    struct interval share;           /* of its whole; unknown: one window tells no interval */
    const char *whole;               /* "cycles", "issue slots" */
    const char *cause, *cause_title; /* the hypothesis that it stands for; NULL: it is a class, of several */
    const char *sentence;            /* "L2_Bound is 41 % (38 to 44 %) of its cycles: …" */
    const char *why_not;
};

struct phase_verdicts {
    struct phase_verdict items[PHASES_JUDGED_MOST];
    size_t count;
};

/* Owner of texts: arena. */
void phase_verdicts_of(struct phase_verdicts *ret_verdicts, const struct phase_trees *trees, struct arena *arena);

#endif
