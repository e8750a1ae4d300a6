/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/profile_difference.h"

#include "base/scope.h"
#include "base/vec.h"
#include "statistics/multiplicity.h"
#include "statistics/signed_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void profile_difference_init(struct profile_difference *difference)
{
    *difference = (struct profile_difference){0};
    arena_init(&difference->arena);
    strings_init(&difference->names);
}

void profile_difference_done(struct profile_difference *difference)
{
    free(difference->cells);
    strings_done(&difference->names);
    arena_done(&difference->arena);
    *difference = (struct profile_difference){0};
}

/* Between function and file in an interned name. */
static const char separator = '\n';

void profile_difference_add(struct profile_difference *difference, size_t block, bool is_b, const char *function,
                            const char *dso, double seconds)
{
    const char *slash = strrchr(dso, '/');
    scoped_free char *name = memory_printf("%s%c%s", function, separator, slash ? slash + 1 : dso);
    difference->cells = vec_reserve_bytes(difference->cells, &difference->capacity, difference->count + 1,
                                          sizeof(*difference->cells));
    difference->cells[difference->count++] = (struct profile_cell){
        .name = strings_intern(&difference->names, name), .block = block, .is_b = is_b, .seconds = seconds};
}

static int compare_rows(const void *a, const void *b)
{
    double left = fabs(((const struct profile_row *)a)->mean_difference_s);
    double right = fabs(((const struct profile_row *)b)->mean_difference_s);
    return (left < right) - (left > right);
}

static struct profile_row row_of(struct profile_difference *difference, uint32_t name, const double *a, const double *b)
{
    size_t count = difference->block_count;
    scoped_free double *differences = memory_alloc(memory_product(count + 1, sizeof(*differences)));
    char *function = arena_string(&difference->arena, strings_text(&difference->names, name));
    char *dso = strrchr(function, separator);
    *dso = 0;
    struct profile_row row = {.function = function, .dso = dso + 1};
    for (size_t block = 0; block < count; block++) {
        differences[block] = b[block] - a[block];
        row.mean_difference_s += differences[block] / (double)count;
    }
    row.p = signed_rank_p(differences, count);
    row.q = 1;
    row.a_s = quartile_interval(a, count);
    row.b_s = quartile_interval(b, count);
    row.difference_s = signed_rank_interval(differences, count, 0.05);
    return row;
}

/* Rows from this share of all time on are judged. */
static const double test_share_least = 0.01;

static void judge_rows(struct profile_difference *difference, const double *seconds)
{
    size_t count = difference->row_count, tests = 0, width = 2 * difference->block_count;
    scoped_free double *totals = memory_alloc(memory_product(count + 1, sizeof(*totals)));
    scoped_free double *p = memory_alloc(memory_product(count + 1, sizeof(*p)));
    double whole = 0;
    for (size_t at = 0; at < count; at++) {
        totals[at] = 0;
        for (size_t cell = 0; cell < width; cell++) /* name 0 is none */
            totals[at] += seconds[(at + 1) * width + cell];
        whole += totals[at];
    }
    for (size_t at = 0; at < count; at++) {
        difference->rows[at].is_test = totals[at] >= test_share_least * whole;
        if (difference->rows[at].is_test)
            p[tests++] = difference->rows[at].p;
    }
    false_discovery_rates(p, tests, p);
    for (size_t at = count; at-- > 0;)
        if (difference->rows[at].is_test)
            difference->rows[at].q = p[--tests];
}

void profile_difference_finish(struct profile_difference *difference, size_t block_count)
{
    size_t names = strings_count(&difference->names);
    difference->block_count = block_count;
    if (!block_count || names < 2)
        return;
    /* By name: the blocks of A, then those of B. Name 0 is the empty one. */
    size_t cells = memory_product(names, 2 * block_count);
    scoped_free double *seconds = memory_alloc(memory_product(cells, sizeof(*seconds)));
    memset(seconds, 0, cells * sizeof(*seconds));
    for (size_t at = 0; at < difference->count; at++) {
        const struct profile_cell *cell = &difference->cells[at];
        if (cell->block < block_count)
            seconds[(cell->name * 2 + cell->is_b) * block_count + cell->block] += cell->seconds;
    }
    difference->rows = arena_array(&difference->arena, struct profile_row, names);
    for (uint32_t name = 1; name < names; name++) {
        const double *a = seconds + (size_t)name * 2 * block_count;
        struct profile_row row = row_of(difference, name, a, a + block_count);
        difference->mean_difference_s += row.mean_difference_s;
        difference->rows[difference->row_count++] = row;
    }
    judge_rows(difference, seconds);
    qsort(difference->rows, difference->row_count, sizeof(*difference->rows), compare_rows);
}
