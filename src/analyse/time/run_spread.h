/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same program several times (--runs): what each run took, how far runs differ, and which of them failed.
 *
 * A part of a case (runs.json). Timed runs that another tool printed are runs too, with their elapsed time alone.
 */
#ifndef PLUMB_ANALYSE_TIME_RUN_SPREAD_H
#define PLUMB_ANALYSE_TIME_RUN_SPREAD_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/measured.h"
#include "base/text.h"
#include "statistics/interval.h"

struct run_row {
    double elapsed_s;
    struct measured user_s, system_s; /* as its parent's rusage has them */
    struct measured cpu_s;            /* task-clock: descendants that nobody waited for as well */
    struct measured cycles, instructions, resident_most_bytes;
    uint64_t samples;
    int exit_code;    /* as a shell has it */
    bool interrupted; /* the user, or --duration, ended it */
};

struct run_spread {
    struct run_row *rows; /* in the order run */
    size_t count;
    size_t failed;           /* ended with another status than 0 */
    size_t first_failed;     /* index; meaningful when failed */
    struct interval median_s; /* of the elapsed time of runs that ended by themselves with 0, 95 % */
    double least_s, most_s;
    const char *origin; /* "measured by plumb 0.1.0", "imported, not measured by plumb: timed runs" */
};

/* Fill what is derived from rows and count. */
void run_spread_sum_up(struct run_spread *spread);
void run_spread_write(const struct run_spread *spread, struct text *out);
/* Errors: ERROR_FORMAT. Owner of strings and rows: arena. */
MUST_CHECK bool run_spread_read(struct run_spread *spread, struct json_value root, struct arena *arena,
                                struct error *err);

#endif
