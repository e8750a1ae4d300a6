/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instruction ran before the one that a sample fell on: that is what stalled. */
#include "analyse/stall/stall_work.h"

enum {
    JUMPS_MOST = 4096,
    BLOCK_MOST = 32,  /* rows of a straight piece of code that are looked at */
    BACK_MOST = 8,    /* jumps back to one instruction */
    SKIPPED_MOST = 4, /* rows that retire with what stands before them: that no sample fell there says nothing */
    COLD_RATIO = 20,  /* so many times fewer samples than on another way in, and such a way is hardly gone */
};

/* The branch that leads here, the nearest before or else behind: the way into code that nothing falls into. */
static uint32_t branch_to(const struct stall_code *decoded, uint32_t index)
{
    uint64_t addr = decoded->items[index].addr;
    uint32_t least = index > JUMPS_MOST ? index - JUMPS_MOST : 0;
    for (uint32_t at = index; at > least; at--)
        if (decoded->items[at - 1].has_target && decoded->items[at - 1].target == addr &&
            decoded->items[at - 1].class != INSTRUCTION_CALL)
            return at - 1;
    return NO_INDEX;
}

/* A compare with a memory operand fuses with the branch behind it: the pair stalls on the load. */
static uint32_t fused_with(const struct stall_code *decoded, uint32_t index)
{
    if (index == 0 || index == NO_INDEX || decoded->items[index].class != INSTRUCTION_BRANCH)
        return index;
    const struct instruction *before = &decoded->items[index - 1];
    bool compare = before->is_load && !before->is_store && before->class == INSTRUCTION_LOAD_OP;
    return compare ? index - 1 : index;
}

/* Padding behind a jump is never run: what follows it is reached by a jump. */
bool stall_falls_in(const struct stall_code *decoded, uint32_t index)
{
    uint32_t at = index;
    while (at > 0 && decoded->items[at - 1].class == INSTRUCTION_NOP)
        at--;
    return at > 0 ? decoded->items[at - 1].falls_through && (at == index || decoded->items[index - 1].falls_through)
                  : index > 0;
}

/* A jump table's jump, nearest before or else behind: the way to code that nothing falls into. */
static uint32_t indirect_jump_near(const struct stall_code *decoded, uint32_t index)
{
    for (uint32_t at = index; at > 0; at--)
        if (decoded->items[at - 1].class == INSTRUCTION_JUMP && !decoded->items[at - 1].has_target)
            return at - 1;
    for (size_t at = index; at < decoded->count; at++)
        if (decoded->items[at].class == INSTRUCTION_JUMP && !decoded->items[at].has_target)
            return (uint32_t)at;
    return NO_INDEX;
}

/*
 * The n-th jump back to this instruction, when the function has so many: the likelier way in than falling through. From
 * where the one before was found.
 */
static uint32_t jump_back_from(const struct stall_code *decoded, uint32_t index, uint32_t from)
{
    uint64_t addr = decoded->items[index].addr;
    size_t most = decoded->count < (size_t)index + JUMPS_MOST ? decoded->count : (size_t)index + JUMPS_MOST;
    for (size_t at = from; at < most; at++)
        if (decoded->items[at].has_target && decoded->items[at].target == addr &&
            decoded->items[at].class != INSTRUCTION_CALL)
            return (uint32_t)at;
    return NO_INDEX;
}

/* Control goes on elsewhere, or may. */
static bool is_ending(const struct instruction *row)
{
    return !row->falls_through || row->class == INSTRUCTION_BRANCH || row->class == INSTRUCTION_JUMP ||
           row->class == INSTRUCTION_RETURN;
}

/* Samples that fell in the straight piece of code that ends with `last`, but for those at `except`. */
static uint64_t block_samples(const struct stall_code *decoded, uint32_t last, uint32_t except)
{
    uint64_t samples = 0;
    for (uint32_t back = 0; back < BLOCK_MOST && back <= last && decoded->met; back++) {
        uint32_t row = last - back;
        if (back && is_ending(&decoded->items[row]))
            break;
        samples += row == except ? 0 : decoded->met[row];
    }
    return samples;
}

struct ways_in { /* the likeliest by the code first */
    uint32_t rows[BACK_MOST + 2];
    size_t count;
};

