/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment on a case's verdict, planned or made: as a page for the eye and as JSON (doc/schema-confirm.md). */
#ifndef PLUMB_RENDER_COMPARISON_CONFIRMATION_H
#define PLUMB_RENDER_COMPARISON_CONFIRMATION_H

#include "analyse/runs/confirmation.h"
#include "render/page.h"

struct confirmation_option { /* an experiment that tests the verdict */
    const char *name, *change, *overturns;
    const char *why_not; /* not made because; NULL: it was, or will be, made */
};

struct confirmation_plan {
    size_t blocks_least, blocks_most, runs_a_block;
    struct measured run_s; /* how long one run took in the case */
    size_t looks;          /* of is_one_look: how many runs it takes */
    double seconds_most;   /* asked for; 0: no bound */
    double budget_s;       /* none begins behind it, once there are as many as an interval needs; 0: no bound */
};

struct confirmation_report {
    const char *case_folder;
    const char *finding, *finding_verdict, *sentence, *of;
    struct foretold foretold;
    const struct confirmation_option *options; /* cheapest first */
    size_t option_count;
    const struct confirmation_option *made; /* one of them; NULL: none can be made here */
    const char *command_a, *command_b, *directory;
    bool is_one_look; /* no pair: the command is run once, and looked at; command_b is NULL */
    bool is_live; /* on a running process: nothing is run again */
    struct confirmation_plan plan;
    const char *const *notes; /* of what isn't as it was in the case */
    size_t note_count;
    /* What was run; comparison NULL: nothing (a plan). */
    const struct comparison *comparison;
    const struct confirmation *confirmation;
    size_t block_count;
    double elapsed_s;
    const char *stopped;
    const struct run_quantity *sign; /* what shows that the change took hold; NULL: by its nature */
    struct measured sign_a, sign_b;
    const char *took_hold; /* "yes", "no", "unknown" */
    const char *not_taken; /* what it means when it didn't */
};

void confirmation_text(struct page *page, const struct confirmation_report *report);
void confirmation_json(struct text *out, const struct confirmation_report *report);
/* The verdict in one sentence. */
void confirmation_sentence(struct text *out, const struct confirmation_report *report);

#endif
