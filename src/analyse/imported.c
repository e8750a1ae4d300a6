/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported.h"

#include "analyse/exits/exit_reason.h"
#include "analyse/imported_window.h"
#include "base/scope.h"
#include "base/vec.h"
#include "statistics/rank_sum.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const kind_names[] = {
    [IMPORTED_OTHER] = "text",
    [IMPORTED_EXITS] = "table of exits",
    [IMPORTED_REPORT] = "perf report",
    [IMPORTED_ANNOTATE] = "perf annotate",
    [IMPORTED_STAT] = "perf stat",
    [IMPORTED_RUNS] = "timed runs",
    [IMPORTED_METRICS] = "top-down metrics",
    [IMPORTED_MAP] = "counts by key",
    [IMPORTED_HISTOGRAM] = "histogram",
    [IMPORTED_SYSTEM] = "counters of the system",
    [IMPORTED_CLOCK] = "clock source",
    [IMPORTED_TURBOSTAT] = "turbostat",
    [IMPORTED_PLACES] = "CPUs",
    [IMPORTED_GOVERNOR] = "clock governor",
    [IMPORTED_GROUP] = "control group",
};
_Static_assert(array_count(kind_names) == IMPORTED_KIND_COUNT, "a name for each kind");

enum imported_kind imported_kind_named(const char *name)
{
    for (size_t kind = 0; kind < array_count(kind_names); kind++)
        if (strcmp(kind_names[kind], name) == 0)
            return (enum imported_kind)kind;
    return IMPORTED_OTHER;
}

static const struct imported_table *table_of(const struct imported *imported, enum imported_kind kind, bool last)
{
    const struct imported_table *found = NULL;
    for (size_t at = 0; imported && at < imported->count && (last || !found); at++)
        if (imported->tables[at].kind == kind)
            found = &imported->tables[at];
    return found;
}

const struct imported_row *imported_row_of(const struct imported *imported, enum imported_kind kind, const char *name,
                                           const char **ret_file)
{
    for (size_t at = 0; imported && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == kind; row++) {
            if (strcmp(table->rows[row].name, name) != 0)
                continue;
            if (ret_file)
                *ret_file = table->file;
            return &table->rows[row];
        }
    }
    return NULL;
}

struct measured imported_number(const struct imported *imported, enum imported_kind kind, const char *name,
                                const char **ret_file)
{
    const struct imported_row *row = imported_row_of(imported, kind, name, ret_file);
    return row ? measured_as(row->number) : not_measured("it wasn't imported");
}

static bool is_of(const struct imported_row *row, const char *name)
{
    return !name || strcasecmp(row->name, name) == 0;
}

/* The runs of that name (NULL: all). */
static double *seconds_of(const struct imported_table *table, const char *name, size_t *ret_count)
{
    double *seconds = memory_alloc(memory_product(table->count + 1, sizeof(*seconds)));
    size_t count = 0;
    for (size_t at = 0; at < table->count; at++)
        if (is_of(&table->rows[at], name))
            seconds[count++] = table->rows[at].number;
    *ret_count = count;
    return seconds;
}

static struct imported_gain gain_of_name(const struct imported_table *before, const struct imported_table *after,
                                         const char *name)
{
    size_t before_count, after_count;
    scoped_free double *before_s = seconds_of(before, name, &before_count),
                       *after_s = seconds_of(after, name, &after_count);
    struct imported_gain gain = {.name = name,
                                 .before_file = before->file,
                                 .after_file = after->file,
                                 .before_count = before_count,
                                 .after_count = after_count};
    if (!before_count || !after_count)
        return gain;
    gain.before_s = quantile(before_s, before_count, 0.5);
    gain.after_s = quantile(after_s, after_count, 0.5);
    gain.known = gain.before_s > 0 && gain.after_s > 0;
    gain.ratio = gain.known ? gain.after_s / gain.before_s : 0;
    return gain;
}

/*
 * Whether they were run in turns isn't known, and lists come sorted: they are no pairs. Of the largest of several
 * changes all intervals must hold at once (Bonferroni).
 */
