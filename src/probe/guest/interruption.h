/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often, and for how long, is a thread interrupted that does nothing but compute on one CPU?
 *
 * It reads the cycle counter again and again: where that jumps, something else ran. What the kernel counted meanwhile
 * tells its own interrupts from what the host did.
 */
#ifndef PLUMB_PROBE_GUEST_INTERRUPTION_H
#define PLUMB_PROBE_GUEST_INTERRUPTION_H

#include "statistics/guest_costs.h"
#include "system/sysroot.h"

/* On this thread's CPU, which it is pinned to. False: it could not be. */
bool interruptions_measure(struct guest_cpu *cpu, const struct sysroot *root, double span_ns, double counter_ns,
                           double tick_hz, struct guest_value *ret_tick, struct guest_value *ret_other);

#endif
