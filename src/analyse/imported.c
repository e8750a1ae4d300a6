/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported.h"

#include "base/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct imported_table *table_of(const struct imported *imported, const char *kind, bool last)
{
    const struct imported_table *found = NULL;
    for (size_t at = 0; imported && at < imported->count && (last || !found); at++)
        if (strcmp(imported->tables[at].kind, kind) == 0)
            found = &imported->tables[at];
    return found;
}

const struct imported_row *imported_row_of(const struct imported *imported, const char *kind, const char *name,
                                           const char **ret_file)
{
    for (size_t at = 0; imported && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        for (size_t row = 0; row < table->count && strcmp(table->kind, kind) == 0; row++) {
            if (strcmp(table->rows[row].name, name) != 0)
                continue;
            if (ret_file)
                *ret_file = table->file;
            return &table->rows[row];
        }
    }
    return NULL;
}

struct measured imported_number(const struct imported *imported, const char *kind, const char *name,
                                const char **ret_file)
{
    const struct imported_row *row = imported_row_of(imported, kind, name, ret_file);
    return row ? measured_as(row->number) : not_measured("it wasn't imported");
}

struct imported_exits imported_exits_of(const struct imported *imported)
{
    struct imported_exits exits = {.count = not_measured("no table of exits was imported"),
                                   .seconds = not_measured("the table of exits has no times")};
    const struct imported_table *table = table_of(imported, "table of exits", false);
    double count = 0, seconds = 0, most = 0;
    for (size_t at = 0; table && at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        count += row->number;
        seconds += strstr(row->name, "HLT") ? 0 : row->seconds;
        if (row->number > most) {
            most = row->number;
            exits.commonest = row->name;
        }
        if (row->seconds > 0)
            exits.seconds = measured_as(0);
    }
    if (!table || count <= 0)
        return exits;
    exits.file = table->file;
    exits.count = measured_as(count);
    exits.commonest_share = most / count;
    if (exits.seconds.known)
        exits.seconds.value = seconds;
    return exits;
}

static double *seconds_of(const struct imported_table *table)
{
    double *seconds = memory_alloc(memory_product(table->count + 1, sizeof(*seconds)));
    for (size_t at = 0; at < table->count; at++)
        seconds[at] = table->rows[at].number;
    return seconds;
}

static int number_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of all ratios between one run of each: the ranks at which the Mann-Whitney test rejects at 5 % (normal approximation). */
static struct interval ratio_interval(const double *before, size_t before_count, const double *after, size_t after_count)
{
    enum { RUNS_LEAST = 6, RUNS_MOST = 2000 };
    double n = (double)before_count, m = (double)after_count;
    if (before_count < RUNS_LEAST || after_count < RUNS_LEAST || before_count > RUNS_MOST || after_count > RUNS_MOST)
        return (struct interval){0};
    size_t count = 0;
    scoped_free double *ratios = memory_alloc(memory_product(before_count * after_count, sizeof(*ratios)));
    for (size_t at = 0; at < before_count; at++)
        for (size_t other = 0; other < after_count && before[at] > 0; other++)
            ratios[count++] = after[other] / before[at];
    if (count < before_count * after_count)
        return (struct interval){0};
    qsort(ratios, count, sizeof(*ratios), number_compare);
    size_t rank = (size_t)(n * m / 2 - 1.96 * sqrt(n * m * (n + m + 1) / 12));
    return interval_of(ratios[rank], quantile(ratios, count, 0.5), ratios[count - 1 - rank]);
}

struct imported_gain imported_gain_of(const struct imported *imported)
{
    const struct imported_table *before = table_of(imported, "timed runs", false);
    const struct imported_table *after = table_of(imported, "timed runs", true);
    if (!before || before == after || !before->count || !after->count)
        return (struct imported_gain){0};
    scoped_free double *before_s = seconds_of(before), *after_s = seconds_of(after);
    struct imported_gain gain = {
        .before_file = before->file,
        .after_file = after->file,
        .before_count = before->count,
        .after_count = after->count,
        .before_s = quantile(before_s, before->count, 0.5),
        .after_s = quantile(after_s, after->count, 0.5),
    };
    gain.known = gain.before_s > 0 && gain.after_s > 0;
    gain.ratio = gain.known ? gain.after_s / gain.before_s : 0;
    /* Whether they were run in turns isn't known, and lists come sorted: they are no pairs. */
    if (gain.known)
        gain.interval = ratio_interval(before_s, before->count, after_s, after->count);
    return gain;
}

void imported_tables_write(struct json_writer *json, const struct imported *imported)
{
    for (size_t at = 0; imported && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        json_object_open(json, NULL);
        json_string(json, "kind", table->kind);
        json_string(json, "file", table->file);
        json_array_open(json, "rows");
        for (size_t row = 0; row < table->count; row++) {
            json_object_open(json, NULL);
            json_string(json, "name", table->rows[row].name);
            json_double(json, "number", table->rows[row].number);
            json_double(json, "seconds", table->rows[row].seconds);
            json_double(json, "running_ratio", table->rows[row].running_ratio);
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
        .kind = arena_string(arena, json_text_or(json_member(value, "kind"), "")),
        .file = arena_string(arena, json_text_or(json_member(value, "file"), "")),
        .rows = arena_array(arena, struct imported_row, json_count(rows) + 1),
        .count = json_count(rows),
    };
    for (size_t at = 0; at < table->count; at++) {
        struct json_value row = json_item(rows, at);
        struct imported_row *kept = &table->rows[at];
        kept->name = arena_string(arena, json_text_or(json_member(row, "name"), ""));
        kept->seconds = json_number_or(json_member(row, "seconds"), 0);
        kept->running_ratio = json_number_or(json_member(row, "running_ratio"), 0);
        if (!json_number(json_member(row, "number"), &kept->number) || kept->number < 0 || kept->seconds < 0)
            return false;
    }
    return table->kind[0] && json_is_list(rows);
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
