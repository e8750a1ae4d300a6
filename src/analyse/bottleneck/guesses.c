/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/guesses.h"

#include "analyse/bottleneck/thresholds.h"
#include "analyse/code/code_flow.h"
#include "base/arena.h"
#include "base/scope.h"

#include <string.h>

enum {
    ROWS_LEAST = 4,
    RUN_ROWS_LEAST = 3,
    RUN_SAMPLES_LEAST = 30,
};

static const double LANDED_LEAST = 0.01; /* of the loop's samples */

static uint32_t row_of(const struct stall_code *code, uint64_t addr)
{
    return code_flow_row(code->items, code->count, addr);
}

/*
 * The row that a sample falls on when the pipeline begins anew at `row`: on some processors that one has retired before
 * the interrupt is taken, and it is the one behind.
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

/*
 * Straight runs of several instructions that got no sample, where by the mean of the region they would have many: they
 * never ran. What stands where their branches lead came there by other ways.
 */
static void rows_that_ran(const struct stall_code *code, double even, uint8_t *ret_ran)
{
    for (uint32_t first = 0, end; first < code->count; first = end) {
        uint32_t rows = 0;
        uint64_t samples = 0;
        bool ends = false;
        for (end = first; end < code->count && !ends; end++) {
            ends = code->items[end].ends_block || !code->items[end].falls_through;
            rows += code->items[end].class != INSTRUCTION_NOP;
            samples += code->sampled[end] + code->hits[end];
        }
        memset(ret_ran + first, samples || rows < RUN_ROWS_LEAST || rows * even < RUN_SAMPLES_LEAST, end - first);
    }
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
 * A conditional branch that chooses between two ways on, both within the region or out of it further on. One that
 * closes the loop, or leaves it, does where the loop often ends: a handful of samples where it leads says nothing of
 * that. Where wrong guesses show apart any branch chooses whose both ways show them.
 */
static bool chooses(const struct region *region, uint32_t row, bool restarts_behind)
{
    const struct instruction *here = &region->code->items[row];
    if (here->class != INSTRUCTION_BRANCH || !here->has_target)
        return false;
    uint32_t target = row_of(region->code, here->target);
    bool leaves = target == UINT32_MAX || target < region->rows.first || target > region->rows.last;
    if (!restarts_behind && (!region->is_loop || (row != region->rows.last && !leaves)))
        return true;
    uint64_t samples;
    double ratio = ways_ratio(region, row, restarts_behind, &samples);
    bool is_clear = ratio >= bottleneck_thresholds.both_ways;
    /* with more than a handful of samples */
    bool may_be = is_clear || (restarts_behind && ratio >= bottleneck_thresholds.both_ways_behind);
    return may_be &&
           (double)samples >= (is_clear ? LANDED_LEAST : bottleneck_thresholds.landing_least) * (double)region->samples;
}

static void ways_note(const struct region *region, uint32_t row, bool restarts_behind, struct guesses *guesses,
                      uint64_t *most)
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
    bool computes = row->class == INSTRUCTION_INT || row->class == INSTRUCTION_MOVE ||
                    row->class == INSTRUCTION_BRANCH || row->class == INSTRUCTION_JUMP;
    return computes && !row->divides && !(row->memory.is_present && (row->is_load || row->is_store));
}

enum {
    LANDS = 1,
    LANDS_SURELY = 2,
    LANDS_OUTSIDE = 4 /* a branch of the region's own leads out of it there */
};

/* Where samples show that a wrong guess led to `first`. */
static uint8_t landing_of(const struct stall_code *code, uint32_t first, bool restarts_behind)
{
    return LANDS | (restarts_behind && first != UINT32_MAX && is_quick(&code->items[first]) ? LANDS_SURELY : 0);
}

static bool counts(const struct region *region, uint32_t row)
{
    return region_holds(region, row) && region->code->items[row].class != INSTRUCTION_NOP;
}

/*
 * samples where nothing but its wrong guesses puts them, and on how many instructions; outside: of these, not in the
 * region
 */
struct shown_branch {
    double samples, rows, outside, outside_rows;
};

static void shown_add(struct shown_branch *shown, double samples, bool outside)
{
    shown->samples += samples;
    shown->rows++;
    shown->outside += outside ? samples : 0;
    shown->outside_rows += outside;
}

