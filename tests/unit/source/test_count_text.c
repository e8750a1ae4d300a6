/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/count_text.h"

static double count_of(const struct count_text *counts, const char *name)
{
    for (size_t at = 0; at < counts->event_count; at++)
        if (strcmp(counts->events[at].name, name) == 0 && counts->events[at].known)
            return counts->events[at].count;
    return -1;
}

static double metric_of(const struct count_text *counts, const char *name)
{
    for (size_t at = 0; at < counts->metric_count; at++)
        if (strcmp(counts->metrics[at].name, name) == 0)
            return counts->metrics[at].value;
    return -1;
}

/* perf prints numbers as the locale has them. */
Test(count_text, text_in_other_languages_numbers)
{
    static const char text[] = "      1.234,56 msec task-clock      #    0,998 CPUs utilized\n          3,50 msec cpu-clock\n 44.120.903.881      cycles                           (33,36%)\n"
                               "         1.234      page-faults\n         8'330      branches\n         4,321      branch-misses\n    66,5 %  tma_dram_bound\n\n       1,234 seconds time elapsed\n";
    struct arena arena;
    struct count_text counts;
    struct error err = {0};
    arena_init(&arena);
    cr_assert(count_text_read(&counts, view_of(text), &arena, &err));
    cr_expect_float_eq(count_of(&counts, "task-clock"), 1234.56, 1e-9);
    cr_expect_float_eq(count_of(&counts, "cpu-clock"), 3.5, 1e-9);
    cr_expect_float_eq(count_of(&counts, "cycles"), 44120903881, 0.1);
    cr_expect_float_eq(count_of(&counts, "page-faults"), 1234, 1e-9);
    cr_expect_float_eq(count_of(&counts, "branches"), 8330, 1e-9);
    cr_expect_float_eq(count_of(&counts, "branch-misses"), 4321, 1e-9);
    cr_expect_float_eq(metric_of(&counts, "tma_dram_bound"), 66.5, 1e-9);
    cr_expect_float_eq(counts.seconds, 1.234, 1e-9);
    cr_expect_float_eq(counts.events[2].running_ratio, 0.3336, 1e-9);
    arena_done(&arena);
}

/* Where the separator stands in numbers as well, a part of one isn't taken for the whole. */
Test(count_text, what_was_not_on_a_counter_is_counted_in_none_of_the_time)
{
    struct arena arena;
    struct count_text counts;
    struct error err = {0};
    arena_init(&arena);
    cr_assert(count_text_read(&counts, VIEW(" 1000 cycles (0.00%)\n 2000 instructions\n"), &arena, &err));
    cr_expect_float_eq(counts.events[0].running_ratio, 0, 1e-9);
    cr_expect_float_eq(counts.events[1].running_ratio, 1, 1e-9);
    arena_done(&arena);
}

Test(count_text, numbers_that_the_separator_cuts_are_none)
{
    static const struct {
        const char *text, *name;
        double count;
    } cases[] = {{"3,50,msec,task-clock,3500000,100,00,,\n8386784008,,cycles,3500000,100,00,,\n", "task-clock", -1},
                 {"3,50,msec,task-clock,3500000,100,00,,\n8386784008,,cycles,3500000,100,00,,\n", "cycles", 8386784008},
                 {"1.000893421,3,50,msec,task-clock,3500000,100,00,,\n1.000893421,8,,cycles,3500000,100,00,,\n", "task-clock", -1},
                 {"S0-D0-C0,2,3.50,msec,task-clock,3500000,100.00,,\n", "task-clock", 3.5},
                 {"1.000893421,S0-D0-C0,2,3.50,msec,task-clock,3500000,100.00,,\n", "task-clock", 3.5},
                 {"CPU0,3.50,msec,task-clock,3500000,100.00,,\n", "task-clock", 3.5}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        struct count_text counts = {0};
        struct error err = {0};
        arena_init(&arena);
        bool read = count_text_read(&counts, view_of(cases[at].text), &arena, &err);
        cr_expect_float_eq(read ? count_of(&counts, cases[at].name) : -1, cases[at].count, 1e-9, "%s", cases[at].text);
        arena_done(&arena);
    }
}

Test(count_text, columns_of_metrics_with_commas_for_points_are_left_out)
{
    static const char head[] = " %  tma_retiring %  tma_dram_bound\n";
    static const struct {
        const char *line;
        double value;
    } lines[] = {{"66.5  18.2", 18.2}, {"66,5  18,2", -1}, {"1.000893421 66,5  18,2", -1}, {"66.5,18.2,", 18.2}, {"S0-D0,2,66.5,18.2,", 18.2}};
    for (size_t at = 0; at < array_count(lines); at++) {
        struct arena arena;
        struct count_text counts = {0};
        struct error err = {0};
        arena_init(&arena);
        bool read = count_text_read(&counts, view_of(arena_printf(&arena, "%s%s\n", head, lines[at].line)), &arena, &err);
        cr_expect_float_eq(read ? metric_of(&counts, "tma_dram_bound") : -1, lines[at].value, 1e-9, "%s", lines[at].line);
        arena_done(&arena);
    }
}
