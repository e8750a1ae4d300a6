/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory is in use at a time, where what is gone over moves on?
 *
 * A window that slides over an input reaches as far as the input in the end, and yet lies in a cache all along. The
 * addresses of each thread are taken in slices of a few dozen in a row; three of four slices must lie in so much, by
 * far less than all of them together, and hold no more lines than memory could hand over anew in a small part of the
 * slice's time: then it is of no account that each line comes in once. Does not support: windows that move faster than
 * samples show.
 */
#ifndef PLUMB_ANALYSE_MEMORY_TOUCHED_WHILE_H
#define PLUMB_ANALYSE_MEMORY_TOUCHED_WHILE_H

#include "analyse/memory/working_set.h"
#include "base/measured.h"

/* Bytes; not measured where it is all of it at any time, or where there are too few addresses. */
struct measured touched_while_of(const struct timed_address *addresses, size_t count);

/*
 * The same of what is walked through in order, from its beginning again and again (a list that is moved by one, and
 * grows to another place): from where to where the addresses of a slice go. places: addresses of one moment, at most.
 * ret_comes_back: in so much time that a slice is no single way, on which no line is met twice; set where measured.
 */
struct measured walked_while_of(const struct timed_address *addresses, size_t count, size_t places,
                                bool *ret_comes_back);

#endif