static struct interval gain_interval(const struct imported_table *before, const struct imported_table *after,
                                     const char *name, size_t compared)
{
    static const double ALPHA = 0.05;
    enum { RUNS_LEAST = 6 };
    size_t before_count, after_count;
    scoped_free double *before_s = seconds_of(before, name, &before_count),
                       *after_s = seconds_of(after, name, &after_count);
    if (before_count < RUNS_LEAST || after_count < RUNS_LEAST)
        return (struct interval){0};
    return rank_sum_ratio(before_s, before_count, after_s, after_count, ALPHA / (double)compared);
}

static bool is_named_before(const struct imported_table *table, size_t row)
{
    for (size_t at = 0; at < row; at++)
        if (is_of(&table->rows[at], table->rows[row].name))
            return true;
    return false;
}

/* Else they are runs of several things, which have no middle. */
static bool is_of_one_name(const struct imported_table *table)
{
    for (size_t at = 1; at < table->count; at++)
        if (strcasecmp(table->rows[at].name, table->rows[0].name) != 0)
            return false;
    return true;
}

struct imported_gain imported_gain_of(const struct imported *imported)
{
    const struct imported_table *before = table_of(imported, IMPORTED_RUNS, false);
    const struct imported_table *after = table_of(imported, IMPORTED_RUNS, true);
    struct imported_gain best = {0};
    size_t compared = 0;
    if (!before || before == after)
        return best;
    for (size_t at = 0; at < before->count; at++) {
        if (!before->rows[at].name[0] || is_named_before(before, at))
            continue;
        struct imported_gain gain = gain_of_name(before, after, before->rows[at].name);
        compared += gain.known;
        /* half the time is as much as twice the time */
        if (gain.known && (!best.known || fabs(log(gain.ratio)) > fabs(log(best.ratio))))
            best = gain;
    }
    if (!best.known && is_of_one_name(before) && is_of_one_name(after))
        best = gain_of_name(before, after, NULL);
    if (best.known)
        best.interval = gain_interval(before, after, best.name, compared ? compared : 1);
    return best;
}

/* ---- counts with times ---- */

/* A number of a run names nothing, wherever it stands. */
static bool has_letters(const char *word)
{
    bool letters = false;
    for (; *word; word++)
        letters |= isalpha((unsigned char)*word) != 0;
    return letters;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = has_letters(word) ? strlen(word) : 0;
    for (const char *at = text; length && *at; at++)
        if (strncasecmp(at, word, length) == 0 && (at == text || !isalnum((unsigned char)at[-1])) &&
            !isalpha((unsigned char)at[length]))
            return true;
    return false;
}

/*
 * The shortest name of any run that stands in its file's name or heading: "JIT, narrow" is a run of JIT. A heading that
 * speaks of two programs names neither (NULL).
 */
static const char *name_in(const struct imported *imported, const char *words)
{
    const char *found = NULL;
    bool is_of_two = false;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_RUNS;
             row++) {
            const char *name = imported->tables[at].rows[row].name;
            if (!has_word(words, name))
                continue;
            is_of_two |= found && !has_word(found, name) && !has_word(name, found);
            found = found && strlen(found) <= strlen(name) ? found : name;
        }
    return is_of_two ? NULL : found;
}

static const char *name_of(const struct imported *imported, const struct imported_table *stat)
{
    const char *by_heading = name_in(imported, stat->heading), *by_file = name_in(imported, stat->file);
    bool by_both = by_heading && by_file && strlen(by_file) < strlen(by_heading);
    return by_both || !by_heading ? by_file : by_heading;
}

static bool has_runs_of(const struct imported_table *table, const char *name)
{
    size_t count = 0;
    if (!name || table->kind != IMPORTED_RUNS)
        return false;
    free(seconds_of(table, name, &count));
    return count;
}

/* Of the first table that has runs of that name; again: of the last one behind it, where another has them, too. */
static struct measured time_of(const struct imported *imported, const char *name, bool again)
{
    const struct imported_table *first = NULL, *found = NULL;
    size_t count = 0;
    for (size_t at = 0; at < imported->count && (again || !found); at++) {
        if (!has_runs_of(&imported->tables[at], name))
            continue;
        found = first || !again ? &imported->tables[at] : NULL;
        first = first ? first : &imported->tables[at];
    }
    if (!found)
        return not_measured("no time stands beside the counts");
    scoped_free double *seconds = seconds_of(found, name, &count);
    return measured_as(quantile(seconds, count, 0.5));
}

