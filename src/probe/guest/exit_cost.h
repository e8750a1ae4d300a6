/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What do instructions cost in here that a hypervisor may take over: CPUID, reading the clock? On x86-64. */
#ifndef PLUMB_PROBE_GUEST_EXIT_COST_H
#define PLUMB_PROBE_GUEST_EXIT_COST_H

#include "statistics/guest_costs.h"

/* Fills GUEST_COST_CPUID, _CPUID_HOST and _CLOCK by rounds of some microseconds. */
void exit_costs_measure(struct guest_value *costs, int rounds, double counter_ns, bool is_guest);

#endif
