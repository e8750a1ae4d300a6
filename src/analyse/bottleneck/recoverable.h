/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the CPU time would removing the cause return? Internal to bottleneck.
 *
 * By the loop's bound where the cause is part of it: what a turn takes without its chain of results, or with vectors as
 * wide as they get. Else by what removing such a cause returned in programs that exist in both forms
 * (bench/known-answers, the tuning set), never more than the loop's bound leaves. What is done instead takes its time,
 * too: so the low end is well below the waiting.
 * Shape: an interval that is to hold the gain of a good remedy in four programs of five; a bad one returns less.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_RECOVERABLE_H
#define PLUMB_ANALYSE_BOTTLENECK_RECOVERABLE_H

#include "analyse/bottleneck/loop_look.h"

/*
 * look: of the loop that leads; NULL: none. around: of the CPU time, what the loops and functions hold that it is most
 * of. shown: of the CPU time, what stands where only a wrong guess of a target puts it; 0: not known. Fills recoverable
 * and recoverable_how, or recoverable_why.
 */
void recoverable_find(struct bottleneck_verdict *verdict, const struct loop_look *look,
                      const struct bottleneck_machine *machine, double around, double shown, struct arena *arena);

#endif
