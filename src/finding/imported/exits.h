/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do two tables of exits differ as the guests do whose gap is told?
 *
 * Many times as many exits on one side go with a gap; what they cost isn't told by that.
 */
#ifndef PLUMB_FINDING_IMPORTED_EXITS_H
#define PLUMB_FINDING_IMPORTED_EXITS_H

#include "base/arena.h"
#include "finding/hypothesis.h"

/*
 * The words of that key of the verdict's, where exits are undecided and the side with more of them isn't told to be the
 * faster one; NULL: they aren't. Only where a gap is told. Owner: arena.
 */
const char *imported_exits_with_gap(const struct results *results, const struct findings *findings, const char *key,
                                    struct arena *arena);

#endif
