/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/loop_look.h"

#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/crowd.h"
#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/far_loads.h"
#include "analyse/bottleneck/thresholds.h"
#include "analyse/code/address_span.h"
#include "base/cache_line.h"

#include <math.h>
#include <stdlib.h>

enum { X86_STACK_POINTER = 7 }; /* PERF_REG_X86_SP */

static const double ROW_SHARE_LEAST = 0.02; /* of the region's samples, for addresses of its own */
/* of the region's samples: an access that is waited for, wherever it goes */
static const double UNPLACED_HOT = 0.1;
/* of the region's samples: more than what retires in step leaves at one instruction of many */
static const double PREFETCH_HOT = 0.25;
static const double FEW_PLACES_BYTES = 128;  /* counters that turns in a row are likely to meet again */
static const double FORWARDED_BYTES = 4096; /* counters that are met again while their stores are young */

struct rows_view {
    const struct bottleneck_request *request;
    const struct region *region;
    const struct loop_bound *bound;
    struct arena *arena;
    enum bottleneck_cause quick; /* what the region shows as a whole */
    struct reach all; /* of the region's accesses together, for rows with few addresses */
    bool all_done;
    bool is_open; /* the row just looked at may wait for what can't be seen: it is no quick one */
    /* the access of the turn that another's samples were laid at last, and where it reaches */
    uint32_t beside;
    struct reach beside_reach;
    double over_own_work; /* how much longer than its own work a walk of it takes a turn; 0: not known */
};

static const struct reach *reach_all(struct rows_view *view)
{
    if (!view->all_done)
        view->all = reach_of(view->request, view->region, view->bound, UINT32_MAX, view->arena);
    view->all_done = true;
    return &view->all;
}

static struct reach reach_for(struct rows_view *view, uint32_t row)
{
    struct reach reach = {0};
    if ((double)view->region->code->hits[row] >= ROW_SHARE_LEAST * (double)view->region->samples)
        reach = reach_of(view->request, view->region, view->bound, row, view->arena);
    return reach.known ? reach : *reach_all(view);
}

/*
 * Each address comes out of a load before, but the next lines are those that lie behind: they are fetched ahead, and
 * what is left is what a core reads of memory at most.
 */
static bool outruns_latency(const struct bottleneck_request *request, const struct reach *reach)
{
    const struct interval *read = &request->machine->read_bytes_s;
    return reach->in_order && reach->line_ns > 0 && read->known &&
           CACHE_LINE_BYTES / reach->line_ns * 1e9 >= bottleneck_thresholds.walk_outruns * read->mid;
}

static enum bottleneck_cause far_cause(const struct bottleneck_request *request, const struct region *region,
                                       uint32_t row, const struct reach *reach)
{
    bool is_string = region->code->items[row].class == INSTRUCTION_STRING;
    /*
     * What was measured says more than how far its pages go; but lines that the second cache holds show by nothing else
     * what they wait for.
     */
    bool refuted = reach->level == LEVEL_BEYOND && crowd_pages_refuted(request, region);
    if (reach->is_wide_spread && !is_string && !refuted)
        return CAUSE_TLB;
    if (reach->level == LEVEL_L2)
        return CAUSE_L2;
    if (is_string)
        return CAUSE_BANDWIDTH;
    if (is_chased(region, row))
        return outruns_latency(request, reach) ? CAUSE_BANDWIDTH : CAUSE_LATENCY;
    if (!reach->in_order && (is_led_by_chase(region, row) || is_chased_by_calls(region, row)))
        return CAUSE_LATENCY;
    return reach->in_order ? CAUSE_BANDWIDTH : CAUSE_PARALLEL_MISSES;
}

