/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_outcome.h"

enum confirm_telling confirm_outcome_tells(const struct confirm_outcome *outcome)
{
    bool runs_pair = outcome->way == WAY_PAIR || outcome->way == WAY_HOGS;
    if (outcome->is_interrupted)
        return CONFIRM_TELLS;
    if (outcome->made && runs_pair && outcome->took_no_hold)
        return CONFIRM_TOOK_NO_HOLD;
    bool refused =
        !outcome->made && outcome->kind == ERROR_UNSUPPORTED && outcome->way != WAY_PAIR && !outcome->is_asked;
    return refused ? CONFIRM_REFUSED : CONFIRM_TELLS;
}

const struct run_settings *confirm_settings_of_a(enum confirm_way way, const struct experiment_arm *b)
{
    return way == WAY_HOGS ? b->settings : NULL;
}
