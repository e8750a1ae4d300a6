/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/topdown_counts.h"

#include "base/json/json_measured.h"
#include "base/json/json_writer.h"
#include "metric/table/table_builtin.h"
#include "metric/table/table_general.h"

#include <limits.h>
#include <string.h>

enum { WINDOWS_MOST = 128, WINDOW_TIMES = 4, GROUPS_MOST = 256, TERMS_MOST = 64 };

static const char *const constant_names[TABLE_CONSTANT_COUNT] = {
    [TABLE_SMT_ON] = "smt_on",   [TABLE_TSC_HZ] = "tsc_hz", [TABLE_THREADS_PER_CORE] = "threads_per_core",
    [TABLE_SOCKETS] = "sockets", [TABLE_CPUS] = "cpus",     [TABLE_CPUS_ONLINE] = "cpus_online",
    [TABLE_CORES] = "cores",     [TABLE_SLOTS] = "slots",
};

/* ---- written ----------------------------------------------------------------------------------------------- */

static void window_write(struct json_writer *json, const struct metric_group *group, size_t first, size_t count)
{
    const struct group_window *windows = &group->windows[first];
    double times[WINDOW_TIMES] = {(double)windows[0].start_ns, (double)windows[count - 1].end_ns};
    for (size_t at = 0; at < count; at++) {
        times[2] += (double)windows[at].enabled_ns;
        times[3] += (double)windows[at].running_ns;
    }
    json_array_open(json, NULL);
    for (size_t at = 0; at < WINDOW_TIMES; at++)
        json_double(json, NULL, times[at]);
    for (size_t term = 0; term < group->term_count; term++) {
        double sum = 0;
        for (size_t at = 0; at < count; at++)
            sum += windows[at].running_ns ? windows[at].counts[term] : 0;
        json_double(json, NULL, sum);
    }
    json_array_close(json);
}

static void group_write(struct json_writer *json, const struct metric_table *table, const struct metric_group *group)
{
    size_t together = (group->window_count + WINDOWS_MOST - 1) / WINDOWS_MOST;
    json_object_open(json, NULL);
    json_array_open(json, "events");
    for (size_t at = 0; at < group->term_count; at++)
        json_string(json, NULL, table->terms.items[group->terms[at]].name);
    json_array_close(json);
    json_array_open(json, "refused");
    for (size_t at = 0; at < group->term_count; at++)
        json_string(json, NULL, group->refused ? group->refused[at] : NULL);
    json_array_close(json);
    json_array_open(json, "windows");
    json->compact = true;
    for (size_t at = 0; at < group->window_count; at += together)
        window_write(json, group, at, group->window_count - at < together ? group->window_count - at : together);
    json->compact = false;
    json_array_close(json);
    json_object_close(json);
}

static void places_write(struct json_writer *json, const struct topdown_counts *counts)
{
    json_array_open(json, "metrics");
    for (size_t at = 0; at < counts->table->metrics.count; at++) {
        const struct metric_place *place = &counts->places[at];
        if (!place->group_count && !place->why_not)
            continue;
        json_object_open(json, NULL);
        json_string(json, "name", counts->table->metrics.items[at].name);
        json_array_open(json, "groups");
        for (size_t group = 0; group < place->group_count; group++)
            json_u64(json, NULL, place->groups[group]);
        json_array_close(json);
        json_string(json, "not_measured", place->why_not);
        json_object_close(json);
    }
    json_array_close(json);
}

void topdown_counts_write(const struct topdown_counts *counts, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_string(&json, "origin", counts->origin);
    json_string(&json, "cpu", counts->table->key);
    json_string(&json, "cpu_id", counts->table->cpu_id);
    json_string(&json, "tables", counts->table->source);
    json_bool(&json, "general", counts->general);
    json_bool(&json, "user_only", counts->user_only);
    json_bool(&json, "by_sample_time", counts->by_sample_time);
    json_object_open(&json, "constants");
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        if (constant_names[at] && counts->constants[at].known)
            json_double(&json, constant_names[at], counts->constants[at].value);
    json_object_close(&json);
    json_array_open(&json, "notes");
    for (size_t at = 0; at < counts->note_count; at++)
        json_string(&json, NULL, counts->notes[at]);
    json_array_close(&json);
    json_array_open(&json, "groups");
    for (size_t at = 0; at < counts->group_count; at++)
        group_write(&json, counts->table, &counts->groups[at]);
    json_array_close(&json);
    places_write(&json, counts);
    json_object_close(&json);
}

/* ---- read -------------------------------------------------------------------------------------------------- */

static bool term_named(struct metric_table *table, const char *name, uint32_t *ret_term)
{
    struct error unknown = {0};
    for (*ret_term = 0; *ret_term < table->terms.count; (*ret_term)++)
        if (strcmp(table->terms.items[*ret_term].name, name) == 0)
            return true;
    return table_term_resolve(table, view_of(name), ret_term, &unknown);
}

