/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VM exits as a table for the eye, as fields with a separator, and as JSON. */
#ifndef PLUMB_RENDER_EXITS_EXITS_H
#define PLUMB_RENDER_EXITS_EXITS_H

#include "analyse/exits/exit_comparison.h"
#include "base/json_writer.h"
#include "render/page.h"

struct exit_report {
    const char *heading; /* whom it is of: "all guests", a file */
    const char *method;  /* how it was measured: "programs in the kernel (BPF) on …" */
    const char *const *notes;
    size_t note_count;
    double at_s;          /* -I: since the beginning; negative: the whole */
    const char *separator; /* -x */
    bool verbose;          /* all rows, all objects */
    const char *vm_statistics; /* lines, or NULL */
};

void exit_table_text(struct page *page, const struct exit_table *table, const struct exit_report *report);
void exit_table_fields(struct text *out, const struct exit_table *table, const struct exit_report *report);
/* Members of an object that the caller opens. */
void exit_table_json(struct json_writer *json, const struct exit_table *table, const struct exit_report *report);
void exit_comparison_text(struct page *page, const struct exit_comparison *comparison, const char *name_a, const char *name_b);
void exit_comparison_json(struct json_writer *json, const struct exit_comparison *comparison, const char *name_a, const char *name_b);

#endif
