/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How do guests' page sizes read? */
#ifndef PLUMB_RENDER_PAGES_GUEST_PAGES_H
#define PLUMB_RENDER_PAGES_GUEST_PAGES_H

#include "analyse/memory/guest_pages.h"
#include "probe/guest/nested_walk.h"
#include "render/page.h"

struct guest_report {
    struct guest_pages guest;
    const char *monitor;                  /* its process's name */
    const struct page_coverage *coverage; /* of the monitor, or NULL */
    const char *why_not;                  /* why there is none */
    const struct guest_slots *slots;      /* or NULL */
    const char *slots_why_not;            /* why there are none */
    bool no_why;                          /* causes were not asked for */
    double set_seconds;                   /* entries were counted so long as KVM set them; 0: nobody asked */
    struct fact_number set[3];            /* by level: 4 KiB, 2 MiB, 1 GiB */
};

/* walk NULL: what larger pages return was not asked. */
void guest_pages_text(struct page *page, const struct guest_report *reports, size_t count,
                      const struct nested_walk *walk);
void guest_pages_json(struct text *out, const struct guest_report *reports, size_t count,
                      const struct nested_walk *walk);
/* Whether larger pages on the host would change anything for it. */
bool guest_report_gains(const struct guest_report *report);

#endif
