/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a recording's tracing data hold? Its tracepoints' formats and the kernel's own printk texts.
 *
 * The layout is that of trace-cmd.dat's head, version 0.5 and 0.6, in the byte order that it names itself.
 * Does not support: ftrace's own formats (skipped: perf's samples don't carry them), saved command names.
 */
#ifndef PLUMB_DECODE_TRACING_DATA_H
#define PLUMB_DECODE_TRACING_DATA_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"

struct tracing_data {
    bool big_endian;
    unsigned long_bytes; /* 4 or 8 */
    struct bytes systems;
    uint32_t system_count;
    struct view printk; /* lines of: 0xADDRESS : "text" */
};

struct tracing_system { /* walks the formats of one system after the other */
    struct bytes rest;
    uint32_t systems_left, formats_left;
    const char *name;
};

/* Views last as long as the bytes. Errors: ERROR_FORMAT. */
MUST_CHECK bool tracing_data_read(const void *bytes, size_t size_bytes, struct tracing_data *ret_data,
                                  struct error *err);
/* The next format and its system's name; false at the end. Begin with tracing_data_begin. */
struct tracing_system tracing_data_begin(const struct tracing_data *data);
bool tracing_data_next(struct tracing_system *at, struct view *ret_format);

#endif