static int addr_compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* How often the row goes to the place that it goes to most: 0..1. */
static double same_place_share(struct rows_view *view, uint32_t row)
{
    struct index_part own = code_index_row_addresses(view->request->index, view->region->function, row);
    if (!own.count)
        return 1;
    uint64_t *places = arena_array(view->arena, uint64_t, own.count);
    size_t most = 0, run = 0;
    for (size_t at = 0; at < own.count; at++)
        places[at] = view->request->stalls->addresses[own.items[at]].addr;
    qsort(places, own.count, sizeof(*places), addr_compare);
    for (size_t at = 0; at < own.count; at++) {
        run = at && places[at] == places[at - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return (double)most / (double)own.count;
}

enum forwarding { /* whether a turn takes as long as it does because a value goes round through memory */
    FORWARD_NOT,
    FORWARD_OPEN,     /* if turns in a row met the same of many places */
    FORWARD_SUPPOSED, /* … of few */
    FORWARD_CERTAIN
};

/*
 * Where each turn waits for a wrong guess, what is stored comes late with all else; turns that seldom meet at one place
 * don't wait for one another.
 */
static bool is_stored_in_shadow(struct rows_view *view, uint32_t row)
{
    static const double OFTEN = 0.5;
    return bottleneck_class_of(view->quick) == BOTTLENECK_BAD_SPECULATION && same_place_share(view, row) < OFTEN;
}

/* No store can hand it what it loads: it waits until all of them are in the cache. */
static bool is_blocked(const struct region *region, uint32_t row)
{
    return is_blocked_by_store(region, row) || is_blocked_by_loop(region, row);
}

/*
 * By the costs of this core where they are known: the chain with the stored places in it is longer than anything else,
 * also when only as many turns meet at one place as samples did. Data with long runs of one value goes to one place
 * more often than that: then what was measured decides, or few places speak for it. Floating-point numbers that are
 * stored and loaded wait for their arithmetic as likely.
 */
static enum forwarding forwarding_of(struct rows_view *view, uint32_t row, const struct loop_look *look,
                                     const struct reach *reach)
{
    const struct loop_bound *bound = view->bound;
    const struct instruction *here = &view->region->code->items[row];
    static const double CLEARLY = 1.1, NEARLY = 0.8;
    if (is_blocked(view->region, row))
        return FORWARD_CERTAIN;
    if (!goes_through_memory(view->region, row) || (reach->known && reach->lines_bytes > FORWARDED_BYTES))
        return FORWARD_NOT;
    /* one of many: until it comes round the store is long done */
    if (!view->region->is_loop && look->guesses.lacks_samples)
        return FORWARD_OPEN;
    if (!bound->known || bound->is_lower)
        return here->is_fp || is_stored_in_shadow(view, row) ? FORWARD_NOT : FORWARD_CERTAIN;
    double rest = bound->frontend_cycles > bound->unit_cycles ? bound->frontend_cycles : bound->unit_cycles;
    if (bound->chain.forwarded && bound->chain.cycles > CLEARLY * rest)
        return FORWARD_CERTAIN;
    const struct loop_result_chain *chain = &bound->chain_if_same;
    if (!chain->forwarded || chain->cycles <= CLEARLY * rest)
        return FORWARD_NOT;
    bool is_measured = look->pace.measured_cycles.known;
    if (is_measured && look->pace.measured_cycles.value >= NEARLY * chain->cycles)
        return FORWARD_CERTAIN;
    /* of several in a turn two neighbours must both go there */
    double share = same_place_share(view, row), meets = chain->forwarded > 1 ? share * share : share;
    if ((!is_measured || chain->forwarded > 1) && meets * chain->cycles > CLEARLY * rest)
        return FORWARD_CERTAIN;
    if (is_measured)
        return FORWARD_NOT;
    return reach->known && reach->lines_bytes <= FEW_PLACES_BYTES ? FORWARD_SUPPOSED : FORWARD_OPEN;
}

/*
 * A chase whose addresses aren't known: how much longer than with everything in the first cache a turn was measured to
 * take says where its loads end. Branches that may be guessed wrong could take as much as a near cache does.
 */
enum bottleneck_level loop_look_level(const struct loop_look *look)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct loop_bound *bound = &look->resources.bound;
    static const double LOAD_CYCLES = 5; /* documented: 4 or 5, from the first cache */
    double loads = bound->chain.kind_cycles[CHAIN_LOAD] / LOAD_CYCLES;
    if (!look->pace.measured_cycles.known || !bound->known || bound->is_lower || loads <= 0 ||
        look->guesses.both_ways >= limit->both_ways)
        return LEVEL_NONE;
    double beyond = (look->pace.measured_cycles.value - bound->chain.cycles) / (loads > 1 ? loads : 1);
    if (beyond >= limit->paced_beyond)
        return LEVEL_BEYOND;
    if (look->guesses.branches)
        return LEVEL_NONE;
    return beyond <= limit->paced_first                                         ? LEVEL_L1
           : beyond >= limit->paced_second && beyond <= 2 * limit->paced_second ? LEVEL_L2
                                                                                : LEVEL_NONE;
}

static enum bottleneck_cause chased_cause(struct loop_look *look, const struct reach *reach)
{
    static const enum bottleneck_cause causes[] = {CAUSE_UNKNOWN, CAUSE_L1_LATENCY, CAUSE_L2, CAUSE_LATENCY};
    if (reach->known)
        return CAUSE_L1_LATENCY;
    look->paced_level = loop_look_level(look);
    return causes[look->paced_level];
}

/* An access of which at most half of the addresses are known. */
static bool is_unplaced(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    const struct instruction *here = &region->code->items[row];
    bool accesses = here->memory.is_present && (here->is_load || here->is_store) && here->class != INSTRUCTION_CALL;
    bool of_stack = here->memory.base == X86_STACK_POINTER && here->memory.index == REGISTER_NONE;
    return accesses && !of_stack &&
           code_index_row_addresses(request->index, region->function, row).count * 2 < region->code->hits[row];
}

static bool stores_in(const struct region *region)
{
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++)
        if (region_holds(region, row) && region->code->items[row].is_store)
            return true;
    return false;
}

bool loop_look_waits_beyond(const struct loop_look *look, double share)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct loop_bound *bound = &look->resources.bound;
    if (!look->pace.measured_cycles.known || !bound->known || bound->is_lower || look->guesses.branches)
        return false;
    double measured = look->pace.measured_cycles.value;
    return measured >= limit->paced_over * bound->cycles && (measured - bound->cycles) * share >= limit->paced_beyond;
}

/*
 * A load of which no address is known, and which waits for no other, in a loop without stores, which could hold it up.
 */
static bool is_beyond_by_pace(const struct rows_view *view, uint32_t row, const struct loop_look *look)
{
    const struct region *region = view->region;
    return region->is_loop && region->code->items[row].is_load && is_unplaced(view->request, region, row) &&
           !stores_in(region) &&
           loop_look_waits_beyond(look, (double)region->code->hits[row] / (double)region->samples);
}

