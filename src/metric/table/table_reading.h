/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of a table's terms is a count of, that somebody wrote down under perf's name for it?
 *
 * Names may be the vendor's in any case, perf's generic ones (cycles), encoded (cpu/event=0x3c,umask=0/), with
 * modifiers, of one of several PMUs of a kind (uncore_imc_0/…/: these are added up), or perf's tool events
 * (duration_time).
 *
 * Readings of several runs or groups (sets) become one: each set's counts are put on a common scale by what most of
 * them counted, which is the cycles where there are any, so that ratios within a set stay what they were.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_READING_H
#define PLUMB_METRIC_TABLE_TABLE_READING_H

#include "metric/table/table.h"

struct table_reading {
    const char *name;
    const char *unit;      /* "ns" or "msec" of a time, or "" */
    struct measured count;
    double running_ratio;  /* 1: counted all the time */
    size_t set;            /* of one run or group, counted together; 0 when there is one */
};

enum { TABLE_READING_SETS_MOST = 64 };

struct table_readings {
    struct table_inputs inputs;
    double *running_ratio;     /* of each term that was read */
    bool *latency_default;     /* terms that stand on the table's published latency */
    bool user_only;            /* counts of user code stand for all code: nothing else was counted */
    uint64_t *term_sets;       /* bit n: the term was counted in set n (or one behind the 64th, as the last) */
    size_t set_count;
    double instructions_spread; /* of the sets that counted them: (most - fewest) / mean */
    size_t sets_unscaled;      /* have nothing in common with the others */
    const char **strange;      /* readings that no formula of the table asks for */
    size_t strange_count;
};

/* Issue slots of a cycle, by the table's CPU model: what the PMU says (caps/slots) goes before it. */
struct measured table_slots_per_cycle(const struct metric_table *table);

/*
 * Fill inputs (terms and constants) from readings. Call before other use of table->terms: it may add to them.
 * Constants that the caller has set before (inputs.constants[i].known) stay. Owner of the arrays: arena.
 */
void table_readings_fill(struct table_readings *ret, struct metric_table *table, const struct table_reading *readings,
                         size_t count, const struct measured *constants, struct arena *arena);

#endif
