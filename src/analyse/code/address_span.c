/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/address_span.h"

#include "base/cache_line.h"

#include <string.h>

static const uint64_t ANY = UINT64_MAX;
static const uint64_t SPAN_MOST = 1 << 30; /* farther than that bounds nothing */

static uint64_t of_bits(unsigned bits)
{
    return bits < 32 ? ((uint64_t)1 << bits) - 1 : ANY;
}

static uint64_t value_most(const struct instruction *rows, struct loop_rows loop, uint32_t row, uint8_t number);

/* The greatest value that a row leaves in the general register that it writes. */
static uint64_t most_left(const struct instruction *rows, struct loop_rows loop, uint32_t at, uint8_t number)
{
    const struct instruction *row = &rows[at];
    const char *mnemonic = row->mnemonic ? row->mnemonic : "";
    if (row->kept_bits)
        return of_bits(row->kept_bits);
    if (!strcmp(mnemonic, "movzx") && row->is_load)
        return of_bits(8u * row->memory.size_bytes);
    if (row->operation_bits < 32 || !row->has_immediate)
        return ANY; /* narrower ones keep the register's rest */
    if (!strcmp(mnemonic, "and"))
        return row->immediate >= 0 ? (uint64_t)row->immediate : ANY;
    if (strcmp(mnemonic, "shr") != 0 || row->immediate <= 0 || row->immediate >= row->operation_bits)
        return ANY;
    uint64_t before = value_most(rows, loop, at, number);
    return before == ANY ? of_bits((unsigned)(row->operation_bits - row->immediate)) : before >> row->immediate;
}

static bool is_led_to(const struct instruction *rows, struct loop_rows loop, const struct instruction *behind,
                      const struct instruction *until)
{
    bool found = false;
    for (uint32_t at = loop.first; at <= loop.last && !found; at++)
        found = rows[at].has_target && rows[at].class != INSTRUCTION_CALL && rows[at].target > behind->addr &&
                rows[at].target <= until->addr;
    return found;
}

/* The greatest value of a register before a row, where an instruction of the same block wrote it. */
static uint64_t value_most(const struct instruction *rows, struct loop_rows loop, uint32_t row, uint8_t number)
{
    for (uint32_t at = row; at-- > loop.first;) {
        if (rows[at].ends_block || rows[at].class == INSTRUCTION_CALL)
            return ANY;
        if (rows[at].writes >> number & 1)
            return is_led_to(rows, loop, &rows[at], &rows[row]) ? ANY : most_left(rows, loop, at, number);
    }
    return ANY;
}

static bool is_written(const struct instruction *rows, struct loop_rows loop, uint8_t number)
{
    bool found = false;
    for (uint32_t at = loop.first; number < 64 && at <= loop.last && !found; at++)
        found = rows[at].writes >> number & 1 || rows[at].class == INSTRUCTION_CALL;
    return found;
}

uint64_t code_address_span(const struct instruction *rows, struct loop_rows loop, uint32_t row)
{
    const struct memory_operand *memory = &rows[row].memory;
    uint64_t scale = memory->index_shift ? (uint64_t)1 << memory->index_shift : memory->scale ? memory->scale : 1, span;
    if (!memory->is_present || memory->has_vector_index || memory->has_hidden_part || memory->is_relative)
        return 0;
    bool by_base = is_written(rows, loop, memory->base), by_index = is_written(rows, loop, memory->index);
    if (by_base == by_index)
        return 0;
    uint64_t most = value_most(rows, loop, row, by_base ? memory->base : memory->index);
    if (most == ANY || __builtin_mul_overflow(most, by_base ? 1 : scale, &span) || span > SPAN_MOST)
        return 0;
    return span + memory->size_bytes;
}

/* What a row writes follows from registers of `walking` by constants alone. */
static bool keeps_walking(const struct instruction *row, uint64_t walking)
{
    bool known = !row->is_load && row->class != INSTRUCTION_CALL;
    if (known && row->is_sum && row->sum_from < 64)
        return walking >> row->sum_from & 1;
    if (!known || row->step_register >= 64 || !(walking >> row->step_register & 1))
        return false;
    return row->step_by == REGISTER_NONE || (row->step_by < 64 && walking >> row->step_by & 1);
}

uint64_t code_walking_registers(const struct instruction *rows, struct loop_rows loop)
{
    uint64_t walking = UINT64_MAX, before = 0;
    while (walking != before) { /* a register that is loaded or computed takes those with it that follow from it */
        before = walking;
        for (uint32_t at = loop.first; at <= loop.last; at++)
            if (rows[at].writes & walking && !keeps_walking(&rows[at], walking))
                walking &= ~rows[at].writes;
    }
    return walking;
}

bool code_address_walks(const struct instruction *row, uint64_t walking)
{
    const struct memory_operand *memory = &row->memory;
    bool base = memory->base >= 64 || walking >> memory->base & 1,
         index = memory->index >= 64 || walking >> memory->index & 1;
    return memory->is_present && !memory->has_vector_index && !memory->has_hidden_part && base && index;
}

/* Of a step, the lines that one row's operand and another's lie apart; -1: the other is addressed otherwise. */
static int64_t lines_apart(const struct memory_operand *own, const struct memory_operand *other, int64_t way)
{
    int64_t apart = other->displacement - own->displacement;
    bool is_alike = other->is_present && !other->has_vector_index && other->base == own->base &&
                    other->index == own->index && other->scale == own->scale && apart > -way && apart < way;
    return is_alike ? (apart + way) % way / CACHE_LINE_BYTES : -1;
}

bool code_address_by_lines(const struct instruction *rows, struct loop_rows loop, uint32_t row, int64_t step)
{
    enum { LINES_MOST = 16 };
    int64_t way = step < 0 ? -step : step;
    uint32_t met = 0;
    if (way <= CACHE_LINE_BYTES)
        return true;
    if (way > LINES_MOST * CACHE_LINE_BYTES || way % CACHE_LINE_BYTES)
        return false;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        int64_t line = lines_apart(&rows[row].memory, &rows[at].memory, way);
        met |= line >= 0 ? UINT32_C(1) << line : 0;
    }
    return met == (UINT32_C(1) << way / CACHE_LINE_BYTES) - 1;
}