static struct ways_in ways_into(const struct stall_code *decoded, uint32_t sampled)
{
    struct ways_in ways = {0};
    uint32_t back = jump_back_from(decoded, sampled, sampled);
    for (; back != NO_INDEX && ways.count < BACK_MOST; back = jump_back_from(decoded, sampled, back + 1))
        ways.rows[ways.count++] = back;
    if (stall_falls_in(decoded, sampled))
        ways.rows[ways.count++] = sampled - 1;
    uint32_t branch = branch_to(decoded, sampled);
    if (branch != NO_INDEX)
        ways.rows[ways.count++] = branch;
    return ways;
}

/* A jump that leads to a known place keeps nothing waiting: what waited before it shows at the jump. */
static bool is_waited_for(const struct instruction *row)
{
    bool computes = row->class == INSTRUCTION_MUL || row->class == INSTRUCTION_FP || row->class == INSTRUCTION_DIV ||
                    row->class == INSTRUCTION_FP_DIV;
    return computes || row->divides || row->is_load;
}

/*
 * Of two ways that hardly a sample tells apart: one was gone, and ends with what takes long; the other would have shown
 * samples at its jump.
 */
static bool is_what_took_long(const struct stall_code *decoded, uint32_t way, uint64_t here, uint32_t best,
                              uint64_t samples)
{
    const struct instruction *jump = &decoded->items[best];
    return here && !samples && jump->class == INSTRUCTION_JUMP && jump->has_target &&
           is_waited_for(&decoded->items[way]);
}

/*
 * A jump over few instructions, one of which is waited for: who fell through went the same way until the jump, so that
 * samples before it are of both ways. What waits itself (a compare with memory, fused) may be what stalled.
 */
static bool is_jump_over(const struct stall_code *decoded, uint32_t way, uint32_t best, uint32_t sampled)
{
    if (best + 1 != sampled || way >= best || sampled - way > SKIPPED_MOST || !is_waited_for(&decoded->items[best]) ||
        fused_with(decoded, way) != way)
        return false;
    bool falls = true;
    for (uint32_t row = way; row < sampled; row++)
        falls &= decoded->items[row].falls_through && decoded->items[row].class != INSTRUCTION_CALL;
    return falls;
}

/*
 * By the code alone the jump back is the usual way to a loop's head. But a jump from code that hardly ever runs (a call
 * for the rare case, put out of the way by the compiler) isn't, and where it leads waits for what stands before it.
 */
static uint32_t way_gone(const struct stall_code *decoded, const struct ways_in *ways, uint32_t sampled)
{
    uint32_t best = ways->rows[0];
    uint64_t samples = block_samples(decoded, best, sampled);
    for (size_t at = 1; at < ways->count && best != sampled; at++) {
        uint64_t here = block_samples(decoded, ways->rows[at], sampled);
        if (is_jump_over(decoded, ways->rows[at], best, sampled))
            continue;
        if (here >= COLD_RATIO * (samples + 1) || is_what_took_long(decoded, ways->rows[at], here, best, samples)) {
            best = ways->rows[at];
            samples = here;
        }
    }
    return best;
}

/* Nothing leads elsewhere between the function's first instruction and this one. */
static bool is_in_first_block(const struct stall_code *decoded, uint32_t row)
{
    uint32_t at = row;
    while (at > 0 && !is_ending(&decoded->items[at - 1]))
        at--;
    return at == 0;
}

/*
 * A function's first instruction is reached by calls, too: a jump back to it from code that hardly a sample fell in is
 * hardly ever gone (a lock that is tried again).
 */
static bool is_called(const struct stall_code *decoded, uint32_t sampled, uint32_t way)
{
    return sampled == 0 && decoded->met && !is_in_first_block(decoded, way) &&
           decoded->met[0] >= COLD_RATIO * (block_samples(decoded, way, sampled) + 1);
}

uint32_t stall_before(const struct stall_code *decoded, uint32_t sampled)
{
    if (sampled == NO_INDEX)
        return NO_INDEX;
    if (decoded->items[sampled].class == INSTRUCTION_STRING) /* interrupted within, it goes on where it was */
        return sampled;
    struct ways_in ways = ways_into(decoded, sampled);
    if (ways.count) {
        uint32_t way = way_gone(decoded, &ways, sampled);
        return is_called(decoded, sampled, way) ? NO_INDEX : fused_with(decoded, way);
    }
    return sampled > 0 ? indirect_jump_near(decoded, sampled) : NO_INDEX;
}
