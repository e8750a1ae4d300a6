/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/topdown_section.h"

#include "render/topdown/topdown_page.h"

enum { LEVEL_DEEPEST = 6 }; /* without a first level no flag leads further down: whatever is known is shown */

static struct topdown_page page_of(const struct topdown_counted *counted)
{
    return (struct topdown_page){.origin = counted->origin,
                                 .notes = counted->notes,
                                 .note_count = counted->note_count,
                                 .is_live = true,
                                 .turn_ratio = counted->turn_ratio,
                                 .level_most = counted->has_first_level ? 0 : LEVEL_DEEPEST};
}

static void line_add(struct page *page, const char *text)
{
    page_add(page, PAGE_PLAIN, "  ");
    page_paragraph(page, PAGE_PLAIN, 2, 4, text);
}

void topdown_section_lines(struct text *out, const struct topdown_counted *counted,
                           const struct topdown_section_style *style)
{
    struct page page = {.out = out, .colour = style->colour, .unicode = style->unicode, .width = style->width};
    const struct topdown_page what = page_of(counted);
    topdown_nodes_write(&page, &counted->tree, &what);
    if (counted->user_only)
        line_add(&page, "only user code was counted, as the kernel may not be (kernel.perf_event_paranoid)");
    for (size_t at = 0; style->verbose && at < counted->tree.note_count; at++)
        line_add(&page, counted->tree.notes[at]);
    for (size_t at = 0; at < counted->note_count; at++)
        line_add(&page, counted->notes[at]);
}

void topdown_section_json(struct json_writer *json, const struct topdown_counted *counted)
{
    if (!counted) {
        json_null(json, "topdown");
        return;
    }
    const struct topdown_page what = page_of(counted);
    json_object_open(json, "topdown");
    topdown_json_members(json, &counted->tree, &what);
    json_object_close(json);
}
