/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does it cost to reach another CPU: to wake a thread there from idle, or kept from idling, and to interrupt it?
 * And to be woken by a timer?
 *
 * Idle is left by an interrupt from another CPU, and entered by HLT, which leaves the guest; a thread of the lowest
 * class that never sleeps keeps the other CPU from that. The difference is what idling costs a wake-up.
 */
#ifndef PLUMB_PROBE_GUEST_WAKE_COST_H
#define PLUMB_PROBE_GUEST_WAKE_COST_H

#include "statistics/guest_costs.h"

/* Fills the WAKE and IPI costs; this thread runs on `own` and wakes on `other`, so many times. */
void wake_costs_measure(struct guest_value *costs, unsigned own, unsigned other, int wakes);
/* Fills the TIMER costs: this thread sleeps on `own` until a timer wakes it. Needs no other CPU. */
void timer_costs_measure(struct guest_value *costs, unsigned own, int wakes);
/* Why there is no WAKE and IPI cost. */
void wake_costs_absent(struct guest_value *costs, const char *why_not);

#endif
