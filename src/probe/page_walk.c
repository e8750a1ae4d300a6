/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/page_walk.h"

#include "base/arena.h"
#include "base/cache_line.h"
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/page_walk_spread.h"
#include "statistics/signed_rank.h"
#include "system/memory/spare_memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum {
    HUGE_BYTES = 2 * 1024 * 1024,
    SMALL_BYTES = 4096,
    BLOCKS_LEAST = 12,
    BUDGET_NS = 300 * 1000 * 1000,
    BLOCK_NS = 3 * 1000 * 1000,
    WARM_PART = 3,  /* of a block: before it, uncounted */
    BESIDE_PART = 6, /* of a block: the work alone, and a stream */
    REACH_LEAST = 128 * 1024,
    NEAR_BYTES = 256 * 1024, /* fits the second-level cache and its TLB entries of every core in use */
    WORK_STEP = 8, /* instructions of one turn of work_do */
};

static const uint64_t span_least_bytes = 4ull * 1024 * 1024, span_most_bytes = 1024ull * 1024 * 1024;

/* All lines of the largest span: beyond the last-level caches of nearly all of today's servers. */
static const uint64_t nodes_most = 1024ull * 1024 * 1024 / CACHE_LINE_BYTES;

/* One region and where the walk through it stands. */
struct walk {
    char *memory; /* aligned to HUGE_BYTES */
    void *mapping;
    size_t mapping_bytes;
    uint64_t span_bytes, stride_bytes, element_bytes;
    uint64_t node_mask, node_spacing; /* random and dependent patterns: nodes this far apart */
    uint64_t column, random, streamed;
    char *chase;
    uint32_t work_turns;
    struct interval touch_ns; /* a small page's part of the first touch */
};

static uint64_t random_next(uint64_t *state)
{
    /* Knuth's MMIX linear congruential generator; its high bits are used. */
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void walk_done(struct walk *walk)
{
    if (walk->mapping && walk->mapping != MAP_FAILED)
        munmap(walk->mapping, walk->mapping_bytes);
}

/* Of all of it; what each 4 KiB took. */
static double walk_touch(struct walk *walk, bool huge)
{
    uint64_t started = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t at = 0; at < walk->span_bytes; at += SMALL_BYTES)
        walk->memory[at] = 1;
    if (huge)
        madvise(walk->memory, walk->span_bytes, MADV_COLLAPSE); /* where faults fell back; since 6.1, may fail */
    return (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - started) / ((double)walk->span_bytes / SMALL_BYTES);
}

