/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Did the passes measure the same program? What was measured in every one of them must agree.
 *
 * Compared are the instructions of each run (within 2 %) and the control's shares, first-level nodes (within 3 points).
 * When they don't agree, values of different passes aren't to be combined, and the user is told by how much. The spread
 * that the controls show is what values of single passes are uncertain by as statements about the program.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_PASS_AGREEMENT_H
#define PLUMB_ANALYSE_TOPDOWN_PASS_AGREEMENT_H

#include "base/measured.h"
#include "statistics/interval.h"

#include <stddef.h>
#include <stdint.h>

enum { PASS_CONTROLS_MOST = 8 };

struct pass_control_values {
    struct measured instructions;
    struct measured shares[PASS_CONTROLS_MOST]; /* 0 … 1, the same nodes in each pass */
};

struct pass_agreement {
    bool compared;    /* at least two passes have something in common */
    bool agree;
    double instructions_spread; /* (most - fewest) / mean; 0 when not compared */
    double share_spread;        /* the largest difference of a share, as a share */
    size_t share;               /* which */
    size_t pass_low, pass_high; /* the two that differ most in it */
    /* of each share on which passes don't agree: lowest, mean, highest; else unknown */
    struct interval ranges[PASS_CONTROLS_MOST];
    /* relative standard deviation between passes, the largest of the controls'; 0: not known */
    double run_spread;
    double run_freedom;         /* its degrees of freedom */
};

void pass_agreement_find(struct pass_agreement *agreement, const struct pass_control_values *passes, size_t pass_count,
                         size_t share_count);

#endif
