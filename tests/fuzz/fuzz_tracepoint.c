/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tracepoint's format, a 0 byte, and a sample's raw data; or a recording's tracing data. All from a file of anybody's. */
#include "base/scope.h"
#include "decode/tracepoint_text.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of_all(void *context, uint64_t addr, uint64_t *ret_start)
{
    (void)context;
    *ret_start = addr & ~(uint64_t)0xff;
    return "some_function";
}

static void print(struct tracepoint_text *text, uint64_t id, const uint8_t *raw, size_t size_bytes)
{
    scoped_text struct text out = {0};
    uint8_t typed[256] = {(uint8_t)id, (uint8_t)(id >> 8)};
    size_t used = size_bytes < sizeof(typed) - 2 ? size_bytes : sizeof(typed) - 2;
    if (used)
        memcpy(typed + 2, raw, used);
    (void)tracepoint_text_print(text, id, 0, typed, used + 2, &out);
    (void)tracepoint_text_print(text, id, 0, raw, size_bytes, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tracepoint_text *text = NULL;
    struct error err = {0};
    struct tracing_data data;
    if (!tracepoint_text_new(&text, &err))
        return 0;
    tracepoint_text_names(text, name_of_all, NULL);
    if (tracing_data_read(bytes, size_bytes, &data, &err))
        tracepoint_text_add_recorded(text, &data);
    const uint8_t *nul = size_bytes ? memchr(bytes, 0, size_bytes) : NULL;
    struct view format = {(const char *)bytes, nul ? (size_t)(nul - bytes) : size_bytes};
    (void)tracepoint_text_add(text, "system", format);
    for (uint64_t id = 0; id < 512; id++)
        if (tracepoint_text_knows(text, id))
            print(text, id, nul ? nul + 1 : bytes, nul ? size_bytes - format.length - 1 : 0);
    tracepoint_text_free(text);
    return 0;
}
