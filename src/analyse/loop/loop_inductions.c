/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_rate.h"

#include "analyse/code/code_flow.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Registers by their numbers in samples (asm/perf_regs.h). */
#define X86_GENERAL     0x00ff00ffu
#define X86_CALL_KEEPS  0x00f000c2u /* rbx, rbp, rsp, r12 to r15 */
#define ARM_GENERAL     0xffffffffu
#define ARM_CALL_KEEPS  0xbff80000u /* x19 to x29, sp */

static uint32_t row_of(const struct instruction *rows, struct loop_rows loop, uint64_t addr)
{
    uint32_t row = code_flow_row(rows + loop.first, loop.last - loop.first + 1, addr);
    return row == FLOW_NONE ? FLOW_NONE : loop.first + row;
}

/* Rows [first, past) of the loop don't run exactly once in each turn. */
static void mark(int32_t *changes, struct loop_rows loop, uint32_t first, uint32_t past)
{
    if (first < past) {
        changes[first - loop.first]++;
        changes[past - loop.first]--;
    }
}

/*
 * Which rows run exactly once in each turn: those that no jump within the loop leads past or back before, and that come
 * before every jump on to the next turn. Owner: the caller (free).
 */
static bool *once_find(const struct instruction *rows, struct loop_rows loop)
{
    size_t count = (size_t)(loop.last - loop.first) + 1;
    bool *once = memory_alloc(memory_product(count, sizeof(*once)));
    int32_t *changes = memory_alloc(memory_product(count + 1, sizeof(*changes))), covered = 0;
    memset(changes, 0, (count + 1) * sizeof(*changes));
    for (uint32_t at = loop.first; at < loop.last; at++) {
        const struct instruction *jump = &rows[at];
        uint32_t target =
            jump->has_target && jump->class != INSTRUCTION_CALL ? row_of(rows, loop, jump->target) : FLOW_NONE;
        if (target == FLOW_NONE)
            continue;
        if (target > at)
            mark(changes, loop, at + 1, target);
        else if (target == loop.first)
            mark(changes, loop, at + 1, loop.last + 1);
        else
            mark(changes, loop, target, at + 1);
    }
    for (size_t at = 0; at < count; at++)
        once[at] = !(covered += changes[at]);
    free(changes);
    return once;
}

static bool induction_of(const struct instruction *rows, struct loop_rows loop, const bool *once, uint8_t number,
                         uint64_t written, struct loop_induction *ret)
{
    struct loop_induction one = {.number = number, .by = REGISTER_NONE, .bits = 64};
    bool found = false;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *row = &rows[at];
        if (!(row->writes >> number & 1))
            continue;
        if (row->step_register != number || !once[at - loop.first] ||
            (found && (one.by != REGISTER_NONE || row->step_by != REGISTER_NONE)))
            return false;
        one.by = row->step_by;
        one.bits = row->operation_bits == 32 ? 32 : one.bits;
        one.step = (int64_t)((uint64_t)one.step + (uint64_t)row->step);
        found = true;
    }
    bool by_kept = one.by != REGISTER_NONE && one.by < 64 && !(written >> one.by & 1);
    *ret = one;
    return found && (one.step || by_kept);
}

/*
 * A loop around it that moves the register on, rather than setting it anew, makes each entry look like turns: then
 * the register doesn't count turns.
 */
static bool moved_outside(const struct instruction *rows, size_t count, struct loop_rows loop, uint8_t number)
{
    size_t outer_first = loop.first, outer_last = loop.last;
    for (size_t at = loop.last + 1; at < count; at++)
        if (rows[at].has_target && rows[at].class != INSTRUCTION_CALL && rows[at].target <= rows[loop.first].addr &&
            rows[at].target >= rows[0].addr)
            outer_last = at;
    while (outer_last > loop.last && outer_first > 0 && rows[outer_first].addr > rows[outer_last].target)
        outer_first--;
    for (size_t at = outer_first; at <= outer_last && at < count; at++) {
        bool outside = at < loop.first || at > loop.last;
        if (outside && (rows[at].writes >> number & 1) && (rows[at].reads >> number & 1) &&
            rows[at].class != INSTRUCTION_MOVE)
            return true;
    }
    return false;
}

void loop_inductions_find(struct loop_inductions *ret_inductions, const struct instruction *rows, size_t count,
                          struct loop_rows loop)
{
    struct loop_inductions found = {.count = 0};
    bool is_x86 = rows[loop.first].mnemonic;
    uint64_t written = 0;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        written |= rows[at].writes;
        found.calls |= rows[at].class == INSTRUCTION_CALL;
    }
    uint64_t general = is_x86 ? X86_GENERAL : ARM_GENERAL, call_keeps = is_x86 ? X86_CALL_KEEPS : ARM_CALL_KEEPS;
    uint64_t trusted = found.calls ? general & call_keeps : general;
    bool moved = false, *once = once_find(rows, loop);
    for (uint8_t number = 0; number < 32 && found.count < LOOP_INDUCTIONS_MOST; number++) {
        if (!(trusted >> number & 1) || !induction_of(rows, loop, once, number, written, &found.items[found.count]))
            continue;
        if (moved_outside(rows, count, loop, number))
            moved = true;
        else
            found.count++;
    }
    free(once);
    found.kept = trusted & ~written;
    if (!found.count)
        found.why_not = moved ? "the loop around it moves the counting register on, too: entries look like turns"
                              : "no register of the loop moves by the same amount in every turn";
    *ret_inductions = found;
}
