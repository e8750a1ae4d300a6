/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the time did a limit of CPU time hold a control group back, by what the kernel counts of it (cpu.stat)?
 *
 * These counts only grow: two looks at one group tell of the time between them, one look of all the time since the
 * group exists, which bounds nothing of the time that is asked about, unless it was never held back. The time that it
 * stood is added up over its CPUs: a bound, never a share of the time that passed.
 * Does not support: which of several groups it is about, but by the files' names.
 */
#include "base/group_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* What was counted at one look, or between two; negative: not told. */
struct look {
    double periods, stopped, stood_s, used_s;
    const char *file, *heading; /* heading: what stands above it; "": nothing */
};

struct limit {
    double quota_s, period_s; /* quota 0: not told */
};

static double count_in(const struct imported_table *table, const char *name)
{
    for (size_t row = 0; row < table->count; row++)
        if (strcmp(table->rows[row].name, name) == 0)
            return table->rows[row].number;
    return -1;
}

static double seconds_in(const struct imported_table *table, const char *name)
{
    double us = count_in(table, name);
    return us < 0 ? us : 1e-6 * us;
}

static struct look look_of(const struct imported_table *table)
{
    return (struct look){count_in(table, GROUP_PERIODS),
                         count_in(table, GROUP_THROTTLED),
                         seconds_in(table, GROUP_THROTTLED_US),
                         seconds_in(table, GROUP_USED_US),
                         table->file,
                         table->heading};
}

/* Of several that differ it isn't known whose each is. */
static struct limit limit_of(const struct imported *imported)
{
    struct limit limit = {.period_s = 0.1}; /* the kernel's own */
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        double quota_s = seconds_in(table, GROUP_QUOTA_US), period_s = seconds_in(table, GROUP_PERIOD_US);
        if (table->kind != IMPORTED_GROUP || !(quota_s > 0) || !(period_s > 0))
            continue;
        if (limit.quota_s > 0 && (quota_s * limit.period_s < limit.quota_s * period_s ||
                                  quota_s * limit.period_s > limit.quota_s * period_s))
            return (struct limit){.period_s = limit.period_s};
        limit = (struct limit){quota_s, period_s};
    }
    return limit;
}

/* ---- two looks at one group ---- */

/* "before", "after", "t0", "2" behind "cpu.stat": when it was looked at, and not whose group it is. */
static bool is_of_order(const char *word, size_t length, const char *before, size_t before_length)
{
    static const char *const orders[] = {"before", "after", "start", "end", "begin",   "first",
                                         "second", "last",  "then",  "now", "earlier", "later"};
    for (size_t at = 0; at < array_count(orders); at++)
        if (strlen(orders[at]) == length && strncasecmp(word, orders[at], length) == 0)
            return true;
    size_t letter = length && tolower((unsigned char)word[0]) == 't', digits = letter;
    while (digits < length && isdigit((unsigned char)word[digits]))
        digits++;
    bool is_behind_stat = before_length >= strlen("stat") &&
                          strncasecmp(before + before_length - strlen("stat"), "stat", strlen("stat")) == 0;
    return digits == length && length > letter && (letter || is_behind_stat);
}

/* The name without the words of an order and what stands between words. */
static const char *name_without_order(const char *name, struct arena *arena)
{
    const char *rest = "", *last = "";
    size_t last_length = 0;
    for (const char *at = name; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]))
            length++;
        /* "stat1": a word, and a number behind it */
        size_t letters = length;
        while (letters && isdigit((unsigned char)at[letters - 1]))
            letters--;
        length = letters > 1 && letters < length ? letters : length;
        if (length && !is_of_order(at, length, last, last_length))
            rest = arena_printf(arena, "%s.%.*s", rest, (int)length, at);
        last = length ? at : last;
        last_length = length ? length : last_length;
        at += length ? length : 1;
    }
    return rest;
}

static bool may_grow(double first, double last)
{
    return (first < 0) == (last < 0) && last >= first;
}

/* All that it counts grew, and not faster than periods pass. */
static bool is_later(const struct look *first, const struct look *last)
{
    return last->periods > first->periods && may_grow(first->stopped, last->stopped) &&
           last->stopped - first->stopped <= last->periods - first->periods &&
           may_grow(first->stood_s, last->stood_s) && may_grow(first->used_s, last->used_s);
}

