/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others' tables and words lead to, alone or beside a cause that they support. */
#ifndef PLUMB_FINDING_VERDICT_IMPORTED_SAID_H
#define PLUMB_FINDING_VERDICT_IMPORTED_SAID_H

#include "finding/verdict/overall.h"

/* They support no cause: the class that they lead to is known all the same. */
struct overall overall_imported(const struct findings *findings, const struct results *results, struct arena *arena);
/* A certain cause that is little of what others' tables lead to must not stand before that. */
struct overall with_imported_leaf(struct overall overall, const struct findings *findings,
                                  const struct results *results, struct arena *arena);
/* What they have more of than the culprit, what was told and is asked about, and the hottest function come first. */
struct overall with_imported(struct overall overall, const struct findings *findings, const struct results *results,
                             struct arena *arena);

#endif
