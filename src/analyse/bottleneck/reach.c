/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/reach.h"

#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/short_walk.h"
#include "analyse/bottleneck/thresholds.h"
#include "analyse/bottleneck/walk.h"
#include "analyse/memory/common_divisor.h"
#include "analyse/memory/touched_while.h"
#include "base/cache_line.h"

enum {
    PAGE_BYTES = 4096,
    ADDRESSES_MOST = 20000, /* the estimate doesn't get better with more */
    PARTS_MOST = 24,        /* accesses of a region that are looked at: long unrolled loops repeat themselves */
    TRIED_MOST = 96,        /* … that may turn out to have too few addresses */
    ADDRESSES_A_SAMPLE = 4, /* at most: of the one that stalled, of the one behind, from either timer */
};

/* Its few samples can't show where it reaches. */
static bool is_too_small(const struct region *region)
{
    return region->samples * ADDRESSES_A_SAMPLE < WORKING_SET_ADDRESSES_LEAST;
}

/* crowding: lines a power of two apart share so much fewer sets of a cache. */
static enum bottleneck_level level_of(const struct bottleneck_machine *machine, double bytes, double crowding)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    return bytes * crowding <= machine->l1_bytes * limit->set_over_cache  ? LEVEL_L1
           : bytes * crowding <= machine->l2_bytes * limit->l2_over_cache ? LEVEL_L2
                                                                          : LEVEL_BEYOND;
}

/*
 * By the lines met; where they are too few to count, they are more than a lower bound, and fewer than its upper one or
 * than the pages hold.
 */
static bool level_find(struct reach *reach, const struct bottleneck_machine *machine, double crowding)
{
    const struct touched_memory *touched = &reach->touched;
    reach->level = level_of(machine, reach->lines_bytes, crowding);
    reach->is_crowded = reach->level > level_of(machine, reach->lines_bytes, 1);
    reach->crowding = crowding;
    if (touched->lines_bytes.known || reach->level == LEVEL_BEYOND)
        return true;
    double most = touched->lines_most_bytes;
    most = touched->pages_bytes.known && touched->pages_bytes.high < most ? touched->pages_bytes.high : most;
    bool is_small = touched->pages_bytes.known && level_of(machine, touched->pages_bytes.mid, 1) == LEVEL_L1;
    if (is_small || reach->level == LEVEL_L1)
        return is_small;
    reach->level_is_open = level_of(machine, most, 1) != reach->level;
    reach->level = reach->level_is_open ? LEVEL_BEYOND : reach->level;
    return true;
}

/* The row of the region of whose accesses most addresses are known. */
static uint32_t hottest_access(const struct bottleneck_request *request, const struct region *region)
{
    uint32_t best = UINT32_MAX;
    size_t most = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        if (!region_holds(region, row) || !(here->is_load || here->is_store) || !here->memory.is_present)
            continue;
        size_t known = code_index_row_addresses(request->index, region->function, row).count;
        best = best == UINT32_MAX || known > most ? row : best;
        most = known > most ? known : most;
    }
    return best;
}

/* Lines that a turn of `step` bytes meets: others of its accesses go along. */
static double lines_a_turn(const struct region *region, int64_t step)
{
    double most = (double)(step < 0 ? -step : step) / CACHE_LINE_BYTES, along = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        int64_t other;
        const struct instruction *here = &region->code->items[row];
        along += region_holds(region, row) && (here->is_load || here->is_store) &&
                 code_loop_step(region->code->items, region->rows, row, &other) && other == step;
    }
    return most < 1 || along < 1 ? 1 : along < most ? along : most;
}

