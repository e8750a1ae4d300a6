/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts taken over a set time, not over a run: a server is attached to for as long as "sleep 30" takes. How long that
 * was says nothing; how much was done in it does.
 */
#ifndef PLUMB_ANALYSE_IMPORTED_WINDOW_H
#define PLUMB_ANALYSE_IMPORTED_WINDOW_H

#include "analyse/imported.h"

/*
 * Of these those that are windows lose their time, and have it as a window's: attached to a process or to CPUs for
 * whole seconds; or two of them that are as long, attached both, or to a whole second with different amounts of work.
 */
void imported_windows_mark(struct imported_arm *arms, size_t count);
/* Of its run or window. */
struct measured imported_arm_length(const struct imported_arm *arm);
/* Instructions of each second; not measured: not counted, or it isn't told for how long. */
struct measured imported_throughput(const struct imported_arm *arm);

#endif
