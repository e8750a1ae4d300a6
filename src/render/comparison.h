/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as text and as JSON. */
#ifndef PLUMB_RENDER_COMPARISON_H
#define PLUMB_RENDER_COMPARISON_H

#include "analyse/comparison.h"
#include "base/text.h"

struct comparison_labels {
    const char *a, *b;       /* command lines */
    const char *quantity;    /* "wall time" */
    uint64_t seed;
    struct interval predicted_gain; /* share of A's time expected to go, 0..1; not known: none was given */
    const char *prediction_source;
};

void comparison_text(struct text *out, const struct comparison *comparison, const struct comparison_labels *labels);
void comparison_json(struct text *out, const struct comparison *comparison, const struct comparison_labels *labels);

#endif
