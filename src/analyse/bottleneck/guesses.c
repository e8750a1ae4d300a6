/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/guesses.h"

#include "analyse/bottleneck/thresholds.h"
#include "base/arena.h"
#include "base/scope.h"

#include <string.h>

enum {
    SAMPLES_LEAST = 200,
    ROWS_LEAST = 4,
};

static const double LANDED_LEAST = 0.01; /* of the loop's samples */

static uint32_t row_of(const struct stall_code *code, uint64_t addr)
{
    size_t low = 0, high = code->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->items[middle].addr < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->count && code->items[low].addr == addr ? (uint32_t)low : UINT32_MAX;
}

static bool is_indirect(const struct instruction *row)
{
    return !row->has_target && (row->class == INSTRUCTION_JUMP || row->class == INSTRUCTION_CALL);
}

/* Samples on the rarer of its two ways against the other, 0..1; ret_samples: on both, may be NULL. */
static double ways_ratio(const struct region *region, uint32_t row, uint64_t *ret_samples)
{
    const struct stall_code *code = region->code;
    uint32_t target = row_of(code, code->items[row].target);
    bool known = target != UINT32_MAX && row + 1 < code->count;
    uint64_t on = known ? code->resumed[row + 1] : 0, away = known ? code->resumed[target] : 0;
    if (ret_samples)
        *ret_samples = on + away;
    return on + away ? (double)(on < away ? on : away) / (double)(on < away ? away : on) : 0;
}

/*
 * A conditional branch that chooses between two ways on, both within the region or out of it further on. One that closes the
 * loop, or leaves it, does where the loop often ends: a handful of samples where it leads says nothing of that.
 */
static bool chooses(const struct region *region, uint32_t row)
{
    const struct instruction *here = &region->code->items[row];
    if (here->class != INSTRUCTION_BRANCH || !here->has_target)
        return false;
    uint32_t target = row_of(region->code, here->target);
    bool leaves = target == UINT32_MAX || target < region->rows.first || target > region->rows.last;
    if (!region->is_loop || (row != region->rows.last && !leaves))
        return true;
    uint64_t samples;
    double ratio = ways_ratio(region, row, &samples);
    return ratio >= bottleneck_thresholds.both_ways && (double)samples >= LANDED_LEAST * (double)region->samples;
}

static void ways_note(const struct region *region, uint32_t row, struct guesses *guesses, uint64_t *most)
{
    uint64_t samples;
    double ratio = ways_ratio(region, row, &samples);
    if (samples <= *most)
        return;
    *most = samples;
    guesses->both_ways = ratio;
}

static void landing_note(const struct region *region, uint32_t row, uint8_t *is_landing)
{
    uint32_t target = row_of(region->code, region->code->items[row].target);
    if (row + 1 < region->code->count)
        is_landing[row + 1] = 1;
    if (target != UINT32_MAX)
        is_landing[target] = 1;
}

struct guesses guesses_of(const struct region *region)
{
    struct guesses guesses = {0};
    const struct stall_code *code = region->code;
    scoped_free uint8_t *is_landing = memory_alloc(code->count + 1);
    memset(is_landing, 0, code->count + 1);
    double samples = 0, landing = 0, table = 0, rows = 0, landing_rows = 0, met = 0;
    uint64_t most = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || code->items[row].class == INSTRUCTION_NOP)
            continue;
        guesses.indirect += is_indirect(&code->items[row]);
        samples += (double)code->sampled[row];
        rows++;
        if (code->items[row].class == INSTRUCTION_BRANCH && code->items[row].has_target)
            ways_note(region, row, &guesses, &most);
        if (!chooses(region, row))
            continue;
        guesses.branches++;
        landing_note(region, row, is_landing);
    }
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || code->items[row].class == INSTRUCTION_NOP)
            continue;
        met += (double)code->sampled[row] * 10 >= samples / rows;
        landing += is_landing[row] ? (double)code->resumed[row] : 0;
        landing_rows += is_landing[row];
        bool by_table = code->marks[row] & MARK_TABLE;
        table += by_table ? (double)code->resumed[row] : 0;
        bool jumps = is_indirect(&code->items[row]) && code->items[row].class == INSTRUCTION_JUMP;
        table += jumps ? (double)code->hits[row] : 0;
    }
    guesses.has_enough = samples >= SAMPLES_LEAST && rows >= ROWS_LEAST;
    guesses.lacks_samples = samples < SAMPLES_LEAST;
    guesses.evenness = rows > 0 ? met / rows : 0;
    guesses.landing_share = samples > 0 ? landing / samples : 0;
    guesses.landing_rows = rows > 0 ? landing_rows / rows : 0;
    guesses.table_share = samples > 0 ? table / samples : 0;
    guesses.table_share = guesses.table_share > 1 ? 1 : guesses.table_share;
    return guesses;
}
