/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/saved_runs.h"

#include "base/json/json_reader.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/case_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void saved_runs_init(struct saved_runs *runs)
{
    *runs = (struct saved_runs){0};
    arena_init(&runs->arena);
}

void saved_runs_done(struct saved_runs *runs)
{
    free(runs->arms);
    arena_done(&runs->arena);
    *runs = (struct saved_runs){0};
}

static struct saved_arm *arm_add(struct saved_runs *runs, const char *label, const char *command, const char *file)
{
    runs->arms = vec_reserve_bytes(runs->arms, &runs->arm_capacity, runs->arm_count + 1, sizeof(*runs->arms));
    struct saved_arm *arm = &runs->arms[runs->arm_count++];
    *arm = (struct saved_arm){.label = arena_string(&runs->arena, label),
                              .command = arena_string(&runs->arena, command),
                              .file = arena_string(&runs->arena, file)};
    return arm;
}

static size_t quantity_named(const char *name)
{
    for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
        if (strcmp(measuring_quantities[at].name, name) == 0)
            return at;
    return SIZE_MAX;
}

/* A list of numbers, null where a run has none. */
static void values_take(struct saved_runs *runs, struct saved_arm *arm, size_t quantity, struct json_value list)
{
    size_t count = json_count(list);
    if (!count)
        return;
    arm->values[quantity] = arena_array(&runs->arena, struct measured, count);
    arm->counts[quantity] = count;
    for (size_t at = 0; at < count; at++) {
        double value;
        arm->values[quantity][at] = json_number(json_item(list, at), &value)
                                        ? measured_as(value)
                                        : not_measured("it was not measured in that run");
    }
}

/* The label, or, where a file holds nothing but A, the file's name. */
static const char *label_in(const char *label, const char *file, size_t arms)
{
    const char *slash = strrchr(file, '/');
    return arms == 1 || !*label ? (slash ? slash + 1 : file) : label;
}

static void settings_take(struct saved_runs *runs, struct saved_arm *arm, struct json_value list)
{
    arm->settings = arena_array(&runs->arena, struct saved_arm_setting, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++) {
        struct json_value item = json_item(list, at);
        const char *name = arena_string(&runs->arena, json_text_or(json_member(item, "name"), ""));
        const char *value = arena_string(&runs->arena, json_text_or(json_member(item, "value"), ""));
        arm->settings[arm->setting_count++] = (struct saved_arm_setting){name, value};
    }
}

static size_t own_arms(struct json_value arms)
{
    size_t count = 0;
    for (size_t at = 0; at < json_count(arms); at++)
        count += !json_truth_or(json_member(json_item(arms, at), "again"), false);
    return count;
}

static bool plumb_parse(struct saved_runs *runs, struct json_value root, const char *file, struct error *err)
{
    struct json_value arms = json_member(root, "arms"), around = json_member(root, "surroundings");
    if (!json_count(arms))
        return error_set(err, ERROR_FORMAT, "'%s' holds no arms", file);
    for (size_t at = 0; at < json_count(arms); at++) {
        struct json_value item = json_item(arms, at), values = json_member(item, "runs");
        if (json_truth_or(json_member(item, "again"), false))
            continue;
        const char *label = label_in(json_text_or(json_member(item, "label"), ""), file, own_arms(arms));
        struct saved_arm *arm = arm_add(runs, label, json_text_or(json_member(item, "command"), ""), file);
        for (size_t quantity = 0; quantity < MEASURING_QUANTITY_COUNT; quantity++)
            values_take(runs, arm, quantity, json_member(values, measuring_quantities[quantity].name));
        settings_take(runs, arm, json_member(item, "settings"));
        arm->failed_runs = (size_t)json_unsigned_or(json_member(item, "failed_runs"), 0);
        arm->in_blocks =
            !json_truth_or(json_member(root, "saved"), false) || json_truth_or(json_member(root, "paired"), false);
        arm->has_surroundings = json_is_record(around) &&
                                surroundings_read(&arm->surroundings, around, &runs->arena, err);
    }
    return true;
}

/* hyperfine */

/* null: it was killed by a signal. */
static size_t failures_in(struct json_value exit_codes)
{
    size_t failed = 0;
    for (size_t at = 0; at < json_count(exit_codes); at++) {
        double code;
        failed += !json_number(json_item(exit_codes, at), &code) || code < 0 || code > 0;
    }
    return failed;
}

