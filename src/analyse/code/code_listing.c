/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_listing.h"

#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_WHOLE = 400,   /* a function of so many instructions is listed whole */
    ROWS_AROUND = 10,   /* of a longer one so many before and behind each that was met */
    ROWS_MOST = 1200,
    STALLS_MOST = 24,
};

struct listing_work {
    const struct stalls *stalls;
    const struct code_bundle *bundle;
    struct source_text *source;
    struct disassembler *disassembler;
    struct arena *arena;
};

static const struct bundle_function *bundle_function_of(const struct listing_work *work, uint32_t index)
{
    const struct stall_function *function = &work->stalls->functions[index];
    uint64_t begin = work->stalls->codes[index].items[0].addr;
    for (size_t at = 0; at < work->bundle->count; at++) {
        const struct bundle_function *candidate = &work->bundle->functions[at];
        if (candidate->bytes && candidate->shown_addr == begin && strcmp(candidate->name, function->name) == 0 &&
            strcmp(candidate->dso, function->dso_path) == 0)
            return candidate;
    }
    return NULL;
}

/*
 * Which instructions are listed: all of a short function, else those near what was met, and of these the hottest if
 * need be.
 */
static bool *rows_choose(const struct stall_code *code)
{
    bool *chosen = memory_alloc(code->count + 1);
    uint64_t least = 1;
    if (code->count <= ROWS_WHOLE) {
        memset(chosen, true, code->count);
        return chosen;
    }
    for (;; least *= 2) {
        size_t count = 0;
        uint64_t most = 0;
        memset(chosen, false, code->count);
        for (size_t at = 0; at < code->count; at++) {
            uint64_t met = code->hits[at] > code->sampled[at] ? code->hits[at] : code->sampled[at];
            most = met > most ? met : most;
            for (size_t row = at > ROWS_AROUND ? at - ROWS_AROUND : 0;
                 met >= least && row <= at + ROWS_AROUND && row < code->count; row++) {
                count += !chosen[row];
                chosen[row] = true;
            }
        }
        if (count <= ROWS_MOST || least > most)
            return chosen;
    }
}

static uint32_t line_add(struct listing_work *work, struct listing_function *ret, const struct bundle_line *line)
{
    if (!line || !line->path || !line->line)
        return UINT32_MAX;
    for (size_t at = ret->line_count; at-- > 0;) {
        const struct listing_line *known = &ret->lines[at];
        if (known->line == line->line && strcmp(known->path, line->path) == 0)
            return (uint32_t)at;
    }
    struct view text;
    bool there = work->source && source_text_line(work->source, line->path, line->line, &text);
    ret->lines[ret->line_count] = (struct listing_line){
        .path = line->path, .function = line->function, .line = line->line,
        .text = there ? arena_string_n(work->arena, text.text, text.length) : NULL};
    return (uint32_t)ret->line_count++;
}

static void rows_list(struct listing_work *work, struct listing_function *ret, const struct bundle_function *source,
                      uint32_t *row_of)
{
    const struct stall_code *code = &work->stalls->codes[ret->function];
    scoped_free bool *chosen = rows_choose(code);
    struct bundle_place place = {work->bundle, source};
    scoped_text struct text text = {0};
    ret->rows = arena_array(work->arena, struct listing_row, code->count + 1);
    ret->lines = arena_array(work->arena, struct listing_line, code->count + 1);
    for (size_t at = 0; at < code->count; at++) {
        const struct instruction *instruction = &code->items[at];
        uint64_t offset = instruction->addr - source->shown_addr;
        row_of[at] = UINT32_MAX;
        if (!chosen[at] || offset >= source->byte_count)
            continue;
        text_clear(&text);
        disassembler_text(work->disassembler, instruction, source->bytes + offset, bundle_name_at, &place, &text);
        row_of[at] = (uint32_t)ret->row_count;
        ret->rows[ret->row_count++] = (struct listing_row){
            .addr = instruction->addr,
            .text = arena_string(work->arena, text_string(&text)),
            .class = instruction_class_name(instruction->class),
            .stalled = code->hits[at],
            .sampled = code->sampled[at],
            .instruction = (uint32_t)at,
            .line = line_add(work, ret, bundle_function_line(source, source->dso_addr + offset, instruction->length)),
        };
    }
}

static int loop_compare(const void *a, const void *b)
{
    const struct listing_loop *left = a, *right = b;
    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (left->last < right->last) - (left->last > right->last);
}

