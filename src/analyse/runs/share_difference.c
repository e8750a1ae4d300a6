/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/share_difference.h"

#include "base/scope.h"
#include "base/vec.h"
#include "statistics/multiplicity.h"
#include "statistics/student.h"

#include <math.h>
#include <string.h>

enum {
    BLOCKS_LEAST = 8,
    BLOCKS_MOST = 32,
    SAMPLES_A_BLOCK = 20
};

void share_difference_init(struct share_difference *difference)
{
    *difference = (struct share_difference){0};
    arena_init(&difference->arena);
    strings_init(&difference->names);
}

void share_difference_done(struct share_difference *difference)
{
    free(difference->cells);
    free(difference->runs);
    strings_done(&difference->names);
    arena_done(&difference->arena);
}

void share_difference_run(struct share_difference *difference, bool is_b, size_t slices)
{
    difference->runs = vec_reserve_bytes(difference->runs, &difference->run_capacity, difference->run_count + 1,
                                         sizeof(*difference->runs));
    difference->runs[difference->run_count++] = (struct share_run){.is_b = is_b, .slice_count = slices};
}

void share_difference_add(struct share_difference *difference, const char *name, const struct slice_row *row)
{
    struct share_run *run = &difference->runs[difference->run_count - 1];
    difference->cells =
        vec_reserve_bytes(difference->cells, &difference->capacity, difference->count + 1, sizeof(*difference->cells));
    struct share_cell *cell = &difference->cells[difference->count++];
    *cell = (struct share_cell){.name = strings_intern(&difference->names, name),
                                .run = (uint32_t)(difference->run_count - 1),
                                .samples = row->samples};
    memcpy(cell->weight, row->weight, sizeof(cell->weight));
    run->samples += row->samples;
    for (size_t at = 0; at < SLICES_MOST; at++) {
        run->slice_weight[at] += row->weight[at];
        run->weight += row->weight[at];
    }
}

/* A share of one recording, and how far it may be off. */
struct estimate {
    double share, weight, variance, floor; /* floor: the variance of independent samples */
    uint64_t samples;
    double freedom; /* 0: too few samples */
};

static size_t blocks_of(const struct share_run *run)
{
    size_t blocks = run->samples / SAMPLES_A_BLOCK;
    blocks = blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
    return blocks < run->slice_count ? blocks : run->slice_count;
}

static struct estimate estimate_of(const struct share_run *run, const struct share_cell *cell)
{
    struct estimate estimate = {.samples = cell->samples};
    size_t blocks = blocks_of(run);
    double in[BLOCKS_MOST] = {0}, all[BLOCKS_MOST] = {0}, squares = 0;
    for (size_t at = 0; at < SLICES_MOST; at++)
        estimate.weight += cell->weight[at];
    estimate.share = run->weight > 0 ? estimate.weight / run->weight : 0;
    if (blocks < BLOCKS_LEAST || !(run->weight > 0))
        return estimate;
    for (size_t at = 0; at < run->slice_count; at++) {
        in[at * blocks / run->slice_count] += cell->weight[at];
        all[at * blocks / run->slice_count] += run->slice_weight[at];
    }
    for (size_t at = 0; at < blocks; at++)
        squares += (in[at] - estimate.share * all[at]) * (in[at] - estimate.share * all[at]);
    double near = ((double)cell->samples + 1) / ((double)run->samples + 2);
    estimate.floor = near * (1 - near) / (double)run->samples;
    estimate.variance =
        fmax(squares * (double)blocks / (double)(blocks - 1) / (run->weight * run->weight), estimate.floor);
    estimate.freedom = (double)(blocks - 1);
    return estimate;
}

/* A side's mean share, with the variance of that mean. */
struct side_estimate {
    double share, variance, freedom;
    double between; /* variance of one recording, from several; < 0: there is one */
};

