/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which table does the user mean: of this machine or of another CPU, plumb's own or a publisher's?
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_CHOICE_H
#define PLUMB_METRIC_TABLE_TABLE_CHOICE_H

#include "metric/table/table.h"
#include "metric/table/table_builtin.h"
#include "system/sysroot.h"

struct table_choice {
    const char *cpu;    /* what --cpu says, or NULL: this machine's */
    const char *folder; /* what --tables says, or NULL: the environment's PLUMB_TABLES; when that isn't set, built in */
    enum table_extent extent; /* of a built-in one */
};

/*
 * Errors: ERROR_NOT_FOUND when there is no table for the CPU, naming those that there are; what reading a folder gives.
 * Owner: the caller (metric_table_done).
 */
MUST_CHECK bool metric_table_choose(struct metric_table *table, const struct table_choice *choice,
                                    const struct sysroot *root, struct error *err);

#endif
