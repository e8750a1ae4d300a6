/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables that another tool printed, as a part of a case (imports.json): rows with their numbers, and what follows from
 * them without any measurement of ours.
 *
 * Kinds and units are those of source/import_text.h. Nothing here was measured by plumb, and all that is derived from it
 * keeps that origin.
 */
#ifndef PLUMB_ANALYSE_IMPORTED_H
#define PLUMB_ANALYSE_IMPORTED_H

#include "base/arena.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/measured.h"
#include "base/text.h"
#include "statistics/interval.h"

struct imported_row {
    const char *name;
    double number, seconds, running_ratio; /* seconds, running_ratio: 0 when not said */
};

struct imported_table {
    const char *kind; /* "table of exits", "perf stat", "top-down metrics", "timed runs", … */
    const char *file;
    struct imported_row *rows;
    size_t count;
};

struct imported {
    struct imported_table *tables; /* in the order of import */
    size_t count;
};

/* The number of that name in the first table of that kind that has it, and where: ret_file may be NULL. */
struct measured imported_number(const struct imported *imported, const char *kind, const char *name,
                                const char **ret_file);

/* The row itself; NULL: there is none. */
const struct imported_row *imported_row_of(const struct imported *imported, const char *kind, const char *name,
                                           const char **ret_file);

/* The first table of exits in sums; not there: count is not measured. */
struct imported_exits {
    const char *file;
    struct measured count;
    struct measured seconds; /* spent outside the guest, but for HLT (it had nothing to do); not measured: no times */
    const char *commonest;
    double commonest_share;
};
struct imported_exits imported_exits_of(const struct imported *imported);

/* The last table of timed runs beside the first: what changed between them gained or lost. */
struct imported_gain {
    bool known; /* there are two tables of runs */
    const char *before_file, *after_file;
    size_t before_count, after_count;
    double before_s, after_s; /* medians */
    double ratio;             /* after / before */
    struct interval interval; /* 95 %, of independent runs (Mann-Whitney); unknown when there are too few */
};
struct imported_gain imported_gain_of(const struct imported *imported);

void imported_tables_write(struct json_writer *json, const struct imported *imported); /* the list's items */
/* Errors: ERROR_FORMAT. Owner of everything: arena. */
MUST_CHECK bool imported_read(struct imported *imported, struct json_value root, struct arena *arena,
                              struct error *err);

#endif
