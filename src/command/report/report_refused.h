/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf report that plumb report hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_REPORT_REPORT_REFUSED_H
#define PLUMB_COMMAND_REPORT_REPORT_REFUSED_H

#include "command/options.h"

#define REPORT_REFUSED_ROWS                                                                                              \
    OPTION_ROW_REFUSED('D', "dump-raw-trace", "plumb script prints samples with all they hold: -F; --header-only the header"), \
    OPTION_ROW_REFUSED('I', "show-info", "--header says what the recording says about itself"),                          \
    OPTION_ROW_REFUSED('m', "modules", "the kernel's modules are named anyway; -k FILE and --kallsyms FILE name the kernel"), \
    OPTION_ROW_REFUSED('p', "parent", "--ignore-callees REGEX counts what such functions call as theirs"),               \
    OPTION_ROW_REFUSED('x', "exclude-other", "--ignore-callees REGEX with -S LIST"),                                     \
    OPTION_ROW_REFUSED('T', "threads", "-s pid,tid -n: samples by thread"),                                              \
    OPTION_ROW_REFUSED('M', "disassembler-style", "plumb annotate -M STYLE shows instructions"),                         \
    OPTION_ROW_REFUSED(0, "asm-raw", "plumb annotate shows instructions"),                                               \
    OPTION_ROW_REFUSED(0, "source", "plumb annotate --source shows instructions between source lines"),                  \
    OPTION_ROW_REFUSED(0, "objdump", "plumb annotate needs no objdump"),                                                 \
    OPTION_ROW_REFUSED(0, "prefix", "plumb annotate finds source files as they are named"),                              \
    OPTION_ROW_REFUSED(0, "prefix-strip", "plumb annotate finds source files as they are named"),                        \
    OPTION_ROW_REFUSED(0, "percent-type", "plumb annotate --percent-type says of what instructions have shares"),        \
    OPTION_ROW_REFUSED(0, "branch-history", "-b shows branches as rows, script -F brstacksym one by one"),               \
    OPTION_ROW_REFUSED(0, "total-cycles", "-b -s symbol_from,symbol_to,cycles"),                                         \
    OPTION_ROW_REFUSED(0, "stitch-lbr", "record with --call-graph dwarf for whole stacks"),                              \
    OPTION_ROW_REFUSED(0, "itrace", "traces of instructions are skipped; perf reads them"),                              \
    OPTION_ROW_REFUSED(0, "demangle-kernel", "the kernel's names need no demangling"),                                   \
    OPTION_ROW_REFUSED(0, "disable-order", "records are always put in order"),                                           \
    OPTION_ROW_REFUSED(0, "full-source-path", "-s srcline shows files without folders; plumb annotate -l their paths"),  \
    OPTION_ROW_REFUSED(0, "group-sort-idx", "--no-group makes a table for each event, sorted by it"),                    \
    OPTION_ROW_REFUSED(0, "ignore-vmlinux", "-k FILE names a kernel image; one of another build is never used"),         \
    OPTION_ROW_REFUSED(0, "mmaps", "-s dso lists the binaries that were sampled; plumb pages the mappings of a process"), \
    OPTION_ROW_REFUSED(0, "tasks", "-s pid,tid lists threads that were sampled"),                                        \
    OPTION_ROW_REFUSED(0, "stats", "-n says how many samples there are; lost and skipped records are said anyway"),                  \
    OPTION_ROW_REFUSED(0, "ns", "the key time has microseconds; script --ns prints nanoseconds"),                        \
    OPTION_ROW_REFUSED(0, "pretty", "-s pid,tid -n: samples by thread"),                                                 \
    OPTION_ROW_REFUSED(0, "raw-trace", "-s trace_fields has a column for each field"),                                   \
    OPTION_ROW_REFUSED(0, "samples", "plumb script prints samples one by one"),                                          \
    OPTION_ROW_REFUSED(0, "show-cpu-utilization", "-s dso parts the kernel from the rest"),                              \
    OPTION_ROW_REFUSED(0, "show-on-off-events", "--time FROM,UNTIL"),                                                    \
    OPTION_ROW_REFUSED(0, "switch-on", "--time FROM,UNTIL"),                                                             \
    OPTION_ROW_REFUSED(0, "switch-off", "--time FROM,UNTIL"),                                                            \
    OPTION_ROW_REFUSED(0, "show-ref-call-graph", "record the event with -g"),                                            \
    OPTION_ROW_REFUSED(0, "skip-empty", "events without samples are never shown"),                                       \
    OPTION_ROW_REFUSED(0, "socket-filter", "-C LIST with the socket's CPUs"),                                            \
    OPTION_ROW_REFUSED(0, "stdio-color", "the text has no colours"),                                                     \
    OPTION_ROW_REFUSED(0, "tui", "plumb prints text: pipe it into a pager")

#endif