static enum bottleneck_cause near_cause(struct rows_view *view, uint32_t row, struct loop_look *look,
                                        const struct reach *reach)
{
    const struct region *region = view->region;
    if (region->code->marks[row] & MARK_CHAINED && !is_chased(region, row))
        return CAUSE_LATENCY_CHAIN;
    if (is_chased(region, row)) /* how far, if not known: it may as well miss every cache */
        return chased_cause(look, reach);
    enum forwarding forwarding = forwarding_of(view, row, look, reach);
    view->is_open = forwarding == FORWARD_OPEN;
    look->blocked += is_blocked(region, row) ? (double)region->code->hits[row] : 0;
    look->supposed += forwarding == FORWARD_SUPPOSED ? (double)region->code->hits[row] : 0;
    if (forwarding == FORWARD_NOT && !reach->known && is_beyond_by_pace(view, row, look)) {
        look->paced_level = LEVEL_BEYOND;
        return CAUSE_PARALLEL_MISSES;
    }
    return forwarding >= FORWARD_SUPPOSED ? CAUSE_STORE_FORWARDING : CAUSE_UNKNOWN;
}

/*
 * Where wrong guesses show, loads stand where each way begins anew. One that goes through memory in order (at no speed
 * that could be seen, what lies ahead is fetched meanwhile), or within the second cache by other accesses' addresses
 * alone, waits for that. So does any within the second cache that isn't chased, where wrong guesses are told from all
 * else by where they show: with right ones the next turns' loads would be under way.
 */
static bool is_in_shadow(const struct rows_view *view, uint32_t row, enum bottleneck_cause cause,
                         const struct reach *reach)
{
    if (bottleneck_class_of(view->quick) != BOTTLENECK_BAD_SPECULATION ||
        view->region->code->items[row].class == INSTRUCTION_STRING)
        return false;
    if (cause == CAUSE_L2)
        return (reach->in_order && reach->line_ns <= 0) || is_unplaced(view->request, view->region, row) ||
               (view->request->stalls->restarts_behind && !is_chased(view->region, row));
    return cause == CAUSE_BANDWIDTH && view->quick == CAUSE_CONDITIONAL && reach->line_ns <= 0;
}

/*
 * One that finds its data, or room to ask for it, retires at once: it waits for a translation, or for misses before it.
 */
static bool is_prefetch_waiting(const struct rows_view *view, uint32_t row, const struct reach *reach)
{
    return view->region->code->items[row].class == INSTRUCTION_PREFETCH && !reach->known &&
           (double)view->region->code->hits[row] >= PREFETCH_HOT * (double)view->region->samples;
}

/*
 * A turn takes no longer than its own instructions do with all data in the nearest cache, by the highest that its rate
 * leaves open. An access elsewhere that waits for no other is answered meanwhile: samples show it because it retires
 * last, behind what computed its address. Walks in order have rates of their own.
 */
static bool is_answered_meanwhile(const struct rows_view *view, uint32_t row, const struct loop_look *look,
                                  const struct reach *reach)
{
    const struct loop_bound *bound = view->bound;
    double over = look->pace.over_bound_most;
    return bound->known && !bound->is_lower && !reach->in_order && over > 0 &&
           over < bottleneck_thresholds.bound_met && !is_chased(view->region, row) &&
           view->region->code->items[row].class != INSTRUCTION_STRING;
}

/* What walks beside another by the same registers goes through the same lines: they are asked for once. */
static bool is_beside_another(const struct region *region, uint32_t row)
{
    const struct memory_operand *own = &region->code->items[row].memory;
    for (uint32_t before = region->rows.first; before < row; before++) {
        const struct instruction *other = &region->code->items[before];
        if (region_holds(region, before) && (other->is_load || other->is_store) && other->memory.is_present &&
            other->memory.base == own->base && other->memory.index == own->index)
            return true;
    }
    return false;
}

/* At most: of what goes through memory by less than a line each turn, that part of one; of all else a line each. */
static double lines_a_turn(const struct region *region)
{
    double lines = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        int64_t step = 0;
        if (!region_holds(region, row) || !here->memory.is_present || !(here->is_load || here->is_store))
            continue;
        double bytes = code_loop_step(region->code->items, region->rows, row, &step) ? fabs((double)step) : 0;
        bool walks = bytes > 0 && bytes < CACHE_LINE_BYTES;
        lines += !walks ? 1 : is_beside_another(region, row) ? 0 : bytes / CACHE_LINE_BYTES;
    }
    return lines;
}

/*
 * What waits for no other is on its way while others are: of such lines the second cache hands over one in four cycles
 * at worst (documented: two), and a turn that takes longer for itself never waits for it. Samples show the access all
 * the same where its address comes out of the turn's chain of arithmetic: it always retires last.
 */
static bool is_supplied_meanwhile(const struct rows_view *view, uint32_t row, const struct loop_look *look,
                                  const struct reach *reach)
{
    static const double LINE_CYCLES = 4;
    const struct loop_bound *bound = view->bound;
    bool is_plain = bound->known && !bound->is_lower && !bound->is_approximate && !look->guesses.branches;
    return is_plain && reach->level == LEVEL_L2 && !reach->is_wide_spread &&
           reach->touched.pages_least_bytes <= bottleneck_thresholds.tlb_pages_bytes && !is_chased(view->region, row) &&
           look->pace.over_bound <= bottleneck_thresholds.bound_missed &&
           bound->cycles >= LINE_CYCLES * lines_a_turn(view->region);
}

