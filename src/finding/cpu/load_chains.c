/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/load_chains.h"

#include "analyse/code/code_flow.h"
#include "analyse/code/search_shape.h"
#include "analyse/loop/loop_summary.h"

enum { ROWS_MOST = 256 }; /* of a loop that is looked at whole */

static bool is_own(const struct stall_code *code, struct loop_rows loop, uint32_t row)
{
    return code->loops[row].first == loop.first && code->loops[row].last == loop.last;
}

/* Of one loop without those inside: all samples, where most stand at chased loads; else these alone. */
static double loop_turns(const struct stall_code *code, struct loop_rows loop)
{
    double all = 0, chased = 0;
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        double own = is_own(code, loop, row) ? (double)code->hits[row] : 0;
        all += own;
        chased += code->marks[row] & (MARK_ADDRESSED | MARK_FOLLOWS) ? own : 0;
    }
    return 2 * chased >= all ? all : chased;
}

double load_chain_turns(const struct stalls *stalls)
{
    double turns = 0;
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++) {
        const struct stall_code *code = &stalls->codes[at];
        bool is_known = !stalls->functions[at].is_kernel && code->count && code->hits && code->loops && code->marks;
        for (uint32_t row = 0; is_known && row < code->count; row++)
            if (code->loops[row].first != UINT32_MAX && code->loops[row].last == row)
                turns += loop_turns(code, code->loops[row]);
    }
    return turns;
}

/* The load whose next place the chain is of: the row itself, or the one that it goes behind. */
static uint32_t chase_of(const struct stall_code *code, uint32_t row)
{
    return code->marks && code->chases && code->marks[row] & MARK_FOLLOWS ? code->chases[row] : row;
}

static bool writes_register(const struct instruction *row, uint8_t number)
{
    return number < 64 && row->writes >> number & 1;
}

/* The smallest loop around another one; false: there is none in this function. */
static bool loop_around(const struct stall_code *code, struct loop_rows inner, struct loop_rows *ret_outer)
{
    bool found = false;
    for (uint32_t last = inner.last + 1; last < code->count; last++) {
        const struct instruction *back = &code->items[last];
        bool goes_back = back->has_target && back->class != INSTRUCTION_CALL && back->target <= back->addr;
        uint32_t first = goes_back ? code_flow_row(code->items, code->count, back->target) : UINT32_MAX;
        if (first >= inner.first || (found && last - first >= ret_outer->last - ret_outer->first))
            continue;
        *ret_outer = (struct loop_rows){first, last};
        found = true;
    }
    return found;
}

/*
 * Where the loop around it begins it again, it goes on from the place where it stopped: lists that are merged. Its
 * pointer is followed by its register where that is changed behind the load alone.
 */
static bool goes_on_around(const struct stall_code *code, struct loop_rows loop, uint32_t chase)
{
    uint8_t pointer = code->items[chase].memory.base;
    struct loop_rows outer = {0};
    bool moves = writes_register(&code->items[chase], pointer);
    for (uint32_t row = loop.first; row < chase; row++)
        if (writes_register(&code->items[row], pointer))
            return false;
    for (uint32_t row = chase + 1; row <= loop.last; row++)
        moves |= writes_register(&code->items[row], pointer);
    if (!moves || !loop_around(code, loop, &outer))
        return false;
    for (uint32_t row = outer.first; row <= outer.last; row++)
        if ((row < loop.first || row > loop.last) && writes_register(&code->items[row], pointer))
            return false;
    return true;
}

enum chain_kind load_chain_kind(const struct stalls *stalls, const struct stall_row *row, struct arena *arena)
{
    const struct stall_code *code = stalls->codes ? &stalls->codes[row->function] : NULL;
    for (uint32_t at = 0; code && code->loops && at < code->count; at++) {
        struct loop_rows loop = code->loops[at];
        if (code->items[at].addr != row->shown_addr || loop.first == UINT32_MAX || loop.last - loop.first >= ROWS_MOST)
            continue;
        uint32_t chase = chase_of(code, at);
        if (search_shape_at(code->items, code->count, chase) == SEARCH_TREE)
            return CHAIN_OF_TREE;
        struct loop_summary summary = loop_summary_of(code->items, loop, NULL, 0, arena);
        bool ends = summary.decision == LOOP_GOES_ON_UNTIL_EQUAL;
        return ends && !goes_on_around(code, loop, chase) ? CHAIN_SEARCHED : CHAIN_GOES_ON;
    }
    return CHAIN_GOES_ON;
}
