/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf annotate that plumb annotate hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_ANNOTATE_REFUSED_H
#define PLUMB_COMMAND_ANNOTATE_REFUSED_H

#define REFUSED_ROW(letter, name, instead) {letter, name, OPTION_REFUSED, 0, NULL, instead}

#define ANNOTATE_REFUSED_ROWS                                                                                                \
    REFUSED_ROW('C', "cpu", "plumb report -C LIST says which functions are hot there"), \
    REFUSED_ROW('D', "dump-raw-trace", "plumb script prints samples with all they hold"), \
    REFUSED_ROW('m', "modules", "the kernel's modules are read anyway"), \
    REFUSED_ROW('n', "show-nr-samples", "--percent-type local-hits: shares of the number of samples"), \
    REFUSED_ROW(0, "show-total-period", "--percent-type local-period: shares of what samples stand for"), \
    REFUSED_ROW('P', "full-paths", "-l prints whole paths"), \
    REFUSED_ROW(0, "asm-raw", "bytes of instructions aren't shown; objdump -d shows them"), \
    REFUSED_ROW(0, "demangle-kernel", "the kernel's names need no demangling"), \
    REFUSED_ROW(0, "group", "events stand side by side anyway"), \
    REFUSED_ROW(0, "ignore-vmlinux", "-k FILE names a kernel image; one of another build is never used"), \
    REFUSED_ROW(0, "itrace", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "objdump", "plumb disassembles by itself"), \
    REFUSED_ROW(0, "prefix", "sources are looked for as the compiler named them; --no-source leaves them out"), \
    REFUSED_ROW(0, "prefix-strip", "sources are looked for as the compiler named them; --no-source leaves them out"), \
    REFUSED_ROW(0, "skip-missing", "functions without code are said and left out anyway"), \
    REFUSED_ROW(0, "stdio-color", "--color always, never or auto"), \
    REFUSED_ROW(0, "stdio2", "plumb prints text of one form"), \
    REFUSED_ROW(0, "tui", "plumb prints text: pipe it into a pager")

#endif