/* The most that a walk in order can pass, by where its lines come from: no cache, and no memory, gives more. */
static double fastest_walk(const struct reach *reach, const struct bottleneck_machine *machine)
{
    static const double LINE_NS_LEAST = 0.3, LINE_NS_LEAST_BEYOND = 1;
    double documented = CACHE_LINE_BYTES / (reach->level == LEVEL_BEYOND ? LINE_NS_LEAST_BEYOND : LINE_NS_LEAST);
    double measured = machine->read_bytes_s.known
                          ? machine->read_bytes_s.high * 1e-9 * bottleneck_thresholds.walk_fastest
                          : documented;
    return reach->level == LEVEL_BEYOND && measured < documented ? measured : documented;
}

/*
 * Along a column, every place is far from the last: fewer lines than its pages hold, or passed faster than they could
 * come.
 */
static bool skips_lines(const struct reach *reach, const struct walk *walk, const struct bottleneck_machine *machine)
{
    static const double PAGES_A_LINE = 3;
    struct interval lines = reach->touched.lines_bytes, pages = reach->touched.pages_bytes;
    bool is_sparse = lines.known && pages.known && pages.mid > PAGES_A_LINE * lines.mid;
    return is_sparse || walk->bytes_per_ns > fastest_walk(reach, machine);
}

/*
 * Streams that a loop moves through memory: each load's of its own registers; a store's line is fetched and written
 * back.
 */
static double streams_of(const struct region *region)
{
    double streams = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        bool again = false;
        int64_t step;
        if (!region_holds(region, row) || !(here->is_load || here->is_store) ||
            !code_loop_step(region->code->items, region->rows, row, &step))
            continue;
        for (uint32_t before = region->rows.first; before < row && !again; before++) {
            const struct instruction *other = &region->code->items[before];
            again = other->memory.is_present && other->memory.base == here->memory.base &&
                    other->memory.index == here->memory.index && other->is_store == here->is_store;
        }
        streams += again ? 0 : here->is_store ? 2 : 1;
    }
    return streams;
}

/* Arrays that it moves through: what is read and written by the same registers is one. */
static unsigned arrays_of(const struct region *region)
{
    unsigned arrays = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        bool again = false;
        int64_t step;
        if (!region_holds(region, row) || !(here->is_load || here->is_store) || !here->memory.is_present ||
            !code_loop_step(region->code->items, region->rows, row, &step))
            continue;
        for (uint32_t before = region->rows.first; before < row && !again; before++) {
            const struct memory_operand *other = &region->code->items[before].memory;
            again = other->is_present && other->base == here->memory.base && other->index == here->memory.index;
        }
        arrays += !again;
    }
    return arrays;
}

/* What the turns of one line take by this core's costs, memory apart, with so many bytes a turn; 0: not known. */
static double own_work_ns(const struct bottleneck_machine *machine, const struct loop_bound *bound, int64_t step)
{
    if (!machine->clock_hz.known || !bound || !bound->known || bound->is_lower || !step)
        return 0;
    double turns = CACHE_LINE_BYTES / (double)(step < 0 ? -step : step);
    return bound->cycles / machine->clock_hz.mid * 1e9 * (turns > 1 ? turns : 1);
}

/*
 * Slower than any single stream, and still what memory takes: several streams share its bandwidth, others there as
 * well, and the loop's own work explains little of it.
 */
static bool is_slow_memory(const struct bottleneck_request *request, const struct region *region, double own_ns,
                           double line_ns)
{
    const struct bottleneck_machine *machine = request->machine;
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    if (!machine->read_bytes_s.known || own_ns <= 0)
        return false;
    double alone_ns = CACHE_LINE_BYTES / machine->read_bytes_s.mid * 1e9;
    return line_ns <= limit->walk_contention * streams_of(region) * alone_ns && line_ns > limit->bound_missed * own_ns;
}

/*
 * A loop that steps through a few elements, each time somewhere else: between two samples so near in time that no walk
 * could have left the neighbourhood, addresses have no direction and agree on no speed (a hash table's entries: git's
 * create_delta). Where the loop itself says that it ends after a few (the keys of a tree's node), it is enough that no
 * walk could have come round.
 */
