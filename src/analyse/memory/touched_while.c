/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/touched_while.h"

#include "analyse/memory/touched_memory.h"
#include "base/cache_line.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>

enum {
    SLICE_ADDRESSES = WORKING_SET_ADDRESSES_LEAST + 2, /* of more, the window looks as wide as it moves meanwhile */
    SLICES_LEAST = 8,
};

static const double NARROWER = 4;        /* times, for a window that moves: slices of few addresses vary by two */
static const double LINE_NS_MOST = 150;  /* to come from memory, one after the other */
static const double ANEW_MOST = 0.1;     /* of the time, for lines that come in once */
static const double SLICES_WITHIN = 0.75;

typedef vec(double) double_list;

static int in_time(const void *a, const void *b)
{
    const struct timed_address *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* All lines between the ends of its stretches; 0: not known. */
static double reached_bytes(const struct timed_address *addresses, size_t count)
{
    struct arena arena;
    arena_init(&arena);
    struct touched_memory touched = touched_memory_of(addresses, count, 0, &arena);
    double bytes = 0;
    for (size_t at = 0; touched.known && at < touched.stretch_count; at++)
        bytes += (double)(touched.stretches[at].end - touched.stretches[at].first);
    arena_done(&arena);
    return bytes;
}

static double within(double_list *list)
{
    qsort(list->items, list->count, sizeof(*list->items), ascending);
    return list->items[(size_t)(SLICES_WITHIN * (double)(list->count - 1))];
}

/* anew: of its time, if each of its lines came from memory. */
static void slices_find(double_list *bytes, double_list *anew, const struct timed_address *sorted, size_t count)
{
    for (size_t at = 0; at + SLICE_ADDRESSES <= count; at += SLICE_ADDRESSES) {
        const struct timed_address *first = &sorted[at], *last = &sorted[at + SLICE_ADDRESSES - 1];
        double reached = first->thread == last->thread ? reached_bytes(first, SLICE_ADDRESSES) : 0;
        if (reached <= 0 || last->time_ns <= first->time_ns)
            continue;
        *vec_push(bytes) = reached;
        *vec_push(anew) = reached / CACHE_LINE_BYTES * LINE_NS_MOST / (double)(last->time_ns - first->time_ns);
    }
}

/* Both are not empty. */
static struct measured window_of(double_list *bytes, double_list *anew, double all)
{
    double most = within(bytes);
    if (most * NARROWER > all)
        return not_measured("at any time about all of it is in use");
    if (within(anew) > ANEW_MOST)
        return not_measured("its window moves too fast for its lines to be used again");
    return measured_as(most);
}

struct measured touched_while_of(const struct timed_address *addresses, size_t count)
{
    if (count < (size_t)SLICES_LEAST * SLICE_ADDRESSES)
        return not_measured("too few addresses");
    scoped_free struct timed_address *sorted = memory_alloc(memory_product(count, sizeof(*sorted)));
    for (size_t at = 0; at < count; at++)
        sorted[at] = addresses[at];
    qsort(sorted, count, sizeof(*sorted), in_time);
    double_list bytes = {0}, anew = {0};
    slices_find(&bytes, &anew, sorted, count);
    struct measured used = bytes.count >= SLICES_LEAST ? window_of(&bytes, &anew, reached_bytes(sorted, count))
                                                       : not_measured("too few addresses in a row of one thread");
    vec_done(&bytes);
    vec_done(&anew);
    return used;
}
