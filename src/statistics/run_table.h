/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did each run of a repeated, interleaved measurement measure? A cell per block, arm and quantity.
 *
 * Runs of one block are a pair (a tuple): they ran close together, in random order. A cell that could not be measured
 * says why. Blocks are complete or not there.
 */
#ifndef PLUMB_STATISTICS_RUN_TABLE_H
#define PLUMB_STATISTICS_RUN_TABLE_H

#include "base/arena.h"
#include "base/measured.h"

#include <stddef.h>

enum run_unit {
    RUN_SECONDS,
    RUN_COUNT,
    RUN_BYTES,
    RUN_SHARE, /* 0..1 */
    RUN_HERTZ,
    RUN_RATE   /* of one count by another */
};

struct run_quantity {
    const char *name;  /* "wall": for options and JSON */
    const char *label; /* "wall time": for people */
    enum run_unit unit;
};

struct run_arm {
    const char *label;   /* "A" */
    const char *command; /* as one line */
    size_t failed_runs;  /* that ended with a status other than 0, and were kept */
};

struct run_table {
    struct arena arena; /* owns the strings of arms and quantities */
    struct run_arm *arms;
    size_t arm_count;
    struct run_quantity *quantities;
    size_t quantity_count;
    size_t block_count;
    struct measured *cells; /* by block, arm, quantity */
    size_t capacity;
};

/* Copies what it is given. */
void run_table_init(struct run_table *table, const struct run_arm *arms, size_t arm_count,
                    const struct run_quantity *quantities, size_t quantity_count);
void run_table_done(struct run_table *table);

/* Shape: arm_count x quantity_count cells, by arm. Their texts must live as long as the table. */
void run_table_add_block(struct run_table *table, const struct measured *cells);

struct measured run_table_cell(const struct run_table *table, size_t block, size_t arm, size_t quantity);
/* Index of the quantity of that name, or SIZE_MAX. */
size_t run_table_quantity(const struct run_table *table, const char *name);

/* The measured values of one arm in the order of blocks; returns how many. Shape: block_count places. */
size_t run_table_column(const struct run_table *table, size_t arm, size_t quantity, double *ret_values);
/* The same for the blocks in which both arms have a value. */
size_t run_table_pairs(const struct run_table *table, size_t a, size_t b, size_t quantity, double *ret_a,
                       double *ret_b);
/* The reason of the first cell of that arm that has one; NULL when all were measured. */
const char *run_table_why_not(const struct run_table *table, size_t arm, size_t quantity);

#endif
