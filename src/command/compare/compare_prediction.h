/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which gain was foretold for B: typed in, or by a finding of a case folder. It is printed beside the realised one. */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_PREDICTION_H
#define PLUMB_COMMAND_COMPARE_COMPARE_PREDICTION_H

#include "base/error.h"
#include "experiment/experiment.h"
#include "statistics/interval.h"

struct prediction_options {
    const char *typed;       /* "LOW,MID,HIGH" in percent, or NULL */
    const char *case_folder; /* or NULL */
    const char *finding;     /* of the case; NULL: the leading one */
};

struct prediction {
    struct interval gain; /* share of A's time expected to go, 0..1; not known: none was given */
    const char *quantity; /* what it is a share of, "wall" or "cpu"; NULL: whatever is compared */
    char source[160];
};

/*
 * quantity: by its name, what is compared; NULL: not said, so that what is foretold decides. Errors: ERROR_USAGE,
 * ERROR_NOT_FOUND (no such case, or it foretells nothing).
 */
MUST_CHECK bool prediction_choose(const struct prediction_options *options, const char *quantity,
                                  struct prediction *ret_prediction, struct error *err);

#endif
