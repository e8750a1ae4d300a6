/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which VM exits does a line of another tool's text tell of?
 *
 * Tables: bpftrace's "@reason[48]: 5121 EXIT_REASON_EPT_VIOLATION", and `perf kvm stat report` in the layout with units
 * ("Avg time") and in the one in nanoseconds ("Mean Time (ns)"). Events: trace_pipe, trace-cmd report and perf script,
 * where kvm_exit has said "reason EPT_VIOLATION rip …", "vcpu 0 reason EPT_VIOLATION rip …" and, on AMD, "reason npf
 * rip …". The only parser of these texts: diagnose --import and plumb exits both use it. Hostile text is expected.
 */
#ifndef PLUMB_DECODE_EXITS_EXIT_TEXT_H
#define PLUMB_DECODE_EXITS_EXIT_TEXT_H

#include "decode/exits/exit_event.h"

struct exit_row {
    struct view map;     /* "reason" of bpftrace's "@reason[48]"; text NULL: no map's row */
    struct view key;     /* what is in the table once: "@reason[1, 48", or the name */
    bool has_parts;      /* the key has several: its last is taken for the reason */
    struct view name;    /* "EXIT_REASON_EPT_VIOLATION"; the reason within the key where there is no name */
    bool has_number;
    uint64_t number;     /* of the reason */
    double count;
    bool has_times, has_range;
    double seconds;      /* of all */
    double min_s, max_s; /* when has_range */
};

/* A row of a table; false when the line is none. */
bool exit_text_row(struct view line, struct exit_row *ret_row);
/*
 * Of the maps in a text the one that counts exits: the first named for reasons, else for exits, else the first. text
 * NULL: there is none.
 */
struct view exit_text_map(struct view text);
/*
 * What the rows are of where they are a part of the exits, by the keys that perf kvm stat --event mmio, ioport and msr
 * have; else NULL.
 */
const char *exit_text_part(const struct exit_row *row);
/* A line of a trace; false when it isn't one of exit_points' events. Its views are into the line. */
bool exit_text_event(struct view line, struct exit_event *ret_event);
/* A trace's or a table's line saying that events were lost: how many (at least 1). */
bool exit_text_lost(struct view line, uint64_t *ret_count);

#endif
