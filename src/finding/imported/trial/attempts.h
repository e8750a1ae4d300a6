/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is tried against which cause, and what such a trial can't tell. Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_TRIAL_ATTEMPTS_H
#define PLUMB_FINDING_IMPORTED_TRIAL_ATTEMPTS_H

#include "finding/hypothesis.h"

enum {
    TRIAL_MAY_FAIL = 1, /* though the cause is there: without effect it says little */
    TRIAL_OPENS = 2,    /* with effect it leaves open what the hypothesis's "told-open" says */
    TRIAL_UNSURE = 4    /* with effect it may have been another cause, too: "told-unsure" says which */
};

struct attempt {
    const char *id; /* of the hypothesis */
    enum treatment treatment;
    unsigned how; /* TRIAL_… */
};

extern const struct attempt trial_attempts[];
extern const size_t trial_attempt_count;

/* Any of `how` holds for this change against this cause. */
bool trial_attempt_is(const struct finding *finding, enum treatment treatment, unsigned how);
/* What a change that may take one of several causes away was about is told by what was counted. */
bool trial_is_of_cause(const struct results *results, const struct finding *finding, enum treatment treatment);
/* It took away what two caches may have been too small for: for the cache of decoded instructions that bounds it. */
bool trial_is_of_both_caches(const struct results *results, const struct finding *finding,
                             const struct told_trial *trial);
/* The first trial against the finding's cause; NULL: none. ret_contrary: as of trial_of_side. */
const struct told_trial *trial_for(const struct results *results, const struct finding *finding,
                                   const struct told_trial **ret_contrary);

#endif
