/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does memory of another node answer what was waited for? Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_REMOTE_H
#define PLUMB_FINDING_IMPORTED_REMOTE_H

#include "analyse/imported.h"
#include "finding/hypothesis.h"

/* Of the loads that memory answered those that another node's did. */
struct remote_loads {
    double remote, local;
};

/* False: that run didn't count both. */
bool remote_loads_of(const struct imported_arm *arm, struct remote_loads *ret);
double remote_loads_share(const struct remote_loads *loads);
/*
 * An open finding of memory on another node becomes a supported one where nearly all that memory answers comes from
 * there, and waiting for memory was counted: how much of that its own node would take nobody measured.
 */
void imported_remote_decide(const struct results *results, struct finding *finding);

#endif