static bool is_named(const struct imported_arm *arms, size_t count, const char *name)
{
    for (size_t at = 0; at < count; at++)
        if (arms[at].name && strcasecmp(arms[at].name, name) == 0)
            return true;
    return false;
}

/* Every program that was timed has counts under its own name. */
static bool all_are_named(const struct imported *imported, const struct imported_arm *arms, size_t count)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; imported->tables[at].kind == IMPORTED_RUNS && row < imported->tables[at].count; row++)
            if (imported->tables[at].rows[row].name[0] && !is_named(arms, count, imported->tables[at].rows[row].name))
                return false;
    return true;
}

/*
 * Whose the counts are that name nobody: of the program right above, unless another's time changed by far more; NULL:
 * nothing stands above.
 */
static const char *name_unsaid(const struct imported *imported, const struct imported_arm *arms, size_t count)
{
    static const double FAR_MORE = 2;
    const struct imported_table *before = table_of(imported, IMPORTED_RUNS, false),
                                *after = table_of(imported, IMPORTED_RUNS, true);
    const char *above = count ? arms[count - 1].name : NULL;
    struct imported_gain most = imported_gain_of(imported);
    if (!above || !most.known || !most.name || strcasecmp(most.name, above) == 0)
        return above;
    struct imported_gain own = gain_of_name(before, after, above);
    bool is_far_more = !own.known || fabs(log(most.ratio)) > FAR_MORE * fabs(log(own.ratio));
    return is_far_more && is_named(arms, count, most.name) ? most.name : above;
}

/* The same by another name: what the vendor's tables call what perf calls otherwise. */
static const char *common_name(const char *name)
{
    static const struct {
        const char *name, *common;
    } names[] = {{"cpu_clk_unhalted.thread", "cycles"},
                 {"cpu_clk_unhalted.thread_p", "cycles"},
                 {"cpu_clk_unhalted.core", "cycles"},
                 {"cpu_clk_unhalted.core_p", "cycles"},
                 {"cpu_clk_unhalted.ref_tsc", "ref-cycles"},
                 {"cpu_clk_unhalted.ref", "ref-cycles"},
                 {"cpu-cycles", "cycles"},
                 {"ls_not_halted_cyc", "cycles"},
                 {"inst_retired.any", "instructions"},
                 {"inst_retired.any_p", "instructions"},
                 {"ex_ret_instr", "instructions"},
                 {"br_misp_retired.all_branches", "branch-misses"},
                 {"br_misp_retired.all_branches_pebs", "branch-misses"},
                 {"br_misp_retired.all_branches_ps", "branch-misses"},
                 {"br_mis_pred_retired", "branch-misses"},
                 {"ex_ret_brn_misp", "branch-misses"}};
    size_t length = strcspn(name, ":");
    for (size_t at = 0; at < array_count(names); at++)
        if (strncasecmp(name, names[at].name, length) == 0 && strlen(names[at].name) == length &&
            strlen(name) - length < 5)
            return names[at].common;
    return name;
}

/*
 * "cycles:u" are cycles, in user mode: what somebody without rights counts; "cpu_core/cycles/u" those of one kind of
 * core.
 */
static bool is_event(const char *name, const char *event)
{
    static const char modifiers[] = "ukhGHIDpPSWe";
    size_t length = strlen(event);
    name = common_name(name);
    const char *slash = strncmp(name, "cpu", 3) == 0 ? strchr(name, '/') : NULL;
    if (slash)
        return strncasecmp(slash + 1, event, length) == 0 && slash[1 + length] == '/' &&
               strspn(slash + length + 2, modifiers) == strlen(slash + length + 2);
    if (strncasecmp(name, event, length) != 0)
        return false;
    return !name[length] || (name[length] == ':' && name[length + 1] &&
                             strspn(name + length + 1, modifiers) == strlen(name + length + 1));
}

static const struct imported_row *row_in(const struct imported_table *table, const char *event)
{
    const struct imported_row *found = NULL;
    for (size_t at = 0; table && at < table->count; at++)
        if (is_event(table->rows[at].name, event) && (!found || table->rows[at].running_ratio > found->running_ratio))
            found = &table->rows[at];
    return found;
}

