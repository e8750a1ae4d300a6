/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can counted events have cost of a run's cycles? Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_EVENT_COSTS_H
#define PLUMB_FINDING_IMPORTED_EVENT_COSTS_H

#include "analyse/imported_pair.h"

struct event_cost {
    const char *id, *event;           /* the hypothesis that it is of; by the vendor's name */
    double cycles_least, cycles_most; /* that one event takes; least 0: it may be hidden behind other work */
    /* of events that count one thing in several ways the way; those of one way add up */
    int way;
    bool is_part; /* of what the hypothesis is about: few of them rule nothing out */
    double cycles_likely; /* where cycles_most is far from what one commonly takes; 0: it isn't */
    bool is_loose; /* so much that it says nothing of one run: only what two of them differ by */
};

/*
 * NULL: no more. Owner: static. Behind those that bound a cost come those of which only what two runs differ by says
 * something: cycles_most isn't what one takes at most then.
 */
const struct event_cost *event_cost_at(size_t index);

struct costing {
    double least, most; /* of the cycles; above 1 where so many overlap */
    double count;       /* of the event that may cost most */
    double each;        /* cycles that one of it costs at most */
    bool is_part;       /* as struct event_cost has it */
    const char *event;  /* that one, with the others that were counted behind it */
    const char *file;
};

/* Of its cycles what such events cost; false: none was counted. Owner: arena. */
bool costing_of(const struct imported_arm *arm, const char *id, struct arena *arena, struct costing *ret);

/*
 * What the slower of two runs pays more for such events, of its cycles, and never more than it is slower by, in cycles
 * or time, unless the other executes more. Unknown: not both of them counted such events.
 */
struct interval costing_excess(const struct imported_pair *pair, const char *id);

#endif
