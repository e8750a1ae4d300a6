/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do samples look as if the processor guessed wrong here? A wrong guess restarts retirement at any instruction behind
 * it, so that samples spread over nearly all of the loop and gather where branches lead; code that goes the same way
 * every time retires in the same groups, and samples fall on a few of its instructions. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_GUESSES_H
#define PLUMB_ANALYSE_BOTTLENECK_GUESSES_H

#include "analyse/bottleneck/region.h"

enum { GUESSES_SAMPLES_LEAST = 200 }; /* of a region, for their spread to tell anything */

struct guesses {
    uint32_t branches;         /* conditional ones that don't merely close a loop */
    uint32_t indirect;         /* jumps and calls through a register or table */
    double evenness;           /* share of instructions with a tenth of an even share of the samples, or more */
    double landing_share;      /* of samples: where such branches lead */
    double landing_shown;      /* … where clearly more stand than retirement in step leaves on a place near it */
    double landing_rows;       /* the share of instructions that are such, of those that ran */
    /* of samples: at an indirect jump, or where only such jumps lead and a wrong guess would show */
    double table_share;
    /* … where they lead and no wrong guess would show: what retires in step stands there; 0 where both are one place */
    double table_retired;
    /*
     * as landing_shown and landing_rows, of ways whose first instruction can't wait by itself; 0 unless restarts_behind
     */
    double sure_share, sure_rows;
    double branch_share, branch_rows; /* … of the one branch that shows most of them */
    double both_ways;          /* of the hottest branch's two ways, the rarer against the other by samples, 0..1 */
    bool has_enough;
    bool lacks_samples; /* … of the program's running longer; else it is too short a piece of code */
};

/*
 * restarts_behind: the skid self-test showed samples behind a wrong guess on the second instruction of the right way.
 */
struct guesses guesses_of(const struct region *region, bool restarts_behind);
/*
 * A quarter of the samples, and so many times as many as evenly, stand where nothing but wrong guesses of branches that
 * change puts them.
 */
bool guesses_show_restarts(const struct guesses *guesses, double enrichment);

#endif
