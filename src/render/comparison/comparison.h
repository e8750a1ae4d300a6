/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison of commands as text for the eye, as JSON, as a Markdown table, and as hyperfine's JSON. */
#ifndef PLUMB_RENDER_COMPARISON_COMPARISON_H
#define PLUMB_RENDER_COMPARISON_COMPARISON_H

#include "analyse/runs/comparison.h"
#include "analyse/runs/explanation.h"
#include "analyse/runs/output_likeness.h"
#include "analyse/runs/steadiness.h"
#include "analyse/runs/work_done.h"
#include "render/page.h"
#include "system/surroundings.h"

/* One thing that is not the same around the commands: a setting, a fact of the machine, a binary, a library. */
struct fact_difference {
    const char *name, *a, *b;
    bool declared; /* it is what is compared */
    bool voids;    /* of the machine, and undeclared: times tell nothing of the programs */
};

/* A setting or a variable of its environment that an arm was given. */
struct arm_setting {
    size_t arm;
    const char *name, *value;
};

struct comparison_report {
    const struct run_table *table;
    size_t arm_count;               /* of the table's arms: one behind them is the first run again */
    const struct comparison *items; /* each other arm against the first */
    size_t count;
    const struct steadiness *steadiness;
    uint64_t seed;
    double elapsed_s;
    bool saved;                     /* nothing was run: the runs were read from files */
    bool paired;                    /* made in blocks; saved ones may not have been */
    const struct surroundings *surroundings;               /* of runs that were made now; or NULL */
    const struct surroundings_difference *differences;     /* of saved runs' machines from the first's */
    size_t difference_count;
    bool all_ended_well;            /* runs with another status than 0 were not kept */
    bool only_means;                /* a file has means of runs only */
    bool surroundings_unknown;      /* a file doesn't say on what machine it was made */
    const char *stopped;            /* why no more blocks were run: "12 blocks were asked for" */
    const struct arm_setting *settings;
    size_t setting_count;
    const struct fact_difference *facts; /* of runs that were made now */
    size_t fact_count;
    const struct run_table *unfinished;  /* one block at most, or none */
    size_t suspended_blocks;             /* left out: the machine slept */
    double suspended_s;
    struct interval predicted_gain; /* share of A's time expected to go, 0..1; not known: none was given */
    const char *prediction_source;
    const struct run_profiles *profiles; /* of the first other arm; NULL: not taken */
    const char *why_no_profile;          /* or NULL */
    const struct explanation *explanations; /* for each of items */
    const struct work_done *works;          /* likewise */
    const struct output_likeness *outputs;  /* likewise */
};

void comparison_text(struct page *page, const struct comparison_report *report);
void comparison_json(struct text *out, const struct comparison_report *report);
void comparison_markdown(struct text *out, const struct comparison_report *report);
/* hyperfine's --export-json, version 1: seconds and bytes. Source: hyperfine 1.20. */
void comparison_hyperfine(struct text *out, const struct comparison_report *report);

#endif
