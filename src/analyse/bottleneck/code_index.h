/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stalled addresses and which samples are a function's, which are a row's? Each list in the order in which they
 * came. Of a program that ran in several processes the addresses are those of one, the one with the most, unless no one
 * has enough. Internal to bottleneck: a region's look asks for each of its rows, and there may be thousands of either.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_CODE_INDEX_H
#define PLUMB_ANALYSE_BOTTLENECK_CODE_INDEX_H

#include "analyse/stall/stalls.h"
#include "base/arena.h"

struct index_part { /* indices into stalls' addresses or placed */
    const uint32_t *items;
    size_t count;
};

struct code_index;

/* Owner: arena. */
const struct code_index *code_index_new(const struct stalls *stalls, struct arena *arena);
struct index_part code_index_placed(const struct code_index *index, uint32_t function);
struct index_part code_index_addresses(const struct code_index *index, uint32_t function);
struct index_part code_index_row_addresses(const struct code_index *index, uint32_t function, uint32_t row);

#endif
