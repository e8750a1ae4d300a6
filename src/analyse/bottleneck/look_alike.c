/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/look_alike.h"

#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/thresholds.h"
#include "analyse/code/address_span.h"
#include "base/cache_line.h"
#include "base/scope.h"

/* ---- what the code says of an access ---- */

/* It goes anywhere, by what the code says of its address. */
static bool is_looked_up(const struct instruction *row, uint64_t walking)
{
    return row->is_load && row->memory.is_present && row->class != INSTRUCTION_PREFETCH &&
           !code_address_walks(row, walking);
}

static uint32_t hottest_row(const struct leading *leading)
{
    return leading->look->hottest[leading->cause];
}

static const struct instruction *hottest_instruction(const struct leading *leading)
{
    uint32_t row = hottest_row(leading);
    return row != UINT32_MAX ? &leading->look->region->code->items[row] : NULL;
}

/* ---- memory ---- */

static bool is_ordered_chase(const struct leading *leading)
{
    uint32_t row = hottest_row(leading);
    return leading->cause == CAUSE_BANDWIDTH && row != UINT32_MAX && is_chased(leading->look->region, row);
}

static bool has_near_lines(const struct leading *leading)
{
    return leading->cause == CAUSE_TLB && leading->look->reach.level == LEVEL_L2;
}

static bool is_rate_slow(const struct leading *leading)
{
    return leading->look->pace.over_bound > bottleneck_thresholds.bound_missed;
}

/* Lines of a third cache come one in so many cycles at worst where none waits for another, of memory one in so many. */
static const double THIRD_LINE_CYCLES = 4, MEMORY_LINE_CYCLES = 12;
static const double THIRD_CACHE_BYTES = 96 << 20; /* none is larger, for one core */

/*
 * What waits for no other comes while others are on their way. Where its address comes out of a chain of arithmetic it
 * retires last, however near it is: unless the rate shows it, a chain as long as lines take to come is as likely what a
 * turn takes.
 */
static bool may_come_meanwhile(const struct leading *leading)
{
    const struct loop_look *look = leading->look;
    const struct loop_bound *bound = &look->resources.bound;
    uint32_t row = hottest_row(leading);
    bool is_apart = leading->cause == CAUSE_L2 || leading->cause == CAUSE_PARALLEL_MISSES;
    if (!is_apart || row == UINT32_MAX || is_chased(look->region, row) || !bound->known || is_rate_slow(leading))
        return false;
    if (leading->cause == CAUSE_L2)
        return true;
    double line = look->reach.lines_bytes < THIRD_CACHE_BYTES ? THIRD_LINE_CYCLES : MEMORY_LINE_CYCLES;
    return bound->chain.cycles - bound->chain.kind_cycles[CHAIN_LOAD] >= line &&
           is_addressed_by(look->region, row, bound->chain.rows, bound->chain.row_count);
}

/*
 * What each turn computes from what it loaded before it can load again takes its part of the turn, too: by its rate, or
 * against what the level that answers takes at least.
 */
static bool is_computing_between(const struct leading *leading)
{
    static const double LEVEL_CYCLES[] = {[LEVEL_L2] = 12, [LEVEL_BEYOND] = 40};
    const struct loop_look *look = leading->look;
    const struct loop_bound *bound = &look->resources.bound;
    uint32_t row = hottest_row(leading);
    bool waits = leading->cause == CAUSE_L2 || leading->cause == CAUSE_LATENCY;
    if (!waits || row == UINT32_MAX || !is_chased(look->region, row) || !bound->known || bound->is_lower)
        return false;
    double most = 1 - bottleneck_thresholds.class_high;
    if (look->pace.over_bound > 0)
        return 1 / look->pace.over_bound > most;
    double level = LEVEL_CYCLES[leading->cause == CAUSE_L2 ? LEVEL_L2 : LEVEL_BEYOND];
    double computes = bound->chain.cycles - bound->chain.kind_cycles[CHAIN_LOAD];
    return computes > most * (computes + level);
}

/* Walks don't come back to a place at once; other addresses may. */
static bool is_stored_back(const struct leading *leading)
{
    uint32_t row = hottest_row(leading);
    const struct region *region = leading->look->region;
    return row != UINT32_MAX && !leading->look->reach.in_order && goes_through_memory(region, row) &&
           is_looked_up(&region->code->items[row], code_walking_registers(region->code->items, region->rows));
}

/* In the same function, where samples were met: what one loop asks for another one uses. */
static bool is_asked_ahead(const struct leading *leading)
{
    const struct stall_code *code = leading->look->region->code;
    bool asks = false;
    for (size_t row = 0; row < code->count && !asks; row++)
        asks = code->items[row].class == INSTRUCTION_PREFETCH && code->hits[row] + code->sampled[row];
    return asks;
}

/* Which of its ways is gone, and what a call leaves where, isn't followed as closely as a loop. */
static bool is_chain_of_calls(const struct leading *leading)
{
    uint32_t row = hottest_row(leading);
    return leading->cause == CAUSE_LATENCY && row != UINT32_MAX && !is_chased(leading->look->region, row) &&
           is_chased_by_calls(leading->look->region, row);
}

