/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Firefox Profiler's processed format: columns of equal length for each thread, which point into one another by
 * number.
 */
#include "analyse/profile/flame.h"
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"
#include "render/profile/profile.h"

enum {
    FORMAT_VERSION = 48,
    GECKO_VERSION = 28,
    RESOURCE_LIBRARY = 1,
    MARKER_INSTANT = 0,
    MARKER_INTERVAL = 1,
};

#define NOT_USED UINT32_MAX

/* In the viewer's colours; the first is the default one, which must be grey. */
static const struct {
    const char *name, *color;
} categories[FLAME_KIND_COUNT] = {
    [FLAME_UNKNOWN] = {"Other", "grey"},     [FLAME_THREAD] = {"Thread", "darkgrey"},
    [FLAME_PROGRAM] = {"Program", "yellow"}, [FLAME_LIBRARY] = {"Library", "blue"},
    [FLAME_KERNEL] = {"Kernel", "orange"},   [FLAME_JIT] = {"JIT", "green"},
};

struct used {
    uint32_t *number; /* by id: its row in the thread's table, or NOT_USED */
    vec(uint32_t) ids;
};

struct writing {
    struct json_writer json;
    const struct thread_series *series;
    const struct series_row *row;
    struct strings strings;
    struct used stacks, places, files; /* files: by id of string */
};

static double ms_of(const struct writing *writing, uint64_t time_ns)
{
    return time_ns > writing->series->first_ns ? (double)(time_ns - writing->series->first_ns) / 1e6 : 0;
}

/* ---- a thread's own tables ---- */

static void used_begin(struct used *used, size_t count)
{
    *used = (struct used){.number = memory_alloc(memory_product(count + 1, sizeof(uint32_t)))};
    memset(used->number, 0xff, (count + 1) * sizeof(uint32_t));
}

static void used_done(struct used *used)
{
    free(used->number);
    vec_done(&used->ids);
}

static uint32_t used_number(struct used *used, uint32_t id)
{
    if (used->number[id] == NOT_USED) {
        used->number[id] = (uint32_t)used->ids.count;
        *vec_push(&used->ids) = id;
    }
    return used->number[id];
}

static uint32_t string_of(struct writing *writing, const char *string)
{
    return strings_intern(&writing->strings, string);
}

/* A caller stands before what it called. */
static void stack_use(struct writing *writing, uint32_t stack)
{
    vec(uint32_t) path = {0};
    for (; stack != SERIES_ROOT && writing->stacks.number[stack] == NOT_USED;
         stack = writing->series->stacks[stack].caller)
        *vec_push(&path) = stack;
    while (path.count) {
        uint32_t at = path.items[--path.count];
        used_number(&writing->stacks, at);
        used_number(&writing->places, writing->series->stacks[at].place);
    }
    vec_done(&path);
}

static const struct place *place_at(const struct writing *writing, size_t number)
{
    return &writing->series->places->items[writing->places.ids.items[number]];
}

/* ---- columns ---- */

static void add_column(struct json_writer *json, const char *name, size_t count, uint64_t value)
{
    json_array_open(json, name);
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, value);
    json_array_close(json);
}

static void add_nulls(struct json_writer *json, const char *name, size_t count)
{
    json_array_open(json, name);
    for (size_t at = 0; at < count; at++)
        json_null(json, NULL);
    json_array_close(json);
}

static void add_flags(struct json_writer *json, const char *name, size_t count)
{
    json_array_open(json, name);
    for (size_t at = 0; at < count; at++)
        json_bool(json, NULL, false);
    json_array_close(json);
}

/* Each place is a frame and a function of the same number. */
static void add_numbers(struct json_writer *json, const char *name, size_t count)
{
    json_array_open(json, name);
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, at);
    json_array_close(json);
}

static void add_samples(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    const struct series_sample *samples = writing->series->samples + writing->row->first;
    json_object_open(json, "samples");
    json_array_open(json, "stack");
    for (size_t at = 0; at < writing->row->count; at++)
        json_u64(json, NULL, writing->stacks.number[samples[at].stack]);
    json_array_close(json);
    json_array_open(json, "time");
    for (size_t at = 0; at < writing->row->count; at++)
        json_double(json, NULL, ms_of(writing, samples[at].time_ns));
    json_array_close(json);
    add_nulls(json, "eventDelay", writing->row->count);
    json_null(json, "weight");
    json_string(json, "weightType", "samples");
    json_u64(json, "length", writing->row->count);
    json_object_close(json);
}

