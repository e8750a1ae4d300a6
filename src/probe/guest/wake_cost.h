/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does it cost to reach another CPU: to wake a thread there from idle, or kept from idling, and to interrupt it?
 *
 * Idle is left by an interrupt from another CPU, and entered by HLT, which leaves the guest; a thread of the lowest class that
 * never sleeps keeps the other CPU from that. The difference is what idling costs a wake-up.
 */
#ifndef PLUMB_PROBE_GUEST_WAKE_COST_H
#define PLUMB_PROBE_GUEST_WAKE_COST_H

#include "statistics/guest_costs.h"

/* Fills the WAKE and IPI costs; this thread runs on `own` and wakes on `other`, so many times. */
void wake_costs_measure(struct guest_value *costs, unsigned own, unsigned other, int wakes);
/* Why there is none of these. */
void wake_costs_absent(struct guest_value *costs, const char *why_not);

#endif
