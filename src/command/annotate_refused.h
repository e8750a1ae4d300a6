/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf annotate that plumb annotate hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_ANNOTATE_REFUSED_H
#define PLUMB_COMMAND_ANNOTATE_REFUSED_H

#include "command/options.h"

#define ANNOTATE_REFUSED_ROWS                                                                                                \
    OPTION_ROW_REFUSED('C', "cpu", "plumb report -C LIST says which functions are hot there"), \
    OPTION_ROW_REFUSED('D', "dump-raw-trace", "plumb script prints samples with all they hold"), \
    OPTION_ROW_REFUSED('m', "modules", "the kernel's modules are read anyway"), \
    OPTION_ROW_REFUSED('n', "show-nr-samples", "--percent-type local-hits: shares of the number of samples"), \
    OPTION_ROW_REFUSED(0, "show-total-period", "--percent-type local-period: shares of what samples stand for"), \
    OPTION_ROW_REFUSED('P', "full-paths", "-l prints whole paths"), \
    OPTION_ROW_REFUSED(0, "asm-raw", "bytes of instructions aren't shown; objdump -d shows them"), \
    OPTION_ROW_REFUSED(0, "demangle-kernel", "the kernel's names need no demangling"), \
    OPTION_ROW_REFUSED(0, "group", "events stand side by side anyway"), \
    OPTION_ROW_REFUSED(0, "ignore-vmlinux", "-k FILE names a kernel image; one of another build is never used"), \
    OPTION_ROW_REFUSED(0, "itrace", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "objdump", "plumb disassembles by itself"), \
    OPTION_ROW_REFUSED(0, "prefix", "sources are looked for as the compiler named them; --no-source leaves them out"), \
    OPTION_ROW_REFUSED(0, "prefix-strip", "sources are looked for as the compiler named them; --no-source leaves them out"), \
    OPTION_ROW_REFUSED(0, "skip-missing", "functions without code are said and left out anyway"), \
    OPTION_ROW_REFUSED(0, "stdio-color", "--color always, never or auto"), \
    OPTION_ROW_REFUSED(0, "stdio2", "plumb prints text of one form"), \
    OPTION_ROW_REFUSED(0, "tui", "plumb prints text: pipe it into a pager")

#endif
