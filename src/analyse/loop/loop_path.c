/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_path.h"

#include "analyse/code/code_flow.h"

#include <string.h>

enum {
    ROWS_MOST = 4096,
    X86_STACK = 7,
    X86_FLAGS = 9,
    REGISTER_COUNT = 64,
};

/* A way through counts as run when its rows have this share of the samples that rows of the loop have on average. */
#define RUN_SHARE 0.25

static double mean_weight(const double *weights, uint32_t first, uint32_t end)
{
    double sum = 0;
    for (uint32_t at = first; at < end; at++)
        sum += weights[at];
    return end > first ? sum / (end - first) : 0;
}

static bool is_run(const double *weights, struct loop_rows loop, uint32_t first, uint32_t end)
{
    if (!weights || end <= first)
        return true;
    return mean_weight(weights, first, end) >= RUN_SHARE * mean_weight(weights, loop.first, loop.last + 1);
}

/* Rows from there on to the first that nothing falls through, before `end`. */
static double block_weight(const struct loop_path *path, const double *weights, uint32_t first, uint32_t end)
{
    uint32_t past = first;
    while (past < end && path->all[past].falls_through)
        past++;
    return mean_weight(weights, first, past < end ? past + 1 : end);
}

/*
 * Where two ways part and don't meet at the target of the jump (an early return, a check that fails), neither may have
 * many samples: then the heavier one is run.
 */
static bool is_lighter(const struct loop_path *path, struct loop_rows loop, const double *weights, uint32_t first,
                       uint32_t target)
{
    bool meet = path->all[target - 1].falls_through;
    return meet || block_weight(path, weights, first, target) < block_weight(path, weights, target, loop.last + 1);
}

static uint32_t row_at(const struct instruction *rows, struct loop_rows loop, uint64_t addr)
{
    uint32_t row = code_flow_row(rows + loop.first, loop.last - loop.first + 1, addr);
    return row == FLOW_NONE ? UINT32_MAX : loop.first + row;
}

/* The row behind `at` on the path; loop.first: the turn is over; UINT32_MAX: it leaves the loop. */
static uint32_t next_row(struct loop_path *path, struct loop_rows loop, const double *weights, uint32_t at)
{
    const struct instruction *row = &path->all[at];
    bool jumps = row->has_target && row->class != INSTRUCTION_CALL;
    uint32_t target = jumps ? row_at(path->all, loop, row->target) : UINT32_MAX;
    path->has_calls |= row->class == INSTRUCTION_CALL;
    if (at == loop.last)
        return target == loop.first ? loop.first : UINT32_MAX;
    if (!row->falls_through && target == UINT32_MAX)
        return UINT32_MAX;
    if (target == UINT32_MAX) /* no jump, or one out of the loop */
        return at + 1;
    path->is_straight = false;
    if (!row->falls_through)
        return target == loop.first || target > at ? target : UINT32_MAX;
    if (target == loop.first)
        return is_run(weights, loop, at + 1, loop.last + 1) ? at + 1 : loop.first;
    if (target <= at) {
        path->has_inner_loop = true;
        return at + 1;
    }
    bool is_passed = !is_run(weights, loop, at + 1, target) && is_lighter(path, loop, weights, at + 1, target);
    return is_passed ? target : at + 1;
}

struct value {
    uint32_t symbol;
    int64_t offset;
};

static bool is_stack_step(const struct instruction *row)
{
    return row->mnemonic && row->writes >> X86_STACK & 1 &&
           (strncmp(row->mnemonic, "push", 4) == 0 || strncmp(row->mnemonic, "pop", 3) == 0) &&
           strcmp(row->mnemonic, "popcnt");
}

static int64_t stack_step(const struct instruction *row)
{
    int64_t bytes = row->memory.size_bytes ? row->memory.size_bytes : 8;
    return row->mnemonic[1] == 'u' ? -bytes : bytes;
}

static bool moved_on(struct value value)
{
    return value.symbol < SYMBOL_MADE_FIRST && value.offset;
}

/*
 * "at + 1 == end ? 0 : at + 1" without a branch: of the two that a conditional move chooses from, the one that moved on
 * is what it takes but for the last time.
 */
static bool conditional_move(const struct value *values, const struct instruction *row, struct value *ret_value)
{
    if (!row->mnemonic || strncmp(row->mnemonic, "cmov", 4) != 0 || row->memory.is_present)
        return false;
    uint32_t found = 0;
    for (uint64_t left = row->reads & ~((uint64_t)1 << X86_FLAGS); left; left &= left - 1) {
        struct value one = values[__builtin_ctzll(left)];
        if (!moved_on(one))
            continue;
        found++;
        *ret_value = one;
    }
    return found == 1;
}

