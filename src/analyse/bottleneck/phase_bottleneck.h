/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits the program in each of its phases, estimated from that phase's samples alone?
 *
 * A phase may come again; its longest stretch is looked at, without the gaps between. One that has hardly any of the samples, or too few for an estimate,
 * says so. Does not support: what a stepped piece of the run showed, which is of no phase.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_PHASE_BOTTLENECK_H
#define PLUMB_ANALYSE_BOTTLENECK_PHASE_BOTTLENECK_H

#include "analyse/bottleneck/bottleneck.h"
#include "analyse/time/phase_rows.h"

enum { PHASES_JUDGED_MOST = 8 };

struct phase_bottleneck {
    uint32_t phase;       /* as the rows have it */
    double from_s, until_s; /* the stretch that was looked at */
    uint64_t samples;     /* in it */
    struct bottleneck_verdict verdict; /* shares: of the CPU time in it */
};

struct phase_bottlenecks {
    struct phase_bottleneck items[PHASES_JUDGED_MOST]; /* by phase */
    size_t count; /* 0: there is one phase, which the program's own estimate is of */
};

struct phase_bottleneck_request {
    const struct bottleneck_request *program; /* its stalls say how samples are attributed */
    const struct phase_rows *phases;
    const struct code_bundle *bundle;
    const struct process_pages *pages;
    size_t pages_count;
    struct stall_skid skid;
};

/* Owner of the verdicts' texts: arena. */
void phase_bottlenecks_find(struct phase_bottlenecks *ret_bottlenecks, const struct phase_bottleneck_request *request, struct arena *arena);

#endif
