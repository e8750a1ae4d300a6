/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/record_queue.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdlib.h>

enum {
    RECORD_HEADER_BYTES = 8
};

struct record_chunk *record_chunk_new(struct record_queue *queue, uint8_t *owned, const uint8_t *bytes,
                                      size_t size_bytes, uint64_t file_offset)
{
    struct record_chunk *chunk = memory_alloc(sizeof(*chunk));
    *chunk = (struct record_chunk){.owned = owned,
                                   .references = 1,
                                   .size_bytes = size_bytes,
                                   .file_offset = file_offset,
                                   .bytes = owned ? owned : bytes};
    queue->bytes_held += owned ? size_bytes : 0;
    return chunk;
}

void record_chunk_release(struct record_queue *queue, struct record_chunk *chunk)
{
    if (!chunk || --chunk->references)
        return;
    queue->bytes_held -= chunk->owned ? chunk->size_bytes : 0;
    free(chunk->owned);
    free(chunk);
}

static void run_release(struct record_queue *queue, struct record_run *run)
{
    if (!run)
        return;
    record_chunk_release(queue, run->chunk);
    run->next = queue->free_runs;
    queue->free_runs = run;
}

void record_queue_done(struct record_queue *queue)
{
    run_release(queue, queue->spent);
    for (size_t at = 0; at < queue->count; at++)
        run_release(queue, queue->heap[at].run);
    while (queue->free_runs) {
        struct record_run *run = queue->free_runs;
        queue->free_runs = run->next;
        free(run);
    }
    free(queue->heap);
    *queue = (struct record_queue){0};
}

/* ---- heap ---- */

static bool item_before(const struct record_queue_item *a, const struct record_queue_item *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void heap_sink(struct record_queue *queue, size_t at)
{
    struct record_queue_item item = queue->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && item_before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!item_before(&queue->heap[child], &item))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = item;
}

static void heap_add(struct record_queue *queue, struct record_queue_item item)
{
    queue->heap =
        vec_reserve_bytes(queue->heap, &queue->capacity, queue->count + 1, sizeof(*queue->heap));
    size_t at = queue->count++;
    while (at && item_before(&item, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = item;
}

static void heap_drop_first(struct record_queue *queue)
{
    queue->heap[0] = queue->heap[--queue->count];
    if (queue->count)
        heap_sink(queue, 0);
}

/* ---- runs ---- */

void record_queue_break(struct record_queue *queue)
{
    queue->open = NULL;
}

void record_queue_add(struct record_queue *queue, struct record_chunk *chunk, const uint8_t *at, size_t size_bytes,
                      uint64_t time)
{
    struct record_run *run = queue->open;
    if (run && run->chunk == chunk && run->last_time <= time) {
        run->end = at + size_bytes;
        run->last_time = time;
        return;
    }
    run = queue->free_runs;
    if (run)
        queue->free_runs = run->next;
    else
        run = memory_alloc(sizeof(*run));
    *run = (struct record_run){.at = at, .end = at + size_bytes, .chunk = chunk, .last_time = time};
    chunk->references++;
    heap_add(queue, (struct record_queue_item){.time = time, .sequence = queue->sequences++, .run = run});
    queue->open = run;
}

static uint16_t record_size(const struct record_queue *queue, const uint8_t *bytes)
{
    return stored_u16(bytes + 6, queue->swapped);
}

static uint32_t record_type(const struct record_queue *queue, const uint8_t *bytes)
{
    return stored_u32(bytes, queue->swapped);
}

/* Move behind the record at run->at, to the next one that was queued; false at the run's end. */
static bool run_advance(const struct record_queue *queue, struct record_run *run, uint64_t *ret_time)
{
    for (run->at += record_size(queue, run->at); run->at < run->end; run->at += record_size(queue, run->at)) {
        uint64_t time;
        bool timed = record_peek_time(queue->layouts, record_type(queue, run->at), run->at + RECORD_HEADER_BYTES,
                                      (size_t)record_size(queue, run->at) - RECORD_HEADER_BYTES, queue->swapped, &time);
        if (timed && record_time_orders(time)) {
            *ret_time = time;
            return true;
        }
    }
    return false;
}

bool record_queue_take(struct record_queue *queue, uint64_t limit, const uint8_t **ret_bytes,
                       struct record_chunk **ret_chunk)
{
    run_release(queue, queue->spent);
    queue->spent = NULL;
    if (!queue->count || queue->heap[0].time > limit)
        return false;
    struct record_run *run = queue->heap[0].run;
    *ret_bytes = run->at;
    *ret_chunk = run->chunk;
    if (run_advance(queue, run, &queue->heap[0].time)) {
        heap_sink(queue, 0);
        return true;
    }
    heap_drop_first(queue);
    queue->spent = run;
    if (queue->open == run)
        queue->open = NULL;
    return true;
}

const uint8_t *record_queue_lowest(const struct record_queue *queue, const struct record_chunk *chunk)
{
    const uint8_t *lowest = NULL;
    for (size_t at = 0; at < queue->count; at++)
        if (queue->heap[at].run->chunk == chunk && (!lowest || queue->heap[at].run->at < lowest))
            lowest = queue->heap[at].run->at;
    return lowest;
}
