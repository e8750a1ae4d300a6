/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which saved runs are compared, and were their machines alike? */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_SAVED_H
#define PLUMB_COMMAND_COMPARE_COMPARE_SAVED_H

#include "command/options.h"
#include "command/compare/compare_treatment.h"
#include "experiment/saved_runs.h"

#define COMPARE_DIFFERENCES_MOST 64

struct compare_saved_request {
    char *const *files; /* ends with NULL; "--" is passed over */
    const struct option_texts *treatments; /* facts that are meant to differ */
    const struct option_texts *labels;     /* names of the sets of runs, as far as they go */
    bool force;
};

struct compare_saved {
    struct surroundings_difference differences[COMPARE_DIFFERENCES_MOST];
    size_t difference_count;
    bool unknown; /* a file doesn't say on what machine it was made */
    bool paired;     /* one file of runs that were made in blocks */
    bool only_means; /* a file has means of runs and no runs: perf stat -r */
    const char *case_a, *case_b; /* the first two sets of runs, when they are case folders; else NULL */
    struct fact_differences facts; /* settings of arms of one file: declared when it was made */
};

/*
 * Errors: of reading; ERROR_USAGE when there are fewer than two arms or no such fact; ERROR_UNSUPPORTED when the
 * machines differ in what was not declared, unless forced. Owner of the table: the caller (run_table_done), also on
 * failure.
 */
MUST_CHECK bool compare_saved_read(struct compare_saved *saved, const struct compare_saved_request *request,
                                   struct run_table *ret_table, struct arena *arena, struct error *err);

#endif
