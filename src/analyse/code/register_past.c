/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/register_past.h"

#include "base/vec.h"

#include <string.h>

enum {
    STEPS_MOST = 12, /* instructions computed again, at most: addresses are made of few */
    ROWS_MOST = 64,  /* looked back over */
};

static uint64_t bit_of(unsigned number)
{
    return number < 64 ? (uint64_t)1 << number : 0;
}

static uint64_t narrowed(uint64_t value, unsigned bits)
{
    return bits && bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
}

/* The result of "left = left op right". */
static bool operation_value(const struct instruction *row, uint64_t left, uint64_t right, uint64_t *ret_value)
{
    unsigned bits = row->operation_bits, count = (unsigned)(right & (bits == 64 ? 63 : 31));
    static const char *const names[] = {"and", "or", "xor", "add", "sub", "shl", "shr", "imul"};
    size_t which = 0;
    while (which < array_count(names) && (!row->mnemonic || strcmp(row->mnemonic, names[which]) != 0))
        which++;
    const uint64_t results[array_count(names)] = {left & right,
                                                  left | right,
                                                  left ^ right,
                                                  left + right,
                                                  left - right,
                                                  left << count,
                                                  narrowed(left, bits) >> count,
                                                  left * right};
    if (which == array_count(names) || bits < 32)
        return false;
    *ret_value = narrowed(results[which], bits);
    return true;
}

void loaded_value_note(struct loaded_value *loaded, uint64_t value)
{
    loaded->varies |= loaded->samples && loaded->value != value;
    loaded->value = value;
    loaded->samples++;
}

static bool value_loaded(const struct loaded_value *loaded, uint64_t *ret_value)
{
    enum { AGREEING_LEAST = 3 };
    *ret_value = loaded->value;
    return loaded->samples >= AGREEING_LEAST && !loaded->varies;
}

bool register_past_goes_back(const struct instruction *rows, const uint16_t *marks, uint32_t row)
{
    const struct instruction *before = &rows[row - 1];
    bool goes_on = !before->ends_block || before->class == INSTRUCTION_BRANCH;
    return goes_on && before->class != INSTRUCTION_CALL && !(marks[row] & MARK_ELSEWHERE);
}

static bool value_before(const struct register_past *past, uint32_t row, unsigned number, unsigned *steps,
                         uint64_t *ret_value);

/* What a row left in the register that it wrote. */
static bool value_written(const struct register_past *past, uint32_t row, unsigned number, unsigned *steps,
                          uint64_t *ret_value)
{
    const struct instruction *here = &past->rows[row];
    uint64_t left, right = (uint64_t)here->immediate;
    if ((here->writes & bit_of(number)) == 0 || ++*steps > STEPS_MOST)
        return false;
    if (here->memory.is_present)
        return past->loaded && value_loaded(&past->loaded[row], ret_value);
    if (here->is_sum || here->kept_bits) {
        if (!value_before(past, row, here->sum_from, steps, &left))
            return false;
        if (here->mnemonic && (strcmp(here->mnemonic, "movsxd") == 0 || strcmp(here->mnemonic, "cdqe") == 0))
            left = (uint64_t)(int64_t)(int32_t)left;
        *ret_value = narrowed(left + (uint64_t)here->sum, here->kept_bits ? here->kept_bits : here->operation_bits);
        return true;
    }
    if (here->scale) {
        if (!value_before(past, row, here->sum_from, steps, &left) ||
            !value_before(past, row, here->scaled, steps, &right))
            return false;
        *ret_value = narrowed(left + right * here->scale + (uint64_t)here->sum, here->operation_bits);
        return true;
    }
    bool both = here->own_places & 1 && here->reads & bit_of(number);
    uint64_t others = here->reads & ~bit_of(number);
    if (!both || (here->has_immediate ? others != 0 : !others || (others & (others - 1))))
        return false;
    if (!value_before(past, row, number, steps, &left) ||
        (!here->has_immediate && !value_before(past, row, (unsigned)__builtin_ctzll(others), steps, &right)))
        return false;
    return operation_value(here, left, right, ret_value);
}

static bool value_before(const struct register_past *past, uint32_t row, unsigned number, unsigned *steps,
                         uint64_t *ret_value)
{
    bool is_kept = true;
    for (uint32_t at = row; at < past->sampled; at++)
        is_kept &= !(past->rows[at].writes & bit_of(number));
    if (is_kept)
        return past->value(past->context, number, ret_value);
    for (uint32_t back = 0; back < ROWS_MOST && row > 0; back++, row--) {
        const struct instruction *before = &past->rows[row - 1];
        if (!register_past_goes_back(past->rows, past->marks, row))
            return false;
        if (before->writes & bit_of(number))
            return value_written(past, row - 1, number, steps, ret_value);
    }
    return false;
}

bool register_past_value(const void *context, unsigned number, uint64_t *ret_value)
{
    const struct register_past *past = context;
    unsigned steps = 0;
    return number < 64 && value_before(past, past->row, number, &steps, ret_value);
}