/* Of an access beside the one that the samples stalled at: what it waits for itself, UNKNOWN if for nothing far. */
static enum bottleneck_cause beside_cause(struct rows_view *view, uint32_t row, struct loop_look *look)
{
    if (view->beside != row)
        view->beside_reach = reach_beside(view->request, view->region, view->bound, row, view->arena);
    view->beside = row;
    const struct reach *reach = &view->beside_reach;
    if (!reach->known || reach->level <= LEVEL_L1 || reach->in_order || reach->level_is_open ||
        is_supplied_meanwhile(view, row, look, reach))
        return CAUSE_UNKNOWN;
    return far_cause(view->request, view->region, row, reach);
}

static void wait_note(struct rows_view *view, uint32_t row, struct loop_look *look)
{
    look->operand_row = row;
    look->reach = view->beside_reach;
    look->reach_hits = view->region->samples;
    look->reach_row = row;
}

/*
 * Loads retire in their order, in groups: where one that goes far and another that goes in order come into one result,
 * samples stand at the latter, which has the result wait for both. A store that steps over lines keeps a walk waiting
 * that moves less than memory would give it.
 */
static enum bottleneck_cause operand_cause(struct rows_view *view, uint32_t row, struct loop_look *look,
                                           const struct reach *own)
{
    enum { LOADS_MOST = 4 };
    const struct region *region = view->region;
    uint32_t loads[LOADS_MOST], count = region->is_loop ? operand_loads(region, row, loads, LOADS_MOST) : 0;
    enum bottleneck_cause cause = CAUSE_UNKNOWN;
    uint32_t from = UINT32_MAX;
    for (uint32_t at = 0; at < count && cause == CAUSE_UNKNOWN; at++)
        if (region->code->hits[loads[at]] < region->code->hits[row]) /* else its own samples speak for it */
            cause = beside_cause(view, from = loads[at], look);
    bool is_slow = own->in_order && reach_is_below_ceiling(own, view->request->machine);
    for (uint32_t at = region->rows.first; is_slow && at <= region->rows.last && cause == CAUSE_UNKNOWN; at++)
        if (at != row && region_holds(region, at) && region->code->items[at].class == INSTRUCTION_STORE)
            cause = beside_cause(view, from = at, look);
    if (cause != CAUSE_UNKNOWN)
        wait_note(view, from, look);
    if (cause != CAUSE_UNKNOWN && own->line_ns > 0 && own->own_work_ns > 0)
        view->over_own_work = own->own_line_ns / own->own_work_ns;
    return cause;
}

static enum bottleneck_cause access_cause(struct rows_view *view, uint32_t row, struct loop_look *look)
{
    const struct region *region = view->region;
    const struct instruction *here = &region->code->items[row];
    struct reach reach = reach_for(view, row);
    if (!reach.known || reach.level <= LEVEL_L1 || reach.in_order) {
        enum bottleneck_cause operand = operand_cause(view, row, look, &reach);
        if (operand != CAUSE_UNKNOWN)
            return operand;
    }
    bool far = reach.known && reach.level != LEVEL_L1;
    bool was_far = look->reach.level > LEVEL_L1;
    if ((far && !was_far) || (far == was_far && reach.known && region->code->hits[row] > look->reach_hits)) {
        look->reach = reach;
        look->reach_hits = region->code->hits[row];
        look->reach_row = row;
    }
    if (far && reach.is_fetched_ahead) {
        look->ruled_out_line_ns = reach.own_line_ns;
        look->walk_is_own_pace = reach.is_own_pace;
        if (reach.is_own_pace)
            return resources_first(&look->resources);
    } else if (far && (is_answered_meanwhile(view, row, look, &reach) ||
                       is_supplied_meanwhile(view, row, look, &reach))) {
        return resources_first(&look->resources);
    } else if (far) {
        enum bottleneck_cause cause = far_cause(view->request, region, row, &reach);
        return is_in_shadow(view, row, cause, &reach) ? CAUSE_UNKNOWN : cause;
    }
    if (is_prefetch_waiting(view, row, &reach))
        return CAUSE_PARALLEL_MISSES;
    if (here->class == INSTRUCTION_STRING && reach.known) /* within the nearest cache: as fast as it is carried out */
        return CAUSE_PORTS;
    return here->class == INSTRUCTION_ATOMIC || is_behind_atomic(region, row) ? CAUSE_ATOMIC
                                                                              : near_cause(view, row, look, &reach);
}

/*
 * Behind a wrong guess each result comes as late as it can; where units and chains of results are not what a turn takes
 * by this core's costs, arithmetic that was met so waits for the guess.
 */
static bool is_late_by_guess(const struct rows_view *view, const struct loop_look *look)
{
    const struct loop_bound *bound = view->bound;
    return bottleneck_class_of(view->quick) == BOTTLENECK_BAD_SPECULATION && bound->known && !bound->is_lower &&
           resources_first(&look->resources) == CAUSE_RETIRING;
}

static bool is_of_chain(const struct loop_result_chain *chain, uint32_t row)
{
    for (uint32_t at = 0; at < chain->row_count; at++)
        if (chain->rows[at] == row)
            return true;
    return false;
}

/*
 * Issue or units take no longer than the chain, as far as neighbours let one tell: then that may be what it waits for.
 */
static bool is_chain_near(const struct loop_bound *bound)
{
    double apart = bottleneck_thresholds.bound_apart;
    return bound->known && !bound->is_lower && bound->chain.cycles * apart >= bound->frontend_cycles &&
           bound->chain.cycles * apart >= bound->unit_cycles;
}

/*
 * Of two that take as long as one another, a single instruction with most of the samples is the chain's: units leave
 * them on several.
 */
