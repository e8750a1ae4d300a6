/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits the program in each of its phases, estimated from that phase's samples alone?
 *
 * A phase may come again: all its stretches are looked at together, and what lies between two of them isn't taken for
 * its time. One that has hardly any of the samples, or too few for an estimate, says so. Does not support: what a
 * stepped piece of the run showed, which is of no phase.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_PHASE_BOTTLENECK_H
#define PLUMB_ANALYSE_BOTTLENECK_PHASE_BOTTLENECK_H

#include "analyse/bottleneck/bottleneck.h"
#include "analyse/topdown/phase_trees.h"

struct phase_bottleneck {
    const struct phase_whole *phase;
    struct bottleneck_verdict verdict; /* shares: of the CPU time in it */
};

struct phase_bottlenecks {
    struct phase_bottleneck items[PHASES_JUDGED_MOST]; /* by phase */
    size_t count; /* 0: there is one phase, which the program's own estimate is of, or counted trees decide */
};

struct phase_bottleneck_request {
    const struct bottleneck_request *program; /* its stalls say how samples are attributed */
    const struct phase_rows *phases;
    const struct phase_trees *trees; /* where one was counted nothing is estimated */
    const struct code_bundle *bundle;
    const struct process_pages *pages;
    size_t pages_count;
    struct stall_skid skid;
};

/* Owner of the verdicts' texts: arena. */
void phase_bottlenecks_find(struct phase_bottlenecks *ret_bottlenecks, const struct phase_bottleneck_request *request,
                            struct arena *arena);

#endif
