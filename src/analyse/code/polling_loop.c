/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/polling_loop.h"

#include "analyse/code/code_flow.h"

enum { ROWS_MOST = 96 };

struct registers { /* one bit for each */
    uint64_t general;
    uint32_t vectors;
};

static bool only_reads(const struct instruction *row)
{
    static const uint32_t classes = 1u << INSTRUCTION_NOP | 1u << INSTRUCTION_MOVE | 1u << INSTRUCTION_LOAD |
                                    1u << INSTRUCTION_LOAD_OP | 1u << INSTRUCTION_INT | 1u << INSTRUCTION_MUL |
                                    1u << INSTRUCTION_FP | 1u << INSTRUCTION_VECTOR | 1u << INSTRUCTION_BRANCH |
                                    1u << INSTRUCTION_JUMP | 1u << INSTRUCTION_BARRIER;
    bool is_led = row->class != INSTRUCTION_JUMP || row->has_target;
    return classes >> row->class & 1 && is_led && !row->is_store && !row->mask_reads && !row->mask_writes;
}

static bool holds(struct loop_rows loop, uint32_t row)
{
    return row >= loop.first && row <= loop.last;
}

static uint32_t target_of(const struct instruction *rows, size_t count, uint32_t row)
{
    return rows[row].has_target && rows[row].class != INSTRUCTION_CALL ? code_flow_row(rows, count, rows[row].target)
                                                                       : FLOW_NONE;
}

/* Its turns go one way, until they leave it. */
static bool is_straight(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    for (uint32_t row = loop.first; row < loop.last; row++)
        if (holds(loop, target_of(rows, count, row)))
            return false;
    return true;
}

/* No way leads into its middle, or back to its head from behind it: what a turn does stands in its rows. */
static bool is_closed(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    for (uint32_t row = 0; row < count; row++) {
        uint32_t target = target_of(rows, count, row);
        bool may_enter = holds(loop, row) || (target == loop.first && row < loop.first);
        if (holds(loop, target) && !may_enter)
            return false;
    }
    return true;
}

static bool leaves(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    for (uint32_t row = loop.first; row <= loop.last; row++)
        if (rows[row].class == INSTRUCTION_BRANCH &&
            (row == loop.last || !holds(loop, target_of(rows, count, row))))
            return true;
    return false;
}

static struct registers needed_from(const struct instruction *rows, size_t count, struct loop_rows loop, uint32_t row,
                                    const struct registers *needed)
{
    struct registers behind = {0};
    uint32_t ways[] = {rows[row].falls_through ? row + 1 : FLOW_NONE, target_of(rows, count, row)};
    for (int way = 0; way < 2; way++)
        if (holds(loop, ways[way])) {
            behind.general |= needed[ways[way] - loop.first].general;
            behind.vectors |= needed[ways[way] - loop.first].vectors;
        }
    return (struct registers){rows[row].reads | (behind.general & ~rows[row].writes),
                              rows[row].vector_reads | (behind.vectors & ~rows[row].vector_writes)};
}

/* A register that a turn writes is needed where the next begins. */
static bool carries(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    struct registers needed[ROWS_MOST] = {{0}}, written = {0};
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t row = loop.last + 1; row-- > loop.first;) {
            struct registers now = needed_from(rows, count, loop, row, needed), *before = &needed[row - loop.first];
            grew |= now.general != before->general || now.vectors != before->vectors;
            *before = now;
        }
    }
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        written.general |= rows[row].writes;
        written.vectors |= rows[row].vector_writes;
    }
    return (needed[0].general & written.general) || (needed[0].vectors & written.vectors);
}

static bool stays(const struct instruction *rows, struct loop_rows loop, const struct memory_operand *memory)
{
    uint64_t written = 0;
    for (uint32_t row = loop.first; row <= loop.last; row++)
        written |= rows[row].writes;
    return !(memory->base < 64 && written >> memory->base & 1) && !(memory->index < 64 && written >> memory->index & 1);
}

static bool is_one_place(const struct instruction *row, const struct instruction *other)
{
    const struct memory_operand *one = &row->memory, *two = &other->memory;
    uint64_t apart = one->is_relative ? row->addr - other->addr : 0; /* such count from where they stand */
    return one->base == two->base && one->index == two->index && one->scale == two->scale &&
           one->segment == two->segment && one->is_relative == two->is_relative &&
           (uint64_t)one->displacement + apart == (uint64_t)two->displacement;
}

static bool reads_once(const struct instruction *rows, struct loop_rows loop)
{
    bool reads = false;
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        if (!rows[row].is_load)
            continue;
        reads = true;
        for (uint32_t other = loop.first; other < row; other++)
            if (rows[other].is_load && is_one_place(&rows[other], &rows[row]) && stays(rows, loop, &rows[row].memory))
                return false;
    }
    return reads;
}

bool code_loop_polls(const struct instruction *rows, size_t count, struct loop_rows loop)
{
    if (loop.last >= count || loop.last < loop.first || loop.last - loop.first >= ROWS_MOST)
        return false;
    for (uint32_t row = loop.first; row <= loop.last; row++)
        if (!only_reads(&rows[row]))
            return false;
    return reads_once(rows, loop) && leaves(rows, count, loop) &&
           (is_straight(rows, count, loop) || is_closed(rows, count, loop)) && !carries(rows, count, loop);
}
