/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the time loops take whose turns wait for a load of the turn before, and whether one of them searches. */
#ifndef PLUMB_FINDING_CPU_LOAD_CHAINS_H
#define PLUMB_FINDING_CPU_LOAD_CHAINS_H

#include "analyse/stall/stalls.h"

/*
 * Samples of such loops, of which most stand at those loads, and of those loads elsewhere: no turn begins before the
 * load of the one before came.
 */
double load_chain_turns(const struct stalls *stalls);

/* The row's loop ends when what it loaded is equal to something: a chain is searched. */
bool load_chain_searches(const struct stalls *stalls, const struct stall_row *row, struct arena *arena);

#endif
