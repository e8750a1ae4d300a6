/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would this access pattern cost on 2 MiB pages instead of 4 KiB ones, on this machine, now?
 *
 * Two regions of the same span, one forbidden and one advised huge pages, are walked in the asked pattern in
 * short blocks that alternate at random, so that drift hits both alike. Times are CPU time per access, the work
 * around it included: as many plain instructions as the program runs between two accesses. A reorder buffer holds
 * some 200 to 500, so that a tight loop has ten misses under way and an unoptimised one three; without the work the
 * probe would promise what the program can't get.
 * The huge region is checked to be really huge; when the kernel gives none, the answer is "not measured".
 * Does not support: 1 GiB pages, hugetlbfs, NUMA placement, writes.
 */
#ifndef PLUMB_PROBE_PAGE_WALK_H
#define PLUMB_PROBE_PAGE_WALK_H

#include "base/error.h"
#include "statistics/interval.h"
#include "system/sysroot.h"

struct page_walk_request {
    uint64_t span_bytes;    /* over which the accesses spread: the working set counted in pages */
    uint64_t lines_bytes;   /* distinct cache lines touched times 64; 0: every line of the span */
    uint64_t stride_bytes;  /* > 0: rows that far apart, walked column by column; 0: random order */
    uint32_t element_bytes; /* with stride: from one column to the next; 0: 4 */
    bool dependent;         /* each address comes from the load before (pointer chase) */
    uint32_t work_instructions; /* of other work between two accesses: it decides how many misses overlap */
    uint64_t budget_ns;     /* for the timed part; 0: 300 ms */
    uint64_t block_ns;      /* of one turn on one region; 0: 3 ms. A dozen blocks are the least */
    bool touch_once;        /* huge pages aren't given back and taken once more: touch_2m is of one time */
};

struct page_walk_result {
    struct interval ns_4k, ns_2m; /* per access, over the blocks: median, quartiles or its 95 % interval, the wider */
    struct interval ns_near;      /* the same at random over 256 KiB on 2 MiB pages: what the second cache holds */
    struct interval ns_work;      /* the work alone, its accesses in one cache line */
    struct interval ns_line;      /* one line when all lines of the small-page region are read in order */
    struct interval ratio;        /* ns_2m / ns_4k, paired by block, 95 % */
    struct interval ratio_spread; /* the same: the range over batches of blocks (probe/page_walk_spread.h) */
    struct interval wait_spread;  /* (ns_2m - ns_work) / (ns_4k - ns_work): of the waiting alone */
    /*
     * What each 4 KiB took at its first touch, on small and on huge pages. Huge ones are given back and taken once
     * more: a host may give a guest's free memory to others after a second or two, and then the touch costs twenty
     * times as much as where the guest has it still.
     */
    struct interval touch_4k, touch_2m;
    uint64_t span_bytes;          /* really used: capped at a quarter of the memory to spare */
    double huge_ratio;            /* share of the huge region that was huge, 0..1 */
    size_t block_count;
};

/*
 * Errors: ERROR_LIMIT when memory is short, ERROR_UNSUPPORTED when the kernel gives no huge pages (the
 * message says which setting).
 */
MUST_CHECK bool page_walk_measure(const struct sysroot *root, const struct page_walk_request *request,
                                  struct page_walk_result *ret_result, struct error *err);

/* How many lines random and dependent patterns touch in a span: a power of two, more than half of those asked for. */
uint64_t page_walk_lines(const struct page_walk_request *request, uint64_t span_bytes);
/*
 * The node after this one of `count`, a power of two: once through all of them, each as far from the last as chance has
 * it (Hull and Dobell: modulo a power of two, an odd increment and a multiplier of 1 modulo 4 have the full period).
 */
uint64_t page_walk_next(uint64_t node, uint64_t count);

#endif
