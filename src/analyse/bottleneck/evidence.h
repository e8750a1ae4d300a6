/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What speaks for a verdict, in a line each, and for how much that is good. Internal to bottleneck. */
#ifndef PLUMB_ANALYSE_BOTTLENECK_EVIDENCE_H
#define PLUMB_ANALYSE_BOTTLENECK_EVIDENCE_H

#include "analyse/bottleneck/footprint.h"
#include "analyse/bottleneck/stepped.h"
#include "analyse/bottleneck/loop_look.h"

struct leading { /* what the verdict rests on */
    const struct bottleneck_request *request;
    const struct loop_look *look;   /* of the loop that leads in the class; NULL: none */
    enum bottleneck_cause cause;    /* the first of those that are there; a mixed verdict has none of its own */
    const struct footprint *footprint;
    const struct stepped *stepped;  /* NULL: of a loop, whose part of the trace isn't known */
    double samples;                 /* counted for it */
    double around;                  /* of the loops and functions that it is most of, with what else fell there */
    double by_cause;                /* of those that could be told, at the leading cause itself */
    /* of all samples: quick instructions of code in pieces too small to show anything by itself */
    double small;
    /* of all samples: where functions begin that calls through tables lead to, and a wrong guess shows; 0: too few */
    double entered;
    double share;                   /* of those that could be told, at the leading class */
    double along;                   /* … that others show: the loops that call these functions in each turn */
};

/* Of its accesses the one that the level is said by, or all of them where they go over hardly more. Owner: look. */
const struct touched_memory *evidence_memory(const struct loop_look *look, const struct bottleneck_machine *machine);

/* Of the hottest row of what leads. */
bool leading_row_is(const struct leading *leading, bool (*is_such)(const struct region *region, uint32_t row));
/* At least half of what leads goes to lines that several threads write in turns. */
bool leading_is_contended(const struct leading *leading);

/* Fills evidence, confidence and recoverable time of a verdict whose class and share stand. */
void verdict_explain(struct bottleneck_verdict *verdict, const struct leading *leading, struct arena *arena);

#endif
