/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A diagnosis as text for the eye (100 columns) and as JSON (doc/schema-diagnose.md).
 *
 * Computes nothing but layout. JSON depends on the case alone, so that a replay gives the same bytes.
 */
#ifndef PLUMB_RENDER_DIAGNOSIS_DIAGNOSIS_H
#define PLUMB_RENDER_DIAGNOSIS_DIAGNOSIS_H

#include "analyse/bottleneck/phase_bottleneck.h"
#include "analyse/profile/host_profile.h"
#include "analyse/time/phase_rows.h"
#include "analyse/time/program_shares.h"
#include "base/text.h"
#include "finding/results.h"
#include "finding/verdict/overall.h"
#include "finding/verdict/phase_verdicts.h"

struct diagnosis_gap {
    const char *what, *why;
};

/* What plumb confirm made of the case. Strings: the document's. */
struct diagnosis_confirmed {
    const char *finding, *experiment, *verdict, *sentence;
    struct interval predicted, realised; /* shares; unknown: none */
};

struct diagnosis {
    const char *subject; /* the command line, or "-p 12" */
    const struct results *results;
    const struct findings *findings;
    const struct overall *overall;
    const struct phase_rows *phases;
    /* of each phase, where there are several and counters had turns in them … */
    const struct phase_verdicts *phase_verdicts;
    const struct phase_bottlenecks *phase_estimates; /* … and of those that these don't decide */
    const struct diagnosis_gap *gaps;
    size_t gap_count;
    const struct statements *statements; /* NULL: none */
    const char *case_folder; /* NULL: not kept */
    const struct program_shares *programs; /* NULL: no samples */
    const struct host_profile *host; /* NULL: no CPUs were watched, and no guests show */
    const char *host_denominator;    /* of what its shares are */
    const struct diagnosis_confirmed *confirmed; /* NULL: no experiment was made */
};

struct text_style {
    bool colour;
    bool unicode;
    size_t functions_most; /* --top */
    bool verbose;          /* every finding with all its evidence */
    bool quiet;            /* the verdict alone */
    size_t width;          /* columns; 0: 100 */
};

#define DIAGNOSIS_SCHEMA 1

/* What its numbers rest on. */
enum diagnosis_basis {
    BASIS_COUNTERS, /* hardware counters, with whatever else was measured */
    BASIS_ESTIMATE, /* samples, code and probes, without hardware counters */
    BASIS_IMPORTED, /* nothing but what other tools measured, or people said */
    BASIS_COUNT
};
enum diagnosis_basis diagnosis_basis_of(const struct diagnosis *diagnosis);

void diagnosis_text(struct text *out, const struct diagnosis *diagnosis, const struct text_style *style);
void diagnosis_json(struct text *out, const struct diagnosis *diagnosis);

#endif
