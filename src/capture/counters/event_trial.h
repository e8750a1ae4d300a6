/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does this event open here? Asked by opening it alone on this thread, stopped, and closing it. */
#ifndef PLUMB_CAPTURE_COUNTERS_EVENT_TRIAL_H
#define PLUMB_CAPTURE_COUNTERS_EVENT_TRIAL_H

#include "base/arena.h"
#include "metric/event.h"
#include "system/kernel.h"

/*
 * False: ret_reason says why not, with the remedy as hint. Does not support: members of a group that need their leader.
 */
bool event_trial_opens(const struct event_spec *spec, const struct kernel *kernel, const struct sysroot *root,
                       struct arena *arena, struct error *ret_reason);

#endif
