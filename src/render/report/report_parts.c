/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a report that no other output has: doc/schema-report.md. */
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "render/exits/exits.h"
#include "render/report/report.h"
#include "render/topdown/topdown_page.h"
#include "statistics/json_interval.h"

#include <stdlib.h>

static void part_begin(struct json_writer *json, struct text *out, const char *format)
{
    json_begin(json, out);
    json->compact = true;
    json_object_open(json, NULL);
    json_string(json, "format", format);
    json_u64(json, "schema", REPORT_SCHEMA);
}

/* ---- stacks ---- */

void report_stacks_json(struct text *out, const struct stack_tree *tree)
{
    struct json_writer json;
    part_begin(&json, out, "plumb stacks");
    json_string(&json, "event", tree->event);
    json_u64(&json, "samples", tree->sample_count);
    json_u64(&json, "folded_below", tree->folded_below);
    json_array_open(&json, "frames");
    for (size_t at = 0; at < tree->frame_count; at++) {
        json_array_open(&json, NULL);
        json_string(&json, NULL, tree->frames[at].name);
        json_string(&json, NULL, tree->frames[at].dso);
        json_u64(&json, NULL, tree->frames[at].is_kernel);
        json_array_close(&json);
    }
    json_array_close(&json);
    json_array_open(&json, "nodes");
    for (size_t at = 0; at < tree->node_count; at++) {
        json_u64(&json, NULL, tree->nodes[at].depth);
        json_u64(&json, NULL, tree->nodes[at].frame);
        json_u64(&json, NULL, tree->nodes[at].samples);
    }
    json_array_close(&json);
    json_object_close(&json);
}

/* ---- code ---- */

static void add_hex(struct json_writer *json, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%llx", (unsigned long long)value);
    json_string(json, key, digits);
}

