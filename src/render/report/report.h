/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A diagnosis, or a comparison, as one page of HTML that opens offline: which bytes?
 *
 * The page itself is built from web/ (web/dist/report.html, in the program); here each part of the data is written into
 * it as a JSON document of its own, by the writers that everything else uses: doc/schema-report.md says which. Computes
 * nothing but layout.
 */
#ifndef PLUMB_RENDER_REPORT_REPORT_H
#define PLUMB_RENDER_REPORT_REPORT_H

#include "analyse/code/code_listing.h"
#include "analyse/exits/exit_table.h"
#include "analyse/profile/stack_tree.h"
#include "analyse/time/timeline.h"
#include "analyse/topdown/topdown_counts.h"
#include "analyse/topdown/topdown_reported.h"
#include "base/text.h"
#include "system/memory/process_pages.h"
#include "system/surroundings.h"

struct report_part {
    const char *name; /* "diagnosis": a name of doc/schema-report.md */
    struct view json;
};

/* The page with these parts in it, whatever stands in them. */
void report_html(struct text *out, const struct report_part *parts, size_t count);

#define REPORT_SCHEMA 1

void report_stacks_json(struct text *out, const struct stack_tree *tree);
void report_code_json(struct text *out, const struct code_listing *listing, const struct stalls *stalls);
/* Per mapping; of each process the largest by resident memory. */
void report_pages_json(struct text *out, const struct process_pages *pages, size_t count);
void report_timeline_json(struct text *out, const struct timeline *timeline);
/* As plumb exits --json has it. */
void report_exits_json(struct text *out, const struct exit_table *table);
/* As plumb topdown --json has it. */
void report_topdown_json(struct text *out, const struct topdown_reported *reported, struct arena *arena);
void report_counted_json(struct text *out, const struct topdown_counted *counted);
void report_machine_json(struct text *out, const struct surroundings *surroundings);

/* web/dist/report.html, as it was built. */
extern const char report_page_bytes[];
extern const size_t report_page_length;

#endif
