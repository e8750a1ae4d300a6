/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_records.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>

enum {
    NAME_WIDTH = 16
};

struct event_count {
    uint64_t samples, losses; /* records, however many samples each counts */
};

struct record_counts {
    uint64_t types[RECORD_TYPES_MOST], unknown, total;
    vec(struct event_count) events;
};

static void count_type(struct record_counts *counts, uint32_t type, uint64_t number)
{
    *(type < RECORD_TYPES_MOST ? &counts->types[type] : &counts->unknown) += number;
    counts->total += number;
}

static void count_record(struct record_counts *counts, const struct record *record)
{
    bool is_of_header = record->kind == RECORD_BUILD_ID && !record->file_offset;
    if (is_of_header)
        return;
    count_type(counts, record->type, 1);
    while (counts->events.count <= record->event)
        *vec_push(&counts->events) = (struct event_count){0};
    counts->events.items[record->event].samples += record->kind == RECORD_SAMPLE;
    counts->events.items[record->event].losses += record->kind == RECORD_LOST_SAMPLES;
}

static void add_count(struct text *out, const char *name, uint64_t number, uint64_t total)
{
    if (!number && total)
        return;
    text_printf(out, "%*s events: %10" PRIu64, NAME_WIDTH, name, number);
    if (total)
        text_printf(out, "  (%4.1f%%)", 100 * (double)number / (double)total);
    text_add_char(out, '\n');
}

static void add_types(struct text *out, const struct record_counts *counts)
{
    text_add(out, "\nAggregated stats:\n");
    add_count(out, "TOTAL", counts->total, 0);
    for (uint32_t type = 0; counts->total && type < RECORD_TYPES_MOST; type++)
        add_count(out, record_type_name(type), counts->types[type], counts->total);
    if (counts->unknown)
        add_count(out, record_type_name(RECORD_TYPES_MOST), counts->unknown, counts->total);
}

static void add_events(struct text *out, const struct record_counts *counts, const struct source *source)
{
    for (size_t at = 0; at < counts->events.count && at < source->event_count; at++) {
        const struct event_count *event = &counts->events.items[at];
        if (!event->samples && !event->losses)
            continue;
        text_printf(out, "%s stats:\n", source->events[at].name);
        if (event->samples)
            add_count(out, "SAMPLE", event->samples, 0);
        if (event->losses)
            add_count(out, "LOST_SAMPLES", event->losses, 0);
    }
}

bool report_stats_text(struct text *out, struct source *source, struct error *err)
{
    scoped_free struct record_counts *counts = memory_alloc(sizeof(*counts));
    struct error trouble = {0};
    struct record record;
    *counts = (struct record_counts){0};
    while (source->ops->next(source, &record, &trouble))
        count_record(counts, &record);
    for (uint32_t type = 0; type < RECORD_TYPES_MOST; type++)
        count_type(counts, type, source->records_kept[type]);
    add_types(out, counts);
    add_events(out, counts, source);
    vec_done(&counts->events);
    return trouble.kind == ERROR_NONE || (*err = trouble, false);
}
