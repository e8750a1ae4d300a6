/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of a table's terms is a count of, that somebody wrote down under perf's name for it?
 *
 * Names may be the vendor's in any case, perf's generic ones (cycles), encoded (cpu/event=0x3c,umask=0/), with modifiers,
 * of one of several PMUs of a kind (uncore_imc_0/…/: these are added up), or perf's tool events (duration_time).
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_READING_H
#define PLUMB_METRIC_TABLE_TABLE_READING_H

#include "metric/table/table.h"

struct table_reading {
    const char *name;
    const char *unit;      /* "ns" or "msec" of a time, or "" */
    struct measured count;
    double running_ratio;  /* 1: counted all the time */
};

struct table_readings {
    struct table_inputs inputs;
    double *running_ratio;     /* of each term that was read */
    bool *latency_default;     /* terms that stand on the table's published latency */
    bool user_only;            /* counts of user code stand for all code: nothing else was counted */
    const char **strange;      /* readings that no formula of the table asks for */
    size_t strange_count;
};

/*
 * Fill inputs (terms and constants) from readings. Call before other use of table->terms: it may add to them.
 * Constants that the caller has set before (inputs.constants[i].known) stay. Owner of the arrays: arena.
 */
void table_readings_fill(struct table_readings *ret, struct metric_table *table, const struct table_reading *readings,
                         size_t count, const struct measured *constants, struct arena *arena);

#endif
