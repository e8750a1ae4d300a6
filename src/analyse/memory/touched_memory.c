/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/touched_memory.h"

#include "analyse/memory/common_divisor.h"
#include "base/scope.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINE_SHIFT = 6,
    PAGE_SHIFT = 12,
    WIDEST_SHIFT = 40,
    MET_WANTED = 6,        /* addresses a granule: one in 400 of those that are gone over is missed then */
    ALONE_IS_STRAY = 200,  /* with so many addresses a granule met once is no part of what the others go over */
    /*
     * both timers of a thread at one moment are one address: the program stands still for a sample, 20 us where timers
     * are exits
     */
    APART_NS = 50000,
    PEELINGS = 4,
    ONCE_GRANULES = 16,    /* fewer say nothing of whether it came back */
};

static const double KEPT_LEAST = 0.9;      /* of the addresses, in the granules that count */
static const double ONCE_SHARE = 0.2;      /* of the time, from a granule's first address to its last */
static const double KNOWN_WITHIN = 4;      /* the ends of an interval apart, for its middle to be within 2 */

static int address_compare(const void *a, const void *b)
{
    const struct timed_address *left = a, *right = b;
    if (left->addr != right->addr)
        return left->addr < right->addr ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static int thread_compare(const void *a, const void *b)
{
    const struct timed_address *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* One past the addresses from `at` on that share a granule. */
static size_t granule_end(const struct timed_address *sorted, size_t count, size_t at, unsigned shift)
{
    size_t end = at + 1;
    while (end < count && sorted[end].addr >> shift == sorted[at].addr >> shift)
        end++;
    return end;
}

/* Leaves out granules met once where that can't be chance; returns how many addresses are kept. */
static size_t granules_keep(const struct timed_address *sorted, size_t count, unsigned shift,
                            struct timed_address *kept, size_t *ret_granules)
{
    size_t most = 0, granules = 0;
    for (size_t at = 0, end; at < count; at = end) {
        end = granule_end(sorted, count, at, shift);
        if (end - at == 1 && count >= ALONE_IS_STRAY)
            continue;
        granules++;
        for (size_t one = at; one < end; one++)
            kept[most++] = sorted[one];
    }
    *ret_granules = granules;
    return most;
}

/* ---- how many lines, how many pages within ---- */

static double pairs_within(const struct timed_address *sorted, size_t count, unsigned shift)
{
    double pairs = 0;
    for (size_t at = 0, end; at < count; at = end) {
        end = granule_end(sorted, count, at, shift);
        pairs += (double)(end - at) * (double)(end - at - 1) / 2;
    }
    return pairs;
}

static double triples_within(const struct timed_address *sorted, size_t count, unsigned shift)
{
    double triples = 0;
    for (size_t at = 0, end; at < count; at = end) {
        end = granule_end(sorted, count, at, shift);
        double met = (double)(end - at);
        triples += met * (met - 1) * (met - 2) / 6;
    }
    return triples;
}

/*
 * Drawn evenly from N places, n addresses make n^2/2N pairs at one place and n^3/6N^2 triples. More triples than the
 * pairs speak for: some places are met more often than others, and pairs count those alone (a search's first steps).
 */
static bool is_uneven(double pairs, double triples, double count)
{
    double even = pairs * pairs / count * 2 / 3;
    return triples > 2 * even + 3 * sqrt(even) + 3;
}

/*
 * What share of the units of a granule was met, by pairs in one unit against pairs in one granule. Evenly touched ones
 * count as all touched, with the least that they can be.
 */
static struct interval ratio_of(double pairs, double granule_pairs, double units)
{
    double if_all = granule_pairs / units;
    double low = granule_pairs / (pairs + 1.96 * sqrt(pairs + 1) + 1) / units;
    double fewest = pairs - 1.96 * sqrt(pairs + 1);
    double high = fewest > 0.5 ? granule_pairs / fewest / units : 1;
    low = low < 1 ? low : 1;
    high = high < 1 ? high : 1;
    if (pairs <= if_all + 2.4 * sqrt(if_all) + 2)
        return interval_of(low, 1, 1);
    double mid = granule_pairs / pairs / units;
    mid = mid < low ? low : mid > high ? high : mid;
    return interval_of(low, mid, high);
}

/*
 * Places that every walk passes (a tree's root) are met again and again, and would speak for few lines. Those met more
 * often than the others' mean allows go, until none is.
 */
static size_t lines_peel(struct timed_address *sorted, size_t count, unsigned shift)
{
    for (int turn = 0; turn < PEELINGS && shift > LINE_SHIFT; turn++) {
        double all = (double)count, pairs = pairs_within(sorted, count, LINE_SHIFT);
        double mean = pairs > 0 ? 2 * pairs / all : 0; /* of other addresses in the line of one */
        double most = 1 + mean + 5 * sqrt(mean) + 3;
        size_t left = 0, hot = 0;
        for (size_t at = 0, end; at < count; at = end) {
            end = granule_end(sorted, count, at, LINE_SHIFT);
            if ((double)(end - at) > most) {
                hot++;
                continue;
            }
            for (size_t one = at; one < end; one++)
                sorted[left++] = sorted[one];
        }
        if (hot == 0 || left < WORKING_SET_ADDRESSES_LEAST)
            return count;
        count = left;
    }
    return count;
}

struct ratios {
    struct interval lines, pages;
};

static struct ratios ratios_in_order(uint64_t step_bytes)
{
    double line = 1 << LINE_SHIFT, page = 1 << PAGE_SHIFT, step = (double)step_bytes;
    return (struct ratios){
        interval_exactly(step > line ? line / step : 1),
        interval_exactly(step > page ? page / step : 1),
    };
}

/* Elements so wide that all addresses lie whole numbers of them apart: of each, one line is met. A line at least. */
static double element_bytes(const struct timed_address *addresses, size_t count)
{
    uint64_t apart = 0;
    for (size_t at = 1; at < count; at++)
        apart = common_divisor(apart, addresses[at].addr > addresses[0].addr ? addresses[at].addr - addresses[0].addr
                                                                             : addresses[0].addr - addresses[at].addr);
    return count >= ALONE_IS_STRAY && apart > 1 << LINE_SHIFT ? (double)apart : 1 << LINE_SHIFT;
}

static struct ratios ratios_seen(const struct timed_address *addresses, size_t count, unsigned shift)
{
    scoped_free struct timed_address *apart = memory_alloc(memory_product(count + 1, sizeof(*apart)));
    size_t apart_count = 0, last = 0;
    for (size_t at = 0; at < count; at++)
        apart[at] = addresses[at];
    qsort(apart, count, sizeof(*apart), thread_compare);
    for (size_t at = 0; at < count; at++) {
        if (apart_count && apart[at].thread == apart[last].thread && apart[at].time_ns - apart[last].time_ns < APART_NS)
            continue;
        last = apart_count;
        apart[apart_count++] = apart[at];
    }
    qsort(apart, apart_count, sizeof(*apart), address_compare);
    struct ratios ratios = {interval_exactly(1), interval_exactly(1)};
    if (shift > PAGE_SHIFT)
        ratios.pages = ratio_of(pairs_within(apart, apart_count, PAGE_SHIFT), pairs_within(apart, apart_count, shift),
                                (double)(UINT64_C(1) << (shift - PAGE_SHIFT)));
    apart_count = lines_peel(apart, apart_count, shift);
    if (shift == LINE_SHIFT)
        return ratios;
    double pairs = pairs_within(apart, apart_count, LINE_SHIFT), element = element_bytes(addresses, count),
           granule = (double)(UINT64_C(1) << shift);
    if (element >= granule)
        return ratios;
    ratios.lines = ratio_of(pairs, pairs_within(apart, apart_count, shift), granule / element);
    if (is_uneven(pairs, triples_within(apart, apart_count, LINE_SHIFT), (double)apart_count)) /* anything between */
        ratios.lines = interval_of(ratios.lines.low, sqrt(ratios.lines.low), 1);
    ratios.lines = interval_scaled(ratios.lines, (1 << LINE_SHIFT) / element);
    return ratios;
}

/* ---- the stretches ---- */

/* Whether most granules were met in a short while each, of all the time there was. */
static bool passes_once(const struct timed_address *sorted, size_t count, unsigned shift)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0;
    double shares = 0;
    size_t granules = 0;
    for (size_t at = 0; at < count; at++) {
        first_ns = sorted[at].time_ns < first_ns ? sorted[at].time_ns : first_ns;
        last_ns = sorted[at].time_ns > last_ns ? sorted[at].time_ns : last_ns;
    }
    for (size_t at = 0, end; at < count; at = end) {
        end = granule_end(sorted, count, at, shift);
        uint64_t from = UINT64_MAX, to = 0;
        for (size_t one = at; one < end; one++) {
            from = sorted[one].time_ns < from ? sorted[one].time_ns : from;
            to = sorted[one].time_ns > to ? sorted[one].time_ns : to;
        }
        shares += last_ns > first_ns ? (double)(to - from) / (double)(last_ns - first_ns) : 1;
        granules++;
    }
    return granules >= ONCE_GRANULES && shares < ONCE_SHARE * (double)granules;
}

static size_t lines_met(const struct timed_address *sorted, size_t count)
{
    size_t lines = 0;
    for (size_t at = 0; at < count; lines++)
        at = granule_end(sorted, count, at, LINE_SHIFT);
    return lines;
}

/* n addresses drawn from a stretch leave a mean gap at either end. */
static struct touched_stretch stretch_of(uint64_t first, uint64_t last, size_t count, unsigned shift)
{
    double gap = count > 1 ? (double)(last - first) / (double)(count - 1) : 0;
    uint64_t outside = (uint64_t)gap;
    uint64_t line = UINT64_C(1) << LINE_SHIFT;
    uint64_t from = (first > outside ? first - outside : 0) & ~(line - 1);
    uint64_t to = (last + (shift > LINE_SHIFT ? outside : 0) + line) & ~(line - 1);
    if (shift == LINE_SHIFT)
        from = first & ~(line - 1);
    return (struct touched_stretch){.first = from, .end = to, .edges_bytes = 2 * gap};
}

static void stretches_find(struct touched_memory *touched, const struct timed_address *sorted, size_t count,
                           unsigned shift, const struct ratios *ratios, struct arena *arena)
{
    size_t breaks = 1;
    for (size_t at = 1; at < count; at++)
        breaks += (sorted[at].addr >> shift) - (sorted[at - 1].addr >> shift) > 1;
    touched->stretches = arena_array(arena, struct touched_stretch, breaks);
    for (size_t at = 0, end; at < count; at = end) {
        end = at + 1;
        while (end < count && (sorted[end].addr >> shift) - (sorted[end - 1].addr >> shift) <= 1)
            end++;
        struct touched_stretch stretch = stretch_of(sorted[at].addr, sorted[end - 1].addr, end - at, shift);
        struct touched_stretch *before =
            touched->stretch_count ? &touched->stretches[touched->stretch_count - 1] : NULL;
        if (before && stretch.first < before->end)
            stretch.first = before->end;
        stretch.lines_ratio = ratios->lines;
        stretch.pages_ratio = ratios->pages;
        if (stretch.end > stretch.first)
            touched->stretches[touched->stretch_count++] = stretch;
    }
}

static struct interval sized(double low, double mid, double high)
{
    struct interval size = interval_of(low, mid, high);
    size.known = low > 0 && high <= KNOWN_WITHIN * low;
    return size;
}

/* Totals from the stretches. */
static void touched_sum(struct touched_memory *touched)
{
    const uint64_t page = UINT64_C(1) << PAGE_SHIFT;
    double lines[3] = {0}, pages[3] = {0};
    uint64_t counted_to = 0; /* pages, up to here */
    for (size_t at = 0; at < touched->stretch_count; at++) {
        const struct touched_stretch *stretch = &touched->stretches[at];
        double bytes = (double)(stretch->end - stretch->first);
        double least = bytes > 2 * stretch->edges_bytes ? bytes - stretch->edges_bytes : bytes / 2;
        double most = bytes + stretch->edges_bytes;
        lines[0] += least * stretch->lines_ratio.low;
        lines[1] += bytes * stretch->lines_ratio.mid;
        lines[2] += most * stretch->lines_ratio.high;
        uint64_t from = stretch->first & ~(page - 1), to = (stretch->end + page - 1) & ~(page - 1);
        from = from < counted_to ? counted_to : from;
        double wide = to > from ? (double)(to - from) : 0;
        counted_to = to > counted_to ? to : counted_to;
        pages[0] += wide * least / bytes * stretch->pages_ratio.low;
        pages[1] += wide * stretch->pages_ratio.mid;
        pages[2] += wide * most / bytes * stretch->pages_ratio.high;
    }
    touched->lines_bytes = sized(lines[0], lines[1], lines[2]);
    touched->pages_bytes = sized(pages[0], pages[1], pages[2]);
    touched->lines_least_bytes = lines[0];
    touched->pages_least_bytes = pages[0];
    touched->lines_most_bytes = lines[2];
}

struct touched_memory touched_memory_of(const struct timed_address *addresses, size_t count, uint64_t step_bytes,
                                        struct arena *arena)
{
    struct touched_memory touched = {0};
    if (count < WORKING_SET_ADDRESSES_LEAST)
        return touched;
    scoped_free struct timed_address *sorted = memory_alloc(memory_product(count, sizeof(*sorted)));
    scoped_free struct timed_address *kept = memory_alloc(memory_product(count, sizeof(*kept)));
    for (size_t at = 0; at < count; at++)
        sorted[at] = addresses[at];
    qsort(sorted, count, sizeof(*sorted), address_compare);
    size_t kept_count = 0, granules = 0;
    unsigned shift = LINE_SHIFT;
    for (; shift < WIDEST_SHIFT; shift++) {
        kept_count = granules_keep(sorted, count, shift, kept, &granules);
        if ((double)kept_count >= KEPT_LEAST * (double)count && kept_count >= MET_WANTED * granules)
            break;
    }
    if (shift == WIDEST_SHIFT || !granules)
        return touched;
    struct ratios ratios = step_bytes ? ratios_in_order(step_bytes) : ratios_seen(addresses, count, shift);
    if (shift == LINE_SHIFT)
        ratios.lines = interval_exactly(1);
    touched.known = true;
    touched.goes_once = passes_once(kept, kept_count, shift);
    stretches_find(&touched, kept, kept_count, shift, &ratios, arena);
    touched_sum(&touched);
    double met = (double)lines_met(kept, kept_count) * (1 << LINE_SHIFT);
    touched.lines_least_bytes = touched.lines_least_bytes > met ? touched.lines_least_bytes : met;
    return touched;
}

/* ---- several ---- */

struct edge {
    uint64_t addr;
    const struct touched_stretch *stretch;
    bool opens;
};

static int edge_compare(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    return (left->addr > right->addr) - (left->addr < right->addr);
}

static void stretch_widen(struct touched_stretch *stretch, const struct touched_stretch *by)
{
    bool more_lines = by->lines_ratio.low > stretch->lines_ratio.low,
         more_pages = by->pages_ratio.low > stretch->pages_ratio.low;
    stretch->lines_ratio = more_lines || !stretch->lines_ratio.known ? by->lines_ratio : stretch->lines_ratio;
    stretch->pages_ratio = more_pages || !stretch->pages_ratio.known ? by->pages_ratio : stretch->pages_ratio;
}

/* Each piece between two edges has what that one of the stretches over it has which has most for certain. */
static void stretches_join(struct touched_memory *joined, struct edge *edges, size_t count, struct arena *arena)
{
    qsort(edges, count, sizeof(*edges), edge_compare);
    joined->stretches = arena_array(arena, struct touched_stretch, count + 1);
    const struct touched_stretch **open = arena_array(arena, const struct touched_stretch *, count + 1);
    size_t open_count = 0;
    for (size_t at = 0; at < count; at++) {
        if (open_count && edges[at].addr > edges[at - 1].addr) {
            struct touched_stretch piece = {.first = edges[at - 1].addr, .end = edges[at].addr};
            for (size_t one = 0; one < open_count; one++)
                stretch_widen(&piece, open[one]);
            if (edges[at].opens == false)
                piece.edges_bytes = edges[at].stretch->edges_bytes;
            joined->stretches[joined->stretch_count++] = piece;
        }
        if (edges[at].opens) {
            open[open_count++] = edges[at].stretch;
            continue;
        }
        for (size_t one = 0; one < open_count; one++)
            if (open[one] == edges[at].stretch) {
                open[one] = open[--open_count];
                break;
            }
    }
}

struct touched_memory touched_memory_joined(const struct touched_memory *parts, size_t count, struct arena *arena)
{
    struct touched_memory joined = {.goes_once = true};
    size_t edge_count = 0, stretches = 0;
    double least = 0;
    for (size_t at = 0; at < count; at++)
        stretches += parts[at].known ? parts[at].stretch_count : 0;
    scoped_free struct edge *edges = memory_alloc(memory_product(2 * stretches + 1, sizeof(*edges)));
    for (size_t at = 0; at < count; at++) {
        if (!parts[at].known)
            continue;
        joined.known = true;
        joined.goes_once &= parts[at].goes_once;
        least = parts[at].lines_least_bytes > least ? parts[at].lines_least_bytes : least;
        for (size_t one = 0; one < parts[at].stretch_count; one++) {
            const struct touched_stretch *stretch = &parts[at].stretches[one];
            edges[edge_count++] = (struct edge){stretch->first, stretch, true};
            edges[edge_count++] = (struct edge){stretch->end, stretch, false};
        }
    }
    joined.goes_once &= joined.known;
    if (!joined.known)
        return joined;
    stretches_join(&joined, edges, edge_count, arena);
    touched_sum(&joined);
    joined.lines_least_bytes = joined.lines_least_bytes > least ? joined.lines_least_bytes : least;
    return joined;
}
