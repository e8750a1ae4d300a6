/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/tracing_data.h"

#include <string.h>

static const char magic[] = "\x17\x08\x44tracing";

/* A part that stands behind its size in size_bytes (4 or 8) bytes. */
static struct view read_part(struct bytes *in, unsigned size_bytes)
{
    uint64_t size = size_bytes == 8 ? read_u64(in) : read_u32(in);
    const uint8_t *part = !in->failed && size <= bytes_left(in) ? bytes_take(in, size) : NULL;
    in->failed |= !part;
    return (struct view){(const char *)part, part ? size : 0};
}

static void read_named_part(struct bytes *in, const char *name)
{
    const char *found = read_string(in);
    in->failed |= !found || strcmp(found, name) != 0;
    (void)read_part(in, 8);
}

/* Magic, version, byte order, size of a long, size of a page. */
static bool read_head(struct bytes *in, struct tracing_data *data)
{
    const uint8_t *found = bytes_take(in, sizeof(magic) - 1);
    if (!found || memcmp(found, magic, sizeof(magic) - 1) != 0 || !read_string(in))
        return false;
    uint8_t order = read_u8(in);
    data->big_endian = order == 1;
    data->long_bytes = read_u8(in);
    in->swapped = data->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    (void)read_u32(in);
    return !in->failed && order <= 1 && (data->long_bytes == 4 || data->long_bytes == 8);
}

struct tracing_system tracing_data_begin(const struct tracing_data *data)
{
    return (struct tracing_system){.rest = data->systems, .systems_left = data->system_count};
}

bool tracing_data_next(struct tracing_system *at, struct view *ret_format)
{
    while (!at->formats_left && at->systems_left && !at->rest.failed) {
        at->name = read_string(&at->rest);
        at->formats_left = read_u32(&at->rest);
        at->systems_left--;
    }
    if (!at->formats_left || at->rest.failed)
        return false;
    at->formats_left--;
    *ret_format = read_part(&at->rest, 8);
    return !at->rest.failed;
}

bool tracing_data_read(const void *bytes, size_t size_bytes, struct tracing_data *ret_data, struct error *err)
{
    struct bytes in = bytes_of(bytes, size_bytes, false);
    struct tracing_data data = {0};
    if (!read_head(&in, &data))
        return error_set(err, ERROR_FORMAT, "the recording's tracepoint formats don't begin as such");
    read_named_part(&in, "header_page");
    read_named_part(&in, "header_event");
    uint32_t own = read_u32(&in);
    for (uint32_t at = 0; at < own && !in.failed; at++)
        (void)read_part(&in, 8);
    data.system_count = read_u32(&in);
    if (in.failed)
        return error_set(err, ERROR_FORMAT, "the recording's tracepoint formats are cut short");
    data.systems = in;
    struct tracing_system walk = tracing_data_begin(&data);
    for (struct view format; tracing_data_next(&walk, &format);)
        continue;
    if (!walk.rest.failed) { /* what follows may be missing */
        (void)read_part(&walk.rest, 4);
        data.printk = read_part(&walk.rest, 4);
    }
    *ret_data = data;
    return true;
}
