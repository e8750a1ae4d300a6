/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast does a simulated event count just now? Its script, and noise from a seed: the same seed, the same run.
 *
 * Noise is a factor on the script's rate, 1 on average: one for the whole run (of this event), one for each block of time
 * (of this event), and one for each block that all events share (the program runs faster or slower).
 */
#ifndef PLUMB_TESTS_SIMULATED_RATES_H
#define PLUMB_TESTS_SIMULATED_RATES_H

#include "simulated_pmu.h"

/* The noise of one event's latest block, kept while the block lasts; zeroed to begin with. */
struct simulated_draw {
    bool drawn;
    uint64_t block;
    double factor;
};

/* Events a second of rule number `rule` at this time. */
double simulated_rate(const struct simulated_plan *plan, unsigned rule, uint64_t now_ns, struct simulated_draw *kept);

#endif
