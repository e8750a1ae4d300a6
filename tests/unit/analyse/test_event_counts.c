/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/counts/event_counts.h"
#include "base/vec.h"

#include <errno.h>
#include <math.h>

enum {
    CELLS = 4
};

struct event {
    const char *name;
    enum count_role role;
    double scale;
    size_t merged_with, group;
    struct reading readings[CELLS];
};

#define COUNTED(value, enabled, running) {READING_COUNTED, 0, (value), (enabled), (running)}
#define SAME(value)                                                                                               \
    {                                                                                                             \
        COUNTED(value, 100, 100), COUNTED(value, 100, 100), COUNTED(value, 100, 100), COUNTED(value, 100, 100)     \
    }

/* A machine of two sockets with two cores each, one thread per core. */
static struct topology_cpu cpus[CELLS] = {
    {0, 0, 0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 1, 1}, {2, 1, 0, 0, 0, 1, 2, 1}, {3, 1, 0, 0, 1, 1, 3, 1}};
static const struct topology topology = {.cpus = cpus, .cpu_count = CELLS};

static struct count_table table_of(struct arena *arena, const struct event *events, size_t count, size_t cells)
{
    struct count_table table = {.row_count = count, .end_ns = 1000000000};
    table.rows = arena_array(arena, struct count_row, count);
    for (size_t at = 0; at < count; at++) {
        struct count_row *row = &table.rows[at];
        *row = (struct count_row){.event = events[at].name, .scale = events[at].scale ? events[at].scale : 1,
                                  .role = events[at].role, .group = events[at].group ? events[at].group : 1000 + at,
                                  .merged_with = events[at].merged_with ? events[at].merged_with - 1 : at,
                                  .cell_count = cells};
        row->cells = arena_array(arena, struct count_cell, cells);
        for (size_t cell = 0; cell < cells; cell++)
            row->cells[cell] = (struct count_cell){cells == 1 ? -1 : (int)cell, -1, events[at].readings[cell]};
    }
    return table;
}

static struct count_report report_of(struct arena *arena, const struct event *events, size_t count, size_t cells,
                                     enum count_grouping grouping)
{
    struct count_table table = table_of(arena, events, count, cells);
    struct count_report report = {0};
    count_report_add(&report, &table, &(struct count_options){.grouping = grouping, .topology = &topology});
    count_report_finish(&report, &table);
    return report;
}

Test(event_counts, sums_by_place)
{
    static const struct event events[] = {
        {"a", ROLE_OTHER, .readings = {COUNTED(1, 9, 9), COUNTED(2, 9, 9), COUNTED(4, 9, 9), COUNTED(8, 9, 9)}},
        {"b", ROLE_OTHER, .readings = SAME(3)}};
    static const struct {
        enum count_grouping grouping;
        size_t lines, parts;
        double values[8]; /* in the order of lines */
    } cases[] = {
        {COUNT_GLOBAL, 2, 4, {15, 12}},
        {COUNT_PER_CPU, 8, 1, {1, 2, 4, 8, 3, 3, 3, 3}},
        {COUNT_PER_CORE, 8, 1, {1, 3, 2, 3, 4, 3, 8, 3}},
        {COUNT_PER_DIE, 4, 2, {3, 6, 12, 6}},
        {COUNT_PER_SOCKET, 4, 2, {3, 6, 12, 6}},
        {COUNT_PER_NODE, 4, 2, {3, 6, 12, 6}},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena = {0};
        struct count_report report = report_of(&arena, events, 2, CELLS, cases[at].grouping);
        cr_assert_eq(report.line_count, cases[at].lines, "grouping %d", cases[at].grouping);
        for (size_t line = 0; line < report.line_count; line++) {
            cr_expect_eq(report.lines[line].value, cases[at].values[line], "grouping %d line %zu: %f",
                         cases[at].grouping, line, report.lines[line].value);
            cr_expect_eq(report.lines[line].parts, cases[at].parts);
        }
        count_report_done(&report);
        arena_done(&arena);
    }
}