static bool walk_map(struct walk *walk, uint64_t span_bytes, bool huge, bool touch_again, struct error *err)
{
    walk->mapping_bytes = span_bytes + HUGE_BYTES;
    walk->mapping =
        mmap(NULL, walk->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (walk->mapping == MAP_FAILED)
        return error_system(err, errno, "can't map %llu MiB for the page-walk probe",
                            (unsigned long long)(span_bytes >> 20));
    walk->memory = (char *)(((uintptr_t)walk->mapping + HUGE_BYTES - 1) & ~(uintptr_t)(HUGE_BYTES - 1));
    walk->span_bytes = span_bytes;
    int advice = huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    if (madvise(walk->memory, span_bytes, advice) != 0 && huge)
        return error_system(err, errno, "the kernel refuses huge pages (MADV_HUGEPAGE)");
    double first_ns = walk_touch(walk, huge), again_ns = first_ns;
    if (huge && touch_again && madvise(walk->memory, span_bytes, MADV_DONTNEED) == 0)
        again_ns = walk_touch(walk, huge);
    walk->touch_ns = interval_of(fmin(first_ns, again_ns), (first_ns + again_ns) / 2, fmax(first_ns, again_ns));
    return true;
}

uint64_t page_walk_next(uint64_t node, uint64_t count)
{
    return (node * 6364136223846793005u + 1442695040888963407u) & (count - 1);
}

/* In the order of memory, and without a table: a shuffle of as many nodes would take seconds. */
static void chase_build(struct walk *walk)
{
    uint64_t nodes = walk->node_mask + 1;
    for (uint64_t at = 0; at < nodes; at++) {
        char *from = walk->memory + at * walk->node_spacing;
        char *to = walk->memory + page_walk_next(at, nodes) * walk->node_spacing;
        memcpy(from, &to, sizeof(to));
    }
    walk->chase = walk->memory;
}

uint64_t page_walk_lines(const struct page_walk_request *request, uint64_t span_bytes)
{
    uint64_t lines = span_bytes / CACHE_LINE_BYTES;
    uint64_t wanted = request->lines_bytes ? request->lines_bytes / CACHE_LINE_BYTES : lines, nodes = 1024;
    wanted = wanted < lines ? wanted : lines;
    while (nodes * 2 <= wanted && nodes < nodes_most)
        nodes *= 2;
    return nodes;
}

static void walk_prepare(struct walk *walk, const struct page_walk_request *request)
{
    walk->stride_bytes = request->dependent ? 0 : request->stride_bytes;
    walk->element_bytes = request->element_bytes ? request->element_bytes : 4;
    walk->random = 88172645463325252u;
    /* The regions are never smaller than 4 MiB; the pattern may be. */
    if (request->span_bytes < walk->span_bytes)
        walk->span_bytes = request->span_bytes > REACH_LEAST ? request->span_bytes : REACH_LEAST;
    walk->work_turns = request->work_instructions / WORK_STEP;
    uint64_t nodes = page_walk_lines(request, walk->span_bytes);
    walk->node_mask = nodes - 1;
    /* An odd number of lines apart, so that nodes spread over all cache sets. */
    walk->node_spacing =
        (walk->span_bytes / nodes / CACHE_LINE_BYTES - 1) / 2 * 2 * CACHE_LINE_BYTES + CACHE_LINE_BYTES;
    if (request->dependent)
        chase_build(walk);
}

/* Plain instructions that nothing waits for: six additions and the loop's own two. */
static inline void work_do(uint32_t turns)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (uint32_t turn = 0; turn < turns; turn++) {
        a++, b++, c++, d++, e++, f++;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
}

/* Column by column over rows `stride` apart; returns the number of accesses. */
__attribute__((noinline)) static uint64_t step_stride(struct walk *walk)
{
    uint64_t rows = walk->span_bytes / walk->stride_bytes;
    const volatile char *at = walk->memory + walk->column;
    uint32_t turns = walk->work_turns;
    for (uint64_t row = 0; row < rows; row++, at += walk->stride_bytes) {
        (void)*at;
        work_do(turns);
    }
    walk->column += walk->element_bytes;
    if (walk->column + walk->element_bytes > walk->stride_bytes)
        walk->column = 0;
    return rows;
}

__attribute__((noinline)) static uint64_t step_random(struct walk *walk)
{
    enum {
        ACCESSES = 4096
    };
    uint64_t random = walk->random;
    uint32_t turns = walk->work_turns;
    for (int at = 0; at < ACCESSES; at++) {
        (void)*(const volatile char *)(walk->memory + (random_next(&random) & walk->node_mask) * walk->node_spacing);
        work_do(turns);
    }
    walk->random = random;
    return ACCESSES;
}

__attribute__((noinline)) static uint64_t step_chase(struct walk *walk)
{
    enum {
        ACCESSES = 1024
    };
    char *at = walk->chase;
    uint32_t turns = walk->work_turns;
    for (int access = 0; access < ACCESSES; access++) {
        at = *(char *volatile *)at;
        work_do(turns);
    }
    walk->chase = at;
    return ACCESSES;
}

/* The same instructions, but every access in one line. */
__attribute__((noinline)) static uint64_t step_work(struct walk *walk)
{
    enum {
        ACCESSES = 4096
    };
    const volatile char *at = walk->memory;
    uint32_t turns = walk->work_turns;
    for (int access = 0; access < ACCESSES; access++) {
        (void)*at;
        work_do(turns);
    }
    return ACCESSES;
}

/* Line by line, as a stream: what bandwidth alone allows. */
__attribute__((noinline)) static uint64_t step_stream(struct walk *walk)
{
    enum {
        ACCESSES = 16384
    };
    uint64_t at = walk->streamed;
    for (int access = 0; access < ACCESSES; access++) {
        (void)*(const volatile char *)(walk->memory + at);
        at = at + CACHE_LINE_BYTES < walk->span_bytes ? at + CACHE_LINE_BYTES : 0;
    }
    walk->streamed = at;
    return ACCESSES;
}

static double steps_time(struct walk *walk, uint64_t (*step)(struct walk *), uint64_t budget_ns)
{
    uint64_t started = clock_ns(CLOCK_THREAD_CPUTIME_ID), elapsed, accesses = 0;
    do {
        accesses += step(walk);
        elapsed = clock_ns(CLOCK_THREAD_CPUTIME_ID) - started;
    } while (elapsed < budget_ns);
    return (double)elapsed / (double)accesses;
}

/* CPU nanoseconds per access; the other region has had the caches, so the first part isn't counted. */
static double walk_block(struct walk *walk, uint64_t block_ns)
{
    uint64_t (*step)(struct walk *) = walk->chase ? step_chase : walk->stride_bytes ? step_stride : step_random;
    steps_time(walk, step, block_ns / WARM_PART);
    return steps_time(walk, step, block_ns);
}

/* Bytes of huge pages in [memory, memory + span) by smaps; 0 when it can't be read. */
static uint64_t huge_bytes_in(const struct sysroot *root, const char *memory, uint64_t span_bytes)
{
    scoped_text struct text smaps = {0};
    struct error ignored = {0};
    if (!sysroot_read(root, &smaps, &ignored, "/proc/self/smaps"))
        return 0;
    struct view rest = text_view(&smaps), line;
    uint64_t total_kib = 0;
    bool inside = false;
    while (view_line(&rest, &line)) {
        struct view address = line;
        struct view start = view_cut(&address, '-'), end = view_cut(&address, ' ');
        uint64_t first, last, kib;
        if (view_u64(start, 16, &first) && view_u64(end, 16, &last))
            inside = first < (uintptr_t)memory + span_bytes && last > (uintptr_t)memory;
        struct view words = line;
        if (inside && view_equal(view_word(&words), "AnonHugePages:") && view_u64(view_word(&words), 10, &kib))
            total_kib += kib;
    }
    return total_kib * 1024;
}

static bool span_choose(const struct sysroot *root, const struct page_walk_request *request, uint64_t *ret_span,
                        struct error *err)
{
    uint64_t spare = spare_memory_bytes(root), most = spare == SPARE_MEMORY_UNKNOWN ? 0 : spare / 4;
    uint64_t span = request->span_bytes < span_most_bytes ? request->span_bytes : span_most_bytes;
    if (span > most)
        span = most;
    if (span < span_least_bytes)
        span = span_least_bytes;
    if (most < span_least_bytes)
        return error_set(err, ERROR_LIMIT, "too little memory for the page-walk probe: %llu MiB available",
                         (unsigned long long)(most * 4 >> 20));
    *ret_span = span / HUGE_BYTES * HUGE_BYTES;
    return true;
}

static bool check_huge(const struct sysroot *root, const struct walk *huge, double *ret_ratio, struct error *err)
{
    double ratio = (double)huge_bytes_in(root, huge->memory, huge->span_bytes) / (double)huge->span_bytes;
    if (ratio > 1)
        ratio = 1;
    if (ratio < 0.9) {
        char policy[64];
        if (!sysroot_line(root, policy, sizeof(policy), "/sys/kernel/mm/transparent_hugepage/enabled"))
            memcpy(policy, "unknown", sizeof("unknown"));
        error_set(err, ERROR_UNSUPPORTED, "only %.0f %% of the probe's memory became huge pages (policy: %s)",
                  100 * ratio, policy);
        return error_hint(err, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled; free memory may be "
                               "fragmented: echo 1 > /proc/sys/vm/compact_memory");
    }
    *ret_ratio = ratio;
    return true;
}

/*
 * Verdicts rest on these ends: the quartiles, or where few blocks leave the median less sure than that, its interval.
 */
static struct interval cost_interval(const double *values, size_t count)
{
    struct interval quartiles = quartile_interval(values, count), median = median_interval(values, count);
    return interval_of(quartiles.low < median.low ? quartiles.low : median.low, median.mid,
                       quartiles.high > median.high ? quartiles.high : median.high);
}

/* Small, huge and the work alone side by side: what slows the machine for a while slows all of them. */
static void block_measure(struct walk *small, struct walk *huge, bool small_first, uint64_t block_ns,
                          struct page_walk_blocks *blocks)
{
    size_t at = blocks->count++;
    if (small_first)
        blocks->small[at] = walk_block(small, block_ns);
    blocks->huge[at] = walk_block(huge, block_ns);
    if (!small_first)
        blocks->small[at] = walk_block(small, block_ns);
    blocks->work[at] = steps_time(huge, step_work, block_ns / BESIDE_PART);
    blocks->line[at] = steps_time(small, step_stream, block_ns / BESIDE_PART);
}

static void measure_blocks(struct walk *small, struct walk *huge, const struct page_walk_request *request,
                           struct page_walk_result *result)
{
    uint64_t budget_ns = request->budget_ns ? request->budget_ns : BUDGET_NS;
    uint64_t block_ns = request->block_ns ? request->block_ns : BLOCK_NS;
    struct page_walk_blocks blocks;
    blocks.count = 0;
    uint64_t order = 20051120, started = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    walk_block(small, block_ns); /* warm-up */
    walk_block(huge, block_ns);
    while (blocks.count < PAGE_WALK_BLOCKS_MOST &&
           (blocks.count < BLOCKS_LEAST || clock_ns(CLOCK_THREAD_CPUTIME_ID) - started < budget_ns))
        block_measure(small, huge, random_next(&order) & 1, block_ns, &blocks);
    result->ns_4k = cost_interval(blocks.small, blocks.count);
    result->ns_2m = cost_interval(blocks.huge, blocks.count);
    result->ns_work = cost_interval(blocks.work, blocks.count);
    result->ns_line = cost_interval(blocks.line, blocks.count);
    result->ratio = paired_ratio_interval(blocks.small, blocks.huge, blocks.count);
    result->ratio_spread = page_walk_ratio_spread(&blocks);
    result->wait_spread = page_walk_wait_spread(&blocks);
    result->block_count = blocks.count;
}

/* At random over what is near, on huge pages: the same instructions without the misses. */
static void measure_near(struct walk *huge, struct page_walk_request request, struct page_walk_result *result)
{
    double near[BLOCKS_LEAST];
    uint64_t block_ns = request.block_ns ? request.block_ns : BLOCK_NS;
    request.span_bytes = NEAR_BYTES;
    request.lines_bytes = request.stride_bytes = 0;
    walk_prepare(huge, &request);
    for (size_t at = 0; at < BLOCKS_LEAST; at++)
        near[at] = walk_block(huge, block_ns);
    result->ns_near = cost_interval(near, BLOCKS_LEAST);
}

bool page_walk_measure(const struct sysroot *root, const struct page_walk_request *request,
                       struct page_walk_result *ret_result, struct error *err)
{
    scoped(walk_done) struct walk small = {0}, huge = {0};
    struct page_walk_result result = {0};
    if (!span_choose(root, request, &result.span_bytes, err))
        return false;
    if (!walk_map(&small, result.span_bytes, false, false, err) ||
        !walk_map(&huge, result.span_bytes, true, !request->touch_once, err))
        return false;
    if (!check_huge(root, &huge, &result.huge_ratio, err))
        return false;
    result.touch_4k = small.touch_ns;
    result.touch_2m = huge.touch_ns;
    walk_prepare(&small, request);
    walk_prepare(&huge, request);
    measure_blocks(&small, &huge, request, &result);
    measure_near(&huge, *request, &result);
    *ret_result = result;
    return true;
}
