/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The top-down tree that was counted beside the samples: as lines of a diagnosis, and as JSON (plumb topdown's,
 * doc/schema-diagnose.md).
 */
#ifndef PLUMB_RENDER_DIAGNOSIS_TOPDOWN_SECTION_H
#define PLUMB_RENDER_DIAGNOSIS_TOPDOWN_SECTION_H

#include "analyse/topdown/topdown_counts.h"
#include "base/json/json_writer.h"

struct topdown_section_style {
    bool colour, unicode, verbose;
    size_t width;
};

void topdown_section_lines(struct text *out, const struct topdown_counted *counted,
                           const struct topdown_section_style *style);
/* "topdown": null where none was counted. */
void topdown_section_json(struct json_writer *json, const struct topdown_counted *counted);

#endif