static bool begins_elsewhere(const struct reach *reach, const struct walk *walk,
                             const struct bottleneck_machine *machine, bool is_short)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    double neighbourhood = is_short ? 1 : limit->walk_neighbourhood;
    return walk->pairs && walk->agreeing < limit->walk_scattered && walk->drifting < limit->walk_undirected &&
           neighbourhood * fastest_walk(reach, machine) * walk->pair_ns < reach->lines_bytes;
}

/*
 * Faster than its own instructions can go, by what its code moves on in a turn: between two samples it began anew
 * further on, and left out what lies between.
 */
static bool leaps(const struct reach *reach, double own_ns)
{
    return reach->line_ns > 0 && reach->own_line_ns * bottleneck_thresholds.bound_missed < own_ns;
}

/* A rate that has the samples' own time in it changes with what they take. */
bool reach_is_too_slow(const struct reach *reach)
{
    return reach->own_line_ns < reach->line_ns ? reach->own_line_ns > bottleneck_thresholds.walk_own_line_ns
                                               : reach->line_ns > bottleneck_thresholds.walk_line_ns;
}

bool reach_is_below_ceiling(const struct reach *reach, const struct bottleneck_machine *machine)
{
    return reach->line_ns > 0 && machine->read_bytes_s.known &&
           CACHE_LINE_BYTES * 1e9 / reach->own_line_ns * (reach->streams > 1 ? reach->streams : 1) <
               bottleneck_thresholds.walk_outruns * machine->read_bytes_s.mid;
}

/*
 * By the code where it counts evenly, else by neighbouring samples. grain: what all addresses are apart by whole times
 * of.
 */
static void order_find(struct reach *reach, const struct bottleneck_request *request, const struct region *region,
                       const struct loop_bound *bound, uint32_t row, uint64_t grain)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    struct walk walk = walk_of(request, region, row);
    int64_t step = 0;
    bool counted = region->is_loop && code_loop_step(region->code->items, region->rows, row, &step);
    bool agrees = walk.pairs && walk.agreeing >= limit->walk_agreeing;
    bool drifts = walk.pairs && walk.drifting >= limit->walk_drifting;
    double lines = counted ? lines_a_turn(region, step) : 1, way = (double)(step < 0 ? -step : step);
    /* A turn meets nearly all of the lines on its way. */
    bool by_code = way <= CACHE_LINE_BYTES || way <= 2 * CACHE_LINE_BYTES * lines;
    reach->in_order =
        counted ? by_code && !begins_elsewhere(reach, &walk, request->machine, walk_is_short(request, region, row))
                : (agrees || drifts) && !skips_lines(reach, &walk, request->machine);
    double width = counted && way > CACHE_LINE_BYTES ? way / lines : CACHE_LINE_BYTES;
    reach->order_is_open = !counted && !reach->in_order && walk.pairs &&
                           fastest_walk(reach, request->machine) * walk.pair_ns >= reach->lines_bytes;
    reach->line_ns = reach->in_order && agrees && walk.bytes_per_ns > 0 ? width / walk.bytes_per_ns : 0;
    reach->own_line_ns =
        reach->line_ns > 0 && walk.free_bytes_per_ns > 0 ? width / walk.free_bytes_per_ns : reach->line_ns;
    reach->arrays = counted ? arrays_of(region) : 0;
    reach->streams = counted ? streams_of(region) : 0;
    /* Where the code's counting isn't seen, a walk in order takes one of its elements a turn. */
    double own_ns = own_work_ns(request->machine, bound, counted ? step : (int64_t)grain);
    reach->own_work_ns = own_ns;
    if (counted && leaps(reach, own_ns)) {
        reach->in_order = false;
        reach->line_ns = reach->own_line_ns = 0;
    }
    /* Faster than what lies there hands anything over: its lines came from nearer, whatever its addresses look like. */
    bool is_faster = reach->line_ns > 0 && width / reach->own_line_ns * (reach->arrays > 1 ? reach->arrays : 1) >
                                               fastest_walk(reach, request->machine);
    reach->is_own_pace = is_faster || (reach->line_ns > 0 && reach->own_line_ns <= limit->bound_met * own_ns);
    bool is_too_slow =
        reach_is_too_slow(reach) && !is_slow_memory(request, region, counted ? own_ns : 0, reach->line_ns);
    reach->is_fetched_ahead = is_too_slow || reach->is_own_pace;
}

