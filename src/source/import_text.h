/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a text from another tool say, in one line? A table of exits by bpftrace, perf's report, annotate and
 * stat, or a list of timed runs; told apart by its lines.
 *
 * The line carries the tool's numbers, not plumb's: it is a statement of the case, never a measurement.
 * Does not support: localised numbers, perf's machine-readable forms.
 */
#ifndef PLUMB_SOURCE_IMPORT_TEXT_H
#define PLUMB_SOURCE_IMPORT_TEXT_H

#include "base/arena.h"
#include "base/text.h"

enum import_kind {
    IMPORT_UNKNOWN,  /* kept with its number of lines, nothing is read from it */
    IMPORT_EXITS,    /* "@reason[48]: 5121 EXIT_REASON_EPT_VIOLATION" */
    IMPORT_REPORT,   /* "39.92%  16.34%  [kernel.kallsyms]  [k] vmx_vcpu_run" */
    IMPORT_ANNOTATE, /* "33.94 :  4011a2: mov 0x58(%rax),%rax" */
    IMPORT_STAT,     /* "8,330,778,710      cycles" */
    IMPORT_RUNS,     /* a number of seconds a line */
    IMPORT_KIND_COUNT
};

struct imported_text {
    enum import_kind kind;
    const char *origin; /* "table of exits" */
    const char *summary; /* owner: arena */
};

struct imported_text import_text_read(struct view text, struct arena *arena);
const char *import_kind_name(enum import_kind kind);

#endif