/* "60 s", "2min", "12:05" */
static bool is_time_at(const char *text)
{
    static const char *const units[] = {"s", "sec", "seconds", "m", "min", "minute", "minutes", "h", "hour", "hours"};
    size_t digits = strspn(text, "0123456789.");
    const char *unit = text + digits + (text[digits] == ' ');
    size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    if (text[digits] == ':' && isdigit((unsigned char)text[digits + 1]))
        return digits > 0;
    for (size_t at = 0; digits && at < array_count(units); at++)
        if (strlen(units[at]) == length && strncmp(unit, units[at], length) == 0)
            return true;
    return false;
}

static size_t letters_in(const char *text)
{
    size_t letters = 0;
    for (; *text; text++)
        letters += isalnum((unsigned char)*text) != 0;
    return letters;
}

/* "40 s later", "before": it tells of a time, and of which group isn't said anew. */
static bool tells_time(const char *heading, struct arena *arena)
{
    for (const char *at = heading; *at; at++)
        if ((at == heading || !isalnum((unsigned char)at[-1])) && is_time_at(at))
            return true;
    return letters_in(name_without_order(heading, arena)) < letters_in(heading);
}

/* By the files' names, and in one file by what stands above: "pod A" and "pod B" are two. */
static bool are_of_one(const struct look *one, const struct look *other, struct arena *arena)
{
    if (strcmp(one->file, other->file) != 0)
        return strcmp(name_without_order(one->file, arena), name_without_order(other->file, arena)) == 0;
    return !one->heading[0] || !other->heading[0] || strcmp(one->heading, other->heading) == 0 ||
           tells_time(one->heading, arena) || tells_time(other->heading, arena);
}

enum { LOOKS_MOST = 64 };

static size_t looks_of(const struct imported *imported, struct look ret_looks[LOOKS_MOST])
{
    size_t count = 0;
    for (size_t at = 0; at < imported->count && count < LOOKS_MOST; at++) {
        struct look look = look_of(&imported->tables[at]);
        if (imported->tables[at].kind == IMPORTED_GROUP && look.periods > 0 && look.stopped >= 0)
            ret_looks[count++] = look;
    }
    return count;
}

/* Of several groups the one that was held back most. */
static const struct look *held_most(const struct look *looks, size_t count)
{
    const struct look *most = looks;
    for (size_t at = 1; at < count; at++)
        if (looks[at].stopped * most->periods >= most->stopped * looks[at].periods)
            most = &looks[at];
    return most;
}

static double grown(double first, double last)
{
    return first < 0 ? -1 : last - first;
}

/* Between the first look and the last one; false: there is one, or they are of several groups. */
static bool between(const struct look *looks, size_t count, struct arena *arena, struct look *ret)
{
    const struct look *first = looks, *last = looks;
    for (size_t at = 1; at < count; at++) {
        first = looks[at].periods < first->periods ? &looks[at] : first;
        last = looks[at].periods > last->periods ? &looks[at] : last;
    }
    for (size_t at = 0; at < count; at++)
        if (!are_of_one(&looks[at], first, arena) || (&looks[at] != first && !is_later(first, &looks[at])) ||
            (&looks[at] != last && !is_later(&looks[at], last)))
            return false;
    *ret = (struct look){
        last->periods - first->periods, last->stopped - first->stopped, grown(first->stood_s, last->stood_s),
        grown(first->used_s, last->used_s),
        strcmp(first->file, last->file) == 0 ? first->file : arena_printf(arena, "%s and %s", first->file, last->file)};
    return count > 1;
}

/* ---- in words ---- */

static const char *stood_words(const struct look *look, struct arena *arena)
{
    return look->stood_s < 0
               ? ""
               : arena_printf(arena, ", for %.*f s summed over its CPUs", look->stood_s < 10, look->stood_s);
}

static const char *cpus_words(double cpus, struct arena *arena)
{
    return arena_printf(arena, "%.3g CPU%s", cpus, cpus < 1 || cpus > 1 ? "s" : "");
}

