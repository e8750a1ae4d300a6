/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a value go round through memory: stored, and loaded again from there at once? Internal to bottleneck. */
#ifndef PLUMB_ANALYSE_BOTTLENECK_DEPENDENCE_H
#define PLUMB_ANALYSE_BOTTLENECK_DEPENDENCE_H

#include "analyse/bottleneck/region.h"

/* The row updates its place in memory, or is one of a load and a store of one place in the region. */
bool goes_through_memory(const struct region *region, uint32_t row);
/*
 * A load of what a smaller store just before wrote a part of: nothing hands such on, the load waits until it is in the
 * cache (documented for every core since 2006).
 */
bool is_blocked_by_store(const struct region *region, uint32_t row);
/* … that a loop right before it wrote in narrower pieces. */
bool is_blocked_by_loop(const struct region *region, uint32_t row);
/*
 * A load of what an atomic just before changed, also before a call: an atomic hands nothing on, and nothing passes it
 * before it is done (how counts of owners are released).
 */
bool is_behind_atomic(const struct region *region, uint32_t row);
/* What its address is computed from changes within the region. */
bool is_address_written(const struct region *region, uint32_t row);
/* Its address comes, by general registers, out of one of these rows, in its turn of the loop or the one before. */
bool is_addressed_by(const struct region *region, uint32_t row, const uint32_t *rows, uint32_t count);
/*
 * Loads of the same turn, from straight code before the row, whose results it computes with, at once or by way of
 * others; not of what its address is made of. Nearest first, `most` of them at most.
 */
uint32_t operand_loads(const struct region *region, uint32_t row, uint32_t *ret_rows, uint32_t most);
/* A division of it needs its own last result. */
bool has_divide_chain(const struct region *region);
/* Its address comes out of a load before. */
bool is_chased(const struct region *region, uint32_t row);

/*
 * The pointer that it loads through came with the call, and its function calls itself with one that was loaded through
 * it: a chain of loads whose links are calls. By the order of the code, not by its ways; registers, copies of them and
 * variables on the stack are followed. x86 only.
 */
bool is_chased_by_calls(const struct region *region, uint32_t row);
/*
 * … came with a call, or back from one, and is another each time: there is no loop, it calls itself, or a loop that is
 * gone through anew moves it on. Whether it waits for a miss before isn't known.
 */
bool is_passed_by_calls(const struct region *region, uint32_t row);

/*
 * Its address doesn't change in the loop, but was loaded by way of itself in one around it: keys of a tree's node,
 * whose place is known when the node before has come.
 */
bool is_led_by_chase(const struct region *region, uint32_t row);

#endif
