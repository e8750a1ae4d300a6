/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/runs/comparison.h"
#include "analyse/runs/steadiness.h"

#include <math.h>

static const struct run_arm arms[] = {{"A", "a"}, {"B", "b"}, {"A again", "a"}};
static const struct run_quantity quantities[] = {
    {"wall", "wall time", RUN_SECONDS},
    {"faults", "page faults", RUN_COUNT},
    {"clock", "clock", RUN_HERTZ},
    {"cycles", "cycles", RUN_COUNT},
};

/* B's wall time is A's times shift, give or take noise; its faults are 10 more; the clock is the same. */
static void fill(struct run_table *table, size_t blocks, double shift, double noise, double drift)
{
    run_table_init(table, arms, 3, quantities, 4);
    for (size_t block = 0; block < blocks; block++) {
        double a = (1 + 0.05 * sin((double)block)) * exp(drift * (double)block);
        double wobble = 1 + noise * (block % 2 ? 1 : -1);
        struct measured none = not_measured("no such counter");
        const struct measured cells[] = {
            measured_as(a), measured_as(100 + (double)(block % 3)), measured_as(3e9), none,
            measured_as(a * shift * wobble), measured_as(110 + (double)(block % 3)), measured_as(3e9), none,
            measured_as(a * wobble), measured_as(100), measured_as(3e9), none,
        };
        run_table_add_block(table, cells);
    }
}

Test(comparison, decides_on_the_interval)
{
    static const struct {
        double shift, noise, effect;
        size_t count;
        enum comparison_verdict verdict;
    } cases[] = {
        {0.50, 0.01, 0.01, 10, COMPARISON_FASTER},      {1.30, 0.01, 0.01, 10, COMPARISON_SLOWER},
        {1.00, 0.001, 0.01, 10, COMPARISON_EQUIVALENT}, {1.00, 0.30, 0.01, 10, COMPARISON_UNDECIDED},
        {0.50, 0.01, 0.01, 5, COMPARISON_UNDECIDED},    {0.00, 0.01, 0.01, 10, COMPARISON_UNDECIDED},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct run_table table;
        struct arena arena;
        struct comparison comparison;
        arena_init(&arena);
        fill(&table, cases[at].count, cases[at].shift, cases[at].noise, 0);
        struct comparison_request request = {.a = 0, .b = 1, .again = SIZE_MAX, .effect_ratio = cases[at].effect, .alpha = 0.05, .effects_alpha = 0.05};
        comparison_make(&comparison, &table, &request, &arena);
        cr_assert_eq(comparison.verdict, cases[at].verdict, "case %zu: [%f %f]", at, comparison.ratio.low,
                     comparison.ratio.high);
        run_table_done(&table);
        arena_done(&arena);
    }
}

/* With more commands, each comparison must be surer, and takes more pairs. */
Test(comparison, says_how_many_pairs_the_level_takes)
{
    static const struct {
        double alpha;
        bool unpaired;
        int least;
    } cases[] = {{0.05, false, 6}, {0.025, false, 7}, {0.0125, false, 8}, {0.05, true, 6}, {0.001, true, 7}};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++)
        for (int count = cases[at].least - 1; count <= cases[at].least; count++) {
            struct run_table table;
            struct arena arena;
            struct comparison comparison;
            arena_init(&arena);
            fill(&table, count, 1.3, 0.01, 0);
            struct comparison_request request = {.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = cases[at].alpha, .effects_alpha = 0.05, .unpaired = cases[at].unpaired};
            comparison_make(&comparison, &table, &request, &arena);
            cr_expect_eq(comparison.pairs_least, (size_t)cases[at].least, "case %zu: %zu", at, comparison.pairs_least);
            cr_expect_eq(comparison.too_few_pairs, count < cases[at].least, "case %zu with %d", at, count);
            run_table_done(&table);
            arena_done(&arena);
        }
}

