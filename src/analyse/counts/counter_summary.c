/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/counts/counter_summary.h"

#include "base/json/json_measured.h"

#include <string.h>

struct measured counter_of(const struct counter_summary *summary, const char *name)
{
    for (size_t at = 0; summary && at < summary->count; at++)
        if (strcmp(summary->items[at].name, name) == 0)
            return summary->items[at].count;
    return not_measured("it wasn't counted");
}

bool counter_summary_has_hardware(const struct counter_summary *summary)
{
    for (size_t at = 0; summary && at < summary->count; at++)
        if (summary->items[at].hardware && summary->items[at].count.known)
            return true;
    return false;
}

void counter_summary_write(const struct counter_summary *summary, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_string(&json, "origin", summary->origin);
    json_bool(&json, "imported", summary->imported);
    json_array_open(&json, "counters");
    for (size_t at = 0; at < summary->count; at++) {
        const struct named_count *item = &summary->items[at];
        json_object_open(&json, NULL);
        json_string(&json, "name", item->name);
        json_measured(&json, "count", item->count);
        if (item->count.known && item->running_ratio > 0)
            json_double(&json, "running_ratio", item->running_ratio);
        json_bool(&json, "hardware", item->hardware);
        json_bool(&json, "user_only", item->user_only);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

static bool read_count(struct named_count *item, struct json_value value, struct arena *arena)
{
    const char *name = json_text_or(json_member(value, "name"), NULL);
    if (!name || !name[0])
        return false;
    *item = (struct named_count){
        .name = arena_string(arena, name),
        .count = json_measured_or(json_member(value, "count"), arena),
        .running_ratio = json_number_or(json_member(value, "running_ratio"), 0),
        .hardware = json_truth_or(json_member(value, "hardware"), false),
        .user_only = json_truth_or(json_member(value, "user_only"), false),
    };
    return (!item->count.known || item->count.value >= 0) && item->running_ratio >= 0 && item->running_ratio <= 1;
}

bool counter_summary_read(struct counter_summary *summary, struct json_value root, struct arena *arena,
                          struct error *err)
{
    struct json_value list = json_member(root, "counters");
    if (!json_is_list(list))
        return error_set(err, ERROR_FORMAT, "no list 'counters'");
    struct named_count *items = arena_array(arena, struct named_count, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++)
        if (!read_count(&items[at], json_item(list, at), arena))
            return error_set(err, ERROR_FORMAT, "counter %zu has no name, or a count that can't be", at);
    *summary = (struct counter_summary){
        .items = items,
        .count = json_count(list),
        .origin = arena_string(arena, json_text_or(json_member(root, "origin"), "")),
        .imported = json_truth_or(json_member(root, "imported"), false),
    };
    return true;
}
