/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which line do threads fight over, at which of its bytes and in which code, by perf c2c's lists? */
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/imported/fact_words.h"

#include <math.h>
#include <string.h>

/* As source/import/tools/import_c2c calls each of them. */
static const char line_named[] = "line 0x";

/* 0: it is no table of counts by key */
static double hits_of(const struct imported_table *table)
{
    double sum = 0;
    for (size_t row = 0; row < table->count && table->kind == IMPORTED_MAP; row++)
        sum += table->rows[row].number;
    return sum;
}

/* The line with most of the hits of its table, and its share of them (0..1); NULL: none is told. */
static const struct imported_row *line_hottest(const struct imported *imported, double *ret_share,
                                               const char **ret_file)
{
    const struct imported_row *hottest = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        double sum = hits_of(table);
        for (size_t row = 0; row < table->count && sum > 0; row++) {
            const struct imported_row *here = &table->rows[row];
            if (strncmp(here->name, line_named, sizeof(line_named) - 1) != 0 ||
                (hottest && here->number <= hottest->number))
                continue;
            hottest = here;
            *ret_share = here->number / sum;
            *ret_file = table->file;
        }
    }
    return hottest;
}

bool imported_shared_lines_test(const struct results *results, struct finding *finding)
{
    static const char loads[] = SHARE_HITM_OF_SHARED;
    const char *file;
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, loads, &file);
    if (!row || row->number / 100 < results->effect)
        return false;
    struct interval share = interval_exactly(row->number / 100);
    finding_decide_fact(finding, share, results->effect);
    finding->recoverable = (struct interval){0}; /* a share of loads, not of time */
    finding->of = OF_CPU_TIME;
    finding->is_own_doing = true;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    imported_say(finding, imported_fact_words(loads), share, file);
    imported_advise_all(finding);
    return true;
}

/* ---- at which of its bytes ---- */

/*
 * BETWEEN: each of several places is one function's, whatever threads run that; WRITTEN: each is written by one
 * function and read by others.
 */
enum sharing { SHARING_UNKNOWN, SHARING_ONE, SHARING_APART, SHARING_BETWEEN, SHARING_WRITTEN };

struct offsets {
    enum sharing sharing;
    const char *words; /* "offset 0x0, which 32 CPUs use" */
};

