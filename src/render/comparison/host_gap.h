/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does the gap between a host and a guest go, for the eye within 100 columns and as JSON (doc/schema-compare.md)?
 */
#ifndef PLUMB_RENDER_COMPARISON_HOST_GAP_H
#define PLUMB_RENDER_COMPARISON_HOST_GAP_H

#include "base/json/json_writer.h"
#include "finding/gap/host_gap.h"
#include "render/page.h"

struct gap_side_report {
    const char *folder, *command;
    const struct surroundings *surroundings; /* NULL: not in the case */
    size_t runs;                             /* whose median it is */
    struct measured work;                    /* as was said by --work */
};

struct gap_report {
    const struct host_gap *gap;
    const struct gap_side_report *host; /* NULL: the guest alone */
    struct gap_side_report guest;
    const char *const *notes; /* what else must be known: differences that --force let pass, binaries, environment */
    size_t note_count;
};

/* What the split comes to, in one or two sentences. Owner: arena. */
const char *gap_sentence(const struct host_gap *gap, struct arena *arena);

void host_gap_text(struct page *page, const struct gap_report *report, struct arena *arena);
void host_gap_json(struct text *out, const struct gap_report *report, struct arena *arena);

#endif
