/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's instructions as text: shares per event, loops, source lines, the stalled instruction. */
#ifndef PLUMB_RENDER_ANNOTATION_H
#define PLUMB_RENDER_ANNOTATION_H

#include "analyse/data_address.h"
#include "analyse/instructions.h"
#include "base/text.h"

enum skid_knowledge {
    SKID_UNKNOWN, /* attribution is as recorded */
    SKID_ONE,     /* samples land one instruction behind the stalled one: shown moved */
    SKID_ZERO     /* samples name the stalled instruction */
};

struct annotation {
    const struct instructions *instructions;
    const struct data_addresses *addresses; /* NULL: none could be computed */
    const char *const *source; /* by row: lines to print before it, each ending in \n; NULL: none */
    enum skid_knowledge skid;
    double percent_least;      /* instructions below it are printed without a number */
    bool quiet;                /* no header, no summary */
    bool unicode;              /* loops drawn with box characters */
    bool color;
};

void annotation_text(struct text *out, const struct annotation *annotation);

#endif
