/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which record comes next? Puts the records of several buffers, each mostly in time order, into one order; or, for who
 * asks only that what a sample means is known when it comes (any_order), samples buffer by buffer between the records
 * that change it.
 *
 * Records are not copied and not indexed one by one: a stretch of bytes whose records ascend in time is one
 * run, and runs are merged. perf writes each CPU's buffer after the other, so there are about as many runs in
 * a round as there are CPUs.
 */
#ifndef PLUMB_SOURCE_PERF_DATA_RECORD_QUEUE_H
#define PLUMB_SOURCE_PERF_DATA_RECORD_QUEUE_H

#include "decode/layout.h"

/* Bytes that runs point into; freed when the last run in them has ended. */
struct record_chunk {
    uint8_t *owned; /* NULL: not ours to free */
    size_t references;
    size_t size_bytes;
    uint64_t file_offset; /* of the bytes, or of what they were unpacked from */
    bool is_unpacked;
    const uint8_t *bytes;
};

struct record_run {
    const uint8_t *at, *end;
    struct record_chunk *chunk;
    uint64_t last_time;      /* of the last record in it */
    struct record_run *next; /* in the list of free ones */
};

struct record_queue_item {
    uint64_t time;     /* of the record at run->at */
    uint64_t sequence; /* runs that began earlier come first among equals */
    struct record_run *run;
};

struct record_heap {
    struct record_queue_item *items; /* items[0] is the earliest */
    size_t count, capacity;
};

struct record_queue {
    struct record_heap runs;
    struct record_heap changes; /* with any_order: each of one record, which is no sample */
    const struct record_layouts *layouts;
    bool swapped, any_order;
    uint64_t sequences;
    struct record_run *open;  /* what scanned records may extend, or NULL */
    struct record_run *spent; /* its last record is with the caller: released by the next take */
    struct record_run *free_runs;
    uint64_t bytes_held; /* in owned chunks */
};

/* A time that records are ordered by; tools write 0 and ~0 for none: such records come as soon as they are read. */
static inline bool record_time_orders(uint64_t time)
{
    return time != 0 && time != UINT64_MAX;
}

struct record_chunk *record_chunk_new(struct record_queue *queue, uint8_t *owned, const uint8_t *bytes,
                                      size_t size_bytes, uint64_t file_offset);
void record_chunk_release(struct record_queue *queue, struct record_chunk *chunk);

void record_queue_done(struct record_queue *queue);
/* A record with a time was scanned at `at`. */
void record_queue_add(struct record_queue *queue, struct record_chunk *chunk, const uint8_t *at, size_t size_bytes,
                      uint64_t time);
bool record_queue_is_empty(const struct record_queue *queue);
/* The earliest time in it, which isn't empty. */
uint64_t record_queue_first_time(struct record_queue *queue);
/* What follows in the chunk is not a record: no run may go on over it. */
void record_queue_break(struct record_queue *queue);
/* Take the earliest record when it isn't later than limit; false when there is none. */
bool record_queue_take(struct record_queue *queue, uint64_t limit, const uint8_t **ret_bytes,
                       struct record_chunk **ret_chunk);
/*
 * With any_order: the run whose samples may come next, those until *ret_until, the one at run->at for certain; NULL:
 * something else comes next. Whoever takes some of them moves on with record_run_advance() and then says so, before
 * anything else is asked.
 */
struct record_run *record_queue_samples(struct record_queue *queue, uint64_t limit, uint64_t *ret_until);
/* Move behind the record at run->at, to the next one that was queued, of *ret_time; false at the run's end. */
bool record_run_advance(const struct record_queue *queue, struct record_run *run, uint64_t *ret_time);
/* The run goes on at `time`, or has ended: what was taken of it stays until the next call of any of these. */
void record_queue_samples_taken(struct record_queue *queue, bool goes_on, uint64_t time);
/* The lowest address in `chunk` that is still waiting, or NULL. */
const uint8_t *record_queue_lowest(const struct record_queue *queue, const struct record_chunk *chunk);

#endif
