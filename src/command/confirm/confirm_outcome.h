/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does an experiment tell something of the verdict, or is it the next one's turn? */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_OUTCOME_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_OUTCOME_H

#include "base/error.h"
#include "command/confirm/confirm_experiments.h"

struct confirm_outcome {
    enum confirm_way way;
    bool made;
    enum error_kind kind;  /* why it wasn't made */
    bool took_no_hold;     /* of the pair that was run last: this experiment's only if its way runs one */
    bool is_asked;         /* by name: then it is this one or none */
    bool is_interrupted;   /* by the user, who wants no other one either */
};

enum confirm_telling {
    CONFIRM_TELLS,         /* or failed for good */
    CONFIRM_TOOK_NO_HOLD,  /* what it changes had no effect on the run */
    CONFIRM_REFUSED        /* by its own self-test */
};

enum confirm_telling confirm_outcome_tells(const struct confirm_outcome *outcome);
/* What A is run with: alone beside hogs it is bound to B's CPU all the same. */
const struct run_settings *confirm_settings_of_a(enum confirm_way way, const struct experiment_arm *b);

#endif
