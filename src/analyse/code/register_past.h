/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a register hold some instructions before the sample was taken?
 *
 * A load that writes a register of its own address ("mov (%rsi,%rdx,8),%rdx") has overwritten it when the timer's sample
 * comes. What it was made of is often still there: copies, sums, masks, shifts and products of registers that nothing
 * wrote since are computed again, back to the beginning of the straight code. Does not support: values from memory, flags,
 * partial registers.
 */
#ifndef PLUMB_ANALYSE_CODE_REGISTER_PAST_H
#define PLUMB_ANALYSE_CODE_REGISTER_PAST_H

#include "analyse/memory/data_address.h"

struct register_past {
    const struct instruction *rows;
    const uint8_t *is_entry;   /* by row: bits of entry_mask: control may come from elsewhere */
    uint8_t entry_mask;
    uint32_t sampled;          /* the row that the registers were taken before */
    uint32_t row;              /* the row before which values are asked for: sampled or earlier, straight code between */
    register_value *value;     /* as sampled */
    const void *context;
};

/* A register_value: context is a struct register_past. */
bool register_past_value(const void *context, unsigned number, uint64_t *ret_value);

#endif
