/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of two sides beside each other, for the eye and as JSON (doc/schema-diff.md). Computes nothing but layout. */
#ifndef PLUMB_RENDER_COMPARISON_SHARE_DIFFERENCE_H
#define PLUMB_RENDER_COMPARISON_SHARE_DIFFERENCE_H

#include "analyse/runs/share_difference.h"
#include "base/json/json_writer.h"

enum share_order {
    SHARE_ORDER_CHANGE, /* largest first, whichever its sign */
    SHARE_ORDER_GROWN,  /* what grew most first, what shrank most last */
    SHARE_ORDER_A,
    SHARE_ORDER_B,
    SHARE_ORDER_NAME,
};

struct share_layout {
    const char *const *columns; /* headings of the names' columns */
    size_t column_count;
    const char *const *files_a, *const *files_b;
    size_t count_a, count_b;
    const char *event;
    const char *of;             /* what shares are of: "all samples", "the samples in 'work'" */
    enum share_order order;
    double ratio_least;         /* rows whose shares and difference are all below are left out */
    bool periods;               /* what a run's samples stand for, too */
    bool counts_ns;             /* … is time */
    bool heading;
    const char *separator;      /* stands between cells as they are, in which it is a dot; NULL: columns for the eye */
};

void share_difference_text(struct text *out, const struct share_difference *difference,
                           const struct share_layout *layout);
/* An object in the array that is open. */
void share_difference_json(struct json_writer *json, const struct share_difference *difference,
                           const struct share_layout *layout);

#endif