static bool is_same(struct view one, struct view other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

/* A place of the line: parts (0..1) of what hit changed copies there and of what was written. */
struct place {
    struct view offset, user, writer; /* "take at pool.c:31", "put"; length 0: several, or not told */
    uint64_t cpus;
    double hits, stores;
};

enum { PLACES_MOST = 32 };

struct places {
    struct place items[PLACES_MOST];
    size_t count;
    bool are_stores_told;
};

/* "take at pool.c:31" of "by 1 CPUs in take at pool.c:31" */
static struct view behind_in(struct view rest)
{
    ptrdiff_t in = view_find(rest, " in ");
    return in < 0 ? (struct view){0} : view_skip(rest, (size_t)in + 4);
}

/*
 * "offset 0x8 of line 0x4052c0 by 1 CPUs in take at pool.c:31" and "stores at offset 0x8 of line 0x4052c0 in put", as
 * source/import/tools/import_c2c has them.
 */
static bool place_read(const char *name, const char *line, struct place *ret_place, bool *ret_of_stores)
{
    struct view rest = view_of(name);
    *ret_of_stores = view_starts(rest, "stores at ");
    rest = view_skip(rest, *ret_of_stores ? strlen("stores at ") : 0);
    if (!view_equal(view_word(&rest), "offset"))
        return false;
    *ret_place = (struct place){.offset = view_word(&rest)};
    rest = view_trim(rest);
    if (!view_starts(rest, "of ") || !view_starts(view_skip(rest, 3), line))
        return false;
    rest = view_skip(rest, 3 + strlen(line));
    struct view behind = behind_in(rest);
    if (*ret_of_stores)
        ret_place->writer = behind;
    else
        ret_place->user = behind;
    return *ret_of_stores || (view_equal(view_word(&rest), "by") && view_u64(view_word(&rest), 10, &ret_place->cpus));
}

static void place_add(struct places *places, const struct place *read, double part, bool of_stores)
{
    size_t at = 0;
    while (at < places->count && !is_same(places->items[at].offset, read->offset))
        at++;
    if (at == PLACES_MOST)
        return;
    if (at == places->count)
        places->items[places->count++] = *read;
    struct place *place = &places->items[at];
    place->writer = of_stores ? read->writer : place->writer;
    *(of_stores ? &place->stores : &place->hits) = part;
    places->are_stores_told |= of_stores;
}

/* "0x8 by take at pool.c:31", "0x8 written by put", "0x8" */
static const char *place_words(const struct place *place, struct arena *arena)
{
    struct view who = place->user.length ? place->user : place->writer;
    return arena_printf(arena, "%.*s%s%.*s", (int)place->offset.length, place->offset.text,
                        place->user.length ? " by "
                        : who.length       ? " written by "
                                           : "",
                        (int)who.length, who.length ? who.text : "");
}

/* The function alone, without the line of its source. */
static struct view function_of_user(struct view user)
{
    ptrdiff_t at = view_find(user, " at ");
    return at < 0 ? user : (struct view){user.text, (size_t)at};
}

/* Of each place one function alone is known that uses it (of_writers: that writes there), and no two have the same. */
static bool are_apart(const struct places *places, bool of_writers)
{
    for (size_t at = 0; at < places->count; at++) {
        struct view one = of_writers ? places->items[at].writer : function_of_user(places->items[at].user);
        if (!one.length)
            return false;
        for (size_t other = 0; other < at; other++)
            if (is_same(one, of_writers ? places->items[other].writer : function_of_user(places->items[other].user)))
                return false;
    }
    return true;
}

/* Those with much of either; of a listing without stores by hits alone. */
static struct places places_of(const struct imported *imported, const char *line)
{
    static const double LEAST = 0.05;
    struct places all = {.count = 0}, places;
    struct place read;
    bool of_stores;
    for (size_t at = 0; at < imported->count; at++) {
        double sum = hits_of(&imported->tables[at]);
        for (size_t row = 0; row < imported->tables[at].count && sum > 0; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            if (place_read(here->name, line, &read, &of_stores))
                place_add(&all, &read, here->number / sum, of_stores);
        }
    }
    places = (struct places){.are_stores_told = all.are_stores_told};
    for (size_t at = 0; at < all.count; at++)
        if (fmax(all.items[at].hits, all.items[at].stores) >= LEAST)
            places.items[places.count++] = all.items[at];
    return places;
}

/* One place that many CPUs use is one variable; places that one CPU each uses are variables of their own. */
static struct offsets offsets_of(const struct imported *imported, const char *line, struct arena *arena)
{
    static const double ALL = 0.95;
    struct places places = places_of(imported, line);
    const struct place *first = &places.items[0];
    const char *names = NULL;
    size_t alone = 0;
    for (size_t at = 0; at < places.count; at++) {
        alone += places.items[at].cpus == 1;
        names =
            arena_printf(arena, "%s%s%s", names ? names : "", names ? ", " : "", place_words(&places.items[at], arena));
    }
    if (places.count == 1 && first->hits >= ALL && (!places.are_stores_told || first->stores >= ALL) && first->cpus > 1)
        return (struct offsets){SHARING_ONE,
                                arena_printf(arena, "offset %.*s, which %.0f CPUs use", (int)first->offset.length,
                                             first->offset.text, (double)first->cpus)};
    enum sharing sharing = places.count < 2            ? SHARING_UNKNOWN
                           : alone == places.count     ? SHARING_APART
                           : are_apart(&places, false) ? SHARING_BETWEEN
                           : are_apart(&places, true)  ? SHARING_WRITTEN
                                                       : SHARING_UNKNOWN;
    return (struct offsets){sharing, names};
}

/* ---- and in which code ---- */

/* The function with most of these loads, by perf c2c's own list; NULL: none is told, or it has less than half. */
static const struct imported_row *function_at(const struct imported *imported)
{
    static const double MOST_OF = 50;
    const struct imported_row *most = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT; row++)
            if (strcmp(table->event, "HITM") == 0 && table->rows[row].number >= MOST_OF &&
                (!most || table->rows[row].number > most->number))
                most = &table->rows[row];
    }
    return most;
}

/* The share of the time, 0..1, that a profile of it gives to that function; 0: none does. */
static double time_in(const struct imported *imported, const char *function, const char **ret_file)
{
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT; row++)
            if (strstr(table->event, "cycles") && strcmp(table->rows[row].name, function) == 0) {
                *ret_file = table->file;
                return table->rows[row].number / 100;
            }
    }
    return 0;
}