static void add_stacks(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    size_t count = writing->stacks.ids.count;
    const struct series_stack *stacks = writing->series->stacks;
    const struct places *places = writing->series->places;
    json_object_open(json, "stackTable");
    json_array_open(json, "frame");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, writing->places.number[stacks[writing->stacks.ids.items[at]].place]);
    json_array_close(json);
    json_array_open(json, "prefix");
    for (size_t at = 0; at < count; at++) {
        uint32_t caller = stacks[writing->stacks.ids.items[at]].caller;
        if (caller == SERIES_ROOT)
            json_null(json, NULL);
        else
            json_u64(json, NULL, writing->stacks.number[caller]);
    }
    json_array_close(json);
    json_array_open(json, "category");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, flame_kind_of(places, &places->items[stacks[writing->stacks.ids.items[at]].place]));
    json_array_close(json);
    add_column(json, "subcategory", count, 0);
    json_u64(json, "length", count);
    json_object_close(json);
}

static void add_frames(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    size_t count = writing->places.ids.count;
    json_object_open(json, "frameTable");
    json_array_open(json, "address");
    for (size_t at = 0; at < count; at++)
        /* what a number of JavaScript holds */
        json_u64(json, NULL, place_at(writing, at)->addr & (((uint64_t)1 << 53) - 1));
    json_array_close(json);
    json_array_open(json, "category");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, flame_kind_of(writing->series->places, place_at(writing, at)));
    json_array_close(json);
    add_column(json, "subcategory", count, 0);
    add_numbers(json, "func", count);
    json_array_open(json, "inlineDepth");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, place_at(writing, at)->is_inlined);
    json_array_close(json);
    add_nulls(json, "nativeSymbol", count);
    add_column(json, "innerWindowID", count, 0);
    add_nulls(json, "implementation", count);
    add_nulls(json, "line", count);
    add_nulls(json, "column", count);
    json_u64(json, "length", count);
    json_object_close(json);
}

static uint32_t file_of(struct writing *writing, const struct place *place)
{
    return used_number(&writing->files, string_of(writing, place->dso && place->dso[0] ? place->dso : "[unknown]"));
}

static void add_functions(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    size_t count = writing->places.ids.count;
    json_object_open(json, "funcTable");
    json_array_open(json, "name");
    for (size_t at = 0; at < count; at++) {
        scoped_text struct text name = {0};
        place_add_name(&name, place_at(writing, at));
        json_u64(json, NULL, string_of(writing, text_string(&name)));
    }
    json_array_close(json);
    json_array_open(json, "resource");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, file_of(writing, place_at(writing, at)));
    json_array_close(json);
    add_flags(json, "isJS", count);
    add_flags(json, "relevantForJS", count);
    add_nulls(json, "fileName", count);
    add_nulls(json, "lineNumber", count);
    add_nulls(json, "columnNumber", count);
    json_u64(json, "length", count);
    json_object_close(json);
}

static void add_files(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    size_t count = writing->files.ids.count;
    json_object_open(json, "resourceTable");
    json_array_open(json, "name");
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, writing->files.ids.items[at]);
    json_array_close(json);
    add_nulls(json, "lib", count);
    add_nulls(json, "host", count);
    add_column(json, "type", count, RESOURCE_LIBRARY);
    json_u64(json, "length", count);
    json_object_close(json);
}

static void add_symbols(struct json_writer *json)
{
    static const char *const columns[] = {"libIndex", "address", "name", "functionSize"};
    json_object_open(json, "nativeSymbols"); /* names are known: nothing is left to be asked for */
    for (size_t at = 0; at < sizeof(columns) / sizeof(columns[0]); at++)
        add_nulls(json, columns[at], 0);
    json_u64(json, "length", 0);
    json_object_close(json);
}

/* What a thread's markers are: its waits, and in the first thread what was lost. */
static void add_markers(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    const struct thread_series *series = writing->series;
    const struct series_wait *waits = writing->row->wait_count ? series->waits + writing->row->first_wait : NULL;
    size_t losses = writing->row == series->rows ? series->loss_count : 0, count = writing->row->wait_count;
    uint32_t off = string_of(writing, "Off CPU"), lost = string_of(writing, "Lost records");
    json_object_open(json, "markers");
    json_array_open(json, "name");
    for (size_t at = 0; at < count + losses; at++)
        json_u64(json, NULL, at < count ? off : lost);
    json_array_close(json);
    json_array_open(json, "startTime");
    for (size_t at = 0; at < count + losses; at++)
        json_double(json, NULL, ms_of(writing, at < count ? waits[at].from_ns : series->losses[at - count].time_ns));
    json_array_close(json);
    json_array_open(json, "endTime");
    for (size_t at = 0; at < count + losses; at++)
        if (at < count)
            json_double(json, NULL, ms_of(writing, waits[at].until_ns));
        else
            json_null(json, NULL);
    json_array_close(json);
    json_array_open(json, "phase");
    for (size_t at = 0; at < count + losses; at++)
        json_u64(json, NULL, at < count ? MARKER_INTERVAL : MARKER_INSTANT);
    json_array_close(json);
    add_column(json, "category", count + losses, FLAME_UNKNOWN);
    json_array_open(json, "data");
    for (size_t at = 0; at < count + losses; at++) {
        json_object_open(json, NULL);
        json_string(json, "type", at < count ? "OffCpu" : "Lost");
        if (at < count)
            json_string(json, "why", waits[at].preempted ? "preempted" : "waited");
        else
            json_u64(json, "count", series->losses[at - count].count);
        json_object_close(json);
    }
    json_array_close(json);
    json_u64(json, "length", count + losses);
    json_object_close(json);
}

