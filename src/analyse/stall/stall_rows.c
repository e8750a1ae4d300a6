/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/sampled.h"
#include "analyse/stall/stall_work.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 24, /* of one function */
};

void stall_row_fill(struct stall_work *work, uint32_t index, uint32_t instruction_index, struct stall_row *row)
{
    const struct stall_code *decoded = &work->decoded.items[index];
    const struct instruction *instruction = &decoded->items[instruction_index];
    const struct bundle_function *source = work->sources.items[index];
    uint64_t offset = instruction->addr - source->shown_addr;
    struct bundle_place place = {work->bundle, source};
    scoped_text struct text text = {0};
    disassembler_text(work->disassembler, instruction, source->bytes + offset, bundle_name_at, &place, &text);
    const struct bundle_line *line =
        bundle_function_line(source, source->dso_addr + offset, instruction->length);
    bool overwrites = instruction->memory.is_present && instruction->memory.base != REGISTER_NONE &&
                      instruction->memory.base < 64 && instruction->writes >> instruction->memory.base & 1;
    *row = (struct stall_row){
        .function = index,
        .shown_addr = instruction->addr,
        .text = arena_string(work->arena, text_string(&text)),
        .path = line ? line->path : NULL,
        .line = line ? line->line : 0,
        .inlined = line ? line->function : NULL,
        .class = stall_counted_class(instruction),
        .is_load = instruction->is_load,
        .is_store = instruction->is_store,
        .is_stack = stall_is_frame_operand(work, decoded, instruction),
        .is_scalar_fp = instruction->is_scalar_fp,
        .is_fp = instruction->is_fp,
        .vector_bits = instruction->vector_bits,
        .is_dependent = instruction->class == INSTRUCTION_LOAD && overwrites,
        .samples = decoded->hits[instruction_index],
        .is_chained = decoded->marks[instruction_index] & MARK_CHAINED,
        .is_addressed = decoded->marks[instruction_index] & MARK_ADDRESSED,
        .is_divide_chained = decoded->marks[instruction_index] & MARK_DIVIDE_CHAIN,
    };
    if (row->is_addressed || !(decoded->marks[instruction_index] & MARK_FOLLOWS))
        return;
    const struct instruction *chase = &decoded->items[decoded->chases[instruction_index]];
    text_clear(&text);
    disassembler_text(work->disassembler, chase, source->bytes + (chase->addr - source->shown_addr), bundle_name_at,
                      &place, &text);
    row->chase = arena_string(work->arena, text_string(&text));
}

void stall_rows_find(struct stall_work *work, uint32_t index)
{
    struct stall_function *function = &work->functions.items[index];
    const struct stall_code *decoded = &work->decoded.items[index];
    vec(struct sampled) hot = {0};
    for (size_t at = 0; at < decoded->count; at++)
        if (decoded->hits[at])
            *vec_push(&hot) = (struct sampled){decoded->hits[at], (uint32_t)at};
    sampled_sort(hot.items, hot.count);
    function->row_count = hot.count < ROWS_MOST ? hot.count : ROWS_MOST;
    function->rows = arena_array(work->arena, struct stall_row, function->row_count + 1);
    for (size_t at = 0; at < function->row_count; at++)
        stall_row_fill(work, index, hot.items[at].index, &function->rows[at]);
    vec_done(&hot);
}

void stall_functions_sort(struct stall_work *work)
{
    struct stalls *stalls = work->stalls;
    size_t count = work->functions.count;
    stalls->function_count = count;
    stalls->functions = arena_array(work->arena, struct stall_function, count + 1);
    stalls->codes = arena_array(work->arena, struct stall_code, count + 1);
    scoped_free struct sampled *order = memory_alloc((count + 1) * sizeof(*order));
    scoped_free uint32_t *position = memory_alloc((count + 1) * sizeof(*position));
    for (size_t at = 0; at < count; at++)
        order[at] = (struct sampled){work->functions.items[at].samples, (uint32_t)at};
    sampled_sort(order, count);
    double total = (double)stalls->sample_count;
    for (size_t at = 0; at < count; at++) {
        struct stall_function *function = &stalls->functions[at];
        *function = work->functions.items[order[at].index];
        stalls->codes[at] = work->decoded.items[order[at].index];
        function->share = wilson_interval((double)function->samples, total, total);
        position[order[at].index] = (uint32_t)at;
        for (size_t row = 0; row < function->row_count; row++)
            function->rows[row].function = (uint32_t)at;
    }
    for (size_t at = 0; at < stalls->group_count; at++) {
        stalls->groups[at].function = position[stalls->groups[at].function];
        stalls->groups[at].row.function = stalls->groups[at].function;
    }
    for (size_t at = 0; at < stalls->address_count; at++)
        stalls->addresses[at].function = position[stalls->addresses[at].function];
    for (size_t at = 0; at < stalls->placed_count; at++)
        stalls->placed[at].function = position[stalls->placed[at].function];
}