static bool is_place_of_chain(const struct rows_view *view, uint32_t row)
{
    bool most =
        (double)view->region->code->hits[row] >= bottleneck_thresholds.fp_one_place * (double)view->region->samples;
    return most && view->region->is_loop && is_chain_near(view->bound) && is_of_chain(&view->bound->chain, row);
}

/*
 * Arithmetic that needs what a division computes shows that one's wait, where by this core's costs nothing else takes a
 * turn as long.
 */
static bool waits_for_division(const struct rows_view *view, const struct loop_look *look, uint32_t row)
{
    const struct loop_bound *bound = view->bound;
    bool is_longest = !bound->known || bound->is_lower ||
                      (bound->unit_kind == UNIT_DIVIDER && bound->unit_cycles >= bound->frontend_cycles &&
                       bound->unit_cycles >= bound->chain.cycles) ||
                      resources_first(&look->resources) == CAUSE_DIVIDE;
    return is_longest && view->region->code->marks[row] & MARK_DIVIDED;
}

/*
 * By the costs of this core the chain of results is what a turn takes: arithmetic that stalls in it waits for that,
 * whatever most of the chain is (a value that goes round through memory, too).
 */
static enum bottleneck_cause arithmetic_cause(const struct rows_view *view, const struct loop_look *look, uint32_t row,
                                              enum bottleneck_cause otherwise)
{
    enum bottleneck_cause chain = resources_chain(&look->resources);
    if (chain != CAUSE_UNKNOWN)
        return chain;
    if (waits_for_division(view, look, row))
        return CAUSE_DIVIDE;
    if (is_place_of_chain(view, row))
        return CAUSE_LATENCY_CHAIN;
    return is_late_by_guess(view, look) ? CAUSE_UNKNOWN : otherwise;
}

static enum bottleneck_cause row_cause(struct rows_view *view, uint32_t row, struct loop_look *look)
{
    const struct instruction *here = &view->region->code->items[row];
    if (row == 0 && view->request->calls_are_guessed)
        return CAUSE_INDIRECT;
    if (here->divides || here->class == INSTRUCTION_DIV || here->class == INSTRUCTION_FP_DIV)
        return CAUSE_DIVIDE;
    /* Behind a call, samples fall when the function called has returned: they say nothing of what the call reads. */
    bool accesses = here->memory.is_present && here->class != INSTRUCTION_CALL &&
                    (here->is_load || here->is_store || here->class == INSTRUCTION_PREFETCH);
    enum bottleneck_cause cause = accesses ? access_cause(view, row, look) : CAUSE_UNKNOWN;
    if (cause != CAUSE_UNKNOWN)
        return cause;
    if (view->region->code->marks[row] & MARK_CHAINED)
        return view->region->code->marks[row] & MARK_DIVIDE_CHAIN && resources_chain(&look->resources) == CAUSE_DIVIDE
                   ? CAUSE_DIVIDE
                   : CAUSE_LATENCY_CHAIN;
    switch (here->class) {
    case INSTRUCTION_FP:
        return arithmetic_cause(view, look, row, CAUSE_FP);
    case INSTRUCTION_MUL:
    case INSTRUCTION_CRYPTO:
        return arithmetic_cause(view, look, row, CAUSE_PORTS);
    case INSTRUCTION_BARRIER:
        return CAUSE_ATOMIC;
    case INSTRUCTION_GATHER:
    case INSTRUCTION_SCATTER:
        return CAUSE_UNKNOWN;
    default:
        return here->class == INSTRUCTION_LOAD_OP && here->is_fp ? arithmetic_cause(view, look, row, CAUSE_FP)
                                                                 : CAUSE_UNKNOWN;
    }
}

/*
 * Where a wrong guess shows on the second instruction of its way, the first ones show how often its targets were met
 * without one: an even comparison, which two of five samples on the second ones outweigh (well guessed, a tenth stand
 * there at most; with a quarter, half as many again as on the first are enough). Else both are one place, of which a
 * third or less is well guessed.
 */
static bool waits_for_targets(const struct guesses *guesses, bool restarts_behind)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    if (guesses->table_share >= limit->table_guessed)
        return true;
    double over = guesses->table_share >= limit->landing_restarts ? 1.5 : 2;
    return restarts_behind && guesses->table_share >= limit->table_restarts &&
           guesses->table_share >= over * guesses->table_retired;
}

