/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How do page sizes that change over time read: a line an interval? */
#ifndef PLUMB_RENDER_PAGES_PAGE_WATCH_H
#define PLUMB_RENDER_PAGES_PAGE_WATCH_H

#include "analyse/memory/page_coverage.h"
#include "render/page.h"
#include "system/memory/page_events.h"

struct page_watch_row {
    double at_s;
    struct page_sizes sizes;
    const struct page_events *before, *now; /* counters at the interval's two ends */
};

void page_watch_heading(struct page *page);
void page_watch_text(struct page *page, const struct page_watch_row *row);
/* One object on a line of its own. */
void page_watch_json(struct text *out, const struct page_watch_row *row);

#endif
