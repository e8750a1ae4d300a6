/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Foreign bytes, read one field at a time with bounds and byte order checked; never cast to a struct.
 *
 * A cursor that was asked for more than it holds becomes `failed` and answers 0 from then on, so that a
 * decoder reads a whole record and checks once. Invariant: at <= end.
 */
#ifndef PLUMB_BASE_BYTES_H
#define PLUMB_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *at, *end;
    bool swapped; /* the other byte order than ours */
    bool failed;
};

static inline struct bytes bytes_of(const void *data, size_t size_bytes, bool swapped)
{
    const uint8_t *start = data; /* NULL of no bytes */
    return (struct bytes){start, size_bytes ? start + size_bytes : start, swapped, false};
}

static inline size_t bytes_left(const struct bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* The next count bytes, or NULL (failed). Owner: whoever owns the data under the cursor. */
static inline const uint8_t *bytes_take(struct bytes *bytes, size_t count)
{
    if (bytes->failed || bytes_left(bytes) < count) {
        bytes->failed = true;
        return NULL;
    }
    const uint8_t *start = bytes->at;
    bytes->at += count;
    return start;
}

/* Two, four or eight bytes that are known to be there. */
static inline uint16_t stored_u16(const uint8_t *bytes, bool swapped)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof(value));
    return swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t stored_u32(const uint8_t *bytes, bool swapped)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t stored_u64(const uint8_t *bytes, bool swapped)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return swapped ? __builtin_bswap64(value) : value;
}

static inline uint8_t read_u8(struct bytes *bytes)
{
    const uint8_t *start = bytes_take(bytes, 1);
    return start ? *start : 0;
}

static inline uint16_t read_u16(struct bytes *bytes)
{
    uint16_t value = 0;
    const uint8_t *start = bytes_take(bytes, sizeof(value));
    if (start)
        memcpy(&value, start, sizeof(value));
    return bytes->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t read_u32(struct bytes *bytes)
{
    uint32_t value = 0;
    const uint8_t *start = bytes_take(bytes, sizeof(value));
    if (start)
        memcpy(&value, start, sizeof(value));
    return bytes->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t read_u64(struct bytes *bytes)
{
    uint64_t value = 0;
    const uint8_t *start = bytes_take(bytes, sizeof(value));
    if (start)
        memcpy(&value, start, sizeof(value));
    return bytes->swapped ? __builtin_bswap64(value) : value;
}

/* A NUL-terminated string that ends within the cursor, or NULL (failed); moves behind its NUL. */
static inline const char *read_string(struct bytes *bytes)
{
    const void *nul = bytes_left(bytes) ? memchr(bytes->at, 0, bytes_left(bytes)) : NULL;
    if (bytes->failed || !nul) {
        bytes->failed = true;
        return NULL;
    }
    const char *start = (const char *)bytes->at;
    bytes->at = (const uint8_t *)nul + 1;
    return start;
}

#endif
