/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a register hold some instructions before the sample was taken?
 *
 * A load that writes a register of its own address ("mov (%rsi,%rdx,8),%rdx") has overwritten it when the timer's
 * sample comes. What it was made of is often still there: copies, sums, masks, shifts and products of registers that
 * nothing wrote since are computed again, back to where control may come from elsewhere. What was loaded is taken from
 * other samples, taken right behind that load, where all of them found the same. Does not support: other values from
 * memory, flags, partial registers.
 */
#ifndef PLUMB_ANALYSE_CODE_REGISTER_PAST_H
#define PLUMB_ANALYSE_CODE_REGISTER_PAST_H

#include "analyse/memory/data_address.h"
#include "analyse/stall/stalls.h"

struct loaded_value { /* that a load left in its register, by samples */
    uint64_t value;
    uint32_t samples;
    bool varies;
};

struct register_past {
    const struct instruction *rows;
    const uint16_t *marks;     /* by row: MARK_ELSEWHERE */
    const struct loaded_value *loaded; /* by row; NULL: not looked at */
    uint32_t sampled;          /* the row that the registers were taken before */
    /* the row before which values are asked for: sampled or earlier, straight code between */
    uint32_t row;
    register_value *value;     /* as sampled */
    const void *context;
};

void loaded_value_note(struct loaded_value *loaded, uint64_t value);
/* Whether what ran before `row` is the row before it, surely, and what that left in other registers is still there. */
bool register_past_goes_back(const struct instruction *rows, const uint16_t *marks, uint32_t row);
/* A register_value: context is a struct register_past. */
bool register_past_value(const void *context, unsigned number, uint64_t *ret_value);

#endif