/* What it used in these periods, held against what it may. */
static const char *used_words(const struct look *look, const struct limit *limit, struct arena *arena)
{
    double used = look->used_s < 0 ? 0 : look->used_s / (look->periods * limit->period_s),
           may = limit->quota_s / limit->period_s;
    return used > 0 && may > 0
               ? arena_printf(arena, "; it used %s of the %.3g that it may use", cpus_words(used, arena), may)
           : used > 0 ? arena_printf(arena, "; it used %s", cpus_words(used, arena))
           : may > 0  ? arena_printf(arena, "; it may use %s", cpus_words(may, arena))
                      : "";
}

static void say(struct finding *finding, const struct look *look, const struct limit *limit, bool is_between,
                double bound)
{
    bool is_supported = finding->verdict == VERDICT_SUPPORTED, is_open = finding->verdict == VERDICT_UNDECIDED;
    struct value values[] = {VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_COUNT("stopped", look->stopped),
                             VALUE_COUNT("periods", look->periods),
                             VALUE_TEXT("when", is_between ? "between two looks" : "since the group exists"),
                             VALUE_SHARE("share", interval_exactly(look->stopped / look->periods)),
                             VALUE_SHARE("bound", interval_exactly(bound)),
                             VALUE_TEXT("stood", stood_words(look, finding->arena)),
                             VALUE_TEXT("used", used_words(look, limit, finding->arena)),
                             VALUE_TEXT("file", look->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, is_supported ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-quota",
                         values, array_count(values));
    finding_set_add(finding, is_supported ? &finding->headline : &finding->reason,
                    is_supported ? "imported-quota-headline"
                    : is_open    ? "imported-quota-open"
                                 : "imported-quota-bound",
                    values, array_count(values));
}

/* Some of its CPUs stood for no longer than all of them together, nor than the periods in which any did. */
static double bound_of(const struct look *look, const struct limit *limit)
{
    double all_s = look->periods * limit->period_s, stopped_s = look->stopped * limit->period_s;
    return fmin(look->stood_s < 0 ? stopped_s : fmin(look->stood_s, stopped_s), all_s) / all_s;
}

/* Periods are counted while there is a limit: a group that ran, and has none of them, never had one of its own. */
static const struct imported_table *never_limited(const struct imported *imported)
{
    const struct imported_table *found = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        struct look look = look_of(&imported->tables[at]);
        bool is_of_group = imported->tables[at].kind == IMPORTED_GROUP && look.periods >= 0;
        if (is_of_group && (look.periods > 0 || look.stopped > 0 || !(look.used_s > 0)))
            return NULL;
        found = is_of_group ? &imported->tables[at] : found;
    }
    return limit_of(imported).quota_s > 0 ? NULL : found;
}

static bool never_limited_say(const struct results *results, struct finding *finding)
{
    const struct imported_table *table = never_limited(results->imported);
    if (!table)
        return false;
    struct value values[] = {VALUE_TEXT("file", table->file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_decide_bound(finding, 0, results->effect);
    finding->of = OF_ELAPSED;
    finding->imported_kinds |= 1u << ORIGIN_SCHEDULER;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-quota-none", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-quota-none", values, array_count(values));
    return true;
}

bool imported_quota_test(const struct results *results, struct finding *finding)
{
    struct look looks[LOOKS_MOST], look;
    size_t count = looks_of(results->imported, looks);
    if (!finding_is(finding, "cpu-quota"))
        return false;
    if (!count)
        return never_limited_say(results, finding);
    const struct limit limit = limit_of(results->imported);
    bool is_between = between(looks, count, finding->arena, &look);
    if (!is_between) {
        look = *held_most(looks, count);
        look.used_s = -1; /* on average since then, which says nothing of a limit */
    }
    double bound = bound_of(&look, &limit);
    finding_decide_fact(finding, interval_exactly(bound), results->effect);
    if (!is_between && bound > 0) { /* of all its life */
        finding->verdict = bound >= results->effect ? VERDICT_SUPPORTED : VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
    }
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->is_own_doing = finding->verdict == VERDICT_SUPPORTED;
    finding->imported_kinds |= 1u << ORIGIN_SCHEDULER;
    say(finding, &look, &limit, is_between, bound);
    if (finding->verdict != VERDICT_SUPPORTED)
        return true;
    imported_advise(finding);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}
