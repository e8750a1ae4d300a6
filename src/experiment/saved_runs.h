/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did earlier measurements measure? Reads back the JSON of `plumb compare`, of hyperfine (--export-json, version 1
 * or 2) and of `perf stat -j` (or plumb stat -j), and case folders of plumb diagnose, into one table of runs.
 *
 * Quantities are measuring_quantities; what a file doesn't have is "not measured". Runs of different files were not
 * made in pairs; those of one file of plumb compare were. An event of perf stat that appears several times (-I) gives
 * several values. perf stat -r prints means and their spread, no runs: one value then, which is said (only_means).
 * Source: hyperfine 1.20's export.rs; perf's stat-display.c as of 6.1 and 6.12 (numbers may be text).
 */
#ifndef PLUMB_EXPERIMENT_SAVED_RUNS_H
#define PLUMB_EXPERIMENT_SAVED_RUNS_H

#include "base/error.h"
#include "experiment/measuring_runner.h"
#include "system/surroundings.h"

#define SAVED_NOT_SET "not set"

struct saved_arm {
    const char *label, *command, *file;
    bool has_surroundings;
    struct surroundings surroundings;
    struct measured *values[MEASURING_QUANTITY_COUNT]; /* Shape: counts[quantity] */
    size_t counts[MEASURING_QUANTITY_COUNT];
    struct saved_arm_setting {
        const char *name, *value; /* "thp", "never"; a variable of its environment */
    } *settings; /* of a case: what is known to change speed, set or not; none: not known */
    size_t setting_count;
    size_t failed_runs; /* that ended with a status other than 0; 0 also where the file doesn't say */
    bool only_means; /* of perf stat -r */
    bool is_case;    /* file is a folder, which has profiles too */
    /* its runs are in the order of the blocks that they were made in, with those of the file's other arms */
    bool in_blocks;
};

struct saved_runs {
    struct arena arena;
    struct saved_arm *arms;
    size_t arm_count, arm_capacity;
};

void saved_runs_init(struct saved_runs *runs);
void saved_runs_done(struct saved_runs *runs);
/* Add the arms of one file. Errors: ERROR_SYSTEM (can't be read), ERROR_FORMAT (none of the formats; broken). */
MUST_CHECK bool saved_runs_read(struct saved_runs *runs, const char *path, struct error *err);
/* The same from text that is in memory; name stands for the file in labels and messages. */
MUST_CHECK bool saved_runs_parse(struct saved_runs *runs, struct view text, const char *name, struct error *err);
/* All arms are of one file, whose runs were made in blocks: the runs of a row of the table are pairs. */
bool saved_runs_are_paired(const struct saved_runs *runs);
/* Owner of what is returned: the caller (run_table_done). */
void saved_runs_table(const struct saved_runs *runs, struct run_table *ret_table);

#endif
