/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf diff that plumb diff hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_DIFF_DIFF_REFUSED_H
#define PLUMB_COMMAND_DIFF_DIFF_REFUSED_H

#include "command/options.h"

#define DIFF_REFUSED_ROWS                                                                                                \
    OPTION_ROW_REFUSED('b', "baseline-only", "new functions are marked so; --json tells them apart"), \
    OPTION_ROW_REFUSED(0, "compute", "differences of shares with their intervals are what is shown"), \
    OPTION_ROW_REFUSED('D', "dump-raw-trace", "plumb script prints samples with all they hold"), \
    OPTION_ROW_REFUSED('F', "formula", "man plumb-diff says how rows are computed"), \
    OPTION_ROW_REFUSED('m', "modules", "the kernel's modules are named anyway"), \
    OPTION_ROW_REFUSED('t', "field-separator", "--json for programs"), \
    OPTION_ROW_REFUSED(0, "percentage", "shares are of all samples"), \
    OPTION_ROW_REFUSED(0, "cycles-hist", "plumb report -b -s symbol_from,symbol_to,cycles"), \
    OPTION_ROW_REFUSED(0, "stream", "plumb flamegraph draws the stacks of one recording")

#endif
