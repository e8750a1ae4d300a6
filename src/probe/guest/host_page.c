/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/host_page.h"

#include "base/cache_line.h"
#include "probe/calibration/memory_kernel.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    HUGE_BYTES = 2 * 1024 * 1024,
    PAGES_LEAST = 2048, /* more than the second TLB of their day holds, in a quarter of the second cache */
    PAGES_MOST = 8192,
    CACHE_USUAL = 1024 * 1024,
    LAYOUTS = 16, /* pages until the line within the page moves on: sets of the cache are met evenly */
    ROUNDS_MOST = 64
};

static const double WARM_NS = 300e3, TIMED_NS = 500e3;

static size_t pages_of_probe(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    size_t cache = bytes > 0 ? (size_t)bytes : CACHE_USUAL, pages = PAGES_LEAST;
    while (pages * 2 <= PAGES_MOST && pages * 2 * CACHE_LINE_BYTES <= cache / 4)
        pages *= 2;
    return pages;
}

static size_t offset_of(size_t node, bool dense)
{
    return dense ? node * CACHE_LINE_BYTES
                 : node * PAGE_BYTES + node / LAYOUTS % (PAGE_BYTES / CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
}

/* One cycle through all nodes, in an order that no prefetcher follows: as in calibration/memory_kernel. */
static void chain_lay(const struct memory_region *region, size_t nodes, bool dense)
{
    for (size_t node = 0; node < nodes; node++) {
        char *target = region->bytes + offset_of((node * 1664525 + 1013904223) & (nodes - 1), dense);
        memcpy(region->bytes + offset_of(node, dense), &target, sizeof(target));
    }
}

/* Warmed, as the others had the caches before. */
static double chain_ns(const struct memory_region *region)
{
    (void)chase_ns(region, WARM_NS);
    struct measured taken = chase_ns(region, TIMED_NS);
    return taken.known ? taken.value : 0;
}

static void rounds_measure(struct host_backing *pages, const struct memory_region *dense,
                           const struct memory_region *huge, const struct memory_region *small, int rounds)
{
    double dense_ns[ROUNDS_MOST], huge_ns[ROUNDS_MOST], small_ns[ROUNDS_MOST];
    size_t count = rounds < ROUNDS_MOST ? (size_t)rounds : ROUNDS_MOST;
    for (size_t at = 0; at < count; at++) {
        dense_ns[at] = chain_ns(dense);
        huge_ns[at] = chain_ns(huge);
        small_ns[at] = chain_ns(small);
    }
    host_backing_judge(dense_ns, huge_ns, small_ns, count, pages);
}

void host_pages_measure(struct host_backing *pages, const struct sysroot *root, int rounds)
{
    size_t nodes = pages_of_probe();
    struct memory_region dense, huge, small;
    *pages = (struct host_backing){.pages = nodes};
    if (sysconf(_SC_PAGESIZE) != PAGE_BYTES) {
        pages->why_not = "the pages of this kernel are larger than 4 KiB";
        return;
    }
    memory_region_init(&dense, root, HUGE_BYTES, true);
    memory_region_init(&huge, root, nodes * PAGE_BYTES, true);
    memory_region_init(&small, root, nodes * PAGE_BYTES, false);
    const char *why_not = dense.why_not ? dense.why_not : huge.why_not ? huge.why_not : small.why_not;
    pages->why_not = why_not;
    if (!why_not) {
        chain_lay(&dense, nodes, true);
        chain_lay(&huge, nodes, false);
        chain_lay(&small, nodes, false);
        rounds_measure(pages, &dense, &huge, &small, rounds);
    }
    memory_region_done(&dense);
    memory_region_done(&huge);
    memory_region_done(&small);
}
