/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How do page sizes read: a process in a screenful, or as JSON (doc/schema-pages.md)? */
#ifndef PLUMB_RENDER_PAGES_PAGES_H
#define PLUMB_RENDER_PAGES_PAGES_H

#include "analyse/memory/page_coverage.h"
#include "analyse/memory/page_use.h"
#include "render/page.h"

struct pages_report {
    struct page_coverage *processes;
    size_t process_count;
    const struct huge_page *policy;
    const struct huge_page_supply *supply; /* of the machine, and of the first process */
    uint64_t least_bytes;      /* mappings with less on base pages aren't told apart in text; 0: all are */
    double seen_at_s;          /* of a started program: when most of it was present; negative: it was running before */
    bool is_system;            /* a table of processes instead of each one's mappings */
    bool is_case;              /* policy is as the case has it, which keeps no more of the machine */
    const struct page_use *use; /* of a case with samples, or NULL */
    const struct stalls *stalls; /* whose functions use->busiest names */
    const char *note;          /* said above the tables, or NULL */
};

void pages_text(struct page *page, const struct pages_report *report);
void pages_json(struct text *out, const struct pages_report *report);

#endif