Test(event_counts, multiplexed_parts_are_scaled_each_by_its_own_time)
{
    static const struct event events[] = {
        {"a", ROLE_OTHER, .readings = {COUNTED(10, 100, 50), COUNTED(10, 100, 100), COUNTED(10, 100, 10), COUNTED(0, 100, 100)}}};
    struct arena arena = {0};
    struct count_report report = report_of(&arena, events, 1, CELLS, COUNT_GLOBAL);
    cr_expect_eq(report.lines[0].value, 20 + 10 + 100);
    cr_expect_eq(report.lines[0].running_ns, 260);
    cr_expect_eq(report.lines[0].enabled_ns, 400);
    count_report_done(&report);
    arena_done(&arena);
}

Test(event_counts, a_sum_with_an_unknown_part_is_not_a_sum)
{
    static const struct {
        struct reading reading;
        enum count_status status;
    } cases[] = {
        {COUNTED(5, 100, 100), COUNT_COUNTED},
        {{READING_NOT_COUNTED, 0, 0, 100, 0}, COUNT_NOT_COUNTED}, /* enabled, never on a counter */
        {{READING_NOT_COUNTED, 0, 0, 0, 0}, COUNT_COUNTED},       /* never enabled: that thread never ran */
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct event event = {"a", ROLE_OTHER, .readings = SAME(1)};
        struct arena arena = {0};
        event.readings[2] = cases[at].reading;
        struct count_report report = report_of(&arena, &event, 1, CELLS, COUNT_GLOBAL);
        cr_expect_eq(report.lines[0].status, cases[at].status, "case %zu", at);
        count_report_done(&report);
        arena_done(&arena);
    }
}

Test(event_counts, what_could_not_be_opened_says_why)
{
    static const struct {
        int open_errno;
        enum count_status status;
    } cases[] = {{ENOENT, COUNT_NOT_SUPPORTED}, {EOPNOTSUPP, COUNT_NOT_SUPPORTED}, {EACCES, COUNT_NOT_COUNTED},
                 {EBUSY, COUNT_NOT_COUNTED}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct event event = {"a", ROLE_OTHER, .readings = {{READING_NOT_SUPPORTED, cases[at].open_errno, 0, 0, 0}}};
        struct arena arena = {0};
        struct count_report report = report_of(&arena, &event, 1, 1, COUNT_GLOBAL);
        cr_expect_eq(report.lines[0].status, cases[at].status, "%s", strerror(cases[at].open_errno));
        count_report_done(&report);
        arena_done(&arena);
    }
}

Test(event_counts, ratios_find_their_partners)
{
    static const struct event events[] = {
        {"task-clock", ROLE_CLOCK, 1e-6, .readings = {COUNTED(500000000, 9, 9)}},
        {"cycles", ROLE_CYCLES, .readings = {COUNTED(1500000000, 9, 9)}},
        {"instructions", ROLE_INSTRUCTIONS, .readings = {COUNTED(3000000000, 9, 9)}},
        {"stalled-cycles-frontend", ROLE_STALLED_FRONTEND, .readings = {COUNTED(300000000, 9, 9)}},
        {"branches", ROLE_BRANCHES, .readings = {COUNTED(100, 9, 9)}},
        {"branch-misses", ROLE_BRANCH_MISSES, .readings = {COUNTED(5, 9, 9)}},
        {"cache-misses", ROLE_CACHE_MISSES, .readings = {COUNTED(5, 9, 9)}},
    };
    struct arena arena = {0};
    struct count_report report = report_of(&arena, events, array_count(events), 1, COUNT_GLOBAL);
    const struct count_line *line = report.lines;
    cr_expect(line[0].ratios[0].kind == RATIO_CPUS_UTILIZED && fabs(line[0].ratios[0].value - 0.5) < 1e-12);
    cr_expect_eq(line[0].value, 500.0);
    cr_expect(line[1].ratios[0].kind == RATIO_GIGAHERTZ && fabs(line[1].ratios[0].value - 3) < 1e-12);
    cr_expect(line[2].ratios[0].kind == RATIO_PER_CYCLE && line[2].ratios[0].value == 2);
    cr_expect(line[2].ratios[1].kind == RATIO_STALLED_PER_INSTRUCTION && fabs(line[2].ratios[1].value - 0.1) < 1e-12);
    cr_expect(line[3].ratios[0].kind == RATIO_SHARE && fabs(line[3].ratios[0].value - 0.2) < 1e-12);
    cr_expect(line[4].ratios[0].kind == RATIO_PER_SECOND && line[4].ratios[0].value == 200);
    cr_expect(line[5].ratios[0].kind == RATIO_SHARE && line[5].ratios[0].value == 0.05);
    cr_expect_eq(line[6].ratios[0].kind, RATIO_NONE, "a share of references that nobody counted");
    count_report_done(&report);
    arena_done(&arena);
}

