/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/code_page.h"

#include "base/bytes.h"

#include <assert.h>
#include <linux/perf_event.h>

#define MAGIC 0x45444f43424d4c50u /* "PLMBCODE", read as little-endian */

enum {
    VERSION = 1,
    FIXED_BYTES = 8 + 4 + 4 + 8 + 8 + 8,
    CODE_BYTES_MOST = 64000
};

bool code_page_decode(struct bytes_view payload, bool swapped, struct code_page *ret_page, struct error *err)
{
    struct bytes cursor = bytes_of(payload.bytes, payload.size_bytes, swapped);
    struct code_page page = {0};
    bool ours = read_u64(&cursor) == MAGIC && read_u32(&cursor) == VERSION;
    page.pid = read_u32(&cursor);
    page.time_ns = read_u64(&cursor);
    page.runtime_addr = read_u64(&cursor);
    page.size_bytes = read_u64(&cursor);
    page.bytes = bytes_take(&cursor, page.size_bytes);
    if (!ours)
        return error_set(err, ERROR_FORMAT, "a record of type %d that isn't a piece of code", CODE_PAGE_RECORD_TYPE);
    if (!page.bytes)
        return error_set(err, ERROR_FORMAT, "a piece of code is cut short");
    *ret_page = page;
    return true;
}

static void add(struct text *out, const void *bytes, size_t size_bytes)
{
    text_append(out, bytes, size_bytes);
}

void code_page_encode(struct text *out, const struct code_page *page)
{
    assert(page->size_bytes <= CODE_BYTES_MOST);
    static const char zeros[8];
    const uint64_t magic = MAGIC;
    const uint32_t version = VERSION;
    size_t padding = -page->size_bytes & 7;
    struct perf_event_header header = {
        .type = CODE_PAGE_RECORD_TYPE,
        .size = (uint16_t)(sizeof(header) + FIXED_BYTES + page->size_bytes + padding),
    };
    add(out, &header, sizeof(header));
    add(out, &magic, sizeof(magic));
    add(out, &version, sizeof(version));
    add(out, &page->pid, sizeof(page->pid));
    add(out, &page->time_ns, sizeof(page->time_ns));
    add(out, &page->runtime_addr, sizeof(page->runtime_addr));
    add(out, &page->size_bytes, sizeof(page->size_bytes));
    add(out, page->bytes, page->size_bytes);
    add(out, zeros, padding);
}
