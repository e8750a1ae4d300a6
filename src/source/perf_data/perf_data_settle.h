/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How does a recording with copies of stacks become one with call chains? Dumps can be unwound only where the binaries
 * are, and are some kilobytes each: once they were unwound, the file keeps what came of it.
 *
 * The samples that carry a dump lose it and the registers that came with it, and get the chain that was found; without
 * one they keep the kernel's. The attributes are told. All else, features included, stays as it was. The file is
 * replaced as a whole, so that whoever is killed meanwhile leaves the old one or the new one.
 * Does not support: pipes, packed records, recordings of the other byte order, dumps beside raw data or branch records
 * (ERROR_UNSUPPORTED): what plumb itself has just recorded has none of these.
 */
#ifndef PLUMB_SOURCE_PERF_DATA_PERF_DATA_SETTLE_H
#define PLUMB_SOURCE_PERF_DATA_PERF_DATA_SETTLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The user's part of the chain of the sample at this offset of the file: ips[first…], leaf first. */
struct settled_stack {
    uint64_t file_offset;
    uint32_t first, count;
    uint32_t recorded; /* of the chain by frame pointers: so many of its first places lie in code */
};

struct settled_stacks {
    const struct settled_stack *items; /* by file_offset */
    size_t count;
    const uint64_t *ips;
    size_t ip_count;
};

/* Takes what the file becomes, in order. False ends it, with err set. */
struct settle_sink {
    void *context;
    bool (*put)(void *context, const void *bytes, size_t size_bytes, struct error *err);
};

/* The whole file as it becomes. Errors: ERROR_FORMAT, ERROR_UNSUPPORTED, the sink's. */
MUST_CHECK bool perf_data_settle_bytes(const uint8_t *bytes, size_t size_bytes, const struct settled_stacks *stacks,
                                       const struct settle_sink *sink, struct error *err);
/* Of a file. Errors: as above; it can't be read, or written anew beside itself. The file is then as it was. */
MUST_CHECK bool perf_data_settle(const char *path, const struct settled_stacks *stacks, struct error *err);

#endif