/* What waits for the line is no more than what its code takes: that bounds a fact that nothing bounded so far. */
static void time_add(const struct results *results, struct finding *finding, const struct imported_row *function)
{
    const char *file = "";
    double share = function ? time_in(results->imported, function->name, &file) : 0;
    if (finding->recoverable.known || share < results->effect)
        return;
    finding_decide_fact(finding, interval_exactly(share), results->effect);
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-line-time",
                     VALUE_TEXT("function", function->name), VALUE_SHARE("share", interval_exactly(share)),
                     VALUE_SHARE("held", interval_exactly(function->number / 100)), VALUE_TEXT("file", file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* Whether it is one variable or several of one line. */
static void offsets_add(struct finding *finding, const struct offsets *offsets, const char *file)
{
    struct value values[] = {VALUE_TEXT("headline", finding->headline ? finding->headline : finding->hypothesis->title),
                             VALUE_TEXT("offsets", offsets->words ? offsets->words : ""), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    static const struct {
        const char *evidence, *headline, *advice; /* NULL: as any */
    } kinds[] = {[SHARING_ONE] = {"imported-line-one", "imported-one-headline", NULL},
                 [SHARING_APART] = {"imported-line-apart", "imported-apart-headline", "advice-apart"},
                 [SHARING_BETWEEN] = {"imported-line-between", "imported-between-headline", "advice-between"},
                 [SHARING_WRITTEN] = {"imported-line-written", "imported-written-headline", "advice-written"}};
    if (offsets->sharing == SHARING_UNKNOWN)
        return;
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, kinds[offsets->sharing].evidence, values,
                         array_count(values));
    finding_set_add(finding, &finding->headline, kinds[offsets->sharing].headline, values, array_count(values));
    if (!kinds[offsets->sharing].advice)
        return;
    finding_readvise(finding, kinds[offsets->sharing].advice, NO_VALUES);
    finding_set(finding, confirm, "confirm-apart", NO_VALUES);
}

/* The line, the code at it, and the variables there. */
static void line_say(const struct results *results, struct finding *finding, const struct imported_row *line,
                     double share, const char *file)
{
    static const double MOST_OF = 0.5;
    struct value name = VALUE_TEXT("line", line->name), part = VALUE_SHARE("share", interval_exactly(share));
    bool supported = finding->verdict == VERDICT_SUPPORTED;
    finding_evidence(finding, supported ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-line-shared", name,
                     part, VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS));
    if (share < MOST_OF || !finding->headline || !supported)
        return;
    struct offsets offsets = offsets_of(results->imported, line->name, finding->arena);
    finding_set(finding, headline, "imported-line-headline", VALUE_TEXT("headline", finding->headline), name, part);
    offsets_add(finding, &offsets, file);
    time_add(results, finding, function_at(results->imported));
}

/*
 * The instruction that waits stands behind an atomic one, in the function that fights over one variable: it is that
 * one, and the line is what it waits for.
 */
static void atomic_decide(const struct results *results, struct finding *finding, const struct imported_row *line,
                          double share, const char *file)
{
    static const double MOST_OF = 0.5;
    struct offsets offsets = offsets_of(results->imported, line->name, finding->arena);
    const struct imported_row *function = function_at(results->imported);
    bool is_there = finding->verdict == VERDICT_UNDECIDED && finding->subject && finding->function && function &&
                    strcmp(finding->function, function->name) == 0;
    if (!is_there || offsets.sharing != SHARING_ONE || share < MOST_OF)
        return;
    finding->verdict = VERDICT_SUPPORTED;
    finding->gain_unmeasured = finding->is_within_first = true;
    finding->of = OF_CPU_TIME;
    finding->evidence_count = 0;
    finding->reason = NULL;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    struct value values[] = {VALUE_TEXT("line", finding->subject),
                             VALUE_TEXT("shared", line->name),
                             VALUE_TEXT("function", function->name),
                             VALUE_TEXT("offsets", offsets.words),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-atomic-shared", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-atomic-headline", values, array_count(values));
    time_add(results, finding, function);
    imported_advise_all(finding);
}

void imported_shared_line_add(const struct results *results, struct finding *finding)
{
    double share = 0;
    const char *file = NULL;
    bool of_lines = finding_is(finding, "contended-lines"), of_atomics = finding_is(finding, "atomics");
    const struct imported_row *line = (of_lines || of_atomics) && finding->verdict != VERDICT_RULED_OUT
                                          ? line_hottest(results->imported, &share, &file)
                                          : NULL;
    if (line && of_lines)
        line_say(results, finding, line, share, file);
    else if (line)
        atomic_decide(results, finding, line, share, file);
}
