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

static void heap_done(struct record_queue *queue, struct record_heap *heap)
{
    for (size_t at = 0; at < heap->count; at++)
        run_release(queue, heap->items[at].run);
    free(heap->items);
}

void record_queue_done(struct record_queue *queue)
{
    run_release(queue, queue->spent);
    heap_done(queue, &queue->runs);
    heap_done(queue, &queue->changes);
    while (queue->free_runs) {
        struct record_run *run = queue->free_runs;
        queue->free_runs = run->next;
        free(run);
    }
    *queue = (struct record_queue){0};
}

/* ---- heap ---- */

static bool item_before(const struct record_queue_item *a, const struct record_queue_item *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void heap_sink(struct record_heap *heap, size_t at)
{
    struct record_queue_item item = heap->items[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && item_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!item_before(&heap->items[child], &item))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = item;
}

static void heap_add(struct record_heap *heap, struct record_queue_item item)
{
    heap->items = vec_reserve_bytes(heap->items, &heap->capacity, heap->count + 1, sizeof(*heap->items));
    size_t at = heap->count++;
    while (at && item_before(&item, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = item;
}

static void heap_drop_first(struct record_heap *heap)
{
    heap->items[0] = heap->items[--heap->count];
    if (heap->count)
        heap_sink(heap, 0);
}

/* Where the earliest record is, if there is one. */
static struct record_heap *heap_of_first(struct record_queue *queue)
{
    if (!queue->changes.count)
        return &queue->runs;
    return !queue->runs.count || item_before(&queue->changes.items[0], &queue->runs.items[0]) ? &queue->changes
                                                                                              : &queue->runs;
}

/* ---- runs ---- */

void record_queue_break(struct record_queue *queue)
{
    queue->open = NULL;
}

static struct record_run *run_begin(struct record_queue *queue, struct record_chunk *chunk, const uint8_t *at,
                                    size_t size_bytes, uint64_t time)
{
    struct record_run *run = queue->free_runs;
    if (run)
        queue->free_runs = run->next;
    else
        run = memory_alloc(sizeof(*run));
    *run = (struct record_run){.at = at, .end = at + size_bytes, .chunk = chunk, .last_time = time};
    chunk->references++;
    return run;
}

static uint16_t record_size(const struct record_queue *queue, const uint8_t *bytes)
{
    return stored_u16(bytes + 6, queue->swapped);
}

static uint32_t record_type(const struct record_queue *queue, const uint8_t *bytes)
{
    return stored_u32(bytes, queue->swapped);
}

void record_queue_add(struct record_queue *queue, struct record_chunk *chunk, const uint8_t *at, size_t size_bytes,
                      uint64_t time)
{
    bool is_change = queue->any_order && record_type(queue, at) != PERF_RECORD_SAMPLE;
    struct record_run *run = queue->open;
    if (!is_change && run && run->chunk == chunk && run->last_time <= time) {
        run->end = at + size_bytes;
        run->last_time = time;
        return;
    }
    run = run_begin(queue, chunk, at, size_bytes, time);
    heap_add(is_change ? &queue->changes : &queue->runs,
             (struct record_queue_item){.time = time, .sequence = queue->sequences++, .run = run});
    queue->open = is_change ? NULL : run;
}

bool record_queue_is_empty(const struct record_queue *queue)
{
    return !queue->runs.count && !queue->changes.count;
}

uint64_t record_queue_first_time(struct record_queue *queue)
{
    return heap_of_first(queue)->items[0].time;
}

bool record_run_advance(const struct record_queue *queue, struct record_run *run, uint64_t *ret_time)
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

static void spent_release(struct record_queue *queue)
{
    run_release(queue, queue->spent);
    queue->spent = NULL;
}

/*
 * The run at the heap's top goes on at `time`, or has ended and goes when its last record isn't looked at any longer.
 */
static void first_moved(struct record_queue *queue, struct record_heap *heap, bool goes_on, uint64_t time)
{
    struct record_run *run = heap->items[0].run;
    if (goes_on) {
        heap->items[0].time = time;
        heap_sink(heap, 0);
        return;
    }
    heap_drop_first(heap);
    queue->spent = run;
    if (queue->open == run)
        queue->open = NULL;
}

bool record_queue_take(struct record_queue *queue, uint64_t limit, const uint8_t **ret_bytes,
                       struct record_chunk **ret_chunk)
{
    spent_release(queue);
    struct record_heap *heap = heap_of_first(queue);
    if (!heap->count || heap->items[0].time > limit)
        return false;
    struct record_run *run = heap->items[0].run;
    uint64_t time = 0;
    *ret_bytes = run->at;
    *ret_chunk = run->chunk;
    bool goes_on = record_run_advance(queue, run, &time);
    first_moved(queue, heap, goes_on, time);
    return true;
}

struct record_run *record_queue_samples(struct record_queue *queue, uint64_t limit, uint64_t *ret_until)
{
    spent_release(queue);
    if (!queue->any_order || heap_of_first(queue) != &queue->runs || !queue->runs.count ||
        queue->runs.items[0].time > limit)
        return NULL;
    const struct record_queue_item *first = &queue->runs.items[0], *change = queue->changes.items;
    *ret_until = limit;
    if (queue->changes.count && change->time <= limit)
        *ret_until = change->time - (change->sequence < first->sequence);
    return first->run;
}

void record_queue_samples_taken(struct record_queue *queue, bool goes_on, uint64_t time)
{
    first_moved(queue, &queue->runs, goes_on, time);
}

static const uint8_t *heap_lowest(const struct record_heap *heap, const struct record_chunk *chunk,
                                  const uint8_t *lowest)
{
    for (size_t at = 0; at < heap->count; at++) {
        const struct record_run *run = heap->items[at].run;
        if (run->chunk == chunk && (!lowest || run->at < lowest))
            lowest = run->at;
    }
    return lowest;
}

const uint8_t *record_queue_lowest(const struct record_queue *queue, const struct record_chunk *chunk)
{
    return heap_lowest(&queue->changes, chunk, heap_lowest(&queue->runs, chunk, NULL));
}
