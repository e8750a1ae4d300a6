/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "experiment/saved_runs.h"

#include <math.h>

static const char plumb_text[] =
    "{\"schema\":\"plumb-compare-2\",\"surroundings\":{\"cpu\":\"x\"},\"arms\":["
    "{\"label\":\"A\",\"command\":\"a b\",\"runs\":{\"wall\":[1,2,null],\"cpu\":[0.5,0.6,0.7]}},"
    "{\"label\":\"B\",\"command\":\"c\",\"failed_runs\":2,\"runs\":{\"wall\":[3]}},{\"label\":\"A again\",\"again\":true,\"runs\":{}}]}";
static const char hyperfine_text[] = "{\"results\":[{\"command\":\"s\",\"times\":[0.1,0.2],\"memory_usage_byte\":[7,8],\"exit_codes\":[0,null]}]}";
static const char hyperfine_2_text[] = "{\"results\":[{\"command\":\"s\",\"measurements\":"
                                       "[{\"time_wall_clock\":{\"value\":0.5,\"unit\":\"s\"}},{}]}]}";
static const char perf_text[] =
    "{\"counter-value\" : \"2.5\", \"unit\" : \"msec\", \"event\" : \"task-clock\"}\n"
    "{\"counter-value\" : \"<not supported>\", \"event\" : \"cycles\"}\n{\"counter-value\" : \"0.5e8248\", \"event\" : \"task-clock\"}\n"
    "{\"counter-value\" : 3.5, \"event\" : \"task-clock:u\"}\n{\"counter-value\" : \"1\", \"event\" : \"unheard-of\"}\n";

static struct saved_runs parse(const char *text)
{
    struct saved_runs runs;
    struct error err = {0};
    saved_runs_init(&runs);
    cr_assert(saved_runs_parse(&runs, view_of(text), "dir/file.json", &err), "%s", err.message);
    return runs;
}

Test(saved_runs, plumbs_own)
{
    struct saved_runs runs = parse(plumb_text);
    cr_assert_eq(runs.arm_count, 2, "a second run of A is no arm of its own");
    cr_assert_str_eq(runs.arms[0].command, "a b");
    cr_assert(runs.arms[0].has_surroundings);
    cr_assert(saved_runs_are_paired(&runs), "made in blocks");
    struct run_table table;
    saved_runs_table(&runs, &table);
    cr_assert_eq(table.block_count, 3);
    cr_assert(table.arms[0].failed_runs == 0 && table.arms[1].failed_runs == 2);
    double a[3], b[3];
    cr_assert_eq(run_table_column(&table, 0, CHILD_WALL, a), 2);
    cr_assert_eq(run_table_column(&table, 0, CHILD_CPU, a), 3);
    cr_assert(run_table_column(&table, 1, CHILD_WALL, b) == 1 && b[0] == 3);
    cr_assert_str_eq(run_table_why_not(&table, 1, CHILD_CPU), "one of the files doesn't have it");
    run_table_done(&table);
    saved_runs_done(&runs);
}

Test(saved_runs, those_of_others)
{
    struct saved_runs runs = parse(hyperfine_text);
    cr_assert_str_eq(runs.arms[0].label, "file.json");
    cr_assert(runs.arms[0].counts[CHILD_WALL] == 2 && runs.arms[0].values[CHILD_RSS_MOST][1].value == 8);
    cr_assert_eq(runs.arms[0].failed_runs, 1, "one was killed");
    cr_assert_not(runs.arms[0].has_surroundings);
    saved_runs_done(&runs);
    runs = parse(hyperfine_2_text);
    cr_assert(runs.arms[0].counts[CHILD_WALL] == 2 && runs.arms[0].values[CHILD_WALL][0].value == 0.5);
    cr_assert_not(runs.arms[0].values[CHILD_WALL][1].known);
    saved_runs_done(&runs);
    runs = parse(perf_text);
    cr_assert_eq(runs.arms[0].counts[CHILD_CPU], 2);
    cr_assert(fabs(runs.arms[0].values[CHILD_CPU][1].value - 0.0035) < 1e-12, "milliseconds become seconds");
    saved_runs_done(&runs);
}

Test(saved_runs, what_is_none_of_them_is_refused)
{
    static const char *const cases[] = {"", "{", "{}", "[]", "{\"results\":[]}", "{\"results\":[{\"command\":\"x\"}]}",
                                        "{\"schema\":\"plumb-compare-2\"}", "{\"counter-value\" : \"1\", \"event\" : \"none\"}",
                                        "{\"counter-value\" : \"1\" \"event\"}"};
    for (size_t at = 0; at < array_count(cases); at++) {
        scoped(saved_runs_done) struct saved_runs runs;
        struct error err = {0};
        saved_runs_init(&runs);
        cr_assert_not(saved_runs_parse(&runs, view_of(cases[at]), "file", &err), "%s", cases[at]);
        cr_assert(err.kind == ERROR_FORMAT && strstr(err.message, "file"), "%s: %s", cases[at], err.message);
    }
}