/* One of half the time in much noise takes a few pairs more; one per cent would take thousands. */
Test(comparison, a_large_difference_takes_fewer_pairs_than_the_smallest_asked_for)
{
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    arena_init(&arena);
    run_table_init(&table, arms, 2, quantities, 1);
    for (int block = 0; block < 8; block++) {
        const struct measured cells[] = {measured_as(1), measured_as(block % 3 == 0 ? 1.3 : 0.4 + 0.02 * block)};
        run_table_add_block(&table, cells);
    }
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    cr_assert_eq(comparison.verdict, COMPARISON_UNDECIDED);
    cr_assert(comparison.pairs_needed > 1000 && comparison.pairs_for_seen > 8 && comparison.pairs_for_seen < 100, "%g %g",
              comparison.pairs_needed, comparison.pairs_for_seen);
    run_table_done(&table);
    arena_done(&arena);
}

Test(comparison, ranks_what_else_differs)
{
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    arena_init(&arena);
    fill(&table, 12, 1.3, 0.01, 0);
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = 2, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    cr_assert_eq(comparison.effect_count, 3);
    const struct quantity_effect *faults = &comparison.effects[0];
    cr_assert_str_eq(faults->quantity->name, "faults");
    cr_assert(faults->q < 0.05 && faults->difference.mid == 10 && faults->ratio.low > 1.09);
    for (size_t at = 1; at < 3; at++)
        cr_assert(comparison.effects[at].q == 1);
    const struct quantity_effect *cycles = &comparison.effects[comparison.effects[1].why_not ? 1 : 2];
    cr_assert_str_eq(cycles->why_not, "no such counter");
    cr_assert(comparison.detectable > 0 && comparison.detectable < 0.02 && comparison.pairs_needed > 0);
    run_table_done(&table);
    arena_done(&arena);
}

/* A "again" that is slower, as B is: what differs is the machine. */
Test(comparison, what_differs_from_itself_as_much_is_undecided)
{
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    struct comparison_request request = {.b = 1, .again = 2, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05};
    arena_init(&arena);
    run_table_init(&table, arms, 3, quantities, 3);
    for (int block = 0; block < 12; block++) {
        double wobble = 0.01 * (block % 3);
        const struct measured cells[] = {
            measured_as(1),             measured_as(1000 + block % 3), measured_as(3e9),
            measured_as(1.18 + wobble), measured_as(1300),             measured_as(3e9),
            measured_as(1.19 + wobble), measured_as(1400),             measured_as(3e9),
        };
        run_table_add_block(&table, cells);
    }
    comparison_make(&comparison, &table, &request, &arena);
    cr_assert(comparison.self_differs && comparison.lost_in_noise && comparison.verdict == COMPARISON_UNDECIDED);
    cr_assert(comparison.decisive.lost_in_noise);
    for (size_t at = 0; at < comparison.effect_count; at++)
        cr_expect_eq(comparison.effects[at].lost_in_noise, strcmp(comparison.effects[at].quantity->name, "faults") == 0);
    request.again = SIZE_MAX;
    comparison_make(&comparison, &table, &request, &arena);
    cr_assert_eq(comparison.verdict, COMPARISON_SLOWER);
    cr_expect(!comparison.decisive.lost_in_noise && !comparison.effects[0].lost_in_noise);
    run_table_done(&table);
    arena_done(&arena);
}

Test(steadiness, names_drift)
{
    struct run_table table;
    struct steadiness steadiness;
    fill(&table, 20, 1, 0.01, 0.05);
    steadiness_judge(&steadiness, &table, 0, 0);
    cr_assert(steadiness.trend.known && steadiness.trend.p < 0.001 && fabs(steadiness.trend.change - 0.95) < 0.1);
    cr_assert(steadiness.resemblance.beyond_chance);
    steadiness_judge(&steadiness, &table, 0, 3);
    cr_assert_not(steadiness.trend.known);
    run_table_done(&table);
}
