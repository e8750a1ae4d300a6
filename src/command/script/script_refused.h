/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf script that plumb script hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_REFUSED_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_REFUSED_H

#include "command/options.h"

#define SCRIPT_REFUSED_ROWS                                                                                                \
    OPTION_ROW_REFUSED('S', "symbols", "plumb report -S LIST, or grep the lines"), \
    OPTION_ROW_REFUSED(0, "dsos", "plumb report -d LIST, or grep the lines"), \
    OPTION_ROW_REFUSED('s', "script", "scripts read the text of plumb script, or plumb export json"), \
    OPTION_ROW_REFUSED('g', "gen-script", "scripts read the text of plumb script, or plumb export json"), \
    OPTION_ROW_REFUSED('l', "list", "plumb export folded|pprof|speedscope|firefox|csv|json are what such scripts make"), \
    OPTION_ROW_REFUSED('a', "all-cpus", "all CPUs are printed unless -C says otherwise"), \
    OPTION_ROW_REFUSED('d', "debug-mode", "records are checked anyway; -v says what was found"), \
    OPTION_ROW_REFUSED('D', "dump-raw-trace", "-F with the fields of interest; --header-only prints the header"), \
    OPTION_ROW_REFUSED(0, "dump-unsorted-raw-trace", "-F with the fields of interest; --header-only prints the header"), \
    OPTION_ROW_REFUSED('I', "show-info", "--header says what the recording says about itself"), \
    OPTION_ROW_REFUSED('L', "Latency", "-F +trace prints all fields of tracepoints"), \
    OPTION_ROW_REFUSED(0, "addr-range", "plumb annotate NAME shows a function by instruction"), \
    OPTION_ROW_REFUSED(0, "reltime", "times are the recording's own; --time FROM,UNTIL cuts a stretch out"), \
    OPTION_ROW_REFUSED(0, "deltatime", "times are the recording's own; --ns prints all digits"), \
    OPTION_ROW_REFUSED(0, "demangle-kernel", "the kernel's names need no demangling"), \
    OPTION_ROW_REFUSED(0, "dlfilter", "filters: -C, --pid, --tid, --comms, --time"), \
    OPTION_ROW_REFUSED(0, "dlarg", "filters: -C, --pid, --tid, --comms, --time"), \
    OPTION_ROW_REFUSED(0, "list-dlfilters", "filters: -C, --pid, --tid, --comms, --time"), \
    OPTION_ROW_REFUSED(0, "full-source-path", "-F +srcline shows files without folders; plumb annotate -l their paths"), \
    OPTION_ROW_REFUSED(0, "guest-code", "guests' samples are shown by address"), \
    OPTION_ROW_REFUSED(0, "guestkallsyms", "guests' samples are shown by address"), \
    OPTION_ROW_REFUSED(0, "guestmodules", "guests' samples are shown by address"), \
    OPTION_ROW_REFUSED(0, "guestmount", "guests' samples are shown by address"), \
    OPTION_ROW_REFUSED(0, "guestvmlinux", "guests' samples are shown by address"), \
    OPTION_ROW_REFUSED(0, "insn-trace", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "itrace", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "call-trace", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "call-ret-trace", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "graph-function", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "xed", "traces of instructions are skipped; perf reads them"), \
    OPTION_ROW_REFUSED(0, "max-blocks", "-F brstacksym prints branch records"), \
    OPTION_ROW_REFUSED(0, "stitch-lbr", "record with --call-graph dwarf for whole stacks"), \
    OPTION_ROW_REFUSED(0, "per-event-dump", "grep the lines by event"), \
    OPTION_ROW_REFUSED(0, "stop-bt", "--max-stack N"), \
    OPTION_ROW_REFUSED(0, "switch-on", "--time FROM,UNTIL"), \
    OPTION_ROW_REFUSED(0, "switch-off", "--time FROM,UNTIL"), \
    OPTION_ROW_REFUSED(0, "show-on-off-events", "--time FROM,UNTIL"), \
    OPTION_ROW_REFUSED(0, "show-kernel-path", "-v says why names are missing"), \
    OPTION_ROW_REFUSED(0, "show-bpf-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-cgroup-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-lost-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-mmap-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-namespace-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-round-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-switch-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-task-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    OPTION_ROW_REFUSED(0, "show-text-poke-events", "samples alone are printed; perf script prints other records, of plumb's recordings too")

#endif
