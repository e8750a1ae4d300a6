/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/known_constants.h"

#include <string.h>

static size_t row_bytes(const struct known_constant *row)
{
    return (size_t)row->element_bytes * row->count;
}

/* Data that lie before the place by an element or two, or behind it: "table - 3" is counted from a table's first. */
static bool holds_row(const struct known_constant *row, const uint8_t *bytes, size_t size_bytes, size_t before,
                      size_t behind)
{
    size_t first = before > 2u * row->element_bytes ? before - 2u * row->element_bytes : 0, length = row_bytes(row);
    for (size_t at = first; at <= before + behind && at + length <= size_bytes; at++)
        if ((at > before ? at - before : before - at) % row->element_bytes == 0 &&
            memcmp(bytes + at, row->bytes, length) == 0)
            return true;
    return false;
}

const char *known_table(const uint8_t *bytes, size_t size_bytes, size_t before, enum known_use use)
{
    size_t behind = use == KNOWN_COUNTED_FROM ? KNOWN_BEHIND_MOST : 0;
    for (size_t at = 0; at < known_constant_row_count; at++)
        if (known_constant_rows[at].kind == KNOWN_TABLE &&
            holds_row(&known_constant_rows[at], bytes, size_bytes, before, behind))
            return known_constant_rows[at].words;
    return NULL;
}

static uint64_t element_of(const struct known_constant *row, unsigned index)
{
    uint64_t value = 0;
    for (unsigned byte = 0; byte < row->element_bytes; byte++)
        value |= (uint64_t)(uint8_t)row->bytes[index * row->element_bytes + byte] << 8 * byte;
    return value;
}

/* An instruction may hold 32 bits, widened by their sign or by zeros. */
static bool is_element(const struct known_constant *row, unsigned index, int64_t value)
{
    uint64_t element = element_of(row, index);
    return (uint64_t)value == element || (row->element_bytes == 4 && value == (int32_t)element);
}

const char *known_numbers_take(struct known_numbers *numbers, int64_t value)
{
    size_t number_row = 0;
    for (size_t at = 0; at < known_constant_row_count && number_row < KNOWN_NUMBERS_MOST; at++) {
        const struct known_constant *row = &known_constant_rows[at];
        if (row->kind != KNOWN_NUMBERS)
            continue;
        uint8_t *met = &numbers->met[number_row++], all = (uint8_t)((1 << row->count) - 1), had = *met;
        for (unsigned index = 0; index < row->count; index++)
            *met |= (uint8_t)(is_element(row, index, value) << index);
        if (*met == all && had != all)
            return row->words;
    }
    return NULL;
}
