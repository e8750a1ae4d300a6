/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/runs/explanation.h"
#include "analyse/runs/output_likeness.h"
#include "analyse/runs/work_done.h"
#include "base/vec.h"

#include <math.h>

static const struct run_arm arms[] = {{"A", "a"}, {"B", "b"}};
static const struct run_quantity quantities[] = {
    {"wall", "wall time", RUN_SECONDS},          {"cpu", "CPU time", RUN_SECONDS},
    {"user", "user CPU time", RUN_SECONDS},      {"instructions", "instructions", RUN_COUNT},
    {"ipc", "instructions per cycle", RUN_RATE}, {"clock-running", "clock", RUN_HERTZ},
    {"minor-faults", "page faults", RUN_COUNT},  {"written-bytes", "bytes written", RUN_BYTES},
};

enum {
    WIDTH = 8,
    BLOCKS = 12
};

/* B takes 1 s more of 1 s: all of it CPU time, 0.9 s of that user time; half as many instructions a cycle; no more work. */
static void fill(struct run_table *table, double written)
{
    run_table_init(table, arms, 2, quantities, WIDTH);
    for (int block = 0; block < BLOCKS; block++) {
        double wobble = 1 + 0.001 * (block % 4);
        const double a[WIDTH] = {1, 0.9, 0.8, 2e9, 1, 2e9, 100, 1000};
        const double b[WIDTH] = {2, 1.9, 1.7, 2e9, 0.5, 2e9, 5000, written};
        struct measured cells[2 * WIDTH];
        for (int at = 0; at < WIDTH; at++) {
            cells[at] = measured_as(a[at] * wobble);
            cells[WIDTH + at] = measured_as(b[at] * wobble);
        }
        run_table_add_block(table, cells);
    }
}

static void fill_profiles(struct run_profiles *profiles)
{
    run_profiles_init(profiles);
    for (size_t block = 0; block < BLOCKS; block++) {
        double wobble = 0.001 * (double)(block % 4), noise = block % 2 ? 0.01 : -0.01;
        profile_difference_add(&profiles->functions, block, false, "copy", "libc.so.6", 0.2 + wobble);
        profile_difference_add(&profiles->functions, block, true, "copy", "libc.so.6", 1.0 + wobble);
        profile_difference_add(&profiles->functions, block, false, "other", "prog", 0.5 + noise);
        profile_difference_add(&profiles->functions, block, true, "other", "prog", 0.5);
        profile_difference_add(&profiles->functions, block, true, "new", "prog", 0.2 + wobble);
        profile_difference_add(&profiles->functions, block, true, "tiny", "prog", 0.001);
        profile_difference_add(&profiles->widths, block, true, "512-bit", "", 1.0);
    }
    profile_difference_finish(&profiles->functions, BLOCKS);
    profile_difference_finish(&profiles->instructions, BLOCKS);
    profile_difference_finish(&profiles->widths, BLOCKS);
}

static const struct explanation_item *item_named(const struct explanation *explanation, const char *what)
{
    for (size_t at = 0; at < explanation->count; at++)
        if (strcmp(explanation->items[at].what, what) == 0)
            return &explanation->items[at];
    return NULL;
}