/* What the region shows as a whole; UNKNOWN: it doesn't. */
static enum bottleneck_cause quick_cause(const struct loop_look *look, bool restarts_behind)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct guesses *guesses = &look->guesses;
    const struct loop_bound *bound = &look->resources.bound;
    bool paced = look->pace.over_bound_most > 0 && !bound->is_lower;
    if (!guesses->has_enough)
        return CAUSE_UNKNOWN;
    if (paced && look->pace.over_bound_most < limit->bound_met)
        return resources_first(&look->resources);
    bool by_table = guesses->table_share >= (restarts_behind ? limit->table_restarts : limit->table_share);
    if (by_table && (restarts_behind || guesses->evenness >= limit->even_most))
        return waits_for_targets(guesses, restarts_behind) ? CAUSE_INDIRECT : CAUSE_UNKNOWN;
    bool gathers = guesses->landing_shown >= limit->landing_least &&
                   guesses->landing_shown >= limit->landing_enrichment * guesses->landing_rows;
    /*
     * Apart from what retires in step, it needs no samples everywhere else: of 111 programs those with wrong guesses,
     * and one other.
     */
    bool restarts = restarts_behind && guesses->landing_shown >= limit->landing_restarts &&
                    guesses->evenness >= limit->even_restarts &&
                    guesses->landing_shown >= limit->restarts_enrichment * guesses->landing_rows;
    /*
     * Where the first instructions of the ways can't wait, samples behind them show it in a loop of few instructions,
     * too.
     */
    restarts |= guesses_show_restarts(guesses, limit->landing_enrichment);
    if (guesses->branches && restarts)
        return CAUSE_CONDITIONAL;
    bool both = guesses->both_ways >= limit->both_ways_even && guesses->evenness >= limit->even_both;
    if (guesses->branches && gathers && (guesses->evenness >= limit->even_least || both))
        return CAUSE_CONDITIONAL;
    bool missed = paced && look->pace.over_bound_most > limit->bound_missed;
    if (missed && guesses->branches && guesses->evenness > limit->even_most)
        return CAUSE_CONDITIONAL;
    /*
     * A rate that isn't accepted bounds the time of a turn from above alone: that says of no turn that it takes longer
     * than its bound.
     */
    bool slower = look->pace.over_bound > limit->bound_missed && !bound->is_lower;
    return slower || (guesses->branches && guesses->evenness > limit->even_most) ? CAUSE_UNKNOWN
                                                                                 : resources_first(&look->resources);
}

static void look_add(struct loop_look *look, enum bottleneck_cause cause, uint32_t row)
{
    const struct stall_code *code = look->region->code;
    look->samples[cause] += (double)code->hits[row];
    if (look->hottest[cause] == UINT32_MAX || code->hits[row] > code->hits[look->hottest[cause]])
        look->hottest[cause] = row;
}

/* Of one class: the cause with most samples; UNKNOWN: none has any. */
static enum bottleneck_cause loop_look_first_of(const struct loop_look *look, enum bottleneck_class class)
{
    enum bottleneck_cause best = CAUSE_UNKNOWN;
    for (int cause = 1; cause < CAUSE_COUNT; cause++)
        if (bottleneck_class_of((enum bottleneck_cause)cause) == class &&
            look->samples[cause] > (best == CAUSE_UNKNOWN ? 0 : look->samples[best]))
            best = (enum bottleneck_cause)cause;
    return best;
}

/*
 * In a loop that waits for its own results most of the time, its quick instructions wait along: they are no second
 * cause.
 */
static void quick_join(struct loop_look *look)
{
    enum bottleneck_cause first = loop_look_first(look);
    if (!look->region->is_loop || bottleneck_class_of(first) != BOTTLENECK_CORE ||
        look->samples[first] < look->samples[CAUSE_RETIRING])
        return;
    look->samples[first] += look->samples[CAUSE_RETIRING];
    look->samples[CAUSE_RETIRING] = 0;
}

/*
 * By this core's costs neither units nor a chain of results are what a turn takes, and its data comes from beyond the
 * nearest cache, as other samples show: then arithmetic that was met waiting waits for its operands.
 */
static void operands_join(struct loop_look *look)
{
    const struct loop_bound *bound = &look->resources.bound;
    enum bottleneck_cause memory = loop_look_first_of(look, BOTTLENECK_MEMORY);
    if (!look->region->is_loop || !bound->known || bound->is_lower ||
        resources_first(&look->resources) != CAUSE_RETIRING || memory == CAUSE_UNKNOWN ||
        look->samples[memory] < bottleneck_thresholds.operands_least * (double)look->region->samples ||
        look->reach.order_is_open)
        return;
    look->samples[memory] += look->samples[CAUSE_FP];
    look->samples[CAUSE_FP] = 0;
}

/* A turn was measured to take longer than its instructions do: one whose rate isn't known may take no longer. */
static bool is_measured_slower(const struct loop_look *look)
{
    return look->pace.over_bound > bottleneck_thresholds.bound_missed && !look->resources.bound.is_lower;
}

/* By this core's costs issue or other units than those for floating point are what a turn takes. */
static bool is_fp_spare(const struct loop_look *look)
{
    const struct loop_bound *bound = &look->resources.bound;
    enum bottleneck_cause first = resources_first(&look->resources);
    return look->region->is_loop && bound->known && !bound->is_lower &&
           (first == CAUSE_RETIRING || first == CAUSE_PORTS);
}

static bool is_fp_at_one_place(const struct loop_look *look)
{
    uint32_t row = look->hottest[CAUSE_FP];
    return row != UINT32_MAX && (double)look->region->code->hits[row] >=
                                    bottleneck_thresholds.fp_one_place * (double)look->region->samples;
}

/*
 * Where nothing says that a turn takes longer than its instructions do, those at arithmetic that keeps its units busy
 * for less stand there because it retires there.
 */
static void fp_join(struct loop_look *look)
{
    enum bottleneck_cause first = resources_first(&look->resources);
    bool may_join = look->samples[CAUSE_FP] > 0 && is_fp_spare(look) && !is_measured_slower(look);
    if (may_join && look->quick_classes & 1u << bottleneck_class_of(first))
        look->fp_tied = look->samples[CAUSE_FP];
    if (!may_join || look->quick_cause != first)
        return;
    look->fp_is_open = is_fp_at_one_place(look) && look->pace.over_bound_most <= 0;
    look->samples[first] += look->samples[CAUSE_FP];
    look->samples[CAUSE_FP] = 0;
    uint32_t own = look->hottest[CAUSE_FP], other = look->hottest[first];
    const uint64_t *hits = look->region->code->hits;
    look->hottest[first] = other == UINT32_MAX || hits[own] > hits[other] ? own : other;
}

