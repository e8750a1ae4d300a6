/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine can do just now, as text for the eye and as JSON. */
#ifndef PLUMB_RENDER_CALIBRATION_H
#define PLUMB_RENDER_CALIBRATION_H

#include "render/page.h"
#include "statistics/calibration.h"

struct calibration_labels {
    const char *cpu;               /* "Cascade Lake"; "" when unknown */
    const char *microarchitecture;
    bool is_guest;
    bool is_kept;                   /* shown is one measured age_s ago */
    double age_s;                   /* of that one, or of last */
    const struct calibration *last; /* the one kept before; NULL: none */
    const char *kept_in;            /* the file that this one was put into; NULL: none */
};

void calibration_text(struct page *page, const struct calibration *calibration,
                      const struct calibration_labels *labels);
void calibration_json(struct text *out, const struct calibration *calibration,
                      const struct calibration_labels *labels);

#endif
