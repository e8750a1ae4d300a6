/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_counters.h"

#include "base/arena.h"
#include "base/scope.h"
#include "decode/layout.h"

#include <inttypes.h>

static bool thread_equal(const void *context, uint32_t id, const void *key)
{
    const struct report_counters *counters = context;
    const struct counted_thread *a = &counters->threads.items[id], *b = key;
    return a->pid == b->pid && a->tid == b->tid;
}

static bool value_equal(const void *context, uint32_t id, const void *key)
{
    const struct report_counters *counters = context;
    const struct counted_value *a = &counters->values.items[id], *b = key;
    return a->thread == b->thread && a->event == b->event;
}

static uint64_t value_hash(const struct counted_value *value)
{
    return hash_combine(hash_u64(value->thread), value->event);
}

static uint32_t thread_intern(struct report_counters *counters, uint32_t pid, uint32_t tid)
{
    struct counted_thread sought = {pid, tid};
    uint64_t hash = hash_combine(hash_u64(pid), tid);
    uint32_t id = hashmap_find(&counters->thread_map, hash, thread_equal, counters, &sought);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)counters->threads.count;
    *vec_push(&counters->threads) = sought;
    hashmap_add(&counters->thread_map, hash, id);
    return id;
}

static void value_add(struct report_counters *counters, struct counted_value added)
{
    uint64_t hash = value_hash(&added);
    uint32_t id = hashmap_find(&counters->value_map, hash, value_equal, counters, &added);
    if (id != HASHMAP_ABSENT) {
        counters->values.items[id].value += added.value;
        return;
    }
    hashmap_add(&counters->value_map, hash, (uint32_t)counters->values.count);
    *vec_push(&counters->values) = added;
}

static bool has_id(const struct source_event *event, uint64_t id)
{
    for (size_t at = 0; at < event->id_count; at++)
        if (event->ids[at] == id)
            return true;
    return false;
}

/* The counter's own value of a record; of a group's by its id, among all of them. */
static bool own_value(const struct record_read *read, const struct source_event *event, uint64_t *ret_value)
{
    uint64_t format = event->attr.read_format;
    const struct u64_view *words = &read->values;
    uint32_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    uint32_t step = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST);
    if (!(format & PERF_FORMAT_GROUP)) {
        *ret_value = words->count ? u64_view_at(words, 0) : 0;
        return words->count;
    }
    if (!(format & PERF_FORMAT_ID))
        return false;
    for (uint32_t at = 1 + times; words->count >= step && at <= words->count - step; at += step)
        if (has_id(event, u64_view_at(words, at + 1))) {
            *ret_value = u64_view_at(words, at);
            return true;
        }
    return false;
}

void report_counters_add(struct report_counters *counters, const struct source *source, const struct record *record)
{
    uint64_t value;
    if (record->kind == RECORD_READ && record->event < source->event_count &&
        own_value(&record->read, &source->events[record->event], &value))
        value_add(counters, (struct counted_value){thread_intern(counters, record->read.pid, record->read.tid),
                                                   record->event, value});
}

void report_counters_done(struct report_counters *counters)
{
    vec_done(&counters->threads);
    vec_done(&counters->values);
    hashmap_done(&counters->thread_map);
    hashmap_done(&counters->value_map);
}

static int decimal_width(uint64_t value)
{
    return snprintf(NULL, 0, "%" PRIu64, value);
}

static void widen(int *width, int wanted)
{
    *width = wanted > *width ? wanted : *width;
}

/* Of the columns: process, thread, then the events; 0: nothing was read of that one. */
static void find_widths(const struct report_counters *counters, const struct source *source, int *widths)
{
    widths[0] = widths[1] = (int)strlen("PID");
    vec_for_each(&counters->threads, thread)
    {
        widen(&widths[0], decimal_width(thread->pid));
        widen(&widths[1], decimal_width(thread->tid));
    }
    vec_for_each(&counters->values, value)
    {
        widen(&widths[2 + value->event], (int)strlen(source->events[value->event].name));
        widen(&widths[2 + value->event], decimal_width(value->value));
    }
}

static void add_row(const struct report_counters *counters, uint32_t thread, size_t events, const int *widths,
                    struct text *out)
{
    for (uint32_t event = 0; event < events; event++) {
        struct counted_value sought = {thread, event, 0};
        uint32_t id = hashmap_find(&counters->value_map, value_hash(&sought), value_equal, counters, &sought);
        if (widths[2 + event] && id == HASHMAP_ABSENT)
            text_printf(out, "  %*s", widths[2 + event], "-");
        else if (widths[2 + event])
            text_printf(out, "  %*" PRIu64, widths[2 + event], counters->values.items[id].value);
    }
    text_add_char(out, '\n');
}

void report_counters_show(const struct report_counters *counters, const struct source *source, struct text *out)
{
    size_t events = source->event_count;
    scoped_free int *widths = memory_alloc(memory_product(events + 2, sizeof(*widths)));
    memset(widths, 0, (events + 2) * sizeof(*widths));
    find_widths(counters, source, widths);
    text_printf(out, "# %*s  %*s", widths[0], "PID", widths[1], "TID");
    for (size_t event = 0; event < events; event++)
        if (widths[2 + event])
            text_printf(out, "  %*s", widths[2 + event], source->events[event].name);
    text_add_char(out, '\n');
    for (uint32_t thread = 0; thread < counters->threads.count; thread++) {
        text_printf(out, "  %*" PRIu32 "  %*" PRIu32, widths[0], counters->threads.items[thread].pid, widths[1],
                    counters->threads.items[thread].tid);
        add_row(counters, thread, events, widths, out);
    }
}
