/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the target's own time on CPUs did the host give to others?
 *
 * The kernel counts stolen time for each CPU, whoever ran there; the samples tell on which CPUs the target ran, and the
 * CPU's busy time how much of it was the target's. The host takes a CPU without looking at what runs on it: where
 * others ran too, the target's part is as random as that, and the answer an interval.
 */
#ifndef PLUMB_ANALYSE_TIME_STOLEN_H
#define PLUMB_ANALYSE_TIME_STOLEN_H

#include "analyse/time/run_time.h"

/* recording, activity: may be NULL. cpu_s: the target's. */
struct stolen stolen_of(const struct recording *recording, const struct activity *activity, struct measured cpu_s);

#endif