/* Those with a row that was met: others draw lines that say nothing. */
static void loops_list(struct listing_work *work, struct listing_function *ret, const uint32_t *row_of)
{
    const struct stall_code *code = &work->stalls->codes[ret->function];
    vec(struct listing_loop) loops = {0};
    for (size_t at = 0; code->loops && at < code->count; at++) {
        struct loop_rows loop = code->loops[at];
        if (!code->hits[at] || loop.first == UINT32_MAX || loop.last >= code->count)
            continue;
        uint32_t first = loop.first, last = loop.last;
        while (first < last && row_of[first] == UINT32_MAX)
            first++;
        while (last > first && row_of[last] == UINT32_MAX)
            last--;
        if (row_of[first] == UINT32_MAX || row_of[last] == UINT32_MAX)
            continue;
        bool known = false;
        vec_for_each (&loops, other) {
            known |= other->first == row_of[first] && other->last == row_of[last];
            if (other->first == row_of[first] && other->last == row_of[last])
                other->stalled += code->hits[at];
        }
        if (!known)
            *vec_push(&loops) = (struct listing_loop){row_of[first], row_of[last], code->hits[at]};
    }
    if (loops.count)
        qsort(loops.items, loops.count, sizeof(*loops.items), loop_compare);
    ret->loop_count = loops.count;
    ret->loops = arena_copy(work->arena, loops.items, loops.count * sizeof(*loops.items));
    vec_done(&loops);
}

static int stall_compare(const void *a, const void *b)
{
    const struct listing_stall *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    if (left->sampled != right->sampled)
        return left->sampled < right->sampled ? -1 : 1;
    return (left->stalled > right->stalled) - (left->stalled < right->stalled);
}

static void stalls_list(struct listing_work *work, struct listing_function *ret, const uint32_t *row_of)
{
    const struct stalls *stalls = work->stalls;
    vec(struct listing_stall) pairs = {0};
    for (size_t at = 0; at < stalls->placed_count; at++) {
        const struct stall_sample *placed = &stalls->placed[at];
        size_t rows = stalls->codes[ret->function].count;
        if (placed->function != ret->function || placed->is_again || placed->sampled >= rows ||
            placed->stalled >= rows || placed->sampled == placed->stalled)
            continue;
        struct listing_stall pair = {row_of[placed->sampled], row_of[placed->stalled], 1};
        if (pair.sampled != UINT32_MAX && pair.stalled != UINT32_MAX)
            *vec_push(&pairs) = pair;
    }
    size_t count = 0;
    for (size_t at = 0; at < pairs.count; at++) {
        size_t known = 0;
        while (known < count && (pairs.items[known].sampled != pairs.items[at].sampled ||
                                 pairs.items[known].stalled != pairs.items[at].stalled))
            known++;
        if (known < count)
            pairs.items[known].samples++;
        else
            pairs.items[count++] = pairs.items[at];
    }
    if (count)
        qsort(pairs.items, count, sizeof(*pairs.items), stall_compare);
    ret->stall_count = count < STALLS_MOST ? count : STALLS_MOST;
    ret->stalls = arena_copy(work->arena, pairs.items, ret->stall_count * sizeof(*pairs.items));
    vec_done(&pairs);
}

static bool function_list(struct listing_work *work, uint32_t index, struct listing_function *ret)
{
    const struct stall_code *code = &work->stalls->codes[index];
    const struct bundle_function *source = code->count ? bundle_function_of(work, index) : NULL;
    if (!source)
        return false;
    *ret = (struct listing_function){.function = index, .instruction_count = code->count};
    scoped_free uint32_t *row_of = memory_alloc((code->count + 1) * sizeof(*row_of));
    rows_list(work, ret, source, row_of);
    loops_list(work, ret, row_of);
    stalls_list(work, ret, row_of);
    return ret->row_count > 0;
}

void code_listing_find(struct code_listing *listing, const struct stalls *stalls, const struct code_bundle *bundle,
                       struct source_text *source, size_t functions_most, struct arena *arena)
{
    struct listing_work work = {.stalls = stalls, .bundle = bundle, .source = source, .arena = arena};
    struct error missing = {0};
    *listing = (struct code_listing){.functions = arena_array(arena, struct listing_function, functions_most + 1)};
    if (!disassembler_new(&work.disassembler, bundle->architecture, SYNTAX_ATT, &missing)) {
        listing->why_none = arena_string(arena, missing.message);
        return;
    }
    for (uint32_t at = 0; at < stalls->function_count && listing->count < functions_most; at++)
        listing->count += function_list(&work, at, &listing->functions[listing->count]);
    if (!listing->count)
        listing->why_none = "the case holds the code of none of its hot functions";
    disassembler_free(work.disassembler);
}
