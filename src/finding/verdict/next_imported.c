/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/next_imported.h"

#include "analyse/imported.h"
#include "analyse/told/told.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/imported/looks.h"
#include "finding/verdict/try_next.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

static bool has_table(const struct results *results, enum imported_kind kind)
{
    bool has = false;
    for (size_t at = 0; results->imported && at < results->imported->count; at++)
        has |= results->imported->tables[at].kind == kind;
    return has;
}

/* ---- tables that differ ---- */

struct metric_pair {
    const struct imported_row *one, *other;
    const char *one_file, *other_file;
    double apart; /* percent */
};

static void pair_with(struct metric_pair *pair, const struct imported_row *row, const struct imported_table *table,
                      const struct imported_table *before)
{
    for (size_t at = 0; at < before->count && before->kind == IMPORTED_METRICS; at++) {
        double apart = fabs(row->number - before->rows[at].number);
        if (strcmp(row->name, before->rows[at].name) == 0 && apart > pair->apart)
            *pair = (struct metric_pair){&before->rows[at], row, before->file, table->file, apart};
    }
}

/* The top-down class in which two tables are furthest apart. */
static struct metric_pair furthest_of(const struct imported *imported)
{
    struct metric_pair pair = {.apart = 0};
    for (size_t at = 1; imported && at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_METRICS; row++)
            for (size_t before = 0; before < at; before++)
                pair_with(&pair, &imported->tables[at].rows[row], &imported->tables[at], &imported->tables[before]);
    return pair;
}

static const char *differ_next(const struct results *results, struct arena *arena)
{
    static const double FAR = 20; /* percent: no two runs in one state are so far apart */
    struct metric_pair pair = furthest_of(results->imported);
    if (pair.apart < FAR)
        return NULL;
    struct value values[] = {
        VALUE_TEXT("metric", pair.one->name), VALUE_SHARE("one", interval_exactly(pair.one->number / 100)),
        VALUE_SHARE("other", interval_exactly(pair.other->number / 100)), VALUE_TEXT("file", pair.one_file),
        VALUE_TEXT("where", strcmp(pair.one_file, pair.other_file) == 0 ? "another table of it" : pair.other_file)};
    return wording_fill(arena, wording_find("verdict", "next-differ"), values, array_count(values));
}

/* ---- CPUs that stood idle ---- */

static const double MOSTLY_IDLE = 75; /* percent */

/* One that computes on one CPU, while the others have nothing to do. */
static const char *busy_next(const struct results *results, struct arena *arena)
{
    static const double WHOLE = 90; /* percent of a CPU */
    const char *file = NULL;
    const struct imported_row *busy =
        results->imported ? imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_BUSIEST_PROCESS, &file) : NULL;
    if (!busy || busy->number < WHOLE || has_table(results, IMPORTED_REPORT))
        return NULL;
    struct value values[] = {VALUE_TEXT("process", busy->where), VALUE_TEXT("file", file),
                             VALUE_SHARE("share", interval_exactly(busy->number / 100))};
    return wording_fill(arena, wording_find("verdict", "next-busy"), values, array_count(values));
}

/* Of other CPUs and of a device that was busy, which it is not waiting for, as far as that is told. */
static const char *beside_computing(const struct results *results, struct arena *arena)
{
    const struct imported_row *device = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_DEVICE_SHORT, NULL);
    struct measured idle = imported_number(results->imported, IMPORTED_SYSTEM, SHARE_IDLE_OF_ALL, NULL);
    const char *words = "";
    if (idle.known && idle.value >= MOSTLY_IDLE)
        words = arena_printf(arena, ", while all CPUs together stand idle for %.3g %%", idle.value);
    if (device)
        words = arena_printf(arena, "%s. That the disk had requests for %.3g %% of the time (%s) is no limit of it",
                             words, device->number, device->where);
    return words;
}

const char *imported_computing_words(const struct results *results, struct arena *arena)
{
    const char *file = NULL;
    const struct imported_row *off =
        results->imported ? imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_NOT_COMPUTED, &file) : NULL;
    if (!off || off->number / 100 >= results->effect || has_table(results, IMPORTED_REPORT))
        return NULL;
    struct value values[] = {VALUE_TEXT("process", off->where), VALUE_TEXT("file", file),
                             VALUE_SHARE("share", interval_exactly(1 - off->number / 100)),
                             VALUE_TEXT("origin", IMPORTED_WORDS),
                             VALUE_TEXT("beside", beside_computing(results, arena))};
    return wording_fill(arena, wording_find("verdict", "why-computes"), values, array_count(values));
}

static const char *idle_next(const struct results *results, struct arena *arena)
{
    const char *file = NULL;
    struct measured idle = results->imported
                               ? imported_number(results->imported, IMPORTED_SYSTEM, SHARE_IDLE_OF_ALL, &file)
                               : not_measured("nothing was imported");
    if (!idle.known || idle.value < MOSTLY_IDLE || imported_looks_advice(results) || busy_next(results, arena) ||
        has_table(results, IMPORTED_REPORT) || has_table(results, IMPORTED_STAT) ||
        has_table(results, IMPORTED_METRICS))
        return NULL;
    struct value values[] = {VALUE_SHARE("share", interval_exactly(idle.value / 100)), VALUE_TEXT("file", file)};
    return wording_fill(arena, wording_find("verdict", "next-idle"), values, array_count(values));
}