static void stalled_addresses(address_list *list, const struct bottleneck_request *request, const struct region *region,
                              uint32_t row)
{
    bool all = row == UINT32_MAX;
    struct index_part own = all ? code_index_addresses(request->index, region->function)
                                : code_index_row_addresses(request->index, region->function, row);
    for (size_t at = 0; at < own.count && list->count < ADDRESSES_MOST; at++) {
        const struct stall_address *hit = &request->stalls->addresses[own.items[at]];
        if (!all || region_holds(region, hit->instruction))
            *vec_push(list) = (struct timed_address){hit->time_ns, hit->addr, hit->thread};
    }
}

/* How large a part of the function's, or the row's, addresses lies on huge pages: 0..1. */
static double huge_part(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    struct index_part own = row == UINT32_MAX ? code_index_addresses(request->index, region->function)
                                              : code_index_row_addresses(request->index, region->function, row);
    double huge = 0;
    for (size_t at = 0; at < own.count; at++)
        huge += request->stalls->addresses[own.items[at]].on_huge_page;
    return own.count ? huge / (double)own.count : 0;
}

/* More pages, of the size that most addresses lie on, than the second-level TLB has entries. */
static bool exceeds_tlb(const struct bottleneck_request *request, double pages_bytes, double huge)
{
    static const double HUGE_PAGE_BYTES = 2 << 20, MOST = 0.5;
    double least = bottleneck_thresholds.tlb_pages_bytes;
    return huge >= MOST ? pages_bytes > least * HUGE_PAGE_BYTES / request->machine->base_page_bytes
                        : pages_bytes * (1 - huge) > least;
}

/* What all distances between the addresses are multiples of: the size of the elements that a walk meets. */
static uint64_t grain_of(const address_list *list)
{
    uint64_t grain = 0;
    for (size_t at = 1; at < list->count; at++) {
        uint64_t first = list->items[0].addr, here = list->items[at].addr;
        grain = common_divisor(grain, here > first ? here - first : first - here);
    }
    return grain ? grain : 1;
}

/* … but where all stand in one line of each element, an element is one line, wherever in it they stand. */
static uint64_t walked_step(const address_list *list)
{
    struct working_set set = working_set_of(list->items, list->count);
    uint64_t grain = grain_of(list);
    return set.one_place_in_stride && set.stride_bytes > grain ? set.stride_bytes : grain;
}

/* One row after the other, whatever the time says of their order. */
static bool goes_by_rows(const address_list *list)
{
    struct working_set set = working_set_of(list->items, list->count);
    return working_set_walks_rows(&set);
}

/* Elements a power of two of lines apart, up to a page, leave the sets between unused. */
static double crowding_of(uint64_t grain)
{
    uint64_t apart = grain & -grain;
    return apart <= CACHE_LINE_BYTES ? 1
           : apart >= PAGE_BYTES     ? (double)PAGE_BYTES / CACHE_LINE_BYTES
                                     : (double)apart / CACHE_LINE_BYTES;
}

