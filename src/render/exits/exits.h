/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VM exits as a table for the eye, as fields with a separator, and as JSON. */
#ifndef PLUMB_RENDER_EXITS_EXITS_H
#define PLUMB_RENDER_EXITS_EXITS_H

#include "analyse/exits/exit_comparison.h"
#include "base/json/json_writer.h"
#include "render/page.h"

/* What KVM's own statistics added for one machine. */
struct exit_figure {
    const char *name;
    int64_t value;
};

struct exit_machine {
    int pid, creator; /* pid 0: not known; creator: the thread that made it */
    bool pid_is_guess;
    struct exit_figure *figures;
    size_t figure_count;
};

struct exit_report {
    const char *heading; /* whom it is of: "all guests", a file */
    const char *method;  /* how it was measured: "programs in the kernel (BPF) on …" */
    const char *const *notes;
    size_t note_count;
    double at_s;          /* -I: since the beginning; negative: the whole */
    const char *separator; /* -x */
    bool verbose;          /* all rows, all objects */
    bool intervals;        /* this is the whole behind intervals: -x leaves the field of their time empty */
    const struct exit_machine *machines;
    size_t machine_count;
};

void exit_table_text(struct page *page, const struct exit_table *table, const struct exit_report *report);
void exit_table_fields(struct text *out, const struct exit_table *table, const struct exit_report *report);
/* Members of an object that the caller opens. */
void exit_table_json(struct json_writer *json, const struct exit_table *table, const struct exit_report *report);
struct exit_comparison_report {
    const char *names[2];
    const char *const *notes;
    size_t note_count;
};

/* What the fields don't say: how it was measured, what was lost, notes. */
void exit_table_remarks(struct text *out, const struct exit_table *table, const struct exit_report *report);
void exit_comparison_text(struct page *page, const struct exit_comparison *comparison,
                          const struct exit_comparison_report *report);
void exit_comparison_json(struct json_writer *json, const struct exit_comparison *comparison,
                          const struct exit_comparison_report *report);

#endif