static void run_row(struct loop_path *path, struct value *values, const struct instruction *row, uint32_t position)
{
    struct value made = {SYMBOL_NOTHING, 0};
    if (row->is_sum) {
        made = values[row->sum_from];
        made.offset = (int64_t)((uint64_t)made.offset + (uint64_t)row->sum);
    } else if (conditional_move(values, row, &made)) {
        path->wraps = true;
    }
    for (uint64_t left = row->writes; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(left);
        if (row->step_register == number && row->step_by == REGISTER_NONE)
            values[number].offset = (int64_t)((uint64_t)values[number].offset + (uint64_t)row->step);
        else if (number == X86_STACK && is_stack_step(row))
            values[number].offset += stack_step(row);
        else if (made.symbol != SYMBOL_NOTHING)
            values[number] = made;
        else
            /* two results are two things */
            values[number] = (struct value){SYMBOL_MADE_FIRST + position, (int64_t)number << 48};
    }
}

static struct loop_address address_of(const struct value *values, const struct instruction *row)
{
    const struct memory_operand *memory = &row->memory;
    int64_t scale = memory->index_shift ? (int64_t)1 << memory->index_shift : memory->scale ? memory->scale : 1;
    struct loop_address address = {.base = SYMBOL_NOTHING, .index = SYMBOL_NOTHING, .segment = memory->segment,
                                   .size_bytes = memory->size_bytes, .offset = memory->displacement};
    if (!memory->is_present || memory->has_vector_index || memory->has_hidden_part)
        return address;
    address.known = true;
    if (memory->is_relative)
        address.offset = (int64_t)((uint64_t)address.offset + row->addr);
    if (memory->base < REGISTER_COUNT) {
        address.base = values[memory->base].symbol;
        address.offset = (int64_t)((uint64_t)address.offset + (uint64_t)values[memory->base].offset);
    }
    if (memory->index < REGISTER_COUNT) {
        address.index = values[memory->index].symbol;
        address.scale = (uint32_t)scale;
        address.offset = (int64_t)((uint64_t)address.offset + (uint64_t)values[memory->index].offset * (uint64_t)scale);
    }
    if (is_stack_step(row) && row->is_store)
        address.offset += stack_step(row);
    return address;
}

static bool symbol_step(const struct loop_path *path, uint32_t symbol, int64_t scale, int64_t *sum)
{
    if (symbol == SYMBOL_NOTHING)
        return true;
    if (symbol >= SYMBOL_MADE_FIRST || !path->step_known[symbol])
        return false;
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)path->step[symbol] * (uint64_t)scale);
    return true;
}

/* One that ends each turn as what another began it with, and a constant, moves as that one does. */
static void steps_of_copies(struct loop_path *path, const struct value *values)
{
    for (uint32_t at = 0; at < REGISTER_COUNT; at++) {
        uint32_t other = values[at].symbol;
        if (path->step_known[at] || other >= REGISTER_COUNT || values[other].symbol != other)
            continue;
        path->step_known[at] = true;
        path->step[at] = path->step[other];
    }
}

static void follow_values(struct loop_path *path)
{
    struct value values[REGISTER_COUNT];
    for (uint32_t at = 0; at < REGISTER_COUNT; at++)
        values[at] = (struct value){at, 0};
    for (uint32_t at = 0; at < path->count; at++) {
        const struct instruction *row = &path->all[path->rows[at]];
        path->addresses[at] = address_of(values, row);
        run_row(path, values, row, at);
    }
    for (uint32_t at = 0; at < REGISTER_COUNT; at++) {
        path->step_known[at] = values[at].symbol == at;
        path->step[at] = values[at].offset;
    }
    steps_of_copies(path, values);
    for (uint32_t at = 0; at < path->count; at++) {
        struct loop_address *address = &path->addresses[at];
        int64_t sum = 0;
        address->steps = address->known && symbol_step(path, address->base, 1, &sum) &&
                         symbol_step(path, address->index, address->scale, &sum);
        address->step = address->steps ? sum : 0;
    }
}

struct loop_path loop_path_of(const struct instruction *rows, struct loop_rows loop, const double *row_weights,
                              struct arena *arena)
{
    struct loop_path path = {.all = rows, .is_straight = true};
    uint32_t length = loop.last - loop.first + 1;
    path.rows = arena_alloc(arena, length * sizeof(*path.rows));
    path.addresses = arena_alloc(arena, length * sizeof(*path.addresses));
    uint32_t at = loop.first;
    while (at != UINT32_MAX && path.count < length && path.count < ROWS_MOST) {
        path.rows[path.count++] = at;
        at = next_row(&path, loop, row_weights, at);
        if (at == loop.first) {
            path.is_closed = true;
            break;
        }
    }
    follow_values(&path);
    return path;
}