/* How far the code moves on for each line it meets: others of its accesses by the same registers go along. */
static uint64_t step_a_line(const struct region *region, uint32_t row, int64_t step)
{
    const struct instruction *items = region->code->items;
    const struct memory_operand *own = &items[row].memory;
    uint64_t way = (uint64_t)(step < 0 ? -step : step), lines = 0;
    int64_t last = INT64_MIN;
    for (uint32_t at = region->rows.first; at <= region->rows.last; at++) {
        const struct memory_operand *other = &items[at].memory;
        bool along = region_holds(region, at) && other->is_present && (items[at].is_load || items[at].is_store) &&
                     other->base == own->base && other->index == own->index;
        int64_t place = (other->displacement - (other->displacement < 0 ? CACHE_LINE_BYTES - 1 : 0)) / CACHE_LINE_BYTES;
        lines += along && place != last;
        last = along ? place : last;
    }
    return lines > 1 && way / lines > CACHE_LINE_BYTES ? way / lines : lines > 1 ? CACHE_LINE_BYTES : way;
}

/*
 * Down a column it comes back to the same lines by its next places, too: their distances say nothing, the code's step
 * does.
 */
static double crowding_by_step(const struct region *region, uint32_t row)
{
    int64_t step;
    bool counted =
        region->is_loop && row != UINT32_MAX && code_loop_step(region->code->items, region->rows, row, &step) && step;
    return counted ? crowding_of(step_a_line(region, row, step)) : 1;
}

/* Where the loop moves the row's place on by a register: how far, by its samples. 0: it isn't so, or they disagree. */
static int64_t step_by_register(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    enum { LOOKED_AT_MOST = 64 };
    uint8_t by = walk_step_register(region, row);
    if (by == REGISTER_NONE)
        return 0;
    const struct samples *samples = &request->recording->samples;
    struct index_part own = code_index_placed(request->index, region->function);
    uint64_t step = 0, here;
    size_t looked_at = 0, alike = 0;
    for (size_t at = 0; at < own.count && looked_at < LOOKED_AT_MOST; at++) {
        const struct stall_sample *placed = &request->stalls->placed[own.items[at]];
        if (!region_holds(region, placed->sampled) ||
            !samples_register(samples, &samples->items[placed->sample], by, &here))
            continue;
        step = looked_at++ ? step : here;
        alike += step == here;
    }
    return looked_at == LOOKED_AT_MOST && alike * 10 >= looked_at * 9 ? (int64_t)step : 0;
}

/* The code's own word outweighs what the addresses look like. */
static void step_note(struct working_set *set, int64_t step)
{
    enum { STRIDE_LEAST = 2 * CACHE_LINE_BYTES };
    uint64_t way = (uint64_t)(step < 0 ? -step : step);
    if (way < STRIDE_LEAST)
        return;
    set->stride_bytes = way;
    set->stride_score = 1;
    set->one_place_in_stride = false; /* it goes through them in a row, wherever in them it stands */
}

/* No walk in order steps over lines: by the code's own word, or by all of its samples. */
static bool steps_over_lines(const struct bottleneck_request *request, const struct region *region, uint32_t row,
                             const struct working_set *set, int64_t step)
{
    int64_t counted;
    if (step > 2 * CACHE_LINE_BYTES || step < -2 * CACHE_LINE_BYTES)
        return true;
    return set->stride_bytes > 2 * CACHE_LINE_BYTES &&
           !code_loop_step(region->code->items, region->rows, row, &counted) &&
           walk_steps_by(request, region, row, set->stride_bytes) >= bottleneck_thresholds.walk_stepping;
}

static bool is_walked(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    struct walk walk = walk_of(request, region, row);
    return walk.pairs && (walk.agreeing >= bottleneck_thresholds.walk_agreeing ||
                          walk.drifting >= bottleneck_thresholds.walk_drifting);
}

