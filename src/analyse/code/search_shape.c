/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/search_shape.h"

#include "analyse/code/code_flow.h"
#include "analyse/code/loop_chain.h"

#include <string.h>

enum {
    POINTER_BYTES = 8,
    REGISTERS = 64,
    LOOP_ROWS_MOST = 64, /* in longer loops a register is many things */
    FLAGS_REGISTER = 9, /* PERF_REG_X86_FLAGS */
};

static uint64_t bit(uint8_t number)
{
    return number < REGISTERS ? 1ull << number : 0;
}

static uint64_t address_registers(const struct instruction *row)
{
    return row->memory.is_present ? bit(row->memory.base) | bit(row->memory.index) : 0;
}

static bool row_at(const struct instruction *rows, size_t count, uint64_t addr, uint32_t *ret_row)
{
    *ret_row = code_flow_row(rows, count, addr);
    return *ret_row != FLOW_NONE;
}

/*
 * Ways through one loop that go back by jumps of their own share rows, and neither holds the other: they are one loop.
 */
static struct loop_rows loop_of_ways(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    bool grew = true;
    while (grew) {
        grew = false;
        for (uint32_t last = loop.first; last < count && !grew; last++) {
            uint32_t first;
            bool goes_back = rows[last].has_target && rows[last].class != INSTRUCTION_CALL &&
                             rows[last].target <= rows[last].addr && row_at(rows, count, rows[last].target, &first);
            bool before = goes_back && first < loop.first && last < loop.last;
            bool behind = goes_back && first > loop.first && first <= loop.last && last > loop.last;
            if (!before && !behind)
                continue;
            loop = (struct loop_rows){before ? first : loop.first, before ? loop.last : last};
            grew = true;
        }
    }
    return loop;
}

/* What a comparison says decides which way to go, but is no part of an address. */
static uint64_t values_read(const struct instruction *row)
{
    return row->flags_read ? row->reads & ~bit(FLAGS_REGISTER) : row->reads;
}

/* All registers that one of `wanted` is computed from within the loop, and those. */
static uint64_t origins(const struct instruction *rows, struct loop_rows loop, uint64_t wanted)
{
    uint64_t before = 0;
    while (before != wanted) {
        before = wanted;
        for (uint32_t at = loop.first; at <= loop.last; at++)
            if (rows[at].writes & wanted && !rows[at].memory.is_present)
                wanted |= values_read(&rows[at]);
    }
    return wanted;
}

static uint64_t row_bit(struct loop_rows loop, uint32_t row)
{
    return row >= loop.first && row <= loop.last ? 1ull << (row - loop.first) : 0;
}

/*
 * What was loaded is the next node, or goes on to be: on some way through the loop it is copied before its register
 * holds something else.
 */
static bool leads_on(const struct instruction *rows, size_t count, struct loop_rows loop, uint32_t load, uint8_t node,
                     uint64_t from)
{
    uint64_t value = rows[load].writes & from, next = row_bit(loop, load + 1), seen = 0;
    if (value & bit(node))
        return true;
    while (next & ~seen) {
        uint32_t at = loop.first + (uint32_t)__builtin_ctzll(next & ~seen), target;
        const struct instruction *here = &rows[at];
        seen |= row_bit(loop, at);
        if (values_read(here) & value && here->writes & from && !here->memory.is_present)
            return true;
        if (here->writes & value & ~here->reads)
            continue;
        next |= here->falls_through ? row_bit(loop, at + 1) : 0;
        if (here->has_target && here->class != INSTRUCTION_CALL && row_at(rows, count, here->target, &target))
            next |= row_bit(loop, target);
    }
    return false;
}

/* Several pointers of the node that is waited for lead on. */
static bool chooses_member(const struct instruction *rows, size_t count, struct loop_rows loop, uint8_t node,
                           uint64_t from)
{
    const struct instruction *first = NULL;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *here = &rows[at];
        bool leads = here->is_load && here->memory.size_bytes == POINTER_BYTES && here->writes & from &&
                     here->memory.base == node && bit(node) && here->memory.index == REGISTER_NONE &&
                     here->class != INSTRUCTION_CALL && leads_on(rows, count, loop, at, node, from);
        if (!leads)
            continue;
        if (first && first->memory.displacement != here->memory.displacement)
            return true;
        first = first ? first : here;
    }
    return false;
}

static bool halves(const struct instruction *row)
{
    static const char *const shifts[] = {"sar", "shr", "asr", "lsr"};
    bool shifts_right = false;
    for (size_t at = 0; row->mnemonic && at < sizeof(shifts) / sizeof(shifts[0]); at++)
        shifts_right |= strcmp(row->mnemonic, shifts[at]) == 0;
    bool by_one = row->has_immediate ? row->immediate == 1 : !(values_read(row) & ~row->writes);
    return shifts_right && by_one && !row->memory.is_present;
}

/* What was halved decides the bounds of the next turn, not only where this one looks: `a[i >> 1]` goes in order. */
static bool goes_by_halves(const struct instruction *rows, struct loop_rows loop, uint64_t from)
{
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        uint64_t half = halves(&rows[at]) ? rows[at].writes & from : 0;
        for (uint32_t next = loop.first; half && next <= loop.last; next++)
            if (next != at && rows[next].reads & half && rows[next].writes & from & ~half &&
                !rows[next].memory.is_present)
                return true;
    }
    return false;
}

enum search_shape search_shape_at(const struct instruction *rows, size_t count, uint32_t row)
{
    struct loop_rows loop;
    if (row >= count || !address_registers(&rows[row]) || !code_loop_around(rows, count, row, &loop))
        return SEARCH_NONE;
    loop = loop_of_ways(rows, count, loop);
    if (loop.last - loop.first >= LOOP_ROWS_MOST)
        return SEARCH_NONE;
    uint64_t from = origins(rows, loop, address_registers(&rows[row]));
    if (chooses_member(rows, count, loop, rows[row].memory.base, from))
        return SEARCH_TREE;
    return goes_by_halves(rows, loop, from) ? SEARCH_HALVING : SEARCH_NONE;
}
