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
static const double WALKED_LINE_NS_MOST = 40; /* the same in order: fetched ahead */
static const double APART = 12;          /* of the median distance, and it is another place: 8 times the mean one */

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

/* What moves side by side by less than that stands at one place. */
static const double BESIDE_BYTES = 2 * CACHE_LINE_BYTES;

/*
 * What a walk passed that was met anywhere on its ways: of each way, from end to end, as much more as lies before the
 * first and behind the last one met. Two ways are as far apart as no two met on one are.
 */
static double passed_bytes(const struct timed_address *addresses, size_t count)
{
    scoped_free double *places = memory_alloc(memory_product(count, sizeof(*places)));
    scoped_free double *gaps = memory_alloc(memory_product(count, sizeof(*gaps)));
    uint64_t least = UINT64_MAX;
    for (size_t at = 0; at < count; at++)
        least = addresses[at].addr < least ? addresses[at].addr : least;
    for (size_t at = 0; at < count; at++)
        places[at] = (double)(addresses[at].addr - least);
    qsort(places, count, sizeof(*places), ascending);
    size_t gap_count = 0;
    for (size_t at = 1; at < count; at++)
        if (places[at] - places[at - 1] > BESIDE_BYTES)
            gaps[gap_count++] = places[at] - places[at - 1];
    if (!gap_count)
        return CACHE_LINE_BYTES;
    qsort(gaps, gap_count, sizeof(*gaps), ascending);
    double most = APART * gaps[gap_count / 2], bytes = 0, first = 0, met = 1;
    for (size_t at = 1; at <= count; at++) {
        double gap = at < count ? places[at] - places[at - 1] : most + 1;
        if (gap <= most) {
            met += gap > BESIDE_BYTES;
            continue;
        }
        bytes += CACHE_LINE_BYTES + (met > 1 ? (places[at - 1] - first) * (met + 1) / (met - 1) : 0);
        first = at < count ? places[at] : 0;
        met = 1;
    }
    return bytes;
}

typedef double slice_measure(const struct timed_address *addresses, size_t count);

/* anew: of its time, if each of its lines came from memory, in so long a line. */
static void slices_find(double_list *bytes, double_list *anew, const struct timed_address *sorted, size_t count,
                        size_t in_slice, slice_measure *measure, double line_ns)
{
    for (size_t at = 0; at + in_slice <= count; at += in_slice) {
        const struct timed_address *first = &sorted[at], *last = &sorted[at + in_slice - 1];
        double reached = first->thread == last->thread ? measure(first, in_slice) : 0;
        if (reached <= 0 || last->time_ns <= first->time_ns)
            continue;
        *vec_push(bytes) = reached;
        *vec_push(anew) = reached / CACHE_LINE_BYTES * line_ns / (double)(last->time_ns - first->time_ns);
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

/* Owner: the caller. */
static struct timed_address *sorted_in_time(const struct timed_address *addresses, size_t count)
{
    struct timed_address *sorted = memory_alloc(memory_product(count, sizeof(*sorted)));
    for (size_t at = 0; at < count; at++)
        sorted[at] = addresses[at];
    qsort(sorted, count, sizeof(*sorted), in_time);
    return sorted;
}

struct measured walked_while_of(const struct timed_address *addresses, size_t count, size_t places,
                                bool *ret_comes_back)
{
    size_t in_slice = SLICE_ADDRESSES * (places ? places : 1);
    if (count < SLICES_LEAST * in_slice)
        return not_measured("too few addresses");
    scoped_free struct timed_address *sorted = sorted_in_time(addresses, count);
    double_list bytes = {0}, anew = {0};
    slices_find(&bytes, &anew, sorted, count, in_slice, passed_bytes, WALKED_LINE_NS_MOST);
    struct measured used = bytes.count < SLICES_LEAST ? not_measured("too few addresses in a row of one thread")
                                                      : measured_as(within(&bytes));
    *ret_comes_back = used.known && within(&anew) <= ANEW_MOST;
    vec_done(&bytes);
    vec_done(&anew);
    return used;
}

struct measured touched_while_of(const struct timed_address *addresses, size_t count)
{
    if (count < (size_t)SLICES_LEAST * SLICE_ADDRESSES)
        return not_measured("too few addresses");
    scoped_free struct timed_address *sorted = sorted_in_time(addresses, count);
    double_list bytes = {0}, anew = {0};
    slices_find(&bytes, &anew, sorted, count, SLICE_ADDRESSES, reached_bytes, LINE_NS_MOST);
    struct measured used = bytes.count >= SLICES_LEAST ? window_of(&bytes, &anew, reached_bytes(sorted, count))
                                                       : not_measured("too few addresses in a row of one thread");
    vec_done(&bytes);
    vec_done(&anew);
    return used;
}