/* ---- wide vectors that are told of, and whose clock nobody counted ---- */

static const char *licence_next(const struct results *results, struct arena *arena)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = results->imported ? imported_arms_of(results->imported, arms) : 0;
    bool is_counted = false;
    for (size_t at = 0; at < count; at++)
        is_counted |= imported_arm_row(&arms[at], "core_power.lvl1_turbo_license") ||
                      imported_arm_row(&arms[at], "core_power.lvl2_turbo_license");
    return count && !is_counted && results->told && results->told->names_wide ? wording_find("verdict", "next-licence")
                                                                              : NULL;
}

/* ---- two guests ---- */

/* A gap of a guest, of which nobody counted how often it leaves. */
static const char *exits_next(const struct results *results, struct arena *arena)
{
    (void)arena;
    const struct told *told = results->told;
    return told && told->gap.known && told->names_guest && !has_table(results, IMPORTED_EXITS)
               ? wording_find("verdict", "next-exits")
               : NULL;
}

/* Nor what either of them executes. */
static const char *guests_next(const struct results *results, struct arena *arena)
{
    (void)arena;
    const struct told *told = results->told;
    return told && told->gap.known && told->names_guest && !has_table(results, IMPORTED_STAT) &&
                   !has_table(results, IMPORTED_METRICS)
               ? wording_find("verdict", "next-guests")
               : NULL;
}

/* ---- a difference that may be chance ---- */

static const char *repeat_next(const struct results *results, struct arena *arena)
{
    static const double SMALL = 0.05; /* of the time */
    struct imported_two two;
    if (!results->imported || !imported_two_of(results->imported, &two) || !(two.gap > 0) || two.gap > SMALL ||
        imported_spread_of(results->imported).known)
        return NULL;
    struct value values[] = {VALUE_TEXT("slow", two.slow->name), VALUE_TEXT("fast", two.fast->name),
                             VALUE_TEXT("gap", arena_printf(arena, "%.2g %%", two.gap * 100))};
    return wording_fill(arena, wording_find("verdict", "next-repeat"), values, array_count(values));
}

/* ---- counts that say how fast, and not why ---- */

static const char *counts_next(const struct results *results, struct arena *arena)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = results->imported ? imported_arms_of(results->imported, arms) : 0;
    struct measured rate = not_measured("nothing was counted");
    for (size_t at = 0; at < count && !rate.known; at++)
        rate = measured_ratio(imported_arm_count(&arms[at], "instructions"), imported_arm_count(&arms[at], "cycles"));
    if (!rate.known || has_table(results, IMPORTED_METRICS))
        return NULL;
    struct value values[] = {VALUE_TEXT("rate", arena_printf(arena, "%.2f", rate.value))};
    return wording_fill(arena, wording_find("verdict", "next-counts"), values, array_count(values));
}

/* ---- stacks that somebody looked at ---- */

static const char *looks_next(const struct results *results, struct arena *arena)
{
    (void)arena;
    return imported_looks_advice(results);
}

/* ---- nobody looked at the code ---- */

static const char *profile_next(const struct results *results, struct arena *arena)
{
    return has_table(results, IMPORTED_REPORT) || has_table(results, IMPORTED_ANNOTATE) || busy_next(results, arena) ||
                   idle_next(results, arena) || imported_looks_advice(results) || imported_command_advice(results)
               ? NULL
               : wording_find("verdict", "next-profile");
}

/* ---- a function alone ---- */

static const char *hot_next(const struct results *results, struct arena *arena)
{
    struct imported_hot hot = results->imported ? imported_hot_of(results->imported) : (struct imported_hot){0};
    static const char compiled[] = "RegExp:"; /* as V8 names the code that it makes of a regular expression */
    if (hot.function && strncmp(hot.function, compiled, strlen(compiled)) == 0)
        return wording_find("common", "advice-regexp");
    if (!hot.function || has_table(results, IMPORTED_ANNOTATE))
        return NULL;
    struct value values[] = {VALUE_TEXT("function", name_for_sentence(hot.function, arena))};
    return wording_fill(arena, wording_find("verdict", "next-hot"), values, array_count(values));
}

void advise_on_imported(struct overall *overall, const struct results *results, struct arena *arena)
{
    enum { STEPS_MOST = 2 };
    static const char *(*const nexts[])(const struct results *, struct arena *) = {
        looks_next, differ_next, busy_next,   idle_next, licence_next, repeat_next,
        exits_next, guests_next, counts_next, hot_next,  profile_next};
    size_t given = 0;
    for (size_t at = 0; at < array_count(nexts) && given < STEPS_MOST; at++) {
        const char *words = nexts[at](results, arena);
        if (words)
            advise(overall, words);
        given += words != NULL;
    }
}