static void add_strings(struct writing *writing)
{
    json_array_open(&writing->json, "stringArray");
    for (uint32_t at = 0; at < strings_count(&writing->strings); at++)
        json_string(&writing->json, NULL, strings_text(&writing->strings, at));
    json_array_close(&writing->json);
}

static void add_thread(struct writing *writing)
{
    struct json_writer *json = &writing->json;
    const struct series_row *row = writing->row;
    scoped_text struct text pid = {0};
    text_printf(&pid, "%u", row->pid);
    for (size_t at = 0; at < row->count; at++)
        stack_use(writing, writing->series->samples[row->first + at].stack);
    json_object_open(json, NULL);
    json_string(json, "processType", "default");
    json_string(json, "processName", row->process);
    json_double(json, "processStartupTime", 0);
    json_null(json, "processShutdownTime");
    json_double(json, "registerTime", 0);
    json_null(json, "unregisterTime");
    json_array_open(json, "pausedRanges");
    json_array_close(json);
    json_string(json, "name", row->name);
    json_bool(json, "isMainThread", row->pid == row->tid);
    json_string(json, "pid", text_string(&pid));
    json_u64(json, "tid", row->tid);
    add_samples(writing);
    add_stacks(writing);
    add_frames(writing);
    add_functions(writing);
    add_files(writing);
    add_symbols(json);
    add_markers(writing);
    add_strings(writing); /* after all that names */
    json_object_close(json);
}

/* ---- the whole ---- */

static void add_marker_kind(struct json_writer *json, const char *name, const char *key, const char *label,
                            const char *format)
{
    json_object_open(json, NULL);
    json_string(json, "name", name);
    json_array_open(json, "display");
    json_string(json, NULL, "marker-chart");
    json_string(json, NULL, "marker-table");
    json_array_close(json);
    json_array_open(json, "data");
    json_object_open(json, NULL);
    json_string(json, "key", key);
    json_string(json, "label", label);
    json_string(json, "format", format);
    json_object_close(json);
    json_array_close(json);
    json_object_close(json);
}

static void add_meta(struct writing *writing, const struct profile_request *request)
{
    struct json_writer *json = &writing->json;
    const struct thread_series *series = writing->series;
    double span_ms = ms_of(writing, series->last_ns);
    json_object_open(json, "meta");
    json_double(json, "interval",
                series->sample_count > 1 && span_ms > 0 ? span_ms / (double)(series->sample_count - 1) : 1);
    json_double(json, "startTime", 0); /* the recording's clock isn't the calendar's */
    json_u64(json, "processType", 0);
    json_string(json, "product", request->name);
    json_string(json, "importedFrom", "plumb " PLUMB_VERSION);
    json_string(json, "misc", series->event);
    json_u64(json, "stackwalk", 1);
    json_u64(json, "version", GECKO_VERSION);
    json_u64(json, "preprocessedProfileVersion", FORMAT_VERSION);
    json_bool(json, "symbolicated", true);
    json_array_open(json, "categories");
    for (size_t at = 0; at < FLAME_KIND_COUNT; at++) {
        json_object_open(json, NULL);
        json_string(json, "name", categories[at].name);
        json_string(json, "color", categories[at].color);
        json_array_open(json, "subcategories");
        json_string(json, NULL, "Other");
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
    json_array_open(json, "markerSchema");
    add_marker_kind(json, "OffCpu", "why", "Why", "string");
    add_marker_kind(json, "Lost", "count", "Records", "integer");
    json_array_close(json);
    json_object_close(json);
}

void profile_firefox(struct text *out, const struct profile_request *request)
{
    struct writing writing = {.series = request->series};
    const struct thread_series *series = request->series;
    json_begin(&writing.json, out);
    writing.json.compact = true;
    writing.json.file = request->file;
    json_object_open(&writing.json, NULL);
    add_meta(&writing, request);
    json_array_open(&writing.json, "libs");
    json_array_close(&writing.json);
    json_array_open(&writing.json, "threads");
    for (size_t at = 0; at < series->row_count; at++) {
        writing.row = &series->rows[at];
        strings_init(&writing.strings);
        used_begin(&writing.stacks, series->stack_count);
        used_begin(&writing.places, series->places->count);
        /* strings of a thread by then: a name and a file a place */
        used_begin(&writing.files, 2 * series->places->count + 2);
        add_thread(&writing);
        used_done(&writing.stacks);
        used_done(&writing.places);
        used_done(&writing.files);
        strings_done(&writing.strings);
    }
    json_array_close(&writing.json);
    json_object_close(&writing.json);
    text_add_char(out, '\n');
}
