/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does a database's plan with its times say of a query? Internal to finding/verdict. */
#ifndef PLUMB_FINDING_VERDICT_PLAN_SAID_H
#define PLUMB_FINDING_VERDICT_PLAN_SAID_H

#include "finding/results.h"

/* A scan of a whole table that drops nearly all of it has most of the time; NULL: no plan says so. Owner: arena. */
const char *plan_said(const struct results *results, struct arena *arena);

#endif
