/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/run_table.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void run_table_init(struct run_table *table, const struct run_arm *arms, size_t arm_count,
                    const struct run_quantity *quantities, size_t quantity_count)
{
    *table = (struct run_table){.arm_count = arm_count, .quantity_count = quantity_count};
    arena_init(&table->arena);
    table->arms = arena_array(&table->arena, struct run_arm, arm_count);
    for (size_t at = 0; at < arm_count; at++)
        table->arms[at] = (struct run_arm){.label = arena_string(&table->arena, arms[at].label),
                                           .command = arena_string(&table->arena, arms[at].command),
                                           .failed_runs = arms[at].failed_runs};
    table->quantities = arena_array(&table->arena, struct run_quantity, quantity_count);
    for (size_t at = 0; at < quantity_count; at++)
        table->quantities[at] = (struct run_quantity){.name = arena_string(&table->arena, quantities[at].name),
                                                      .label = arena_string(&table->arena, quantities[at].label),
                                                      .unit = quantities[at].unit};
}

void run_table_done(struct run_table *table)
{
    free(table->cells);
    arena_done(&table->arena);
    *table = (struct run_table){0};
}

void run_table_add_block(struct run_table *table, const struct measured *cells)
{
    size_t width = table->arm_count * table->quantity_count;
    table->cells = vec_reserve_bytes(table->cells, &table->capacity, (table->block_count + 1) * width, sizeof(*cells));
    memcpy(table->cells + table->block_count * width, cells, width * sizeof(*cells));
    table->block_count++;
}

struct measured run_table_cell(const struct run_table *table, size_t block, size_t arm, size_t quantity)
{
    return table->cells[(block * table->arm_count + arm) * table->quantity_count + quantity];
}

size_t run_table_quantity(const struct run_table *table, const char *name)
{
    for (size_t at = 0; at < table->quantity_count; at++)
        if (strcmp(table->quantities[at].name, name) == 0)
            return at;
    return SIZE_MAX;
}

size_t run_table_column(const struct run_table *table, size_t arm, size_t quantity, double *ret_values)
{
    size_t count = 0;
    for (size_t block = 0; block < table->block_count; block++) {
        struct measured cell = run_table_cell(table, block, arm, quantity);
        if (cell.known)
            ret_values[count++] = cell.value;
    }
    return count;
}

size_t run_table_pairs(const struct run_table *table, size_t a, size_t b, size_t quantity, double *ret_a,
                       double *ret_b)
{
    size_t count = 0;
    for (size_t block = 0; block < table->block_count; block++) {
        struct measured of_a = run_table_cell(table, block, a, quantity);
        struct measured of_b = run_table_cell(table, block, b, quantity);
        if (!of_a.known || !of_b.known)
            continue;
        ret_a[count] = of_a.value;
        ret_b[count++] = of_b.value;
    }
    return count;
}

const char *run_table_why_not(const struct run_table *table, size_t arm, size_t quantity)
{
    for (size_t block = 0; block < table->block_count; block++) {
        struct measured cell = run_table_cell(table, block, arm, quantity);
        if (!cell.known)
            return cell.why_not;
    }
    return NULL;
}