static struct side_estimate side_of(const struct share_difference *difference, const struct share_cell *cells,
                                    bool is_b, struct share_side *ret_side)
{
    struct side_estimate side = {.between = -1};
    double runs = 0, squares = 0, floor = 0;
    for (size_t at = 0; at < difference->run_count; at++) {
        if (difference->runs[at].is_b != is_b)
            continue;
        struct estimate one = estimate_of(&difference->runs[at], &cells[at]);
        double step = one.share - side.share;
        runs++;
        side.share += step / runs;
        squares += step * (one.share - side.share);
        ret_side->weight += (one.weight - ret_side->weight) / runs;
        ret_side->samples += one.samples;
        side.variance = one.variance;
        side.freedom = one.freedom;
        floor += one.floor;
    }
    ret_side->runs = (size_t)runs;
    ret_side->share = side.share;
    if (runs > 1) {
        side.between = squares / (runs - 1);
        side.freedom = side.freedom > 0 ? runs - 1 : 0;
        side.variance = fmax(side.between / runs, floor / (runs * runs));
    }
    return side;
}

/* One recording can't say how far apart two are. */
static void borrow_spread(struct side_estimate *one, const struct side_estimate *other)
{
    if (one->between < 0 && other->between > one->variance) {
        one->variance = other->between;
        one->freedom = other->freedom;
    }
}

static void row_judge(struct share_difference *difference, struct share_row *row, const struct share_cell *cells)
{
    struct side_estimate a = side_of(difference, cells, false, &row->a), b = side_of(difference, cells, true, &row->b);
    borrow_spread(&a, &b);
    borrow_spread(&b, &a);
    row->p = row->q = 1;
    if (!(a.freedom > 0 && b.freedom > 0)) {
        difference->too_few_samples = true;
        return;
    }
    double variance = a.variance + b.variance, error = sqrt(variance), change = b.share - a.share;
    double freedom = variance * variance / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
    freedom = fmax(1, floor(freedom + 1e-9)); /* as the quantile takes it: a mark and its interval agree */
    double reach = student_quantile_95(freedom) * error;
    row->difference = interval_of(change - reach, change, change + reach);
    row->p = student_p(change / error, freedom);
    row->is_test = (row->a.share + row->b.share) / 2 >= SHARE_TEST_LEAST;
}

static int larger_first(const void *left, const void *right)
{
    const struct share_row *a = left, *b = right;
    double of_a = fabs(a->b.share - a->a.share), of_b = fabs(b->b.share - b->a.share);
    if (of_a != of_b)
        return of_a < of_b ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void rates_keep(struct share_difference *difference)
{
    scoped_free double *p = memory_alloc(memory_product(difference->row_count + 1, sizeof(*p)));
    size_t tests = 0;
    for (size_t at = 0; at < difference->row_count; at++)
        if (difference->rows[at].is_test)
            p[tests++] = difference->rows[at].p;
    false_discovery_rates(p, tests, p);
    difference->test_count = tests;
    for (size_t at = difference->row_count; at-- > 0;)
        if (difference->rows[at].is_test)
            difference->rows[at].q = p[--tests];
}

void share_difference_finish(struct share_difference *difference)
{
    size_t names = strings_count(&difference->names), runs = difference->run_count, sides[2] = {0};
    scoped_free struct share_cell *cells =
        memory_alloc(memory_product(memory_product(names, runs + 1), sizeof(*cells)));
    memset(cells, 0, names * (runs + 1) * sizeof(*cells));
    for (size_t at = 0; at < difference->count; at++) { /* by name, then run */
        const struct share_cell *from = &difference->cells[at];
        struct share_cell *to = &cells[from->name * runs + from->run];
        to->samples += from->samples;
        for (size_t slice = 0; slice < SLICES_MOST; slice++)
            to->weight[slice] += from->weight[slice];
    }
    for (size_t at = 0; at < runs; at++)
        sides[difference->runs[at].is_b]++;
    difference->between_runs = sides[0] > 1 || sides[1] > 1;
    difference->rows = arena_array(&difference->arena, struct share_row, names);
    for (uint32_t name = 1; name < names; name++) { /* 0 is the empty one */
        struct share_row *row = &difference->rows[difference->row_count++];
        row->name = arena_string(&difference->arena, strings_text(&difference->names, name));
        row_judge(difference, row, cells + name * runs);
    }
    rates_keep(difference);
    if (difference->row_count)
        qsort(difference->rows, difference->row_count, sizeof(*difference->rows), larger_first);
}

bool share_row_is_real(const struct share_row *row)
{
    return row->is_test && row->q <= SHARE_REAL_RATE;
}
