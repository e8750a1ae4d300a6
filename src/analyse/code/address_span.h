/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does an access of a loop go, by its code: on from turn to turn by constants, or anywhere? And how far may a
 * look-up go by what is made of its index just before: a mask, a shift, a byte widened?
 *
 * Does not support: an index computed in another block of code, or of two registers (not known); AArch64's masks.
 */
#ifndef PLUMB_ANALYSE_CODE_ADDRESS_SPAN_H
#define PLUMB_ANALYSE_CODE_ADDRESS_SPAN_H

#include "analyse/code/loop_chain.h"

/*
 * Registers that stay, or move on by constants, by others that stay, by copies of such: forwards or backwards,
 * whichever way is taken. A bit for each.
 */
uint64_t code_walking_registers(const struct instruction *rows, struct loop_rows loop);
/* Its address is made of such registers alone. */
bool code_address_walks(const struct instruction *row, uint64_t walking);
/*
 * The most bytes from the lowest to the highest that the row's memory operand may meet while its base stays; 0: not
 * known.
 */
uint64_t code_address_span(const struct instruction *rows, struct loop_rows loop, uint32_t row);
/*
 * A turn, which moves the row's operand by `step` bytes, goes on by a line at most; or, unrolled, through all lines of
 * its step, by rows that are addressed alike.
 */
bool code_address_by_lines(const struct instruction *rows, struct loop_rows loop, uint32_t row, int64_t step);

#endif