static const char *memory_alike(const struct leading *leading)
{
    if (is_chain_of_calls(leading))
        return "no more confidence: its chain of loads passes calls, and that is told by the order of the code alone";

    if (is_ordered_chase(leading))
        return "no more confidence: its addresses are loaded, as in a chain of misses; only its speed says otherwise";
    if (has_near_lines(leading))
        return "no more confidence: the second cache holds its lines, which looks alike; only its pages say otherwise";
    if (is_stored_back(leading))
        return "no more confidence: what waits is stored to the same place again, which would look alike if turns met "
               "there";
    if (may_come_meanwhile(leading))
        return "no more confidence: what it loads waits for no other load, and the rate of its loop isn't known: it "
               "may come while the turn computes";
    if (is_computing_between(leading))
        return "no more confidence: what a turn computes between its loads takes a good part of the turn as well";
    return is_asked_ahead(leading)
               ? "no more confidence: its function asks for data ahead: how much of the wait that leaves isn't measured"
               : NULL;
}

/* ---- what isn't memory ---- */

/*
 * Samples that stand at loads from looked-up places, of its own. No further than `near_bytes`: the code itself (a mask)
 * keeps them within so much.
 */
static double looked_up_share(const struct leading *leading, double near_bytes)
{
    const struct loop_look *look = leading->look;
    const struct region *region = look->region;
    double samples = 0;
    if (look->reach.in_order)
        return 0;
    uint64_t walking = code_walking_registers(region->code->items, region->rows);
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || !region->code->hits[row] || !is_looked_up(&region->code->items[row], walking))
            continue;
        double span = (double)code_address_span(region->code->items, region->rows, row);
        samples += span > 0 && span <= near_bytes ? 0 : (double)region->code->hits[row];
    }
    return samples / (double)region->samples;
}

/* Within it no wrong guess waits for memory: half of the nearest cache, whose other half stays for the rest. */
static double near_bytes(const struct leading *leading)
{
    return leading->request->machine->l1_bytes / 2;
}

static bool does_load_wait(const struct leading *leading)
{
    const struct instruction *here = hottest_instruction(leading);
    return leading->cause != CAUSE_RETIRING && here && here->is_load && here->memory.is_present &&
           is_address_written(leading->look->region, hottest_row(leading));
}

/*
 * Where a loop that ends at another turn each time was left, wrong guesses show outside of it: so much of the time may
 * be theirs.
 */
static bool is_left_often(const struct leading *leading)
{
    const struct loop_look *look = leading->look;
    double all = (double)leading->request->stalls->sample_count - (double)leading->request->stalls->kernel_samples;
    return leading->cause == CAUSE_RETIRING && (double)look->region->samples < bottleneck_thresholds.alike_held * all;
}

static const char *core_alike(const struct leading *leading)
{
    /* These miss, or don't, and only the size of what they go over says it. */
    if (looked_up_share(leading, near_bytes(leading)) >= bottleneck_thresholds.rival_high)
        return "no more confidence: it looks data up, as code does that waits for memory; only how little they are "
               "says otherwise";
    /* A line that is met each turn stays, and has no other line's bank to wait for. */
    if (looked_up_share(leading, CACHE_LINE_BYTES) >= bottleneck_thresholds.rival_high)
        return "no more confidence: it loads from places that it computes: these are near, but what else delays such "
               "loads (banks of the cache, what a neighbour on the core evicts) is excluded by counters alone";
    if (does_load_wait(leading))
        return "no more confidence: the instruction that waits loads; that its data are near is said by their "
               "addresses alone";
    if (is_stored_back(leading))
        return "no more confidence: what waits is stored to the same place again, which would look alike if turns met "
               "there";
    return is_left_often(leading) ? "no more confidence: of its time a part lies outside of the loop, where wrong "
                                    "guesses of the loop's end would show"
                                  : NULL;
}

static const char *guesses_alike(const struct leading *leading)
{
    return looked_up_share(leading, near_bytes(leading)) >= bottleneck_thresholds.alike_looked_up
               ? "no more confidence: it decides by data that it looks up, and waiting for these looks alike; --probe "
                 "step counts its wrong guesses"
               : NULL;
}

/* ---- code ---- */

/* At the low end of what it waits for code the rest of the time would be as much. */
static const char *code_alike(const struct leading *leading)
{
    const struct footprint *footprint = leading->footprint;
    double low = footprint->waited.low;
    if (!footprint_waits(footprint) || 1 - low < bottleneck_thresholds.lead * low)
        return NULL;
    return "no more confidence: at the low end of how long it waits for code, what its instructions take would be as "
           "much";
}

const char *look_alike_of(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    if (verdict->class == BOTTLENECK_FRONTEND)
        return code_alike(leading);
    if (!leading->look)
        return NULL;
    switch (verdict->class) {
    case BOTTLENECK_MEMORY:
        return memory_alike(leading);
    case BOTTLENECK_BAD_SPECULATION:
        return guesses_alike(leading);
    default:
        return core_alike(leading);
    }
}