/* The last run of that name, of which these events alone were counted in a run of their own; NULL: they are one. */
static struct imported_arm *arm_of_more(const struct imported_table *table, const char *name, struct imported_arm *arms,
                                        size_t count)
{
    static const char *const of_run[] = {"cycles", "instructions", "task-clock", "cpu-clock"};
    struct imported_arm *found = NULL;
    bool is_run = !name || table->elapsed_s > 0;
    for (size_t at = 0; at < array_count(of_run); at++)
        is_run |= row_in(table, of_run[at]) != NULL;
    for (size_t at = 0; at < count && !is_run; at++)
        if (arms[at].name && strcasecmp(arms[at].name, name) == 0)
            found = &arms[at];
    for (size_t row = 0; found && row < table->count; row++)
        if (row_in(found->table, table->rows[row].name))
            found = NULL;
    return found && !found->more && row_in(found->table, "cycles") ? found : NULL;
}

size_t imported_arms_of(const struct imported *imported, struct imported_arm *ret_arms)
{
    size_t count = 0;
    for (size_t at = 0; imported && at < imported->count && count < IMPORTED_ARMS_MOST; at++) {
        const struct imported_table *table = &imported->tables[at];
        if (table->kind != IMPORTED_STAT)
            continue;
        struct imported_arm *arm = &ret_arms[count];
        *arm = (struct imported_arm){.table = table, .name = name_of(imported, table)};
        struct imported_arm *of = arm_of_more(table, arm->name, ret_arms, count);
        if (of) {
            of->more = table;
            continue;
        }
        if (!arm->name && all_are_named(imported, ret_arms, count))
            arm->name = name_unsaid(imported, ret_arms, count);
        bool again = arm->name && is_named(ret_arms, count, arm->name);
        arm->elapsed_s = table->elapsed_s > 0 ? measured_as(table->elapsed_s) : time_of(imported, arm->name, again);
        arm->window_s = not_measured("it was counted over its run");
        count++;
    }
    imported_windows_mark(ret_arms, count);
    return count;
}

/* What was counted in a small part of the time says little about the rest. */
static const double RUNNING_LEAST = 0.2;

const struct imported_row *imported_arm_row(const struct imported_arm *arm, const char *event)
{
    const struct imported_row *found = row_in(arm->table, event);
    return found ? found : row_in(arm->more, event);
}

bool imported_is_counted(const struct imported_row *row)
{
    return row->running_ratio >= RUNNING_LEAST;
}

struct measured imported_arm_count(const struct imported_arm *arm, const char *event)
{
    const struct imported_row *found = imported_arm_row(arm, event);
    if (!found)
        return not_measured("it wasn't imported");
    return imported_is_counted(found) ? measured_as(found->number)
                                      : not_measured("it was not counted for long enough");
}

struct measured imported_arm_cpu_s(const struct imported_arm *arm)
{
    static const char *const clocks[] = {"task-clock", "cpu-clock"};
    for (size_t at = 0; at < array_count(clocks); at++) {
        struct measured ns = imported_arm_count(arm, clocks[at]);
        if (ns.known)
            return measured_as(ns.value * 1e-9);
    }
    const struct imported_row *cycles = imported_arm_row(arm, "cycles");
    bool told = cycles && imported_is_counted(cycles) && cycles->seconds > 0;
    return told ? measured_as(cycles->seconds) : not_measured("neither task-clock nor the clock stands beside it");
}

bool imported_two_of(const struct imported *imported, struct imported_two *ret)
{
    const struct imported_table *runs = table_of(imported, IMPORTED_RUNS, false);
    if (!runs || runs != table_of(imported, IMPORTED_RUNS, true) || runs->count != 2 || !runs->rows[0].name[0] ||
        !runs->rows[1].name[0] || is_of(&runs->rows[0], runs->rows[1].name))
        return false;
    bool is_first = runs->rows[0].number > runs->rows[1].number;
    *ret = (struct imported_two){&runs->rows[!is_first], &runs->rows[is_first], 0, runs->file};
    ret->gap = ret->slow->number > 0 ? 1 - ret->fast->number / ret->slow->number : 0;
    return ret->gap > 0;
}

