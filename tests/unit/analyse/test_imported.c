/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/imported.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>

enum { RUNS = 8, NAMES_MOST = 8 };

struct change {
    const char *name;
    double before, after;
};

/* Runs of each name in turns, a percent apart. */
static struct imported_table runs_of(const struct change *changes, size_t count, bool after, struct arena *arena)
{
    struct imported_row *rows = arena_array(arena, struct imported_row, count * RUNS + 1);
    for (size_t at = 0; at < count * RUNS; at++) {
        const struct change *change = &changes[at % count];
        rows[at] = (struct imported_row){.name = change->name, .where = "", .number = (after ? change->after : change->before) * (1 + 0.01 * (double)(at / count))};
    }
    return (struct imported_table){.kind = IMPORTED_RUNS, .file = after ? "after" : "before", .rows = rows, .count = count * RUNS, .heading = "", .event = ""};
}

static struct imported_gain gain_of(const struct change *changes, size_t count, struct arena *arena)
{
    struct imported_table tables[] = {runs_of(changes, count, false, arena), runs_of(changes, count, true, arena)};
    const struct imported imported = {tables, array_count(tables)};
    return imported_gain_of(&imported);
}

Test(imported, less_than_half_the_time_is_a_larger_change_than_twice_the_time)
{
    static const struct change changes[] = {{"doubled", 1, 2}, {"same", 1, 1}, {"less", 1, 0.45}};
    struct arena arena;
    arena_init(&arena);
    struct imported_gain gain = gain_of(changes, array_count(changes), &arena);
    cr_assert(gain.known);
    cr_expect_str_eq(gain.name, "less");
    cr_expect_float_eq(gain.ratio, 0.45, 1e-9);
    cr_expect_eq(gain.before_count, (size_t)RUNS);
    arena_done(&arena);
}

/* Of several names the one that changed most was chosen: its interval is one of those that hold together. */
Test(imported, the_largest_of_several_changes_has_a_wider_interval)
{
    static const struct change changes[NAMES_MOST] = {{"a", 1, 0.5}, {"b", 1, 1}, {"c", 1, 1}, {"d", 1, 1}, {"e", 1, 1}, {"f", 1, 1}, {"g", 1, 1}, {"h", 1, 1}};
    struct arena arena;
    arena_init(&arena);
    struct imported_gain alone = gain_of(changes, 1, &arena), chosen = gain_of(changes, NAMES_MOST, &arena);
    cr_assert(alone.interval.known && chosen.interval.known);
    cr_expect_str_eq(chosen.name, "a");
    cr_expect_float_eq(alone.ratio, chosen.ratio, 1e-9);
    cr_expect(chosen.interval.low < alone.interval.low && chosen.interval.high > alone.interval.high);
    arena_done(&arena);
}

/* A name's runs are compared once, not once for each of them: that takes minutes. */
Test(imported, many_runs_of_one_name_are_compared_once, .timeout = 30)
{
    enum { MANY = 1400 };
    struct arena arena;
    arena_init(&arena);
    struct imported_table tables[2];
    for (size_t table = 0; table < 2; table++) {
        struct imported_row *rows = arena_array(&arena, struct imported_row, MANY);
        for (size_t at = 0; at < MANY; at++)
            rows[at] = (struct imported_row){.name = "x", .where = "", .number = 1 + (double)table + 0.0001 * (double)(at * 7919 % MANY)};
        tables[table] = (struct imported_table){.kind = IMPORTED_RUNS, .file = "f", .rows = rows, .count = MANY, .heading = "", .event = ""};
    }
    const struct imported imported = {tables, 2};
    struct imported_gain gain = imported_gain_of(&imported);
    cr_assert(gain.known && gain.interval.known);
    cr_expect(gain.interval.low < gain.ratio && gain.ratio < gain.interval.high);
    arena_done(&arena);
}

/* Cases that don't say for how long something was counted mean all the time. */
Test(imported, a_count_without_its_share_of_the_time_was_counted_all_of_it)
{
    static const char text[] = "{\"imports\": [{\"kind\": \"perf stat\", \"rows\": [{\"name\": \"cycles\", \"number\": 5}, {\"name\": \"branches\", \"number\": 7, \"running_ratio\": 0}]}]}";
    struct arena arena;
    struct imported imported;
    scoped_json struct json_document *document = NULL;
    struct error err = {0};
    arena_init(&arena);
    cr_assert(json_document_parse(&document, view_of(text), &err));
    cr_assert(imported_read(&imported, json_root(document), &arena, &err));
    const struct imported_arm arm = {.table = &imported.tables[0]};
    struct measured cycles = imported_arm_count(&arm, "cycles"), branches = imported_arm_count(&arm, "branches");
    cr_expect(cycles.known && fabs(cycles.value - 5) < 1e-9);
    cr_expect_not(branches.known);
    arena_done(&arena);
}
