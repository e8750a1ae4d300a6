/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/short_walk.h"

#include "analyse/bottleneck/code_index.h"
#include "base/cache_line.h"

#include <string.h>

enum {
    FLAGS_REGISTER = 9, /* PERF_REG_X86_FLAGS */
    SAMPLES_LEAST = 64,
    SHORT_BYTES = 8 * CACHE_LINE_BYTES, /* a page's 64 lines are what is fetched ahead of a walk: an eighth of them */
};

static const double NEARLY_ALL = 0.95;

/*
 * Where the loop ends: when `counter`, which moves the access on, has come to a number or to what a register holds all
 * the time.
 */
struct walk_end {
    uint8_t counter, limit; /* limit REGISTER_NONE: the number */
    int64_t number;
    unsigned scale;         /* bytes for each that the counter moves on */
    bool is_narrow;         /* of 32 bits */
};

static bool is_written(const struct region *region, uint8_t number)
{
    bool written = false;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++)
        written |= number < 64 && region->code->items[row].writes >> number & 1;
    return written;
}

/* Of two registers the one that isn't `one`; REGISTER_NONE: it is not one of two. */
static uint8_t other_of(uint64_t registers, uint8_t one)
{
    uint64_t rest = registers & ~((uint64_t)1 << one);
    return rest && !(rest & (rest - 1)) && rest != registers ? (uint8_t)__builtin_ctzll(rest) : REGISTER_NONE;
}

static bool end_find(struct walk_end *ret_end, const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items, *back = &items[region->rows.last], *compare = back - 1;
    const struct memory_operand *place = &items[row].memory;
    if (region->rows.last == region->rows.first || !back->has_target ||
        back->target != items[region->rows.first].addr || !compare->mnemonic || strcmp(compare->mnemonic, "cmp") != 0 ||
        compare->memory.is_present)
        return false;
    bool base_moves = is_written(region, place->base), index_moves = is_written(region, place->index);
    if (base_moves == index_moves)
        return false;
    struct walk_end end = {.counter = base_moves ? place->base : place->index,
                           .limit = REGISTER_NONE,
                           .number = compare->immediate,
                           .scale = base_moves ? 1 : place->scale,
                           .is_narrow = compare->operation_bits == 32};
    if (!(compare->reads >> end.counter & 1))
        return false;
    end.limit = other_of(compare->reads, end.counter);
    *ret_end = end;
    return end.limit == REGISTER_NONE ? compare->has_immediate : !is_written(region, end.limit);
}

/* By how much the loop counts the register, which nothing else there writes; 0: it doesn't. */
static int64_t counted_by(const struct region *region, uint8_t number)
{
    int64_t step = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        if (!(here->writes >> number & 1))
            continue;
        if (step || here->step_register != number || here->step_by != REGISTER_NONE)
            return 0;
        step = here->step;
    }
    return step;
}

/* A branch that leaves the loop when what is left to do, counted beside the walk, has come to a number. */
static bool end_beside_find(struct walk_end *ret_end, const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items;
    uint64_t flags = (uint64_t)1 << FLAGS_REGISTER;
    int64_t way;
    if (!code_loop_step(items, region->rows, row, &way) || !way)
        return false;
    for (uint32_t at = region->rows.first; at < region->rows.last; at++) {
        const struct instruction *compare = &items[at], *leave = &items[at + 1];
        bool leaves = leave->class == INSTRUCTION_BRANCH && leave->has_target &&
                      (leave->target < items[region->rows.first].addr || leave->target > items[region->rows.last].addr);
        uint64_t counter = compare->reads & ~flags;
        if (!leaves || !compare->mnemonic || strcmp(compare->mnemonic, "cmp") != 0 || compare->memory.is_present ||
            !compare->has_immediate || !counter || counter & (counter - 1))
            continue;
        uint8_t number = (uint8_t)__builtin_ctzll(counter);
        int64_t step = number < 64 ? counted_by(region, number) : 0, ratio = step ? way / step : 0;
        if (!ratio)
            continue;
        *ret_end = (struct walk_end){.counter = number,
                                     .limit = REGISTER_NONE,
                                     .number = compare->immediate,
                                     .scale = (unsigned)(ratio < 0 ? -ratio : ratio),
                                     .is_narrow = compare->operation_bits == 32};
        return true;
    }
    return false;
}

static uint64_t way_left(const struct walk_end *end, uint64_t counter, uint64_t limit)
{
    int64_t left = end->is_narrow ? (int32_t)((uint32_t)limit - (uint32_t)counter) : (int64_t)(limit - counter);
    return (uint64_t)(left < 0 ? -left : left) * end->scale;
}

bool walk_is_short(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    const struct samples *samples = &request->recording->samples;
    struct walk_end end;
    if (!region->is_loop || !(end_find(&end, region, row) || end_beside_find(&end, region, row)))
        return false;
    struct index_part own = code_index_placed(request->index, region->function);
    size_t met = 0, near = 0;
    for (size_t at = 0; at < own.count; at++) {
        const struct stall_sample *placed = &request->stalls->placed[own.items[at]];
        const struct sample *sample = &samples->items[placed->sample];
        uint64_t counter, limit = (uint64_t)end.number;
        if (!region_holds(region, placed->sampled) || !samples_register(samples, sample, end.counter, &counter) ||
            (end.limit != REGISTER_NONE && !samples_register(samples, sample, end.limit, &limit)))
            continue;
        met++;
        near += way_left(&end, counter, limit) <= SHORT_BYTES;
    }
    return met >= SAMPLES_LEAST && (double)near >= NEARLY_ALL * (double)met;
}