/*
 * A turn that waits for what one of its loads brings from afar, and takes much longer than its own instructions do:
 * whatever else of it is met waits along. By a rate that leaves it open, that stays as it is.
 */
static void turn_join(struct loop_look *look, double over_own_work)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    enum bottleneck_cause memory = loop_look_first_of(look, BOTTLENECK_MEMORY);
    double over = look->pace.over_bound > 0 ? look->pace.over_bound : over_own_work;
    if (look->operand_row == UINT32_MAX || memory == CAUSE_UNKNOWN ||
        look->samples[memory] < limit->operands_least * (double)look->region->samples)
        return;
    look->operand_is_tied = over > 0 && over <= limit->bound_missed;
    for (int cause = 1; cause < CAUSE_COUNT && over > limit->bound_missed; cause++) {
        enum bottleneck_class class = bottleneck_class_of((enum bottleneck_cause)cause);
        if (class != BOTTLENECK_CORE && class != BOTTLENECK_RETIRING)
            continue;
        look->samples[memory] += look->samples[cause];
        look->samples[cause] = 0;
    }
}

/*
 * Most samples stand at one arithmetic instruction, in a turn that takes longest for issue or other units by this
 * core's costs, and was measured to take longer than that. Numbers below the smallest normal one do, by some hundred
 * cycles.
 */
static bool is_fp_unexplained(const struct loop_look *look)
{
    return is_fp_spare(look) && is_measured_slower(look) && is_fp_at_one_place(look);
}

static void unplaced_note(struct loop_look *look, const struct bottleneck_machine *machine, uint32_t row, bool unplaced)
{
    const struct region *region = look->region;
    double span = unplaced && region->is_loop ? (double)code_address_span(region->code->items, region->rows, row) : 0;
    bool is_bounded = span > 0 && 2 * span <= machine->l1_bytes;
    look->unplaced += unplaced ? region->code->hits[row] : 0;
    look->bounded += is_bounded ? region->code->hits[row] : 0;
    look->bounded_bytes = is_bounded && span > look->bounded_bytes ? span : look->bounded_bytes;
}

/* Its rate says that a turn takes what its own instructions do: nothing else holds it up. */
static bool is_at_own_pace(const struct loop_look *look)
{
    return look->pace.over_bound_most > 0 && !look->resources.bound.is_lower &&
           look->pace.over_bound_most < bottleneck_thresholds.bound_met;
}

/* As another run of the same code may show it: shares of samples and rates so much higher or lower. */
static enum bottleneck_cause quick_cause_at(const struct loop_look *look, double shares, double evenness, double pace,
                                            bool restarts_behind)
{
    struct loop_look other = *look;
    other.guesses.landing_share *= shares;
    other.guesses.landing_shown *= shares;
    other.guesses.sure_share *= shares;
    other.guesses.branch_share *= shares;
    other.guesses.table_share *= shares;
    other.guesses.both_ways *= shares;
    other.guesses.evenness *= evenness;
    other.pace.over_bound *= pace;
    other.pace.over_bound_most *= pace;
    return quick_cause(&other, restarts_behind);
}

/* Where a cause hangs on which side of a threshold a figure falls that differs by as much from run to run. */
static unsigned quick_causes(const struct loop_look *look, bool restarts_behind)
{
    static const double SHARES = 0.2, EVENNESS = 0.15, PACE = 0.15; /* seen between runs of one program */
    unsigned causes = 1u << look->quick_cause;
    for (int sign = -1; sign <= 1 && !look->is_along; sign += 2) {
        causes |= 1u << quick_cause_at(look, 1 + sign * SHARES, 1, 1, restarts_behind);
        causes |= 1u << quick_cause_at(look, 1, 1 + sign * EVENNESS, 1, restarts_behind);
        causes |= 1u << quick_cause_at(look, 1, 1, 1 + sign * PACE, restarts_behind);
    }
    return causes;
}

static unsigned classes_of(unsigned causes)
{
    unsigned classes = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        classes |= causes >> cause & 1 ? 1u << bottleneck_class_of((enum bottleneck_cause)cause) : 0;
    return classes;
}

static void quick_note(struct loop_look *look, enum bottleneck_cause along, bool restarts_behind, int supposed)
{
    look->quick_cause = supposed == CAUSE_COUNT ? quick_cause(look, restarts_behind) : (enum bottleneck_cause)supposed;
    look->is_along = along != CAUSE_UNKNOWN && bottleneck_class_of(look->quick_cause) != BOTTLENECK_BAD_SPECULATION &&
                     !is_at_own_pace(look);
    if (look->is_along)
        look->quick_cause = along;
    look->quick_causes = quick_causes(look, restarts_behind);
    look->quick_classes = classes_of(look->quick_causes);
}

void loop_look_guess_calls(struct loop_look *look)
{
    double *from = &look->samples[look->quick_cause];
    double moved = look->behind_calls < *from ? look->behind_calls : *from;
    *from -= moved;
    look->samples[CAUSE_CONDITIONAL] += moved;
    look->quick -= moved;
    look->behind_calls = 0;
}

/* The second cache answers within what a core has under way beside it: samples there may wait for nothing more. */
static bool may_overlap(const struct loop_look *look, enum bottleneck_cause cause, uint32_t row)
{
    return cause == CAUSE_L2 && !is_chased(look->region, row) && look->pace.over_bound <= 0;
}

