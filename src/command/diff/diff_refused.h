/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf diff that plumb diff hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_DIFF_DIFF_REFUSED_H
#define PLUMB_COMMAND_DIFF_DIFF_REFUSED_H

#define REFUSED_ROW(letter, name, instead) {letter, name, OPTION_REFUSED, 0, NULL, instead}

#define DIFF_REFUSED_ROWS                                                                                                \
    REFUSED_ROW('b', "baseline-only", "new functions are marked so; --json tells them apart"), \
    REFUSED_ROW(0, "compute", "differences of shares with their intervals are what is shown"), \
    REFUSED_ROW('D', "dump-raw-trace", "plumb script prints samples with all they hold"), \
    REFUSED_ROW('F', "formula", "man plumb-diff says how rows are computed"), \
    REFUSED_ROW('m', "modules", "the kernel's modules are named anyway"), \
    REFUSED_ROW('t', "field-separator", "--json for programs"), \
    REFUSED_ROW(0, "percentage", "shares are of all samples"), \
    REFUSED_ROW(0, "cycles-hist", "plumb report -b -s symbol_from,symbol_to,cycles"), \
    REFUSED_ROW(0, "stream", "plumb flamegraph draws the stacks of one recording")

#endif
