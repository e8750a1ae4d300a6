/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What limits each phase, counted or estimated: as lines of a diagnosis, and as JSON (doc/schema-diagnose.md). */
#ifndef PLUMB_RENDER_DIAGNOSIS_PHASE_SECTION_H
#define PLUMB_RENDER_DIAGNOSIS_PHASE_SECTION_H

#include "base/json/json_writer.h"
#include "render/diagnosis/diagnosis.h"

struct phase_line {
    char label[8];    /* "  B  " */
    const char *text; /* "COUNTED: L2_Bound is 41 % of its cycles: …; hot: work 99 %" */
    const struct topdown_counted *tree; /* to be drawn below; NULL: it has none */
};

enum { PHASE_LINES_MOST = 2 * PHASES_JUDGED_MOST };

/* Returns how many. Owner: arena. */
size_t phase_lines(struct phase_line lines[PHASE_LINES_MOST], const struct diagnosis *diagnosis, struct arena *arena);
/*
 * "1 (other_work) Branch_Mispredicts 64 %; 2 (work) L2_Bound 24 %"; what is estimated says so; NULL: nothing shows that
 * phases differ. Owner: arena.
 */
const char *phases_differ(const struct diagnosis *diagnosis, struct arena *arena);
/* "phases", "phase_verdicts", "phase_estimates" */
void phases_json(struct json_writer *json, const struct diagnosis *diagnosis);

#endif
