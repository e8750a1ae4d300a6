/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which jumps lead through the hot code: to fixed places, or to where a register or table says, and is that a call or a
 * jump?
 *
 * Advice for a conditional branch is no help where a virtual call or an interpreter's dispatch is guessed wrong. Counts
 * samples where the guess would show; well guessed ones look the same. Jumps through a fixed slot (to a library's
 * function) are none.
 */
#ifndef PLUMB_FINDING_CPU_DISPATCH_H
#define PLUMB_FINDING_CPU_DISPATCH_H

#include "finding/results.h"

enum dispatch_kind {
    DISPATCH_FIXED, /* most by conditional branches, or nothing shows */
    DISPATCH_JUMPS, /* a switch, an interpreter's loop */
    DISPATCH_CALLS  /* virtual functions, tables of functions */
};

struct dispatch {
    enum dispatch_kind kind;
    double jumps, calls;     /* samples at such ones, and where only they lead */
    const char *function;    /* that holds the hottest; NULL: there is none */
    const char *instruction; /* NULL: none was stalled at */
};

/* Without stalls nothing shows. What the estimate lays at either kind goes before what samples show. */
struct dispatch dispatch_of(const struct results *results);

#endif
