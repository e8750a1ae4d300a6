/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts taken over a set time, not over a run: a server is attached to for as long as "sleep 30" takes. How long that
 * was says nothing; how much was done in it does.
 */
#ifndef PLUMB_ANALYSE_IMPORTED_WINDOW_H
#define PLUMB_ANALYSE_IMPORTED_WINDOW_H

#include "analyse/imported.h"

/* By its own: attached to a process or to CPUs, for whole seconds. */
bool imported_is_window(const struct imported_arm *arm);
/* Both are: by their own, or since they are as long, to a whole second, and do different amounts of work. */
bool imported_are_windows(const struct imported_arm *one, const struct imported_arm *other);
/* Instructions of each second; not measured: not counted, or it isn't told for how long. */
struct measured imported_throughput(const struct imported_arm *arm);

#endif
