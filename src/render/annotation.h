/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's instructions as text: shares per event, loops, source lines, the stalled instruction. */
#ifndef PLUMB_RENDER_ANNOTATION_H
#define PLUMB_RENDER_ANNOTATION_H

#include "analyse/memory/data_address.h"
#include "analyse/code/instructions.h"
#include "base/text.h"

enum stall_attribution {
    ATTRIBUTION_UNKNOWN, /* as recorded */
    ATTRIBUTION_ONE_LATER,     /* samples land one instruction behind the stalled one: shown moved */
    ATTRIBUTION_EXACT     /* samples name the stalled instruction */
};

/* What stands beside an instruction. */
enum annotation_number {
    NUMBER_PERCENT,
    NUMBER_SAMPLES, /* of instructions weighed by number */
    NUMBER_PERIOD   /* of instructions weighed by what samples stand for */
};

struct annotation {
    const struct instructions *instructions;
    const struct data_addresses *addresses; /* NULL: none could be computed */
    const char *const *source; /* by row: lines to print before it, each ending in \n; NULL: none */
    enum stall_attribution attribution;
    const char *attribution_source; /* how that is known, or why not: "measured here", … */
    bool of_recording;         /* shares of the whole recording, not of the function */
    bool by_number;            /* shares of the number of samples, not of their periods */
    enum annotation_number number;
    bool raw;                  /* the instructions' bytes beside them */
    double percent_least;      /* instructions below it are printed without a number */
    bool quiet;                /* no header, no summary */
    bool unicode;              /* loops drawn with box characters */
    bool color;
};

void annotation_text(struct text *out, const struct annotation *annotation);

#endif