/* Where a string instruction writes while it reads: its second address. */
static void copied_addresses(address_list *list, const struct bottleneck_request *request, const struct region *region,
                             uint32_t row)
{
    const struct samples *samples = &request->recording->samples;
    struct index_part own = code_index_placed(request->index, region->function);
    for (size_t at = 0; at < own.count && list->count < ADDRESSES_MOST; at++) {
        const struct stall_sample *placed = &request->stalls->placed[own.items[at]];
        const struct sample *sample = &samples->items[placed->sample];
        uint64_t addr;
        if (placed->stalled == row && !placed->is_again &&
            samples_register(samples, sample, region->code->items[row].copy_register, &addr))
            *vec_push(list) = (struct timed_address){sample->time_ns, addr, sample->thread};
    }
}

static struct touched_memory touched_by_string(const struct bottleneck_request *request, const struct region *region,
                                               uint32_t row, const address_list *stalled, struct arena *arena)
{
    struct touched_memory ways[2] = {touched_memory_of(stalled->items, stalled->count, 1, arena)};
    if (!region->code->items[row].copies)
        return ways[0];
    address_list copied = {0};
    copied_addresses(&copied, request, region, row);
    ways[1] = touched_memory_of(copied.items, copied.count, 1, arena);
    vec_done(&copied);
    return touched_memory_joined(ways, array_count(ways), arena);
}

/* What the code counts on is known at every sample of the loop; else only where it stalled. */
static struct touched_memory touched_of(const struct bottleneck_request *request, const struct region *region,
                                        uint32_t row, const address_list *stalled, struct arena *arena)
{
    int64_t step = 0;
    if (row != UINT32_MAX && region->code->items[row].class == INSTRUCTION_STRING)
        return touched_by_string(request, region, row, stalled, arena);
    bool counted =
        row != UINT32_MAX && region->is_loop && code_loop_step(region->code->items, region->rows, row, &step) && step;
    if (!counted) {
        bool walked = row != UINT32_MAX && stalled->count >= WORKING_SET_ADDRESSES_LEAST &&
                      (is_walked(request, region, row) || goes_by_rows(stalled));
        return touched_memory_of(stalled->items, stalled->count, walked ? walked_step(stalled) : 0, arena);
    }
    address_list met = {0};
    addresses_met(&met, request, region, row);
    struct touched_memory touched = touched_memory_of(met.items, met.count, step_a_line(region, row, step), arena);
    vec_done(&met);
    return touched;
}

/* Most of it stalled at an access whose addresses were overwritten: the few others say nothing of where it goes. */
static bool hides_addresses(const struct bottleneck_request *request, const struct region *region)
{
    double lost = 0;
    for (uint32_t row = region->rows.first; region->code->lost && row <= region->rows.last; row++)
        if (region_holds(region, row) &&
            code_index_row_addresses(request->index, region->function, row).count < WORKING_SET_ADDRESSES_LEAST)
            lost += region->code->lost[row];
    return lost > 0.5 * (double)region->samples;
}

/* By the same registers as an access before: it moves along with that one. */
static bool moves_along(const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items;
    const struct memory_operand *own = &items[row].memory;
    bool along = false;
    for (uint32_t before = region->rows.first; before < row && !along; before++) {
        const struct memory_operand *other = &items[before].memory;
        along = region_holds(region, before) && (items[before].is_load || items[before].is_store) &&
                other->is_present && other->base == own->base && other->index == own->index;
    }
    return along;
}

/* What the loop's walks go over at a time, all of them together: each of them takes its part of a cache. */
static struct measured walked_at_a_time(const struct bottleneck_request *request, const struct region *region,
                                        const address_list *stalled, bool *ret_comes_back)
{
    address_list met = {0};
    size_t places = 0;
    for (uint32_t row = region->rows.first; region->is_loop && row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        int64_t step;
        if (!region_holds(region, row) || !(here->is_load || here->is_store) || !here->memory.is_present ||
            !code_loop_step(region->code->items, region->rows, row, &step) || !step || moves_along(region, row))
            continue;
        places++;
        addresses_met(&met, request, region, row);
    }
    struct measured walked =
        met.count ? walked_while_of(met.items, met.count, places, ret_comes_back)
                  : walked_while_of(stalled->items, stalled->count, 1, ret_comes_back);
    vec_done(&met);
    return walked;
}