struct measured imported_spread_of(const struct imported *imported)
{
    double most = 0;
    for (size_t at = 0; imported && at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_RUNS; row++) {
            const struct imported_row *run = &imported->tables[at].rows[row];
            most = run->number > 0 && run->seconds / run->number > most ? run->seconds / run->number : most;
        }
    return most > 0 ? measured_as(most) : not_measured("no run tells how far it spreads");
}

void imported_tables_write(struct json_writer *json, const struct imported *imported)
{
    for (size_t at = 0; imported && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        json_object_open(json, NULL);
        json_string(json, "kind", kind_names[table->kind]);
        json_string(json, "file", table->file);
        json_string(json, "heading", table->heading);
        json_string(json, "label", table->label ? table->label : "");
        json_string(json, "event", table->event);
        json_double(json, "elapsed_s", table->elapsed_s);
        json_double(json, "cpus", table->cpus);
        json_double(json, "rows_unread", table->rows_unread);
        json_array_open(json, "rows");
        for (size_t row = 0; row < table->count; row++) {
            json_object_open(json, NULL);
            json_string(json, "name", table->rows[row].name);
            json_double(json, "number", table->rows[row].number);
            json_double(json, "seconds", table->rows[row].seconds);
            json_double(json, "running_ratio", table->rows[row].running_ratio);
            json_string(json, "where", table->rows[row].where);
            if (table->rows[row].callers && table->rows[row].callers[0])
                json_string(json, "callers", table->rows[row].callers);
            json_object_close(json);
        }
        json_array_close(json);
        json_object_close(json);
    }
}

static bool read_table(struct imported_table *table, struct json_value value, struct arena *arena)
{
    struct json_value rows = json_member(value, "rows");
    *table = (struct imported_table){
        .kind = imported_kind_named(json_text_or(json_member(value, "kind"), "")),
        .file = arena_string(arena, json_text_or(json_member(value, "file"), "")),
        .heading = arena_string(arena, json_text_or(json_member(value, "heading"), "")),
        .label = arena_string(arena, json_text_or(json_member(value, "label"), "")),
        .event = arena_string(arena, json_text_or(json_member(value, "event"), "")),
        .elapsed_s = json_number_or(json_member(value, "elapsed_s"), 0),
        .cpus = json_number_or(json_member(value, "cpus"), 0),
        .rows_unread = json_number_or(json_member(value, "rows_unread"), 0),
        .rows = arena_array(arena, struct imported_row, json_count(rows) + 1),
        .count = json_count(rows),
    };
    for (size_t at = 0; at < table->count; at++) {
        struct json_value row = json_item(rows, at);
        struct imported_row *kept = &table->rows[at];
        kept->name = arena_string(arena, json_text_or(json_member(row, "name"), ""));
        kept->where = arena_string(arena, json_text_or(json_member(row, "where"), ""));
        kept->callers = arena_string(arena, json_text_or(json_member(row, "callers"), ""));
        kept->seconds = json_number_or(json_member(row, "seconds"), 0);
        kept->running_ratio = json_number_or(json_member(row, "running_ratio"), table->kind == IMPORTED_STAT);
        if (!json_number(json_member(row, "number"), &kept->number) || kept->number < 0 || kept->seconds < 0)
            return false;
    }
    return json_text_or(json_member(value, "kind"), "")[0] && json_is_list(rows) && table->elapsed_s >= 0 &&
           table->cpus >= 0 && table->rows_unread >= 0;
}

bool imported_read(struct imported *imported, struct json_value root, struct arena *arena, struct error *err)
{
    struct json_value list = json_member(root, "imports");
    if (!json_is_list(list))
        return error_set(err, ERROR_FORMAT, "no list 'imports'");
    *imported = (struct imported){arena_array(arena, struct imported_table, json_count(list) + 1), json_count(list)};
    for (size_t at = 0; at < imported->count; at++)
        if (!read_table(&imported->tables[at], json_item(list, at), arena))
            return error_set(err, ERROR_FORMAT, "table %zu lacks its kind or a number", at + 1);
    return true;
}
