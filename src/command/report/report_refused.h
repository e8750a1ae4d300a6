/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf report that plumb report hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_REPORT_REPORT_REFUSED_H
#define PLUMB_COMMAND_REPORT_REPORT_REFUSED_H

#define REFUSED_ROW(letter, name, instead) {letter, name, OPTION_REFUSED, 0, NULL, instead}

#define REPORT_REFUSED_ROWS                                                                                              \
    REFUSED_ROW('D', "dump-raw-trace", "plumb script prints samples with all they hold: -F; --header-only the header"), \
    REFUSED_ROW('I', "show-info", "--header says what the recording says about itself"),                          \
    REFUSED_ROW('m', "modules", "the kernel's modules are named anyway; -k FILE and --kallsyms FILE name the kernel"), \
    REFUSED_ROW('p', "parent", "--ignore-callees REGEX counts what such functions call as theirs"),               \
    REFUSED_ROW('x', "exclude-other", "--ignore-callees REGEX with -S LIST"),                                     \
    REFUSED_ROW('T', "threads", "-s pid,tid -n: samples by thread"),                                              \
    REFUSED_ROW('M', "disassembler-style", "plumb annotate -M STYLE shows instructions"),                         \
    REFUSED_ROW(0, "asm-raw", "plumb annotate shows instructions"),                                               \
    REFUSED_ROW(0, "source", "plumb annotate --source shows instructions between source lines"),                  \
    REFUSED_ROW(0, "objdump", "plumb annotate needs no objdump"),                                                 \
    REFUSED_ROW(0, "prefix", "plumb annotate finds source files as they are named"),                              \
    REFUSED_ROW(0, "prefix-strip", "plumb annotate finds source files as they are named"),                        \
    REFUSED_ROW(0, "percent-type", "plumb annotate --percent-type says of what instructions have shares"),        \
    REFUSED_ROW(0, "branch-history", "-b shows branches as rows, script -F brstacksym one by one"),               \
    REFUSED_ROW(0, "total-cycles", "-b -s symbol_from,symbol_to,cycles"),                                         \
    REFUSED_ROW(0, "stitch-lbr", "record with --call-graph dwarf for whole stacks"),                              \
    REFUSED_ROW(0, "itrace", "traces of instructions are skipped; perf reads them"),                              \
    REFUSED_ROW(0, "demangle-kernel", "the kernel's names need no demangling"),                                   \
    REFUSED_ROW(0, "disable-order", "records are always put in order"),                                           \
    REFUSED_ROW(0, "full-source-path", "-s srcline shows files without folders; plumb annotate -l their paths"),  \
    REFUSED_ROW(0, "group-sort-idx", "--no-group makes a table for each event, sorted by it"),                    \
    REFUSED_ROW(0, "ignore-vmlinux", "-k FILE names a kernel image; one of another build is never used"),         \
    REFUSED_ROW(0, "mmaps", "-s dso lists the binaries that were sampled; plumb pages the mappings of a process"), \
    REFUSED_ROW(0, "tasks", "-s pid,tid lists threads that were sampled"),                                        \
    REFUSED_ROW(0, "stats", "-n says how many samples there are; lost and skipped records are said anyway"),                  \
    REFUSED_ROW(0, "ns", "the key time has microseconds; script --ns prints nanoseconds"),                        \
    REFUSED_ROW(0, "pretty", "-s pid,tid -n: samples by thread"),                                                 \
    REFUSED_ROW(0, "raw-trace", "-s trace_fields has a column for each field"),                                   \
    REFUSED_ROW(0, "samples", "plumb script prints samples one by one"),                                          \
    REFUSED_ROW(0, "show-cpu-utilization", "-s dso parts the kernel from the rest"),                              \
    REFUSED_ROW(0, "show-on-off-events", "--time FROM,UNTIL"),                                                    \
    REFUSED_ROW(0, "switch-on", "--time FROM,UNTIL"),                                                             \
    REFUSED_ROW(0, "switch-off", "--time FROM,UNTIL"),                                                            \
    REFUSED_ROW(0, "show-ref-call-graph", "record the event with -g"),                                            \
    REFUSED_ROW(0, "skip-empty", "events without samples are never shown"),                                       \
    REFUSED_ROW(0, "socket-filter", "-C LIST with the socket's CPUs"),                                            \
    REFUSED_ROW(0, "stdio-color", "the text has no colours"),                                                     \
    REFUSED_ROW(0, "tui", "plumb prints text: pipe it into a pager")

#endif