/* Version 2 has a list of measurements, each with a value and its unit. */
static void measurements_take(struct saved_runs *runs, struct saved_arm *arm, struct json_value list)
{
    static const struct {
        const char *name;
        enum child_quantity quantity;
    } columns[] = {{"time_wall_clock", CHILD_WALL}, {"time_user", CHILD_USER}, {"time_system", CHILD_SYSTEM},
                   {"memory_usage_byte", CHILD_RSS_MOST}};
    size_t count = json_count(list);
    for (size_t column = 0; count && column < array_count(columns); column++) {
        struct measured *values = arena_array(&runs->arena, struct measured, count);
        bool any = false;
        for (size_t at = 0; at < count; at++) {
            double value;
            struct json_value cell = json_member(json_item(list, at), columns[column].name);
            bool had = json_number(json_member(cell, "value"), &value) || json_number(cell, &value);
            values[at] = had ? measured_as(value) : not_measured("it was not measured in that run");
            any |= had;
        }
        if (any) {
            arm->values[columns[column].quantity] = values;
            arm->counts[columns[column].quantity] = count;
        }
    }
}

static bool hyperfine_parse(struct saved_runs *runs, struct json_value results, const char *file, struct error *err)
{
    size_t count = json_count(results);
    for (size_t at = 0; at < count; at++) {
        struct json_value item = json_item(results, at), measurements = json_member(item, "measurements");
        const char *command = json_text_or(json_member(item, "command"), "");
        struct saved_arm *arm = arm_add(runs, label_in(json_text_or(json_member(item, "name"), command), file, count),
                                        command, file);
        values_take(runs, arm, CHILD_WALL, json_member(item, "times"));
        values_take(runs, arm, CHILD_RSS_MOST, json_member(item, "memory_usage_byte"));
        arm->failed_runs = failures_in(json_member(item, "exit_codes"));
        if (json_is_list(measurements))
            measurements_take(runs, arm, measurements);
        if (!arm->counts[CHILD_WALL])
            return error_set(err, ERROR_FORMAT, "'%s': result %zu has no times", file, at + 1);
    }
    return count ? true : error_set(err, ERROR_FORMAT, "'%s' holds no results", file);
}

/* perf stat -j: an object per line. */

static const struct {
    const char *event;
    const char *quantity;
    double factor;
} perf_events[] = {
    {"task-clock", "cpu", 1e-3},          {"cpu-clock", "cpu", 1e-3},
    {"duration_time", "wall", 1e-9},      {"user_time", "user", 1e-9},
    {"system_time", "system", 1e-9},      {"page-faults", "minor-faults", 1},
    {"minor-faults", "minor-faults", 1},  {"major-faults", "major-faults", 1},
    {"cpu-migrations", "migrations", 1},  {"cycles", "cycles", 1},
    {"instructions", "instructions", 1},  {"branches", "branches", 1},
    {"branch-misses", "branch-misses", 1}, {"cache-misses", "cache-misses", 1},
    {"dTLB-load-misses", "dtlb-load-misses", 1}, {"iTLB-load-misses", "itlb-load-misses", 1},
    {"L1-icache-load-misses", "l1i-misses", 1},
};

/* Index of perf_events for "cycles:u", or SIZE_MAX. */
static size_t perf_event_named(const char *name)
{
    size_t length = strcspn(name, ":");
    for (size_t at = 0; at < array_count(perf_events); at++)
        if (strlen(perf_events[at].event) == length && strncmp(perf_events[at].event, name, length) == 0)
            return at;
    return SIZE_MAX;
}

static bool counter_value(struct json_value value, double *ret_value)
{
    const char *text = json_text_or(value, NULL);
    return (text ? view_double(view_of(text), ret_value) : json_number(value, ret_value)) && isfinite(*ret_value);
}

static void value_append(struct saved_runs *runs, struct saved_arm *arm, size_t quantity, double value)
{
    size_t count = arm->counts[quantity];
    struct measured *longer = arm->values[quantity];
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        longer = arena_array(&runs->arena, struct measured, count ? 2 * count : 1);
        for (size_t at = 0; at < count; at++)
            longer[at] = arm->values[quantity][at];
    }
    longer[count] = measured_as(value);
    arm->values[quantity] = longer;
    arm->counts[quantity] = count + 1;
}