/* A time as the kernel has it. */
static bool time_read(struct json_value value, uint64_t *ret_ns)
{
    double number;
    if (!json_number(value, &number) || number < 0 || number > 1e19)
        return false;
    *ret_ns = (uint64_t)number;
    return true;
}

static bool window_read(struct group_window *window, struct json_value list, size_t term_count, struct arena *arena)
{
    double *counts = arena_array(arena, double, term_count + 1);
    *window = (struct group_window){.counts = counts};
    if (json_count(list) != WINDOW_TIMES + term_count || !time_read(json_item(list, 0), &window->start_ns) ||
        !time_read(json_item(list, 1), &window->end_ns) || !time_read(json_item(list, 2), &window->enabled_ns) ||
        !time_read(json_item(list, 3), &window->running_ns) || window->running_ns > window->enabled_ns ||
        window->start_ns > window->end_ns)
        return false;
    for (size_t at = 0; at < term_count; at++)
        if (!json_number(json_item(list, WINDOW_TIMES + at), &counts[at]) || counts[at] < 0)
            return false;
    return true;
}

static bool group_read(struct metric_group *group, struct metric_table *table, struct json_value value,
                       struct arena *arena)
{
    struct json_value events = json_member(value, "events"), refused = json_member(value, "refused"),
                      list = json_member(value, "windows");
    size_t count = json_count(events), window_count = json_count(list);
    uint32_t *terms = arena_array(arena, uint32_t, count + 1);
    const char **why = arena_array(arena, const char *, count + 1);
    struct group_window *windows = arena_array(arena, struct group_window, window_count + 1);
    if (!count || count > TERMS_MOST || json_count(refused) != count)
        return false;
    for (size_t at = 0; at < count; at++) {
        const char *name = json_text_or(json_item(events, at), NULL),
                   *reason = json_text_or(json_item(refused, at), NULL);
        if (!name || !term_named(table, name, &terms[at]))
            return false;
        why[at] = reason ? arena_string(arena, reason) : NULL;
    }
    for (size_t at = 0; at < window_count; at++)
        if (!window_read(&windows[at], json_item(list, at), count, arena))
            return false;
    *group = (struct metric_group){
        .terms = terms, .term_count = count, .windows = windows, .window_count = window_count, .refused = why};
    return true;
}

/* A metric that today's tables don't have is left out. */
static bool place_read(struct metric_place *places, const struct metric_table *table, struct json_value value,
                       size_t group_count, struct arena *arena)
{
    const char *name = json_text_or(json_member(value, "name"), ""),
               *why = json_text_or(json_member(value, "not_measured"), NULL);
    struct json_value list = json_member(value, "groups");
    uint32_t metric = table_metric_find(table, view_of(name)),
             *groups = arena_array(arena, uint32_t, json_count(list) + 1);
    if (json_count(list) > group_count)
        return false;
    for (size_t at = 0; at < json_count(list); at++) {
        uint64_t group;
        if (!json_unsigned(json_item(list, at), &group) || group >= group_count)
            return false;
        groups[at] = (uint32_t)group;
    }
    if (metric != TABLE_NONE)
        places[metric] = (struct metric_place){
            .groups = groups, .group_count = json_count(list), .why_not = why ? arena_string(arena, why) : NULL};
    return true;
}

static void constants_read(struct measured *constants, struct json_value record)
{
    double number;
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        constants[at] = constant_names[at] && json_number(json_member(record, constant_names[at]), &number)
                            ? measured_as(number)
                            : not_measured("it isn't known of that machine");
}

static void notes_read(struct topdown_counts *counts, struct json_value list, struct arena *arena)
{
    const char **notes = arena_array(arena, const char *, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++)
        notes[counts->note_count++] = arena_string(arena, json_text_or(json_item(list, at), ""));
    counts->notes = notes;
}

static bool table_find(struct metric_table *table, struct json_value root, bool general, struct arena *arena,
                       struct error *err)
{
    const char *key = json_text_or(json_member(root, "cpu"), ""), *id = json_text_or(json_member(root, "cpu_id"), NULL);
    if (!metric_table_builtin(table, key, TABLE_WHOLE))
        return error_set(err, ERROR_NOT_FOUND, "there are no tables of '%s'", key);
    table->cpu_id = id ? arena_string(arena, id) : NULL;
    if (!general || metric_table_use_general(table, err))
        return true;
    metric_table_done(table);
    return false;
}

/* An index of the list; -1: all are well. */
static long groups_read(struct topdown_counts *counts, struct metric_table *table, struct json_value list,
                        struct arena *arena)
{
    struct metric_group *groups = arena_array(arena, struct metric_group, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++)
        if (!group_read(&groups[at], table, json_item(list, at), arena))
            return (long)at;
    counts->groups = groups;
    counts->group_count = json_count(list);
    return -1;
}