/*
 * Beyond the second cache by all that it goes over, but at any time within it: what waits there waits for that one.
 */
static void window_find(struct reach *reach, const struct bottleneck_request *request, const struct region *region,
                        const address_list *addresses)
{
    const struct bottleneck_machine *machine = request->machine;
    if (reach->level != LEVEL_BEYOND)
        return;
    bool comes_back = true;
    struct measured window = reach->in_order ? walked_at_a_time(request, region, addresses, &comes_back)
                                             : touched_while_of(addresses->items, addresses->count);
    reach->at_a_time_bytes = window.known ? window.value : 0;
    if (!window.known || !comes_back || level_of(machine, window.value, 1) == LEVEL_BEYOND)
        return;
    reach->level = LEVEL_L2;
    reach->level_is_open = reach->order_is_open = reach->is_crowded = false;
    reach->window_bytes = window.value;
}

struct reach reach_of(const struct bottleneck_request *request, const struct region *region,
                      const struct loop_bound *bound, uint32_t row, struct arena *arena)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    struct reach reach = {0};
    address_list addresses = {0};
    if (is_too_small(region) || (row == UINT32_MAX && hides_addresses(request, region)))
        return reach;
    stalled_addresses(&addresses, request, region, row);
    uint32_t access = row == UINT32_MAX ? hottest_access(request, region) : row;
    if (addresses.count >= WORKING_SET_ADDRESSES_LEAST)
        reach.touched = touched_of(request, region, row, &addresses, arena);
    if (reach.touched.known) {
        const struct touched_memory *touched = &reach.touched;
        bool sized = touched->lines_bytes.known;
        int64_t step = access == UINT32_MAX ? 0 : step_by_register(request, region, access);
        reach.set = working_set_of(addresses.items, addresses.count);
        if (access != UINT32_MAX && is_chased(region, access))
            working_set_followed(&reach.set);
        step_note(&reach.set, step);
        reach.lines_bytes = sized ? touched->lines_bytes.mid : touched->lines_least_bytes;
        double crowding = crowding_of(grain_of(&addresses)), by_code = crowding_by_step(region, access);
        reach.known = level_find(&reach, request->machine, by_code > crowding ? by_code : crowding);
        double pages = touched->pages_bytes.known ? touched->pages_bytes.mid : touched->pages_least_bytes;
        bool strides =
            reach.set.stride_bytes >= request->machine->base_page_bytes / 2 && !reach.set.one_place_in_stride;
        reach.is_wide_spread = exceeds_tlb(request, pages, huge_part(request, region, row)) &&
                               ((sized && pages > limit->tlb_page_line * touched->lines_bytes.mid) || strides);
        if (reach.known && reach.level != LEVEL_L1 && access != UINT32_MAX)
            order_find(&reach, request, region, bound, access, grain_of(&addresses));
        if (reach.in_order && access != UINT32_MAX && steps_over_lines(request, region, access, &reach.set, step))
            reach.in_order = false;
        reach.is_wide_spread &= !reach.in_order;
        if (reach.known)
            window_find(&reach, request, region, &addresses);
    }
    vec_done(&addresses);
    return reach;
}

/* One way after the other: what is a little more than a cache holds is gone when it is met again. */
static enum bottleneck_level level_of_ways(const struct bottleneck_machine *machine, double bytes)
{
    return bytes <= machine->l1_bytes ? LEVEL_L1 : bytes <= machine->l2_bytes ? LEVEL_L2 : LEVEL_BEYOND;
}

/*
 * Of a row whose place the loop moves on by more than two lines each turn: what it passes on one way, which the next
 * way meets again if a cache holds so much. Its addresses are known at every sample of the loop.
 */
