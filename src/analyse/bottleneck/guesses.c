/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/guesses.h"

#include "analyse/bottleneck/thresholds.h"
#include "analyse/code/code_flow.h"
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
    return code_flow_row(code->items, code->count, addr);
}

/*
 * The row that a sample falls on when the pipeline begins anew at `row`: on some processors that one has retired before the
 * interrupt is taken, and it is the one behind.
 */
static uint32_t shown_row(const struct stall_code *code, uint32_t row, bool restarts_behind)
{
    if (!restarts_behind || row == UINT32_MAX || row >= code->count)
        return row;
    const struct instruction *here = &code->items[row];
    if (here->class == INSTRUCTION_JUMP && here->has_target)
        return row_of(code, here->target);
    return here->falls_through && row + 1 < code->count ? row + 1 : row;
}

static bool is_indirect(const struct instruction *row)
{
    return !row->has_target && (row->class == INSTRUCTION_JUMP || row->class == INSTRUCTION_CALL);
}

/* Samples on the rarer of its two ways against the other, 0..1; ret_samples: on both, may be NULL. */
static double ways_ratio(const struct region *region, uint32_t row, bool restarts_behind, uint64_t *ret_samples)
{
    const struct stall_code *code = region->code;
    uint32_t target = row_of(code, code->items[row].target), next = row + 1 < code->count ? row + 1 : UINT32_MAX;
    uint32_t shows_on = shown_row(code, next, restarts_behind), shows_away = shown_row(code, target, restarts_behind);
    bool known = shows_on != UINT32_MAX && shows_away != UINT32_MAX;
    uint64_t on = known ? code->sampled[shows_on] : 0, away = known ? code->sampled[shows_away] : 0;
    if (ret_samples)
        *ret_samples = on + away;
    return on + away ? (double)(on < away ? on : away) / (double)(on < away ? away : on) : 0;
}

/*
 * A conditional branch that chooses between two ways on, both within the region or out of it further on. One that closes the
 * loop, or leaves it, does where the loop often ends: a handful of samples where it leads says nothing of that.
 */
static bool chooses(const struct region *region, uint32_t row, bool restarts_behind)
{
    const struct instruction *here = &region->code->items[row];
    if (here->class != INSTRUCTION_BRANCH || !here->has_target)
        return false;
    uint32_t target = row_of(region->code, here->target);
    bool leaves = target == UINT32_MAX || target < region->rows.first || target > region->rows.last;
    if (!region->is_loop || (row != region->rows.last && !leaves))
        return true;
    uint64_t samples;
    double ratio = ways_ratio(region, row, restarts_behind, &samples);
    return ratio >= bottleneck_thresholds.both_ways && (double)samples >= LANDED_LEAST * (double)region->samples;
}

static void ways_note(const struct region *region, uint32_t row, bool restarts_behind, struct guesses *guesses, uint64_t *most)
{
    uint64_t samples;
    double ratio = ways_ratio(region, row, restarts_behind, &samples);
    if (samples <= *most)
        return;
    *most = samples;
    guesses->both_ways = ratio;
}

/* By itself it keeps nothing waiting that is sampled behind it. */
static bool is_quick(const struct instruction *row)
{
    bool computes = row->class == INSTRUCTION_INT || row->class == INSTRUCTION_MOVE || row->class == INSTRUCTION_BRANCH || row->class == INSTRUCTION_JUMP;
    return computes && !row->divides && !(row->memory.is_present && (row->is_load || row->is_store));
}

enum {
    LANDS = 1,
    LANDS_SURELY = 2
};

/* Where samples show that a wrong guess led to `first`. */
static uint8_t landing_of(const struct stall_code *code, uint32_t first, bool restarts_behind)
{
    return LANDS | (restarts_behind && first != UINT32_MAX && is_quick(&code->items[first]) ? LANDS_SURELY : 0);
}

static void landing_note(const struct stall_code *code, uint32_t row, bool restarts_behind, uint8_t *is_landing)
{
    uint32_t ways[] = {row + 1 < code->count ? row + 1 : UINT32_MAX, row_of(code, code->items[row].target)};
    for (size_t at = 0; at < array_count(ways); at++) {
        uint32_t shown = shown_row(code, ways[at], restarts_behind);
        if (shown != UINT32_MAX)
            is_landing[shown] |= landing_of(code, ways[at], restarts_behind);
    }
}

