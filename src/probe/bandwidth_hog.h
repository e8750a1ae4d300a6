/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a running program slower when others use memory bandwidth?
 *
 * Processes of ours read and write far more memory than any cache holds, one on each CPU that the program isn't on.
 * First the probe proves itself: our own stream must be at least 1.3 times slower beside them, or it has no power on
 * this machine and says nothing of anybody. Hogs run and rest in turns of random order; they end with us.
 */
#ifndef PLUMB_PROBE_BANDWIDTH_HOG_H
#define PLUMB_PROBE_BANDWIDTH_HOG_H

#include "probe/work_meter.h"

#define HOG_POWER_LEAST 1.3
#define HOG_CONTROL_MOST 1.15

struct bandwidth_hogs;

/*
 * On every CPU we may use but `but`. Errors: ERROR_UNSUPPORTED (one CPU only), ERROR_SYSTEM. Hogs rest until they are
 * let run.
 */
MUST_CHECK bool bandwidth_hogs_new(struct bandwidth_hogs **ret_hogs, int but, struct error *err);
void bandwidth_hogs_free(struct bandwidth_hogs *hogs);
size_t bandwidth_hogs_count(const struct bandwidth_hogs *hogs);
/* How many times slower our own stream on CPU `but` is beside them. Errors: ERROR_LIMIT (memory). */
MUST_CHECK bool bandwidth_hogs_power(struct bandwidth_hogs *hogs, struct interval *ret_slowdown, struct error *err);
/*
 * How many times slower arithmetic of ours, which touches no memory, is beside them: more than a little, and they share
 * its core, or its CPU's host thread, so that whatever is slower beside them isn't for bandwidth. Errors: ERROR_SYSTEM.
 */
MUST_CHECK bool bandwidth_hogs_control(struct bandwidth_hogs *hogs, struct interval *ret_slowdown, struct error *err);
/* Let them run, or rest. */
void bandwidth_hogs_let(const struct bandwidth_hogs *hogs, bool run);
/* The target's speed beside them / its speed alone. */
MUST_CHECK bool bandwidth_hogs_effect(struct bandwidth_hogs *hogs, const struct work_meter *meter,
                                      struct interval *ret_speed_up, struct error *err);

#endif
