/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing is certain to return anything: where the time goes, what the estimate says of it, and what remains open. */
#ifndef PLUMB_FINDING_VERDICT_NOTHING_SAID_H
#define PLUMB_FINDING_VERDICT_NOTHING_SAID_H

#include "finding/hypothesis.h"

/* Owner: arena. */
const char *nothing_said(const struct findings *findings, const struct results *results, struct arena *arena);
/* What delays most of it is told by the estimate, and not unsurely; code that is merely busy is delayed by nothing. */
bool is_estimated(const struct results *results);

#endif