static bool is_table_jump(const struct instruction *row)
{
    return is_indirect(row) && row->class == INSTRUCTION_JUMP;
}

/* Samples where jumps through tables lead, or at such. */
static void table_find(struct guesses *guesses, const struct region *region, double samples)
{
    const struct stall_code *code = region->code;
    double table = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || code->items[row].class == INSTRUCTION_NOP)
            continue;
        table += code->marks[row] & MARK_TABLE ? (double)code->sampled[row] : 0;
        table += is_table_jump(&code->items[row]) ? (double)code->hits[row] : 0;
    }
    guesses->table_share = samples > 0 && table < samples ? table / samples : samples > 0;
}

/*
 * Where a wrong guess shows on the second instruction. A region around such a jump waits for where it leads, wherever in the
 * function that is.
 */
static void table_find_behind(struct guesses *guesses, const struct region *region)
{
    const struct stall_code *code = region->code;
    bool jumps = false;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++)
        jumps |= region_holds(region, row) && is_table_jump(&code->items[row]);
    scoped_free uint8_t *shows = memory_alloc(code->count + 1);
    memset(shows, 0, code->count + 1);
    for (uint32_t row = 0; row < code->count; row++) {
        bool leads = code->marks[row] & MARK_TABLE && !is_table_jump(&code->items[row]) && (jumps || region_holds(region, row));
        uint32_t shown = leads ? shown_row(code, row, true) : UINT32_MAX;
        if (shown != UINT32_MAX)
            shows[shown] = 1;
    }
    double samples = 0, table = 0, retired = 0;
    for (uint32_t row = 0; row < code->count; row++) {
        if (!jumps && !region_holds(region, row))
            continue;
        samples += (double)code->sampled[row];
        table += shows[row] ? (double)code->sampled[row] : 0;
        bool first = code->marks[row] & MARK_TABLE && !is_table_jump(&code->items[row]) && !shows[row];
        retired += first ? (double)code->sampled[row] : 0;
    }
    guesses->table_share = samples > 0 ? table / samples : 0;
    guesses->table_retired = samples > 0 ? retired / samples : 0;
}

struct guesses guesses_of(const struct region *region, bool restarts_behind)
{
    struct guesses guesses = {0};
    const struct stall_code *code = region->code;
    scoped_free uint8_t *lands = memory_alloc(code->count + 1);
    memset(lands, 0, code->count + 1);
    double samples = 0, landing = 0, rows = 0, landing_rows = 0, sure = 0, sure_rows = 0, met = 0;
    uint64_t most = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || code->items[row].class == INSTRUCTION_NOP)
            continue;
        guesses.indirect += is_indirect(&code->items[row]);
        samples += (double)code->sampled[row];
        rows++;
        if (code->items[row].class == INSTRUCTION_BRANCH && code->items[row].has_target)
            ways_note(region, row, restarts_behind, &guesses, &most);
        if (!chooses(region, row, restarts_behind))
            continue;
        guesses.branches++;
        landing_note(code, row, restarts_behind, lands);
    }
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || code->items[row].class == INSTRUCTION_NOP)
            continue;
        met += (double)code->sampled[row] * 10 >= samples / rows;
        landing += lands[row] ? (double)code->sampled[row] : 0;
        landing_rows += lands[row] != 0;
        sure += lands[row] & LANDS_SURELY ? (double)code->sampled[row] : 0;
        sure_rows += lands[row] & LANDS_SURELY ? 1 : 0;
    }
    guesses.has_enough = samples >= SAMPLES_LEAST && rows >= ROWS_LEAST;
    guesses.lacks_samples = samples < SAMPLES_LEAST;
    guesses.evenness = rows > 0 ? met / rows : 0;
    guesses.landing_share = samples > 0 ? landing / samples : 0;
    guesses.landing_rows = rows > 0 ? landing_rows / rows : 0;
    guesses.sure_share = samples > 0 ? sure / samples : 0;
    guesses.sure_rows = rows > 0 ? sure_rows / rows : 0;
    if (restarts_behind)
        table_find_behind(&guesses, region);
    else
        table_find(&guesses, region, samples);
    return guesses;
}