static struct reach reach_by_steps(const struct bottleneck_request *request, const struct region *region, uint32_t row,
                                   double step, struct arena *arena)
{
    struct reach reach = {0};
    address_list met = {0};
    bool comes_back;
    addresses_met(&met, request, region, row);
    struct measured way = walked_while_of(met.items, met.count, 1, &comes_back);
    if (way.known) {
        double turns = way.value / step, page = request->machine->base_page_bytes;
        reach.known = true;
        reach.lines_bytes = reach.window_bytes = turns * CACHE_LINE_BYTES;
        reach.crowding = crowding_of((uint64_t)step);
        reach.level = level_of_ways(request->machine, reach.lines_bytes * reach.crowding);
        reach.is_crowded = reach.level > level_of_ways(request->machine, reach.lines_bytes);
        reach.set = working_set_of(met.items, met.count);
        step_note(&reach.set, (int64_t)step);
        reach.touched = touched_memory_of(met.items, met.count, (uint64_t)step, arena);
        reach.is_wide_spread = step >= page / 2 && exceeds_tlb(request, turns * (step < page ? step : page),
                                                               huge_part(request, region, row));
    }
    vec_done(&met);
    return reach;
}

struct reach reach_beside(const struct bottleneck_request *request, const struct region *region,
                          const struct loop_bound *bound, uint32_t row, struct arena *arena)
{
    int64_t step = 0;
    if (!region->is_loop || is_too_small(region))
        return (struct reach){0};
    if (!code_loop_step(region->code->items, region->rows, row, &step))
        step = step_by_register(request, region, row);
    if (step && step_a_line(region, row, step) > 2 * CACHE_LINE_BYTES)
        return reach_by_steps(request, region, row, (double)(step < 0 ? -step : step), arena);
    return step ? (struct reach){0} : reach_of(request, region, bound, row, arena);
}

struct touched_memory reach_together(const struct bottleneck_request *request, const struct region *region,
                                     struct arena *arena)
{
    vec(struct touched_memory) parts = {0};
    uint32_t tried = 0, uncounted = 0;
    address_list together = {0};
    if (is_too_small(region) || hides_addresses(request, region))
        return (struct touched_memory){0};
    for (uint32_t row = region->rows.first; row <= region->rows.last && parts.count < PARTS_MOST && tried < TRIED_MOST;
         row++) {
        const struct instruction *here = &region->code->items[row];
        if (!region_holds(region, row) || !here->memory.is_present || !(here->is_load || here->is_store) ||
            here->class == INSTRUCTION_CALL)
            continue;
        int64_t step;
        bool counted = region->is_loop && code_loop_step(region->code->items, region->rows, row, &step);
        if (!counted &&
            code_index_row_addresses(request->index, region->function, row).count < WORKING_SET_ADDRESSES_LEAST &&
            here->class != INSTRUCTION_STRING)
            continue;
        tried++;
        address_list stalled = {0};
        stalled_addresses(&stalled, request, region, row);
        struct touched_memory part = touched_of(request, region, row, &stalled, arena);
        if (!counted && here->class != INSTRUCTION_STRING) {
            uncounted++;
            vec_for_each(&stalled, one)
                *vec_push(&together) = *one;
        }
        vec_done(&stalled);
        if (part.known)
            *vec_push(&parts) = part;
    }
    /*
     * where each of them goes to other lines of the same memory (a chase that is unrolled), only all of them show how
     * many there are
     */
    if (uncounted > 1) {
        struct touched_memory part = touched_memory_of(together.items, together.count, 0, arena);
        if (part.known)
            *vec_push(&parts) = part;
    }
    vec_done(&together);
    struct touched_memory all = touched_memory_joined(parts.items, parts.count, arena);
    vec_done(&parts);
    if (!all.known) {
        address_list stalled = {0};
        stalled_addresses(&stalled, request, region, UINT32_MAX);
        all = touched_memory_of(stalled.items, stalled.count, 0, arena);
        vec_done(&stalled);
    }
    return all;
}
