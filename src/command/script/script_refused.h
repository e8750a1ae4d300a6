/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of perf script that plumb script hasn't, and what serves instead. */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_REFUSED_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_REFUSED_H

#define REFUSED_ROW(letter, name, instead) {letter, name, OPTION_REFUSED, 0, NULL, instead}

#define SCRIPT_REFUSED_ROWS                                                                                                \
    REFUSED_ROW('S', "symbols", "plumb report -S LIST, or grep the lines"), \
    REFUSED_ROW(0, "dsos", "plumb report -d LIST, or grep the lines"), \
    REFUSED_ROW('s', "script", "scripts read the text of plumb script, or plumb export json"), \
    REFUSED_ROW('g', "gen-script", "scripts read the text of plumb script, or plumb export json"), \
    REFUSED_ROW('l', "list", "plumb export folded|pprof|speedscope|firefox|csv|json are what such scripts make"), \
    REFUSED_ROW('a', "all-cpus", "all CPUs are printed unless -C says otherwise"), \
    REFUSED_ROW('d', "debug-mode", "records are checked anyway; -v says what was found"), \
    REFUSED_ROW('D', "dump-raw-trace", "-F with the fields of interest; --header-only prints the header"), \
    REFUSED_ROW(0, "dump-unsorted-raw-trace", "-F with the fields of interest; --header-only prints the header"), \
    REFUSED_ROW('I', "show-info", "--header says what the recording says about itself"), \
    REFUSED_ROW('L', "Latency", "-F +trace prints all fields of tracepoints"), \
    REFUSED_ROW(0, "addr-range", "plumb annotate NAME shows a function by instruction"), \
    REFUSED_ROW(0, "reltime", "times are the recording's own; --time FROM,UNTIL cuts a stretch out"), \
    REFUSED_ROW(0, "deltatime", "times are the recording's own; --ns prints all digits"), \
    REFUSED_ROW(0, "demangle-kernel", "the kernel's names need no demangling"), \
    REFUSED_ROW(0, "dlfilter", "filters: -C, --pid, --tid, --comms, --time"), \
    REFUSED_ROW(0, "dlarg", "filters: -C, --pid, --tid, --comms, --time"), \
    REFUSED_ROW(0, "list-dlfilters", "filters: -C, --pid, --tid, --comms, --time"), \
    REFUSED_ROW(0, "full-source-path", "-F +srcline shows files without folders; plumb annotate -l their paths"), \
    REFUSED_ROW(0, "guest-code", "guests' samples are shown by address"), \
    REFUSED_ROW(0, "guestkallsyms", "guests' samples are shown by address"), \
    REFUSED_ROW(0, "guestmodules", "guests' samples are shown by address"), \
    REFUSED_ROW(0, "guestmount", "guests' samples are shown by address"), \
    REFUSED_ROW(0, "guestvmlinux", "guests' samples are shown by address"), \
    REFUSED_ROW(0, "insn-trace", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "itrace", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "call-trace", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "call-ret-trace", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "graph-function", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "xed", "traces of instructions are skipped; perf reads them"), \
    REFUSED_ROW(0, "max-blocks", "-F brstacksym prints branch records"), \
    REFUSED_ROW(0, "stitch-lbr", "record with --call-graph dwarf for whole stacks"), \
    REFUSED_ROW(0, "per-event-dump", "grep the lines by event"), \
    REFUSED_ROW(0, "stop-bt", "--max-stack N"), \
    REFUSED_ROW(0, "switch-on", "--time FROM,UNTIL"), \
    REFUSED_ROW(0, "switch-off", "--time FROM,UNTIL"), \
    REFUSED_ROW(0, "show-on-off-events", "--time FROM,UNTIL"), \
    REFUSED_ROW(0, "show-kernel-path", "-v says why names are missing"), \
    REFUSED_ROW(0, "show-bpf-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-cgroup-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-lost-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-mmap-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-namespace-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-round-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-switch-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-task-events", "samples alone are printed; perf script prints other records, of plumb's recordings too"), \
    REFUSED_ROW(0, "show-text-poke-events", "samples alone are printed; perf script prints other records, of plumb's recordings too")

#endif
