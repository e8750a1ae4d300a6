/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to try or look at next, where the culprit's own advice isn't all there is. */
#ifndef PLUMB_FINDING_VERDICT_TRY_NEXT_H
#define PLUMB_FINDING_VERDICT_TRY_NEXT_H

#include "finding/verdict/overall.h"

/* No more than there is room for. text: must outlive the verdict. */
void advise(struct overall *overall, const char *text);
/* What the estimate lays its time at, which is open. */
void advise_on_estimated(struct overall *overall, const struct findings *findings, const struct results *results,
                         struct arena *arena);
/* Options of a known program, where the cause doesn't say them already. overall: has a culprit. */
void advise_on_tool(struct overall *overall, const struct results *results);
/* Whatever the cause: what has no name, nobody finds in the source. */
void advise_on_names(struct overall *overall, const struct results *results, struct arena *arena);
/* A cause that is as sure and weighs as much has its first remedies beside the culprit's. */
void advise_on_like(struct overall *overall, struct arena *arena);
/*
 * The certain cause is small: the way on leads through what holds most of the time. The estimate's remedy, what would
 * settle the one that is open, who calls the hot function.
 */
void advise_on_rest(struct overall *overall, const struct findings *findings, const struct results *results,
                    struct arena *arena);
/* No cause is certain: the way on leads through the hot function and through what is still open. */
void advise_without_cause(struct overall *overall, const struct findings *findings, const struct results *results,
                          struct arena *arena);

#endif
