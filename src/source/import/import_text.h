/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a text from another tool say? A table of exits by bpftrace or perf kvm, perf's report, annotate and stat,
 * top-down metrics by perf stat -M, bpftrace's and bcc's maps and histograms, or a list of timed runs; told apart by
 * its lines.
 *
 * A document may hold several tables with prose between them: import_text_next gives one after the other, each with the
 * line of prose before it. Rows and summary carry the tool's numbers, not plumb's: they keep that origin wherever they
 * go. perf's machine-readable forms and tables of Markdown with a run a row are turned into such texts before
 * (source/import/tools/import_counts, source/import/import_markdown).
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_TEXT_H
#define PLUMB_SOURCE_IMPORT_IMPORT_TEXT_H

#include "base/arena.h"
#include "base/text.h"

enum import_kind {
    IMPORT_UNKNOWN,  /* kept with its number of lines, nothing is read from it */
    IMPORT_EXITS,    /* "@reason[48]: 5121 EXIT_REASON_EPT_VIOLATION" */
    IMPORT_REPORT,   /* "39.92%  16.34%  [kernel.kallsyms]  [k] vmx_vcpu_run" */
    IMPORT_ANNOTATE, /* "33.94 :  4011a2: mov 0x58(%rax),%rax" */
    IMPORT_STAT,     /* "8,330,778,710      cycles" */
    IMPORT_RUNS,     /* a number of seconds a line, perhaps behind a name; "real 0m1.25s" */
    IMPORT_METRICS,  /* "66.5 %  tma_dram_bound" */
    IMPORT_MAP,      /* "@[ksys_read]: 20118", whose keys are no reasons of exits */
    IMPORT_HISTOGRAM, /* "[64, 128)  20118 |@@@|", "64 -> 127 : 20118 |***|" */
    IMPORT_KIND_COUNT
};

struct import_row {
    const char *name;     /* reason, function, line of code, event, metric; "" for a run without one */
    double number;        /* exits, percent, count (clocks in ns), seconds of a run */
    /*
     * exits with times: count * mean; perf stat's cycles: of CPUs, by their GHz; a run that is a mean: its standard
     * deviation; waits for locks: how long all of that kind took; 0: not told
     */
    double seconds;
    double self;          /* perf report: percent of the function's own, without what it called */
    /*
     * perf stat: share of the time in which it was counted, all of it (1) where the line says no other; 0: it wasn't,
     * or of other kinds
     */
    double running_ratio;
    /*
     * perf report: the binary; a run that is a mean: "± 0.09 s (…)"; perf annotate: the first function listed; perf
     * stat: "not counted"; "" when not said
     */
    const char *where;
    const char *callers; /* perf report: "futex_wake;do_futex", the nearest first; "" or NULL: not told */
};

/* How source/import/import_markdown begins the heading of a column of its own. */
#define IMPORT_COLUMN_HEADING "These numbers are of "

/* How source/import/tools/import_likwid begins a line of all memory's bandwidth, in MB/s. */
#define IMPORT_MEMORY_RATE "memory bandwidth by likwid, MB/s: "

/* … of floating-point operations: for each instruction, and millions a second: "share=0.2,scalar=1126,packed=0". */
#define IMPORT_SCALAR_RATE "scalar operations by likwid: "

/* How source/import/tools/import_vtune begins a line of what threads spin for: "imbalance=318.4,locks=9.1,of=760.1". */
#define IMPORT_SPIN_TIME "spin time by VTune, s: "

/* Where a sampled function ran, instead of the kernel's binary, when that was for no program. */
#define IMPORT_KERNEL_THREAD "[kernel thread]"

struct imported_text {
    enum import_kind kind;
    const char *origin; /* "table of exits" */
    const char *summary;
    const struct import_row *rows; /* in the order of the text; all strings: owner arena */
    size_t row_count;
    const char *heading; /* the last line of prose before it; "": none */
    const char *above;   /* … that somebody wrote: of a column of Markdown what stands above the whole table */
    const char *label;   /* perf stat: what stands before perf's own heading, "old build"; "": nothing short */
    const char *event;   /* perf report and annotate: what was sampled, as the text says; "": it doesn't */
    struct view segment; /* the piece of the text that it was read from */
    size_t rows_unread;  /* of exits and reports: import_text_rows_unread */
    double elapsed_s;    /* perf stat: "0.164 seconds time elapsed", or a time beside the counts; 0: none */
};

/* All of it as one table, of whichever kind has most lines in it. */
struct imported_text import_text_read(struct view text, struct arena *arena);
/* The next table of a document, and skip it; false: there is none. */
bool import_text_next(struct view *text, struct arena *arena, struct imported_text *ret_table);
/*
 * What the same lines hold beside it: the metrics that perf stat prints behind its counts, or the counts; false:
 * nothing.
 */
bool import_text_beside(const struct imported_text *table, struct arena *arena, struct imported_text *ret_beside);
/*
 * How many of a text's lines look like rows of a table, or have a number beside a metric's or an event's name, and were
 * not read as any of this kind (IMPORT_UNKNOWN: of all kinds); the first ones, quoted, with the reason where there is
 * another than their form, behind out.
 */
size_t import_text_unread(struct view text, enum import_kind kind, struct text *out);
/* Of those among the table's own rows: what it ranks, and its shares, are of the others. */
size_t import_text_rows_unread(const struct imported_text *table);
/* The name of a class of a top-down tree: Intel's "tma_…", or AMD's and Arm's. */
bool import_text_is_class(struct view name);
/* A blank line, or a fence of Markdown. */
bool import_text_is_gap(struct view line);
/*
 * Words that stand by themselves, fewer where a colon ends them: they begin with a letter, and no line of a table
 * follows (rest) and precedes them without a gap.
 */
bool import_text_is_prose(struct view line, bool after_gap, struct view rest);
/* Blank lines for what tools alone print: counts, shares, maps, numbers in columns. No sentence has such a line. */
struct view import_text_without_rows(struct view text, struct arena *arena);
/* Such a line as a table's heading. Owner: arena. */
const char *import_text_heading(struct view line, struct arena *arena);
const char *import_kind_name(enum import_kind kind);

#endif