Test(event_counts, partners_of_the_same_group_come_first)
{
    static const struct event events[] = {
        {"cycles", ROLE_CYCLES, .group = 1, .readings = {COUNTED(100, 9, 9)}},
        {"cycles", ROLE_CYCLES, .group = 2, .readings = {COUNTED(200, 9, 9)}},
        {"instructions", ROLE_INSTRUCTIONS, .group = 2, .readings = {COUNTED(200, 9, 9)}},
    };
    struct arena arena = {0};
    struct count_report report = report_of(&arena, events, 3, 1, COUNT_GLOBAL);
    cr_expect_eq(report.lines[2].ratios[0].value, 1.0);
    count_report_done(&report);
    arena_done(&arena);
}

Test(event_counts, an_event_on_several_pmus_is_one_line)
{
    static const struct event events[] = {
        {"uncore_imc/x/", ROLE_OTHER, .readings = {COUNTED(10, 9, 9), COUNTED(20, 9, 9)}},
        {"uncore_imc/x/", ROLE_OTHER, .merged_with = 1, .readings = {COUNTED(1, 9, 9), COUNTED(2, 9, 9)}},
        {"other", ROLE_OTHER, .readings = {COUNTED(7, 9, 9), COUNTED(7, 9, 9)}},
    };
    struct arena arena = {0};
    struct count_report report = report_of(&arena, events, 3, 2, COUNT_GLOBAL);
    cr_assert_eq(report.line_count, 2);
    cr_expect_eq(report.lines[0].value, 33);
    cr_expect_eq(report.lines[1].value, 14);
    count_report_done(&report);
    report = report_of(&arena, events, 3, 2, COUNT_PER_CPU);
    cr_assert_eq(report.line_count, 4);
    cr_expect_eq(report.lines[0].value, 11);
    cr_expect_eq(report.lines[1].value, 22);
    count_report_done(&report);
    arena_done(&arena);
}

Test(event_counts, several_runs_give_a_mean_and_its_error)
{
    static const uint64_t values[] = {10, 12, 14};
    struct arena arena = {0};
    struct count_report report = {0};
    struct count_table table = {0};
    for (size_t at = 0; at < array_count(values); at++) {
        struct event events[2] = {{"a", ROLE_OTHER, .readings = {COUNTED(values[at], 100, 100)}},
                                  {"b", ROLE_OTHER, .readings = {COUNTED(7, 100, 100)}}};
        table = table_of(&arena, events, 2, 1);
        table.end_ns = values[at] * 100;
        count_report_add(&report, &table, &(struct count_options){.grouping = COUNT_GLOBAL});
    }
    count_report_finish(&report, &table);
    cr_expect_eq(report.run_count, 3);
    cr_expect_eq(report.lines[0].value, 12);
    cr_expect(fabs(report.lines[0].noise_ratio - 2 / sqrt(3) / 12) < 1e-12, "%f", report.lines[0].noise_ratio);
    cr_expect_eq(report.lines[1].noise_ratio, 0);
    cr_expect_eq(report.elapsed_ns, 1200);
    cr_expect(fabs(report.elapsed_error_ns - 200 / sqrt(3)) < 1e-9);
    count_report_done(&report);
    arena_done(&arena);
}
