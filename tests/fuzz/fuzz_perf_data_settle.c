/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A perf.data file whose stack dumps become chains: what comes out must be as readable as what went in. */
#include "base/text.h"
#include "source/perf_data/perf_data.h"
#include "source/perf_data/perf_data_settle.h"

#include <stdlib.h>

static bool keep(void *context, const void *bytes, size_t size_bytes, struct error *err)
{
    (void)err;
    text_append(context, bytes, size_bytes);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static const uint64_t ips[] = {0x401000, 0x402000, 0x403000};
    struct settled_stack items[64];
    for (size_t at = 0; at < 64; at++) /* records lie at multiples of 8, somewhere in there */
        items[at] = (struct settled_stack){.file_offset = size_bytes / 64 * at / 8 * 8, .first = (uint32_t)at % 4, .count = 3};
    const struct settled_stacks stacks = {.items = items, .count = 64, .ips = ips, .ip_count = 3};
    struct text out = {0};
    const struct settle_sink sink = {&out, keep};
    struct error err = {0};
    struct source *source;
    if (perf_data_settle_bytes(bytes, size_bytes, &stacks, &sink, &err)) {
        bool was_readable = perf_data_open_bytes(&source, bytes, size_bytes, &err);
        if (was_readable)
            source->ops->close(source);
        bool is_readable = perf_data_open_bytes(&source, (const uint8_t *)out.bytes, out.length, &err);
        if (is_readable)
            source->ops->close(source);
        if (was_readable && !is_readable)
            abort();
    }
    text_done(&out);
    return 0;
}
