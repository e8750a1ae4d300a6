/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What remains of a tally when everything that some functions call counts as their own? */
#ifndef PLUMB_ANALYSE_PROFILE_CALLEES_CUT_H
#define PLUMB_ANALYSE_PROFILE_CALLEES_CUT_H

#include "analyse/profile/sample_tally.h"
#include "symbol/symboliser.h"

#include <regex.h>

/* Of several such functions in a stack the outermost counts. Adds stacks to the recording; samples without one stay. */
void callees_cut(struct sample_tally *tally, struct recording *recording, struct symboliser *symboliser,
                 const regex_t *functions);

#endif
