/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the time loops take whose turns wait for a load of the turn before, and what such a loop does. */
#ifndef PLUMB_FINDING_CPU_LOAD_CHAINS_H
#define PLUMB_FINDING_CPU_LOAD_CHAINS_H

#include "analyse/stall/stalls.h"

/*
 * Samples of such loops, of which most stand at those loads, and of those loads elsewhere: no turn begins before the
 * load of the one before came.
 */
double load_chain_turns(const struct stalls *stalls);

enum chain_kind {
    CHAIN_GOES_ON,  /* from place to place */
    CHAIN_SEARCHED, /* begins anew for each search, and ends when what it loaded is equal to something */
    CHAIN_OF_TREE   /* a comparison says which of several ways it goes down */
};

/* Of the row's loop, the row being one of its chain. */
enum chain_kind load_chain_kind(const struct stalls *stalls, const struct stall_row *row, struct arena *arena);

#endif
