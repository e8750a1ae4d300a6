/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do two commands print the same, each of them in every run, and as much when nobody reads it?
 *
 * By the digests of the runs whose output was read (warm-ups). Of one run of each, another output may be another in
 * each run. Does not look at what goes anywhere but to standard output.
 */
#ifndef PLUMB_ANALYSE_RUNS_OUTPUT_LIKENESS_H
#define PLUMB_ANALYSE_RUNS_OUTPUT_LIKENESS_H

#include "analyse/runs/comparison.h"
#include "statistics/run_output.h"

enum output_verdict {
    OUTPUT_NOT_READ, /* of one of them */
    OUTPUT_SAME,
    OUTPUT_OTHER,
    OUTPUT_VARIES /* from run to run of one command: nothing to hold against the other's */
};

/* Of one command. */
struct output_seen {
    size_t runs;                       /* whose output was read */
    uint64_t bytes_least, bytes_most;  /* of a run */
    bool varies;
    bool is_less_unread; /* into /dev/null it writes less than half: it does other work there */
};

struct output_likeness {
    enum output_verdict verdict;
    struct output_seen a, b;
};

/* The bytes that counted runs write, to anywhere; NULL: not among what was measured. */
const struct quantity_effect *output_written(const struct comparison *comparison);
/* again: the label of a's second runs, or NULL. */
void output_likeness_judge(struct output_likeness *likeness, const struct comparison *comparison,
                           const struct run_outputs *outputs, const char *again);

#endif