static bool perf_line_parse(struct saved_runs *runs, struct saved_arm *arm, struct view line, const char *file,
                            size_t number, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    if (!json_document_parse(&document, line, err))
        return error_wrap(err, "'%s', line %zu", file, number);
    struct json_value root = json_root(document);
    size_t event = perf_event_named(json_text_or(json_member(root, "event"), ""));
    double value;
    arm->only_means |= json_number(json_member(root, "variance"), &value);
    if (event != SIZE_MAX && counter_value(json_member(root, "counter-value"), &value))
        value_append(runs, arm, quantity_named(perf_events[event].quantity), value * perf_events[event].factor);
    return true;
}

static bool perf_parse(struct saved_runs *runs, struct view text, const char *file, struct error *err)
{
    struct saved_arm *arm = arm_add(runs, label_in("", file, 1), file, file);
    size_t number = 0, values = 0;
    for (struct view line; view_line(&text, &line);) {
        number++;
        line = view_trim(line);
        if (line.length && line.text[0] == '{' && !perf_line_parse(runs, arm, line, file, number, err))
            return false;
    }
    for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
        values += arm->counts[at];
    return values ? true : error_set(err, ERROR_FORMAT, "'%s' counts nothing that can be compared", file);
}

/* perf's lines are each a document; the others are one. */
static bool looks_like_perf(struct view text)
{
    ptrdiff_t counter = view_find(text, "\"counter-value\"");
    ptrdiff_t end = view_find(text, "\n");
    return counter >= 0 && (end < 0 || counter < end || text.text[0] != '{');
}

bool saved_runs_parse(struct saved_runs *runs, struct view text, const char *name, struct error *err)
{
    text = view_trim(text);
    if (looks_like_perf(text))
        return perf_parse(runs, text, name, err);
    scoped_json struct json_document *document = NULL;
    if (!json_document_parse(&document, text, err))
        return error_wrap(err, "'%s'", name);
    struct json_value root = json_root(document);
    if (strcmp(json_text_or(json_member(root, "schema"), ""), "plumb-compare-2") == 0)
        return plumb_parse(runs, root, name, err);
    if (json_is_list(json_member(root, "results")))
        return hyperfine_parse(runs, json_member(root, "results"), name, err);
    error_set(err, ERROR_FORMAT, "'%s' is neither plumb compare's JSON nor hyperfine's nor perf stat's", name);
    return error_hint(err, "plumb compare --json, hyperfine --export-json and perf stat -j write such files");
}

/* Case folders: runs.json has one row a run; without it there was one, and the manifest has its times. */

static void case_runs_take(struct saved_runs *runs, struct saved_arm *arm, struct json_value list)
{
    static const struct {
        const char *name, *quantity;
    } columns[] = {{"elapsed_s", "wall"}, {"user_s", "user"}, {"system_s", "system"}, {"cpu_s", "cpu"},
                   {"resident_most_bytes", "max-rss"}, {"cycles", "cycles"}, {"instructions", "instructions"}};
    for (size_t column = 0; column < array_count(columns); column++)
        for (size_t at = 0; at < json_count(list); at++) {
            double value;
            if (json_number(json_member(json_item(list, at), columns[column].name), &value))
                value_append(runs, arm, quantity_named(columns[column].quantity), value);
        }
}

static void case_manifest_take(struct saved_runs *runs, struct saved_arm *arm, struct json_value manifest)
{
    double elapsed_s, user_s, system_s;
    if (json_number(json_member(manifest, "elapsed_s"), &elapsed_s))
        value_append(runs, arm, CHILD_WALL, elapsed_s);
    if (!json_number(json_member(manifest, "user_s"), &user_s) ||
        !json_number(json_member(manifest, "system_s"), &system_s))
        return;
    value_append(runs, arm, CHILD_USER, user_s);
    value_append(runs, arm, CHILD_SYSTEM, system_s);
    value_append(runs, arm, CHILD_CPU, user_s + system_s);
}

static bool case_part(const char *folder, const char *name, struct json_document **ret_document, struct error *err)
{
    struct sysroot anywhere;
    scoped_text struct text text = {0};
    sysroot_init(&anywhere, NULL);
    return sysroot_read(&anywhere, &text, err, "%s/%s", folder, name) &&
           json_document_parse(ret_document, text_view(&text), err);
}

