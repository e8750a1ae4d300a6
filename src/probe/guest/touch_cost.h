/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does the first touch of a page cost, and how much of it is the host's?
 *
 * Pages that this guest gave back a moment ago are certainly backed by the host: touching them costs the guest's own
 * fault and the zeroing. Those of a large region are from memory that was free for longer; where the host has none
 * behind a page, the same touch takes a second fault out there. Slow touches beyond those that recycled pages show tell
 * of it. Does not support: telling a host's fault from another interruption as long, but by number.
 */
#ifndef PLUMB_PROBE_GUEST_TOUCH_COST_H
#define PLUMB_PROBE_GUEST_TOUCH_COST_H

#include "statistics/guest_costs.h"
#include "system/sysroot.h"

/* Fills the TOUCH and HOST_FAULT costs, host_fault_share and touched_pages; old memory up to `most_bytes`. */
void touch_costs_measure(struct guest_costs *costs, const struct sysroot *root, size_t most_bytes, double counter_ns);

/* Pure: the same from times of single touches, in nanoseconds. */
void touch_costs_judge(struct guest_costs *costs, const double *used_ns, size_t used, const double *old_ns, size_t old);

#endif
