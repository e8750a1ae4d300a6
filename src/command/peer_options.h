/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf's commands that plumb's of the same name haven't: what serves instead? */
#ifndef PLUMB_COMMAND_PEER_OPTIONS_H
#define PLUMB_COMMAND_PEER_OPTIONS_H

#include "base/text.h"

/* Whose commands know an option; an option row's `offset` where its kind is OPTION_PEER. */
enum peer_command {
    PEER_ANNOTATE = 1 << 0,
    PEER_DIFF = 1 << 1,
    PEER_RECORD = 1 << 2,
    PEER_REPORT = 1 << 3,
    PEER_SCRIPT = 1 << 4,
    PEER_STAT = 1 << 5,
};

/* What to use instead of that option of the command, a letter or a whole name; NULL: perf has none either. */
const char *peer_option_instead(size_t command, char letter, struct view name);

#endif