/* It waits for nothing: needs no register but the one that it counts. */
static bool is_idle(const struct instruction *row)
{
    uint64_t own = row->step_by == REGISTER_NONE && row->step_register < 64 ? UINT64_C(1) << row->step_register : 0;
    return is_quick(row) && row->class != INSTRUCTION_BRANCH && row->falls_through && !(row->reads & ~own) &&
           !row->vector_reads;
}

/* Its samples came there in step: no branch leads there, or just before, and what ran before waits for nothing. */
static bool is_in_step(const struct region *region, uint32_t row)
{
    const uint16_t *marks = region->code->marks;
    return row >= region->rows.first + 2 && counts(region, row) && counts(region, row - 1) &&
           !((marks[row] | marks[row - 1] | marks[row - 2]) & MARK_LANDING) && !(marks[row] & MARK_ELSEWHERE) &&
           is_idle(&region->code->items[row - 1]);
}

/*
 * Samples on a row, where these are clearly more than retirement in step leaves on a place near it, in code that runs
 * as often; else none.
 */
static double samples_shown(const struct region *region, uint32_t row)
{
    enum { NEAR = 16 };
    static const double CLEARLY = 1.5;
    const uint64_t *sampled = region->code->sampled;
    uint64_t in_step = 0;
    for (uint32_t near = row > NEAR ? row - NEAR : 0; near <= row + NEAR && near <= region->rows.last; near++)
        if (sampled[near] > in_step && is_in_step(region, near))
            in_step = sampled[near];
    return (double)sampled[row] >= CLEARLY * (double)in_step ? (double)sampled[row] : 0;
}

/* False: neither it nor where it leads is the region's. */
static bool landing_note(const struct region *region, uint32_t row, bool restarts_behind, uint8_t *lands,
                         struct shown_branch *most)
{
    struct shown_branch here = {0};
    const struct stall_code *code = region->code;
    uint32_t ways[] = {row + 1 < code->count ? row + 1 : UINT32_MAX, row_of(code, code->items[row].target)};
    bool inside = counts(region, row), notes = false;
    for (size_t at = 0; at < array_count(ways); at++) {
        uint32_t shown = shown_row(code, ways[at], restarts_behind);
        bool leads_in = shown != UINT32_MAX && region_holds(region, shown);
        if (shown == UINT32_MAX || !(leads_in || (inside && restarts_behind)))
            continue;
        uint8_t landing = landing_of(code, ways[at], restarts_behind);
        lands[shown] |= landing | (leads_in ? 0 : LANDS_OUTSIDE);
        if (landing & LANDS_SURELY)
            shown_add(&here, samples_shown(region, shown), !leads_in);
        notes = true;
    }
    *most = here.samples > most->samples ? here : *most;
    return inside || notes;
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
 * Where a wrong guess shows on the second instruction. A region around such a jump waits for where it leads, wherever
 * in the function that is.
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
        bool leads =
            code->marks[row] & MARK_TABLE && !is_table_jump(&code->items[row]) && (jumps || region_holds(region, row));
        uint32_t shown = leads ? shown_row(code, row, true) : UINT32_MAX;
        if (shown != UINT32_MAX)
            shows[shown] = 1;
    }
    double samples = 0, table = 0, retired = 0;
    for (uint32_t row = 0; row < code->count; row++) {
        if (!jumps && !region_holds(region, row))
            continue;
        double here = (double)code->sampled[row];
        samples += here;
        table += shows[row] ? here : 0;
        bool first = code->marks[row] & MARK_TABLE && !is_table_jump(&code->items[row]) && !shows[row];
        retired += first ? here : 0;
    }
    guesses->table_share = samples > 0 ? table / samples : 0;
    guesses->table_retired = samples > 0 ? retired / samples : 0;
}

/*
 * Branches outside the region, too, whose wrong guesses show within it: what closes an inner loop leads on in the one
 * around it. UINT32_MAX: none.
 */