/*
 * What its program was given in the environment, as far as that is known to change speed; PATH finds the program, whose
 * words are compared.
 */
static void case_settings_take(struct saved_runs *runs, struct saved_arm *arm, const char *folder)
{
    struct error none = {0};
    struct case_command command;
    if (!case_command_read(&command, folder, "", &runs->arena, &none))
        return;
    arm->settings = arena_array(&runs->arena, struct saved_arm_setting, command.variable_count + 1);
    for (size_t at = 0; at < command.variable_count; at++) {
        const struct case_variable *variable = &command.variables[at];
        if (strcmp(variable->name, "PATH") != 0)
            arm->settings[arm->setting_count++] =
                (struct saved_arm_setting){variable->name, variable->value ? variable->value : SAVED_NOT_SET};
    }
}

static bool case_read(struct saved_runs *runs, const char *folder, struct error *err)
{
    scoped_json struct json_document *manifest = NULL, *machine = NULL, *table = NULL;
    if (!case_part(folder, "manifest.json", &manifest, err))
        return error_wrap(err, "'%s' is no case of plumb diagnose", folder);
    struct json_value root = json_root(manifest);
    struct saved_arm *arm =
        arm_add(runs, label_in("", folder, 1), json_text_or(json_member(root, "command"), ""), folder);
    arm->is_case = true;
    struct error none = {0}; /* parts that a case may lack */
    if (case_part(folder, "machine.json", &machine, &none))
        arm->has_surroundings = surroundings_read(&arm->surroundings, json_root(machine), &runs->arena, &none);
    case_settings_take(runs, arm, folder);
    if (case_part(folder, "runs.json", &table, &none))
        case_runs_take(runs, arm, json_member(json_root(table), "runs"));
    else
        case_manifest_take(runs, arm, root);
    return arm->counts[CHILD_WALL] ? true
                                   : error_set(err, ERROR_FORMAT, "'%s' doesn't say how long its run took", folder);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool saved_runs_read(struct saved_runs *runs, const char *path, struct error *err)
{
    struct sysroot anywhere;
    scoped_text struct text text = {0};
    if (is_folder(path))
        return case_read(runs, path, err);
    sysroot_init(&anywhere, NULL);
    return sysroot_read(&anywhere, &text, err, "%s", path) &&
           saved_runs_parse(runs, text_view(&text), path, err);
}

static size_t longest(const struct saved_runs *runs)
{
    size_t most = 0;
    for (size_t arm = 0; arm < runs->arm_count; arm++)
        for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
            most = runs->arms[arm].counts[at] > most ? runs->arms[arm].counts[at] : most;
    return most;
}

static struct measured cell_of(const struct saved_arm *arm, size_t quantity, size_t block)
{
    if (!arm->counts[quantity])
        return not_measured("one of the files doesn't have it");
    return block < arm->counts[quantity] ? arm->values[quantity][block] : not_measured("fewer runs were saved");
}

bool saved_runs_are_paired(const struct saved_runs *runs)
{
    for (size_t at = 0; at < runs->arm_count; at++)
        if (!runs->arms[at].in_blocks || strcmp(runs->arms[at].file, runs->arms[0].file) != 0)
            return false;
    return runs->arm_count > 0;
}

void saved_runs_table(const struct saved_runs *runs, struct run_table *ret_table)
{
    scoped_free struct run_arm *arms = memory_alloc(memory_product(runs->arm_count, sizeof(*arms)));
    size_t width = memory_product(runs->arm_count, MEASURING_QUANTITY_COUNT);
    scoped_free struct measured *cells = memory_alloc(memory_product(width, sizeof(*cells)));
    for (size_t arm = 0; arm < runs->arm_count; arm++)
        arms[arm] = (struct run_arm){runs->arms[arm].label, runs->arms[arm].command, runs->arms[arm].failed_runs};
    run_table_init(ret_table, arms, runs->arm_count, measuring_quantities, MEASURING_QUANTITY_COUNT);
    for (size_t block = 0; block < longest(runs); block++) {
        for (size_t arm = 0; arm < runs->arm_count; arm++)
            for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
                cells[arm * MEASURING_QUANTITY_COUNT + at] = cell_of(&runs->arms[arm], at, block);
        run_table_add_block(ret_table, cells);
    }
}
