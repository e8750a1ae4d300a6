/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a loop's access look something up, in a tree or by halving an array, so that what a comparison says decides
 * where it goes next?
 *
 * By the code alone: registers are followed through the loop without regard to order, and not through memory. A walk
 * along a list has one next place, a look-up has several. Does not support: B-trees, whose nodes are searched in a loop
 * of their own, and loops of many instructions.
 */
#ifndef PLUMB_ANALYSE_CODE_SEARCH_SHAPE_H
#define PLUMB_ANALYSE_CODE_SEARCH_SHAPE_H

#include "symbol/disassembly.h"

enum search_shape {
    SEARCH_NONE,
    SEARCH_TREE,   /* the next node comes out of one of several members of this one */
    SEARCH_HALVING /* the next place comes out of a number halved: binary search, a heap */
};

enum search_shape search_shape_at(const struct instruction *rows, size_t count, uint32_t row);

#endif
