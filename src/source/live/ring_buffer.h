/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has the kernel put into one perf ring buffer since we last looked?
 *
 * The kernel writes at data_head, we read at data_tail and hand the space back. Both counters only grow.
 * A head that runs backwards or further ahead than the buffer is large can't be real: the buffer is then
 * resynchronised (everything unread is dropped) and `overruns` counted.
 * Does not support: overwrite (backward) mode, the AUX area.
 */
#ifndef PLUMB_SOURCE_LIVE_RING_BUFFER_H
#define PLUMB_SOURCE_LIVE_RING_BUFFER_H

#include "base/error.h"
#include "system/kernel.h"

struct ring_buffer {
    const struct kernel *kernel;
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    const uint8_t *data;
    size_t data_bytes; /* a power of two */
    size_t page_bytes; /* of the leading page */
    uint64_t tail;     /* everything before was read */
    uint64_t overruns;
};

/*
 * Map the buffer of an event; data_bytes is a power of two of at least one page.
 * Errors: ERROR_LIMIT when the locked-memory limits forbid this size (then a smaller one may do),
 * ERROR_SYSTEM otherwise.
 */
MUST_CHECK bool ring_buffer_map(struct ring_buffer *ring, const struct kernel *kernel, int fd, size_t data_bytes,
                                struct error *err);
void ring_buffer_unmap(struct ring_buffer *ring);

/* Bytes that wait to be read as of now; at most data_bytes. */
size_t ring_buffer_unread(struct ring_buffer *ring);
/* Copy the next size_bytes (at most what ring_buffer_unread said) in order and give their space back. */
void ring_buffer_take(struct ring_buffer *ring, void *destination, size_t size_bytes);

#endif
