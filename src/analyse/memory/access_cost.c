/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/access_cost.h"

#include "base/json/json_writer.h"
#include "statistics/json_interval.h"

#include <string.h>

static void write_cost(struct json_writer *json, const struct access_cost *cost)
{
    json_object_open(json, NULL);
    json_u64(json, "group", cost->group);
    json_string(json, "function", cost->function);
    json_string(json, "area", cost->area);
    json_u64(json, "instruction", cost->instruction);
    json_u64(json, "span_bytes", cost->span_bytes);
    json_u64(json, "lines_bytes", cost->lines_bytes);
    json_u64(json, "stride_bytes", cost->stride_bytes);
    json_u64(json, "element_bytes", cost->element_bytes);
    json_bool(json, "dependent", cost->dependent);
    json_string(json, "why_not", cost->known ? NULL : cost->why_not);
    if (cost->known) {
        json_u64(json, "measured_span_bytes", cost->measured_span_bytes);
        json_u64(json, "blocks", cost->blocks);
        json_interval(json, "ns_small_pages", cost->ns_small);
        json_interval(json, "ns_huge_pages", cost->ns_huge);
        json_u64(json, "work_instructions", cost->work_instructions);
        json_interval(json, "ns_work", cost->ns_work);
        json_interval(json, "ns_line_in_order", cost->ns_line);
        json_interval(json, "ratio", cost->ratio);
        json_interval(json, "ratio_spread", cost->ratio_spread);
        json_interval(json, "wait_spread", cost->wait_spread);
        json_interval(json, "ns_near_caches", cost->ns_near);
        json_interval(json, "ns_first_touch_small", cost->ns_touch_small);
        json_interval(json, "ns_first_touch_huge", cost->ns_touch_huge);
    }
    json_object_close(json);
}

void access_costs_write(const struct access_costs *costs, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_object_open(&json, "skid");
    json_bool(&json, "known", costs->skid_known);
    json_bool(&json, "one_behind", costs->one_behind);
    json_bool(&json, "exact", costs->exact);
    json_interval(&json, "exact_ratio", costs->exact_ratio);
    json_interval(&json, "behind_ratio", costs->behind_ratio);
    if (costs->restart_known)
        json_string(&json, "restarts_on", costs->restarts_behind ? "second" : "first");
    json_string(&json, "why_not", costs->skid_known ? NULL : costs->skid_why_not);
    json_object_close(&json);
    json_array_open(&json, "access_costs");
    for (size_t at = 0; at < costs->count; at++)
        write_cost(&json, &costs->items[at]);
    json_array_close(&json);
    json_object_close(&json);
}

static bool read_cost(struct access_cost *cost, struct json_value value, struct arena *arena)
{
    uint64_t element = 0, group = 0;
    bool fine = json_unsigned(json_member(value, "group"), &group) &&
                json_unsigned(json_member(value, "span_bytes"), &cost->span_bytes) &&
                json_unsigned(json_member(value, "stride_bytes"), &cost->stride_bytes) && group < UINT32_MAX;
    if (!fine)
        return false;
    const char *function = json_text_or(json_member(value, "function"), NULL);
    const char *area = json_text_or(json_member(value, "area"), NULL);
    cost->function = function ? arena_string(arena, function) : NULL;
    cost->area = area ? arena_string(arena, area) : NULL;
    cost->instruction = json_unsigned_or(json_member(value, "instruction"), 0);
    cost->lines_bytes = json_unsigned_or(json_member(value, "lines_bytes"), 0);
    (void)!json_unsigned(json_member(value, "element_bytes"), &element);
    cost->element_bytes = (uint32_t)element;
    cost->group = (uint32_t)group;
    cost->dependent = json_truth_or(json_member(value, "dependent"), false);
    cost->ns_small = json_interval_or_unknown(json_member(value, "ns_small_pages"));
    cost->ns_huge = json_interval_or_unknown(json_member(value, "ns_huge_pages"));
    cost->work_instructions = (uint32_t)json_unsigned_or(json_member(value, "work_instructions"), 0);
    cost->ns_work = json_interval_or_unknown(json_member(value, "ns_work"));
    cost->ns_line = json_interval_or_unknown(json_member(value, "ns_line_in_order"));
    cost->ratio = json_interval_or_unknown(json_member(value, "ratio"));
    cost->ratio_spread = json_interval_or_unknown(json_member(value, "ratio_spread"));
    cost->wait_spread = json_interval_or_unknown(json_member(value, "wait_spread"));
    cost->ns_near = json_interval_or_unknown(json_member(value, "ns_near_caches"));
    cost->ns_touch_small = json_interval_or_unknown(json_member(value, "ns_first_touch_small"));
    cost->ns_touch_huge = json_interval_or_unknown(json_member(value, "ns_first_touch_huge"));
    cost->measured_span_bytes = json_unsigned_or(json_member(value, "measured_span_bytes"), 0);
    cost->blocks = json_unsigned_or(json_member(value, "blocks"), 0);
    cost->known = cost->ns_small.known && cost->ns_huge.known && cost->ratio.known;
    cost->why_not = cost->known ? NULL
                                : arena_string(arena, json_text_or(json_member(value, "why_not"), "not in the case"));
    return true;
}

bool access_costs_read(struct access_costs *costs, struct json_value root, struct arena *arena, struct error *err)
{
    struct json_value list = json_member(root, "access_costs"), skid = json_member(root, "skid");
    if (!json_is_list(list))
        return error_set(err, ERROR_FORMAT, "no list 'access_costs'");
    const char *restarts_on = json_text_or(json_member(skid, "restarts_on"), NULL);
    *costs = (struct access_costs){
        .items = arena_array(arena, struct access_cost, json_count(list) + 1),
        .skid_known = json_truth_or(json_member(skid, "known"), false),
        .one_behind = json_truth_or(json_member(skid, "one_behind"), false),
        .exact = json_truth_or(json_member(skid, "exact"), false),
        .exact_ratio = json_interval_or_unknown(json_member(skid, "exact_ratio")),
        .restart_known = restarts_on,
        .restarts_behind = restarts_on && strcmp(restarts_on, "second") == 0,
        .behind_ratio = json_interval_or_unknown(json_member(skid, "behind_ratio")),
        .skid_why_not = arena_string(arena, json_text_or(json_member(skid, "why_not"), "not in the case")),
    };
    for (size_t at = 0; at < json_count(list); at++)
        if (!read_cost(&costs->items[costs->count++], json_item(list, at), arena))
            return error_set(err, ERROR_FORMAT, "access cost %zu lacks its pattern", at);
    return true;
}

const struct access_cost *access_costs_of_group(const struct access_costs *costs, uint32_t group)
{
    for (size_t at = 0; costs && at < costs->count; at++)
        if (costs->items[at].group == group)
            return &costs->items[at];
    return NULL;
}