Test(explanation, shares_are_ranked_and_what_has_none_is_left)
{
    struct run_table table;
    struct run_profiles profiles;
    struct arena arena;
    struct comparison comparison;
    struct explanation explanation;
    arena_init(&arena);
    fill(&table, 1000);
    fill_profiles(&profiles);
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    explanation_make(&explanation, &comparison, &profiles, &arena);
    static const struct {
        const char *what;
        double share;
    } expected[] = {{"user CPU time", 0.9}, {"copy", 0.8}, {"new", 0.2}, {"512-bit", 1}, {"instructions per cycle", 1}};
    for (size_t at = 0; at < sizeof(expected) / sizeof(expected[0]); at++) {
        const struct explanation_item *item = item_named(&explanation, expected[at].what);
        cr_assert(item, "%s is missing", expected[at].what);
        cr_assert(fabs(item->share.mid - expected[at].share) < 0.02, "%s: %f", expected[at].what, item->share.mid);
        cr_assert(item->share.low <= item->share.mid && item->share.mid <= item->share.high);
    }
    static const char *const absent[] = {"CPU time", "other", "tiny", "page faults", "instructions", "clock"};
    for (size_t at = 0; at < sizeof(absent) / sizeof(absent[0]); at++)
        cr_assert_null(item_named(&explanation, absent[at]), "%s", absent[at]);
    for (size_t at = 1; at < explanation.count; at++)
        cr_assert(fabs(explanation.items[at - 1].share.mid) >= fabs(explanation.items[at].share.mid));
    struct work_done work;
    work_done_judge(&work, &comparison);
    cr_assert_eq(work.count, 0);
    run_profiles_done(&profiles);
    run_table_done(&table);
    arena_done(&arena);
}

Test(explanation, what_is_not_decided_is_not_explained)
{
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    struct explanation explanation;
    arena_init(&arena);
    fill(&table, 9000);
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    comparison.verdict = COMPARISON_UNDECIDED;
    explanation_make(&explanation, &comparison, NULL, &arena);
    cr_assert_eq(explanation.count, 0);
    struct work_done work;
    work_done_judge(&work, &comparison);
    cr_assert_eq(work.count, 1);
    cr_assert(work.signs[0].is_unequal);
    cr_assert_str_eq(work.signs[0].effect->quantity->name, "written-bytes");
    for (size_t at = 0; at < comparison.effect_count; at++)
        ((struct quantity_effect *)comparison.effects)[at].q = 1; /* of few runs nothing is sure by their ranks */
    work_done_judge(&work, &comparison);
    cr_assert(work.count == 1 && work.signs[0].is_unequal, "the same in each run of either: few runs tell");
    run_table_done(&table);
    arena_done(&arena);
}

/* Shares of one view add up, so CPU time and its parts don't stand beside each other: of short runs ticks split it badly. */
Test(explanation, cpu_time_or_its_parts_by_how_long_a_run_is)
{
    static const struct {
        double scale;
        const char *shown, *left_out;
    } cases[] = {{1, "user CPU time", "CPU time"}, {0.005, "CPU time", "user CPU time"}};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct run_table table;
        struct arena arena;
        struct comparison comparison;
        struct explanation explanation;
        arena_init(&arena);
        run_table_init(&table, arms, 2, quantities, 3);
        for (int block = 0; block < BLOCKS; block++) {
            double unit = cases[at].scale * (1 + 0.001 * (block % 4));
            const struct measured cells[6] = {measured_as(unit), measured_as(0.9 * unit), measured_as(0.8 * unit),
                                              measured_as(2 * unit), measured_as(1.9 * unit), measured_as(1.7 * unit)};
            run_table_add_block(&table, cells);
        }
        comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                        &arena);
        explanation_make(&explanation, &comparison, NULL, &arena);
        cr_assert(item_named(&explanation, cases[at].shown), "%s", cases[at].shown);
        cr_assert_null(item_named(&explanation, cases[at].left_out), "%s", cases[at].left_out);
        run_table_done(&table);
        arena_done(&arena);
    }
}

/* What waits has no profile: 1.07 s of the 1.1 s between them are the time in which neither computes. */
Test(explanation, what_is_no_cpu_time_is_a_part_of_its_own)
{
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    struct explanation explanation;
    arena_init(&arena);
    run_table_init(&table, arms, 2, quantities, 2);
    for (int block = 0; block < BLOCKS; block++) {
        double wobble = 0.001 * (block % 4);
        const struct measured cells[4] = {measured_as(0.93 + wobble), measured_as(0.07 + wobble / 10), measured_as(2.03 + wobble),
                                          measured_as(0.14 + wobble / 10)};
        run_table_add_block(&table, cells);
    }
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    explanation_make(&explanation, &comparison, NULL, &arena);
    const struct explanation_item *rest = item_named(&explanation, EXPLANATION_REST);
    cr_assert_not_null(rest);
    cr_expect_float_eq(rest->share.mid, 0.936, 0.02, "%g", rest->share.mid);
    cr_expect_float_eq(rest->b.mid, 1.89, 0.01);
    cr_expect_eq(&explanation.items[0], rest, "the largest part comes first");
    run_table_done(&table);
    arena_done(&arena);
}