static void others_add(struct loop_look *look, const struct loop_look *other)
{
    double *classes = look->others[look->other_count++];
    for (int own = 0; own < CAUSE_COUNT; own++)
        classes[bottleneck_class_of((enum bottleneck_cause)own)] += other->samples[own];
}

/* What it shows where the second cache holds nothing up. */
static void overlapped_add(struct loop_look *look)
{
    double laid = look->samples[CAUSE_L2], moved = look->overlapped < laid ? look->overlapped : laid;
    if (moved <= 0 || look->other_count == LOOK_OTHERS_MOST)
        return;
    struct loop_look other = *look;
    other.samples[CAUSE_L2] -= moved;
    other.samples[CAUSE_RETIRING] += moved;
    others_add(look, &other);
}

/* supposed: what it shows as a whole, in place of what it does; CAUSE_COUNT: that. */
static struct loop_look look_at(const struct bottleneck_request *request, const struct region *region,
                                enum bottleneck_cause along, int supposed, struct arena *arena)
{
    struct loop_look look = {.region = region,
                             .operand_row = UINT32_MAX,
                             .reach_row = UINT32_MAX,
                             .guesses = guesses_of(region, request->stalls->restarts_behind),
                             .resources = resources_of(request, region)};
    struct rows_view view = {.request = request, .region = region, .bound = &look.resources.bound, .arena = arena,
                             .beside = UINT32_MAX};
    look.pace = pace_of(request, region, &look.resources.bound, arena);
    for (size_t cause = 0; cause < CAUSE_COUNT; cause++)
        look.hottest[cause] = UINT32_MAX;
    quick_note(&look, along, request->stalls->restarts_behind, supposed);
    enum bottleneck_cause quick = view.quick = look.quick_cause;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row))
            continue;
        const struct instruction *here = &region->code->items[row];
        look.touches_memory |= (here->is_load || here->is_store) && here->class != INSTRUCTION_CALL;
        look.is_prefetched |= region->code->items[row].class == INSTRUCTION_PREFETCH;
        if (!region->code->hits[row])
            continue;
        if (region->code->marks[row] & MARK_POLLS) {
            look.polled += (double)region->code->hits[row];
            look_add(&look, CAUSE_UNKNOWN, row);
            continue;
        }
        view.is_open = false;
        bool unplaced = is_unplaced(request, region, row);
        unplaced_note(&look, request->machine, row, unplaced);
        enum bottleneck_cause cause = row_cause(&view, row, &look);
        bool may_wait = unplaced && here->is_load &&
                        (double)region->code->hits[row] >= UNPLACED_HOT * (double)region->samples &&
                        bottleneck_class_of(quick) != BOTTLENECK_BAD_SPECULATION;
        may_wait |= view.is_open;
        look.quick += cause == CAUSE_UNKNOWN && !may_wait ? (double)region->code->hits[row] : 0;
        look.behind_calls +=
            cause == CAUSE_UNKNOWN && here->class == INSTRUCTION_CALL ? (double)region->code->hits[row] : 0;
        look.overlapped += may_overlap(&look, cause, row) ? (double)region->code->hits[row] : 0;
        look_add(&look, cause != CAUSE_UNKNOWN || may_wait ? cause : quick, row);
    }
    quick_join(&look);
    operands_join(&look);
    turn_join(&look, view.over_own_work);
    fp_join(&look);
    look.fp_is_unexplained = loop_look_first(&look) == CAUSE_FP && is_fp_unexplained(&look);
    look.chain_is_open =
        look.samples[CAUSE_LATENCY_CHAIN] > 0 && look.pace.over_bound <= 0 && loads_reach_far(request, region);
    look.touched = reach_together(request, region, arena);
    return look;
}

/*
 * Branches that go both ways may be guessed wrong or right: runs of one program were seen to differ by more than any
 * figure's own error.
 */
static unsigned far_causes(const struct loop_look *look)
{
    bool is_open = look->guesses.branches && look->guesses.has_enough && !look->is_along && !is_at_own_pace(look);
    return is_open ? 1u << CAUSE_CONDITIONAL | 1u << resources_first(&look->resources) : 0;
}

struct loop_look loop_look_of(const struct bottleneck_request *request, const struct region *region,
                              enum bottleneck_cause along, struct arena *arena)
{
    struct loop_look look = look_at(request, region, along, CAUSE_COUNT, arena);
    unsigned likely = look.quick_causes & ~(1u << look.quick_cause), causes = likely | far_causes(&look);
    for (int step = 0; step < 2; step++) {
        unsigned wanted = step ? causes & ~likely & ~(1u << look.quick_cause) : likely;
        for (int cause = 0; cause < CAUSE_COUNT && look.other_count < LOOK_OTHERS_MOST - 1; cause++) {
            if (!(wanted >> cause & 1))
                continue;
            struct loop_look other = look_at(request, region, along, cause, arena);
            others_add(&look, &other);
            look.likely_count += !step;
        }
    }
    overlapped_add(&look);
    return look;
}

enum bottleneck_cause loop_look_first(const struct loop_look *look)
{
    enum bottleneck_cause best = CAUSE_UNKNOWN;
    for (int cause = 1; cause < CAUSE_COUNT; cause++)
        if (look->samples[cause] > (best == CAUSE_UNKNOWN ? 0 : look->samples[best]))
            best = (enum bottleneck_cause)cause;
    return best;
}