static void add_rows(struct json_writer *json, const struct listing_function *function)
{
    json_array_open(json, "rows");
    for (size_t at = 0; at < function->row_count; at++) {
        const struct listing_row *row = &function->rows[at];
        json_object_open(json, NULL);
        add_hex(json, "address", row->addr);
        json_string(json, "text", row->text);
        json_string(json, "class", row->class);
        json_u64(json, "stalled", row->stalled);
        json_u64(json, "sampled", row->sampled);
        json_u64(json, "number", row->instruction);
        if (row->line != UINT32_MAX)
            json_u64(json, "line", row->line);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_lines(struct json_writer *json, const struct listing_function *function)
{
    json_array_open(json, "lines");
    for (size_t at = 0; at < function->line_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "path", function->lines[at].path);
        json_u64(json, "line", function->lines[at].line);
        json_string(json, "function", function->lines[at].function);
        json_string(json, "text", function->lines[at].text);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_loops(struct json_writer *json, const struct listing_function *function)
{
    json_array_open(json, "loops");
    for (size_t at = 0; at < function->loop_count; at++) {
        json_object_open(json, NULL);
        json_u64(json, "first", function->loops[at].first);
        json_u64(json, "last", function->loops[at].last);
        json_u64(json, "stalled", function->loops[at].stalled);
        json_object_close(json);
    }
    json_array_close(json);
    json_array_open(json, "stalls");
    for (size_t at = 0; at < function->stall_count; at++) {
        json_object_open(json, NULL);
        json_u64(json, "sampled", function->stalls[at].sampled);
        json_u64(json, "stalled", function->stalls[at].stalled);
        json_u64(json, "samples", function->stalls[at].samples);
        json_object_close(json);
    }
    json_array_close(json);
}

void report_code_json(struct text *out, const struct code_listing *listing, const struct stalls *stalls)
{
    struct json_writer json;
    part_begin(&json, out, "plumb code");
    json_bool(&json, "attributed", stalls->attributed);
    json_string(&json, "not_measured", listing->why_none);
    json_array_open(&json, "functions");
    for (size_t at = 0; at < listing->count; at++) {
        const struct listing_function *function = &listing->functions[at];
        const struct stall_function *of = &stalls->functions[function->function];
        json_object_open(&json, NULL);
        json_string(&json, "function", of->name);
        json_string(&json, "dso", of->dso_path);
        json_u64(&json, "samples", of->samples);
        json_interval(&json, "share", of->share);
        json_u64(&json, "instructions", function->instruction_count);
        add_rows(&json, function);
        add_lines(&json, function);
        add_loops(&json, function);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

/* ---- pages ---- */

static int area_compare(const void *a, const void *b)
{
    const struct page_area *const *left = a, *const *right = b;
    if ((*left)->resident_bytes != (*right)->resident_bytes)
        return (*left)->resident_bytes < (*right)->resident_bytes ? 1 : -1;
    return ((*left)->start > (*right)->start) - ((*left)->start < (*right)->start);
}

static void add_area(struct json_writer *json, const struct page_area *area)
{
    json_object_open(json, NULL);
    json_string(json, "path", area->path);
    add_hex(json, "start", area->start);
    json_u64(json, "bytes", area->end - area->start);
    json_string(json, "protection", area->protection);
    json_u64(json, "resident_bytes", area->resident_bytes);
    json_u64(json, "huge_bytes", area->huge_bytes);
    json_u64(json, "page_bytes", area->kernel_page_bytes);
    json_bool(json, "advised_huge", area->advised_huge);
    json_bool(json, "advised_never", area->advised_never);
    json_object_close(json);
}

static void add_process(struct json_writer *json, const struct process_pages *process)
{
    enum { AREAS_MOST = 40 };
    static const char *const methods[] = {
        [PAGE_METHOD_SCAN] = "scan", [PAGE_METHOD_FLAGS] = "flags", [PAGE_METHOD_SMAPS] = "smaps"};
    scoped_free const struct page_area **areas = memory_alloc((process->area_count + 1) * sizeof(*areas));
    uint64_t resident = 0, huge = 0;
    for (size_t at = 0; at < process->area_count; at++) {
        areas[at] = &process->areas[at];
        resident += process->areas[at].resident_bytes;
        huge += process->areas[at].huge_bytes;
    }
    qsort(areas, process->area_count, sizeof(*areas), area_compare);
    json_object_open(json, NULL);
    json_u64(json, "pid", (uint64_t)process->pid);
    json_string(json, "method", methods[process->method]);
    json_u64(json, "resident_bytes", resident);
    json_u64(json, "huge_bytes", huge);
    json_u64(json, "areas_in_all", process->area_count);
    json_array_open(json, "areas");
    for (size_t at = 0; at < process->area_count && at < AREAS_MOST && areas[at]->resident_bytes; at++)
        add_area(json, areas[at]);
    json_array_close(json);
    json_object_close(json);
}

void report_pages_json(struct text *out, const struct process_pages *pages, size_t count)
{
    enum { PROCESSES_MOST = 8 };
    struct json_writer json;
    part_begin(&json, out, "plumb report pages");
    json_u64(&json, "processes_in_all", count);
    json_array_open(&json, "processes");
    for (size_t at = 0; at < count && at < PROCESSES_MOST; at++)
        add_process(&json, &pages[at]);
    json_array_close(&json);
    json_object_close(&json);
}

/* ---- timeline ---- */

void report_timeline_json(struct text *out, const struct timeline *timeline)
{
    struct json_writer json;
    part_begin(&json, out, "plumb timeline");
    json_double(&json, "until_s", timeline->until_s);
    json_u64(&json, "functions", timeline->function_count);
    json_array_open(&json, "series");
    for (size_t at = 0; at < timeline->series_count; at++)
        json_string(&json, NULL, timeline->series[at]);
    json_array_close(&json);
    json_array_open(&json, "slices");
    for (size_t slice = 0; slice < timeline->slice_count; slice++) {
        json_array_open(&json, NULL);
        for (size_t at = 0; at < timeline->series_count; at++)
            json_u64(&json, NULL, timeline->samples[slice][at]);
        json_array_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

void report_exits_json(struct text *out, const struct exit_table *table)
{
    struct json_writer json;
    const struct exit_report report = {
        .heading = "guests", .method = "gathered by plumb exits, kept in the case", .at_s = -1};
    part_begin(&json, out, "plumb exits");
    exit_table_json(&json, table, &report);
    json_object_close(&json);
}

void report_topdown_json(struct text *out, const struct topdown_reported *reported, struct arena *arena)
{
    const char *const notes[] = {
        arena_printf(arena, "no place in the tree has: %s", reported->strange),
    };
    const struct topdown_page page = {
        .origin = arena_printf(arena, "%s (imported, not measured by plumb)", reported->files),
        .notes = notes,
        .note_count = reported->strange[0] ? 1 : 0,
    };
    topdown_json_write(out, &reported->tree, &page);
}

void report_counted_json(struct text *out, const struct topdown_counted *counted)
{
    const struct topdown_page page = {
        .origin = counted->origin, .notes = counted->notes, .note_count = counted->note_count, .is_live = true};
    topdown_json_write(out, &counted->tree, &page);
}

void report_machine_json(struct text *out, const struct surroundings *surroundings)
{
    surroundings_write(surroundings, out);
}