static struct loop_rows branches_around(const struct region *region, bool restarts_behind)
{
    enum { AROUND = 4096 };
    struct loop_rows rows = region->rows;
    if (!restarts_behind)
        return rows;
    rows.first = rows.first > AROUND ? rows.first - AROUND : 0;
    rows.last = region->code->count - rows.last > AROUND ? rows.last + AROUND : (uint32_t)region->code->count - 1;
    return rows;
}

/* Of the region's instructions, and where its own branches lead out of it. */
static void landings_count(struct guesses *guesses, const struct region *region, struct loop_rows rows,
                           const uint8_t *lands, const uint8_t *ran, double even)
{
    double samples = 0, landing = 0, shown = 0, count = 0, landing_count = 0, sure = 0, sure_count = 0, met = 0,
           inner = 0;
    for (uint32_t row = rows.first; row <= rows.last; row++) {
        bool inside = counts(region, row);
        if (!inside && !(lands[row] & LANDS_OUTSIDE))
            continue;
        double here = (double)region->code->sampled[row];
        inner += inside;
        met += inside && here * 10 >= even;
        samples += here;
        count += ran[row];
        landing += lands[row] ? here : 0;
        shown += lands[row] ? samples_shown(region, row) : 0;
        landing_count += ran[row] && lands[row];
        sure += lands[row] & LANDS_SURELY ? samples_shown(region, row) : 0;
        sure_count += ran[row] && lands[row] & LANDS_SURELY ? 1 : 0;
    }
    guesses->evenness = inner > 0 ? met / inner : 0;
    guesses->landing_share = samples > 0 ? landing / samples : 0;
    guesses->landing_shown = samples > 0 ? shown / samples : 0;
    guesses->landing_rows = count > 0 ? landing_count / count : 0;
    guesses->sure_share = samples > 0 ? sure / samples : 0;
    guesses->sure_rows = count > 0 ? sure_count / count : 0;
}

/* On its instructions, and how many these are. */
static double region_samples(const struct region *region, double *ret_count)
{
    double samples = 0;
    *ret_count = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        samples += counts(region, row) ? (double)region->code->sampled[row] : 0;
        *ret_count += counts(region, row);
    }
    return samples;
}

struct guesses guesses_of(const struct region *region, bool restarts_behind)
{
    struct guesses guesses = {0};
    const struct stall_code *code = region->code;
    scoped_free uint8_t *lands = memory_alloc(code->count + 1), *ran = memory_alloc(code->count + 1);
    memset(lands, 0, code->count + 1);
    double count, samples = region_samples(region, &count), even = count > 0 ? samples / count : 0;
    rows_that_ran(code, even, ran);
    uint64_t most = 0;
    struct shown_branch shown = {0};
    struct loop_rows around = branches_around(region, restarts_behind);
    for (uint32_t row = around.first; row <= around.last; row++) {
        bool inside = counts(region, row);
        guesses.indirect += inside && is_indirect(&code->items[row]);
        if (code->items[row].class != INSTRUCTION_BRANCH || !code->items[row].has_target || !ran[row])
            continue;
        if (inside)
            ways_note(region, row, restarts_behind, &guesses, &most);
        if (chooses(region, row, restarts_behind))
            guesses.branches += landing_note(region, row, restarts_behind, lands, &shown);
    }
    landings_count(&guesses, region, around, lands, ran, even);
    guesses.branch_share = samples + shown.outside > 0 ? shown.samples / (samples + shown.outside) : 0;
    guesses.branch_rows = count + shown.outside_rows > 0 ? shown.rows / (count + shown.outside_rows) : 0;
    bool shows = count >= ROWS_LEAST || guesses.sure_share >= bottleneck_thresholds.landing_restarts;
    guesses.has_enough = samples >= GUESSES_SAMPLES_LEAST && shows;
    guesses.lacks_samples = samples < GUESSES_SAMPLES_LEAST;
    if (restarts_behind)
        table_find_behind(&guesses, region);
    else
        table_find(&guesses, region, samples);
    return guesses;
}

bool guesses_show_restarts(const struct guesses *guesses, double enrichment)
{
    double least = bottleneck_thresholds.landing_restarts;
    bool all = guesses->sure_share >= least && guesses->sure_share >= enrichment * guesses->sure_rows;
    return all || (guesses->branch_share >= least && guesses->branch_share >= enrichment * guesses->branch_rows);
}
