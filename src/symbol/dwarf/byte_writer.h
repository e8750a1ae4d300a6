/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes for a reader of either byte order, one field behind the other. */
#ifndef PLUMB_SYMBOL_DWARF_BYTE_WRITER_H
#define PLUMB_SYMBOL_DWARF_BYTE_WRITER_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct byte_writer {
    vec(uint8_t) bytes; /* owner: whoever writes */
    bool is_big;        /* the most significant byte first */
};

/* For a file whose byte order is ours, or the other one. */
static inline struct byte_writer byte_writer_of(bool swapped)
{
    return (struct byte_writer){.is_big = swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
}

static inline void put_bytes(struct byte_writer *out, const void *bytes, size_t size_bytes)
{
    if (!size_bytes)
        return;
    vec_reserve(&out->bytes, out->bytes.count + size_bytes);
    memcpy(out->bytes.items + out->bytes.count, bytes, size_bytes);
    out->bytes.count += size_bytes;
}

/* The low bytes of a value; at most 8. */
static inline void put_number(struct byte_writer *out, uint64_t value, unsigned size_bytes)
{
    for (unsigned at = 0; at < size_bytes; at++)
        *vec_push(&out->bytes) = (uint8_t)(value >> 8 * (out->is_big ? size_bytes - 1 - at : at));
}

#endif
