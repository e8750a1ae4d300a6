/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A diagnosis for the eye and for programs: both from the same plain results, so that they can't disagree.
 *
 * The JSON is stable byte for byte for equal input (doc/schema-diagnose.md), so that a replayed case can be
 * compared. Owner of nothing: everything is borrowed for the call.
 */
#ifndef PLUMB_RENDER_DIAGNOSIS_H
#define PLUMB_RENDER_DIAGNOSIS_H

#include "base/text.h"
#include "finding/hypothesis.h"
#include "render/page.h"

/* One way of waiting, longest first. */
struct wait_line {
    const char *kind;  /* wait_kind_name */
    const char *place; /* the program's function that waited, or "" */
    double total_s, longest_s;
    uint64_t count;
};

struct phase_function {
    const char *name;
    double share_ratio; /* of the segment's samples */
};

#define PHASE_FUNCTIONS 3

/* One stretch of time with one mix of hot code. */
struct phase_line {
    uint32_t phase; /* from 0; the same number, the same mix */
    double start_s, end_s; /* since the first sample */
    uint64_t samples;
    struct phase_function functions[PHASE_FUNCTIONS];
    size_t function_count;
};

struct diagnosis {
    const struct findings *findings;
    const struct results *results;
    const char *subject;        /* the command line, "process 12 (nginx)", "cgroup /x" */
    const char *sampled_event;  /* "cpu-clock" */
    bool has_pmu;               /* false: everything inferred is ESTIMATED */
    const struct wait_line *waits;
    size_t wait_count;
    double waiting_s;           /* of all threads; the denominator of waits */
    bool waiting_known;
    const struct phase_line *phases;
    size_t phase_count;
    const char *const *notes;   /* what could not be measured, and why; warnings */
    size_t note_count;
    size_t top;                 /* functions shown */
    bool verbose;               /* evidence of every finding */
};

void diagnosis_text(const struct diagnosis *diagnosis, struct page *page);
void diagnosis_json(struct text *out, const struct diagnosis *diagnosis);

/* The verdict in one sentence, culprit first; appended to out without a line end. */
void diagnosis_sentence(struct text *out, const struct diagnosis *diagnosis);

#endif
