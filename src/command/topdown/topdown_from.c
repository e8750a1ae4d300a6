/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb topdown --from: the top-down tree out of counts that were recorded elsewhere. */
#include "command/topdown/topdown_modes.h"

#include "analyse/topdown/topdown_tree.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "metric/table/table_choice.h"
#include "metric/table/table_reading.h"
#include "render/topdown/topdown_page.h"
#include "source/count_text.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

enum { INPUT_MOST_BYTES = 64 << 20, STRANGE_NAMED = 5 };

static const double INSTRUCTIONS_AGREE = 0.02;

struct topdown_run {
    struct context *context;
    struct topdown_options options;
    struct arena arena;
    struct text input;
    struct count_text counts;
    struct metric_table table;
    struct table_readings readings;
    struct measured *given;
    size_t given_count, differing;
    vec(const char *) notes;
};

static bool input_read(struct topdown_run *run, struct error *err)
{
    const char *path = run->options.from;
    char buffer[65536];
    bool is_stdin = strcmp(path, "-") == 0;
    scoped_file FILE *opened = is_stdin ? NULL : fopen(path, "re");
    FILE *file = is_stdin ? stdin : opened;
    if (!file)
        return error_system(err, errno, "can't read '%s'", path);
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;) {
        text_append(&run->input, buffer, got);
        if (run->input.length > INPUT_MOST_BYTES)
            return error_set(err, ERROR_LIMIT, "'%s' is larger than %d MiB", path, INPUT_MOST_BYTES >> 20);
    }
    if (ferror(file))
        return error_system(err, errno, "can't read '%s'", path);
    return count_text_read(&run->counts, text_view(&run->input), &run->arena, err) ||
           error_wrap(err, "'%s'", path);
}

/* Constants that options or the text tell. */
static void constants_set(const struct topdown_run *run, struct measured *constants)
{
    double seconds = run->options.seconds > 0 ? run->options.seconds : run->counts.seconds;
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        constants[at] = not_measured("not said");
    if (run->options.smt)
        constants[TABLE_SMT_ON] = measured_as(strcmp(run->options.smt, "on") == 0);
    if (run->options.tsc_hz > 0)
        constants[TABLE_TSC_HZ] = measured_as(run->options.tsc_hz);
    if (seconds > 0)
        constants[TABLE_SECONDS] = measured_as(seconds);
}

static void readings_take(struct topdown_run *run)
{
    struct measured constants[TABLE_CONSTANT_COUNT];
    struct table_reading *readings = arena_array(&run->arena, struct table_reading, run->counts.event_count + 1);
    for (size_t at = 0; at < run->counts.event_count; at++) {
        const struct counted_event *event = &run->counts.events[at];
        readings[at] = (struct table_reading){
            .name = event->name, .unit = event->unit, .running_ratio = event->running_ratio, .set = event->set,
            .count = event->known ? measured_as(event->count)
                                  : not_measured(arena_printf(&run->arena, "perf stat says %s", event->why_not)),
        };
    }
    constants_set(run, constants);
    table_readings_fill(&run->readings, &run->table, readings, run->counts.event_count, constants, &run->arena);
}

/* Names have changed between versions of the published tables. */
static void renaming_note(struct topdown_run *run, const char *printed, const char *name)
{
    const char *dot = strrchr(printed, '.'), *last = dot ? dot + 1 : printed;
    if (strcasecmp(last, name) != 0 && !(strncmp(last, "tma_", 4) == 0 && strcasecmp(last + 4, name) == 0))
        *vec_push(&run->notes) = arena_printf(&run->arena, "%s is %s in these tables", printed, name);
}

/* Metrics that the tool printed are taken as they are where no counts say better. */
static void metrics_take(struct topdown_run *run)
{
    run->given = arena_array(&run->arena, struct measured, run->table.metrics.count + 1);
    struct table_values values;
    table_evaluate(&run->table, &run->readings.inputs, &values, &run->arena);
    for (size_t at = 0; at < run->counts.metric_count; at++) {
        const struct counted_metric *printed = &run->counts.metrics[at];
        uint32_t metric = table_metric_printed(&run->table, printed->name);
        if (metric == TABLE_NONE || values.metrics[metric].known)
            continue;
        bool percent = strchr(printed->unit, '%') != NULL && run->table.metrics.items[metric].scale == 100;
        if (!run->given[metric].known && !view_ends(view_of(printed->name), run->table.metrics.items[metric].name))
            renaming_note(run, printed->name, run->table.metrics.items[metric].name);
        struct measured value = measured_as(percent ? printed->value / 100 : printed->value);
        run->differing += run->given[metric].known && run->given[metric].value != value.value;
        run->given_count += !run->given[metric].known;
        run->given[metric] = value;
    }
}