#define OF(name, size, same) {.arm = (name), .bytes = (size), .digest = (same)}

/* Counted runs write 1000 bytes each. */
Test(output_likeness, by_what_each_printed)
{
    static const struct {
        const char *what;
        struct run_output read[4];
        size_t count;
        enum output_verdict verdict;
        bool a_varies, b_varies, a_less;
    } cases[] = {
        {"nothing was read", {OF("", 0, 0)}, 0, OUTPUT_NOT_READ, false, false, false},
        {"of one", {OF("A", 12, 1)}, 1, OUTPUT_NOT_READ, false, false, false},
        {"the same", {OF("A", 12, 1), OF("B", 12, 1), OF("A again", 12, 1)}, 3, OUTPUT_SAME, false, false, false},
        {"other content", {OF("A", 12, 1), OF("B", 12, 2), OF("A again", 12, 1)}, 3, OUTPUT_OTHER, false, false, false},
        {"another size", {OF("B", 13, 1), OF("A", 12, 1)}, 2, OUTPUT_OTHER, false, false, false},
        {"A varies", {OF("A", 12, 1), OF("B", 12, 1), OF("A again", 12, 3)}, 3, OUTPUT_VARIES, true, false, false},
        {"B varies", {OF("A", 12, 1), OF("B", 12, 1), OF("A", 12, 1), OF("B", 14, 2)}, 4, OUTPUT_VARIES, false, true, false},
        {"far more than it writes unread", {OF("A", 9000, 1), OF("B", 9000, 1)}, 2, OUTPUT_SAME, false, false, true},
    };
    struct run_table table;
    struct arena arena;
    struct comparison comparison;
    arena_init(&arena);
    fill(&table, 9000);
    comparison_make(&comparison, &table, &(struct comparison_request){.b = 1, .again = SIZE_MAX, .effect_ratio = 0.01, .alpha = 0.05, .effects_alpha = 0.05},
                    &arena);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct output_likeness likeness;
        output_likeness_judge(&likeness, &comparison, &(struct run_outputs){cases[at].read, cases[at].count}, "A again");
        cr_expect_eq(likeness.verdict, cases[at].verdict, "%s", cases[at].what);
        cr_expect_eq(likeness.a.varies, cases[at].a_varies, "%s", cases[at].what);
        cr_expect_eq(likeness.b.varies, cases[at].b_varies, "%s", cases[at].what);
        cr_expect_eq(likeness.a.is_less_unread, cases[at].a_less, "%s", cases[at].what);
        cr_expect_not(likeness.b.is_less_unread, "%s", cases[at].what);
    }
    run_table_done(&table);
    arena_done(&arena);
}

Test(explanation, what_its_interval_does_not_show_does_not_differ)
{
    struct quantity_effect effect = {.quantity = &quantities[1], .p = 0.001, .q = 0.01, .ratio = interval_of(0.9, 1.5, 4)};
    effect.difference = interval_of(1, 2, 3);
    cr_assert_not(effect_differs(&effect) || effect_may_differ(&effect), "the ratio may be 1");
    effect.ratio.low = 1.1;
    cr_assert(effect_differs(&effect) && !effect_may_differ(&effect));
    effect.q = 0.2;
    cr_assert(!effect_differs(&effect) && effect_may_differ(&effect));
    effect.ratio.known = false;
    effect.difference.low = -1;
    cr_assert_not(effect_may_differ(&effect));
}
