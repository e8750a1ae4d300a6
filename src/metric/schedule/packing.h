/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Into how few groups do sets of events go, each whole into one of them?
 *
 * Greedy in several orders, then a bounded search for fewer; and a bound that says when fewer is impossible.
 */
#ifndef PLUMB_METRIC_SCHEDULE_PACKING_H
#define PLUMB_METRIC_SCHEDULE_PACKING_H

#include "metric/schedule/event_set.h"

struct packing {
    struct event_set *groups;
    size_t group_count;
    size_t fewest; /* no packing has fewer */
};

/* Each item must fit by itself. Owner: arena. */
void packing_find(struct packing *packing, const struct schedule_request *request, const struct event_set *items,
                  size_t item_count, struct arena *arena);

#endif
