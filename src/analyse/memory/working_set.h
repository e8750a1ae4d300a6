/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory do sampled data addresses come from, counted in cache lines and in pages, and do they step
 * by a fixed stride?
 *
 * Size: by the birthday rule, n(n-1)/2 over the number of equal pairs; with no equal pair only a lower bound is
 * known. Stride: a periodogram over differences of addresses sampled shortly after one another, so that it
 * needs no knowledge of the loop. Good within a factor of 2 to about 500 MiB at 1000 samples; sequential
 * streams come out low. Does not support: fewer than 30 addresses.
 */
#ifndef PLUMB_ANALYSE_MEMORY_WORKING_SET_H
#define PLUMB_ANALYSE_MEMORY_WORKING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKING_SET_ADDRESSES_LEAST 30

struct set_size {
    bool known;            /* else only at_least_bytes is */
    double bytes;
    double at_least_bytes; /* 95 % */
};

struct working_set {
    size_t address_count;
    struct set_size lines, pages; /* distinct cache lines * 64, distinct 4 KiB pages * 4096 */
    uint64_t span_bytes;          /* between the 1st and the 99th percentile of the addresses */
    uint64_t stride_bytes;        /* 0: none was found */
    double stride_score;          /* 1: every difference is a multiple of it */
    bool one_place_in_stride;     /* all addresses stand at the same offset: granules, not a walk along rows */
};

struct timed_address {
    uint64_t time_ns, addr;
    uint32_t thread;
};

/*
 * Of addresses that came out of loads: steps are steps only where nearly all keep to them. An allocator's blocks lie
 * apart by the same way again and again, too, whatever order they are gone through in.
 */
void working_set_followed(struct working_set *set);
/* Goes along rows: its stride is a step between lines that are all met in the end, not the distance of a few lines. */
bool working_set_walks_rows(const struct working_set *set);
/* addresses in time order. */
struct working_set working_set_of(const struct timed_address *addresses, size_t count);
/* No estimate is larger than the mapping that all its addresses lie in. */
void working_set_clamp(struct working_set *set, uint64_t mapping_bytes);

#endif
