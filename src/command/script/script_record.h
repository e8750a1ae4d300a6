/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record that is no sample, as perf script writes it: what happened to processes, mappings and the measurement
 * itself.
 */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_RECORD_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_RECORD_H

#include "base/text.h"
#include "decode/record.h"

/* Which of them are wanted. */
struct script_records {
    bool bpf, cgroups, lost, mappings, namespaces, switches, tasks;
};

bool script_record_is_shown(const struct script_records *wanted, enum record_kind kind);
/* Whom it is about: a tid. */
uint32_t script_record_thread(const struct record *record);
/* Say who and when, in a recording whose records don't: by what this one is about. */
void script_record_complete(struct record *record);
/* "PERF_RECORD_COMM exec: sh:12/12\n" */
void script_record_text(struct text *out, const struct record *record);

#endif