static bool parts_read(struct topdown_counts *counts, struct metric_table *table, struct json_value root,
                       struct arena *arena, struct error *err)
{
    struct json_value list = json_member(root, "groups"), metrics = json_member(root, "metrics");
    struct metric_place *places = arena_array(arena, struct metric_place, table->metrics.count + 1);
    if (!json_is_list(list) || json_count(list) > GROUPS_MOST)
        return error_set(err, ERROR_FORMAT, "no list 'groups', or one that is too long");
    long broken = groups_read(counts, table, list, arena);
    if (broken >= 0)
        return error_set(err, ERROR_FORMAT, "group %ld has an event or a window that can't be", broken);
    for (size_t at = 0; at < json_count(metrics); at++)
        if (!place_read(places, table, json_item(metrics, at), counts->group_count, arena))
            return error_set(err, ERROR_FORMAT, "metric %zu names a group that isn't there", at);
    counts->places = places;
    return true;
}

bool topdown_counts_read(struct topdown_counts *counts, struct metric_table *ret_table, struct json_value root,
                         struct arena *arena, struct error *err)
{
    struct topdown_counts read = {.general = json_truth_or(json_member(root, "general"), false),
                                  .user_only = json_truth_or(json_member(root, "user_only"), false),
                                  .by_sample_time = json_truth_or(json_member(root, "by_sample_time"), false),
                                  .origin = arena_string(arena, json_text_or(json_member(root, "origin"), ""))};
    struct metric_table table;
    if (!table_find(&table, root, read.general, arena, err))
        return false;
    constants_read(read.constants, json_member(root, "constants"));
    notes_read(&read, json_member(root, "notes"), arena);
    if (!parts_read(&read, &table, root, arena, err)) {
        metric_table_done(&table);
        return false;
    }
    *ret_table = table;
    *counts = read;
    counts->table = ret_table;
    return true;
}

/* ---- the tree ---------------------------------------------------------------------------------------------- */

/* What every group divides by. */
static uint32_t cycles_of(const struct metric_table *table)
{
    static const char *const names[] = {"cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles", "cycles"};
    for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++)
        for (uint32_t term = 0; term < table->terms.count; term++)
            if (strcmp(table->terms.items[term].name, names[at]) == 0)
                return term;
    return TABLE_NONE;
}

/* Share of the target's time in which a group was counted, on average; 0: none was. */
static double turn_ratio(const struct topdown_counts *counts)
{
    double enabled = 0, running = 0;
    for (size_t at = 0; at < counts->group_count; at++)
        for (size_t window = 0; window < counts->groups[at].window_count; window++) {
            enabled += (double)counts->groups[at].windows[window].enabled_ns;
            running += (double)counts->groups[at].windows[window].running_ns;
        }
    return enabled > 0 ? running / enabled : 0;
}

static const char *origin_text(const struct topdown_counts *counts, double ratio, struct arena *arena)
{
    return arena_printf(arena, "counted beside the samples: %zu group%s of events%s, each in %.2g %% of the time",
                        counts->group_count, counts->group_count == 1 ? "" : "s",
                        counts->group_count == 1 ? "" : " in turns", ratio * 100);
}

static bool is_known(const struct topdown_tree *tree, unsigned level_most)
{
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].level && tree->nodes[at].level <= level_most && tree->nodes[at].value.known)
            return true;
    return false;
}

bool topdown_counts_tree(struct topdown_counted *ret_counted, const struct topdown_counts *counts, struct arena *arena)
{
    struct topdown_values values;
    const struct topdown_values_request request = {.table = counts->table,
                                                   .groups = counts->groups,
                                                   .group_count = counts->group_count,
                                                   .places = counts->places,
                                                   .constants = counts->constants,
                                                   .cpu_id = counts->table->cpu_id,
                                                   .cycles = cycles_of(counts->table)};
    topdown_values_find(&values, &request, arena);
    double ratio = turn_ratio(counts);
    *ret_counted = (struct topdown_counted){.origin = origin_text(counts, ratio, arena),
                                            .turn_ratio = ratio,
                                            .user_only = counts->user_only,
                                            .notes = counts->notes,
                                            .note_count = counts->note_count};
    topdown_tree_of_values(&ret_counted->tree, counts->table, &values, arena);
    ret_counted->has_first_level = is_known(&ret_counted->tree, 1);
    return is_known(&ret_counted->tree, UINT_MAX);
}

const char *topdown_why_unknown(const struct topdown_counted *counted)
{
    for (size_t at = 0; at < counted->tree.count; at++)
        if (counted->tree.nodes[at].level == 1 && !counted->tree.nodes[at].value.known)
            return counted->tree.nodes[at].value.why_not;
    return "its tables have no first level";
}

const struct topdown_node *topdown_counted_share(const struct topdown_counted *counted, const char *name)
{
    for (size_t at = 0; at < counted->tree.count; at++) {
        const struct topdown_node *node = &counted->tree.nodes[at];
        if (node->level && topdown_node_is_named(node, name))
            return node->value.known && node->interval.known && !node->suspect && strcmp(node->unit, "%") == 0 ? node
                                                                                                               : NULL;
    }
    return NULL;
}