/* The first of the names that no metric uses, each once; returns how many there are. */
static size_t strange_name(const struct topdown_run *run, struct text *names)
{
    struct hashmap had = {0};
    size_t count = 0;
    for (size_t at = 0; at < run->readings.strange_count; at++) {
        const char *name = run->readings.strange[at];
        uint64_t hash = hash_bytes(name, strlen(name));
        if (hashmap_find(&had, hash, NULL, NULL, NULL) != HASHMAP_ABSENT)
            continue;
        hashmap_put(&had, hash, 1);
        if (count++ < STRANGE_NAMED)
            text_printf(names, "%s%s", count > 1 ? ", " : "", name);
    }
    hashmap_done(&had);
    return count;
}

static void input_notes(struct topdown_run *run)
{
    if (run->readings.strange_count) {
        struct text names = {0};
        size_t count = strange_name(run, &names);
        *vec_push(&run->notes) =
            arena_printf(&run->arena, "%zu of the events counted are not used by any metric of %s: %s%s", count,
                         run->table.key, text_string(&names), count > STRANGE_NAMED ? ", …" : "");
        text_done(&names);
    }
    if (run->given_count)
        *vec_push(&run->notes) =
            "values as reported are the other tool's: what they were computed from, and whether they were counted "
            "together, isn't known";
    if (run->differing)
        *vec_push(&run->notes) = "some metrics stand there several times (CPUs, intervals): the last value of each is "
                                 "shown, for ratios can't "
                                 "be added up; counts can";
    if (run->counts.set_count > run->readings.sets_unscaled + 1)
        *vec_push(&run->notes) =
            arena_printf(&run->arena,
                         "%zu runs or groups were counted, and put on a common scale by what they have in "
                         "common",
                         run->counts.set_count - run->readings.sets_unscaled);
    if (run->readings.sets_unscaled)
        *vec_push(&run->notes) = arena_printf(
            &run->arena, "%zu runs or groups have no event in common with the others: they are taken as equally long",
            run->readings.sets_unscaled);
    if (run->readings.instructions_spread > INSTRUCTIONS_AGREE)
        *vec_push(&run->notes) =
            arena_printf(&run->arena,
                         "passes disagree: instructions differ by %.1f %% between runs, so that values of "
                         "different runs may not be of the same work",
                         run->readings.instructions_spread * 100);
    if (run->counts.broken_lines)
        *vec_push(&run->notes) =
            arena_printf(&run->arena, "%zu line%s of the file %s no valid JSON and left out: was it cut off?",
                         run->counts.broken_lines, run->counts.broken_lines == 1 ? "" : "s",
                         run->counts.broken_lines == 1 ? "is" : "are");
    if (run->counts.intervals > 1)
        *vec_push(&run->notes) = arena_printf(&run->arena, "%zu intervals were added up", run->counts.intervals);
}

static bool result_write(struct topdown_run *run, const struct topdown_tree *tree, struct error *err)
{
    struct text out = {0};
    struct topdown_page what = {
        .origin = arena_printf(&run->arena, "%s (%s)", run->options.from, run->counts.form),
        .level_most = (unsigned)run->options.level, .all = run->options.all,
        .notes = run->notes.items, .note_count = run->notes.count,
    };
    if (run->options.json) {
        topdown_json_write(&out, tree, &what);
    } else if (run->options.separator) {
        topdown_lines_write(&out, tree, run->options.separator[0]);
    } else {
        struct page page = page_for(&out, run->context->out);
        topdown_text_write(&page, tree, &what);
    }
    bool good = text_write_file(&out, run->context->out) || error_system(err, errno, "can't write the tree");
    text_done(&out);
    return good;
}

static bool known_is_any(const struct topdown_tree *tree)
{
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].value.known && !tree->nodes[at].default_latency &&
            strcmp(tree->nodes[at].name, "Info_System_Time") != 0)
            return true;
    return false;
}

static bool tree_make(struct topdown_run *run, struct error *err)
{
    struct topdown_tree tree;
    struct table_choice choice = {.cpu = run->options.cpu, .folder = run->options.tables, .extent = TABLE_WHOLE};
    if (!input_read(run, err) || !metric_table_choose(&run->table, &choice, run->context->root, err))
        return false;
    readings_take(run);
    metrics_take(run);
    input_notes(run);
    topdown_tree_find(&tree, &run->table, &run->readings, run->given_count ? run->given : NULL, &run->arena);
    if (!result_write(run, &tree, err))
        return false;
    if (!known_is_any(&tree))
        run->context->exit_code = EXIT_CODE_INCONCLUSIVE;
    return true;
}

bool topdown_from(struct context *context, const struct topdown_options *options, struct error *err)
{
    struct topdown_run run = {.context = context, .options = *options};
    bool good = tree_make(&run, err);
    text_done(&run.input);
    vec_done(&run.notes);
    metric_table_done(&run.table);
    arena_done(&run.arena);
    return good;
}
