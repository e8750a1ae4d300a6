/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of its time do exits to the hypervisor take at most, as seen from inside the guest? For the finding and for
 * a gap's component.
 */
#ifndef PLUMB_FINDING_GUEST_GUEST_H
#define PLUMB_FINDING_GUEST_GUEST_H

#include "finding/results.h"
#include "finding/share.h"

/* Shares of `of`; unknown: not bounded. Each is an upper bound with a usual value, from nothing on. */
struct guest_exit_shares {
    struct interval instructions; /* that leave, by samples */
    struct interval interrupted, sent, woken, touched;
    struct interval sum;          /* of what is known */
    const char *why_open;         /* NULL: all are bounded */
};

/* From what was probed (results->guest) times what was counted. False: nothing was probed. */
bool guest_exit_shares_of(const struct results *results, enum denominator of, struct guest_exit_shares *ret_shares);

#endif
