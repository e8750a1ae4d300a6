/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/pages/page_watch.h"

#include "base/json/json_writer.h"
#include "base/vec.h"
#include "render/pages/pages_rows.h"

static const struct {
    enum page_event event;
    const char *heading, *key;
} columns[] = {
    {PAGE_EVENT_FAULTS, "faults", "faults"},
    {PAGE_EVENT_HUGE_GIVEN, "huge", "huge_faults"},
    {PAGE_EVENT_HUGE_REFUSED, "refused", "huge_fault_fallbacks"},
    {PAGE_EVENT_COLLAPSED, "collapse", "collapses"},
    {PAGE_EVENT_SPLIT_ENTRIES, "split", "split_entries"},
    {PAGE_EVENT_SPLIT_PAGES, "cut up", "split_pages"},
};

static bool change_of(const struct page_watch_row *row, enum page_event event, int64_t *ret_change)
{
    const struct fact_number *before = &row->before->counts[event], *now = &row->now->counts[event];
    *ret_change = now->value - before->value;
    return before->known && now->known;
}

void page_watch_heading(struct page *page)
{
    page_add(page, PAGE_FAINT,
             "                                                  process  machine, since the line before\n");
    page_add(page, PAGE_FAINT, "      s      4 KiB      2 MiB      1 GiB    swapped");
    for (size_t at = 0; at < array_count(columns); at++)
        page_printf(page, PAGE_FAINT, " %8s", columns[at].heading);
    text_add(page->out, "\n");
}

void page_watch_text(struct page *page, const struct page_watch_row *row)
{
    const uint64_t sizes[] = {row->sizes.base, row->sizes.huge, row->sizes.gigantic, row->sizes.swapped};
    text_printf(page->out, "%7.2f", row->at_s);
    for (size_t at = 0; at < array_count(sizes); at++) {
        char amount[32];
        pages_bytes_print(amount, sizeof(amount), sizes[at]);
        text_printf(page->out, " %10s", sizes[at] ? amount : "-");
    }
    for (size_t at = 0; at < array_count(columns); at++) {
        int64_t change;
        if (change_of(row, columns[at].event, &change))
            text_printf(page->out, " %8lld", (long long)change);
        else
            text_printf(page->out, " %8s", "?");
    }
    text_add(page->out, "\n");
}

void page_watch_json(struct text *out, const struct page_watch_row *row)
{
    struct json_writer json;
    json_begin(&json, out);
    json.compact = true;
    json_object_open(&json, NULL);
    json_double(&json, "at_s", row->at_s);
    json_u64(&json, "small_bytes", row->sizes.base);
    json_u64(&json, "huge_bytes", row->sizes.huge);
    json_u64(&json, "gigantic_bytes", row->sizes.gigantic);
    json_u64(&json, "swapped_bytes", row->sizes.swapped);
    for (size_t at = 0; at < array_count(columns); at++) {
        int64_t change;
        if (change_of(row, columns[at].event, &change))
            json_i64(&json, columns[at].key, change);
        else
            json_null(&json, columns[at].key);
    }
    json_object_close(&json);
}
