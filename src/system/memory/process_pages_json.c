/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/process_pages_json.h"

#include "base/json/json_writer.h"
#include "base/vec.h"

static const char *const method_words[] = {
    [PAGE_METHOD_SCAN] = "scan", [PAGE_METHOD_FLAGS] = "flags", [PAGE_METHOD_SMAPS] = "smaps"};

static enum page_method method_of(const char *word)
{
    for (size_t at = 0; at < array_count(method_words); at++)
        if (strcmp(word, method_words[at]) == 0)
            return (enum page_method)at;
    return PAGE_METHOD_SMAPS;
}

static void json_hex(struct json_writer *json, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%llx", (unsigned long long)value);
    json_string(json, key, digits);
}

static void write_area(struct json_writer *json, const struct page_area *area)
{
    json_object_open(json, NULL);
    json_hex(json, "start", area->start);
    json_hex(json, "end", area->end);
    json_string(json, "protection", area->protection);
    json_string(json, "path", area->path);
    json_u64(json, "resident_bytes", area->resident_bytes);
    json_u64(json, "huge_bytes", area->huge_bytes);
    json_u64(json, "page_bytes", area->kernel_page_bytes);
    json_bool(json, "advised_huge", area->advised_huge);
    json_bool(json, "advised_never", area->advised_never);
    json_i64(json, "huge_eligible", area->huge_eligible);
    json_object_close(json);
}

void process_pages_write(const struct process_pages *pages, size_t count, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    json_array_open(&json, "processes");
    for (size_t at = 0; at < count; at++) {
        json_object_open(&json, NULL);
        json_u64(&json, "pid", (uint64_t)pages[at].pid);
        json_string(&json, "method", method_words[pages[at].method]);
        json_u64(&json, "base_page_bytes", pages[at].base_page_bytes);
        json_array_open(&json, "areas");
        for (size_t area = 0; area < pages[at].area_count; area++)
            write_area(&json, &pages[at].areas[area]);
        json_array_close(&json);
        json_array_open(&json, "ranges");
        for (size_t range = 0; range < pages[at].range_count; range++) {
            json_object_open(&json, NULL);
            json_hex(&json, "start", pages[at].ranges[range].start);
            json_hex(&json, "end", pages[at].ranges[range].end);
            json_u64(&json, "page_bytes", pages[at].ranges[range].page_bytes);
            json_object_close(&json);
        }
        json_array_close(&json);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

static bool read_span(struct json_value value, uint64_t *start, uint64_t *end)
{
    return json_unsigned(json_member(value, "start"), start) && json_unsigned(json_member(value, "end"), end) &&
           *start < *end;
}

static bool read_process(struct process_pages *pages, struct json_value value, struct arena *arena)
{
    struct json_value areas = json_member(value, "areas"), ranges = json_member(value, "ranges");
    *pages = (struct process_pages){
        .pid = (pid_t)json_unsigned_or(json_member(value, "pid"), 0),
        .method = method_of(json_text_or(json_member(value, "method"), "")),
        .base_page_bytes = json_unsigned_or(json_member(value, "base_page_bytes"), 4096),
        .areas = arena_array(arena, struct page_area, json_count(areas) + 1),
        .ranges = arena_array(arena, struct page_range, json_count(ranges) + 1),
    };
    for (size_t at = 0; at < json_count(areas); at++) {
        struct json_value item = json_item(areas, at);
        struct page_area *area = &pages->areas[pages->area_count];
        if (!read_span(item, &area->start, &area->end) ||
            (at && area->start < pages->areas[at - 1].end)) /* lookups need them in order */
            return false;
        snprintf(area->protection, sizeof(area->protection), "%s",
                 json_text_or(json_member(item, "protection"), ""));
        area->path = arena_string(arena, json_text_or(json_member(item, "path"), ""));
        area->resident_bytes = json_unsigned_or(json_member(item, "resident_bytes"), 0);
        area->huge_bytes = json_unsigned_or(json_member(item, "huge_bytes"), 0);
        area->kernel_page_bytes = json_unsigned_or(json_member(item, "page_bytes"), pages->base_page_bytes);
        area->advised_huge = json_truth_or(json_member(item, "advised_huge"), false);
        area->advised_never = json_truth_or(json_member(item, "advised_never"), false);
        area->huge_eligible = (int)json_number_or(json_member(item, "huge_eligible"), -1);
        pages->area_count++;
    }
    for (size_t at = 0; at < json_count(ranges); at++) {
        struct json_value item = json_item(ranges, at);
        struct page_range *range = &pages->ranges[pages->range_count];
        if (!read_span(item, &range->start, &range->end) || (at && range->start < pages->ranges[at - 1].end))
            return false;
        range->page_bytes = json_unsigned_or(json_member(item, "page_bytes"), pages->base_page_bytes);
        pages->range_count++;
    }
    return true;
}

bool process_pages_parse(struct process_pages **ret_pages, size_t *ret_count, struct json_value root,
                         struct arena *arena, struct error *err)
{
    struct json_value list = json_member(root, "processes");
    if (!json_is_list(list))
        return error_set(err, ERROR_FORMAT, "no list 'processes'");
    struct process_pages *pages = arena_array(arena, struct process_pages, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++)
        if (!read_process(&pages[at], json_item(list, at), arena))
            return error_set(err, ERROR_FORMAT, "the page map of process %zu is not in order of addresses", at);
    *ret_pages = pages;
    *ret_count = json_count(list);
    return true;
}
