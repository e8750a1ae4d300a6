/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/resources.h"

#include "analyse/bottleneck/splits.h"
#include "analyse/bottleneck/thresholds.h"
#include "base/arena.h"

enum {
    BOUND_ROWS_MOST = 1024, /* longer loops aren't loops of one resource */
    /* shorter code overlaps with what runs before and behind it, whatever hangs together in it */
    STRAIGHT_ROWS_LEAST = 100,
};

static const double WIDTH = 4, LOADS = 2, FP_UNITS = 2;
static const double CLEARLY = 1.1; /* a tie with issue goes to issue: all units are busy then */

static bool sets_flags(const struct instruction *row)
{
    return row->class == INSTRUCTION_INT || (row->class == INSTRUCTION_LOAD_OP && !row->is_fp);
}

/* Nearly all of the region's samples lie on the way. */
static bool holds_samples(const struct loop_path *path, const struct region *region)
{
    static const double NEARLY_ALL = 0.9;
    uint64_t samples = 0;
    for (uint32_t at = 0; at < path->count; at++)
        samples += region_holds(region, path->rows[at]) ? region->code->hits[path->rows[at]] : 0;
    return (double)samples >= NEARLY_ALL * (double)region->samples;
}

static void bounds_find(struct resources *use, const struct bottleneck_request *request, const struct region *region)
{
    const struct stall_code *code = region->code;
    struct arena arena;
    arena_init(&arena);
    double *weights = arena_array(&arena, double, code->count + 1);
    for (size_t row = 0; row < code->count; row++)
        weights[row] = (double)code->sampled[row];
    const struct loop_bound_request asked = {
        .rows = code->items,
        .loop = region->rows,
        .row_weights = weights,
        .core = request->machine->core,
        .split_ratio = use->split_ratio,
        .issue_share = request->machine->issue_share.known ? request->machine->issue_share.mid : 0,
        .unit_share = request->machine->issue_share.known ? request->machine->issue_share.mid : 0};
    struct loop_path path = loop_path_of(code->items, region->rows, weights, &arena);
    if (region->is_loop && region->rows.last - region->rows.first < BOUND_ROWS_MOST)
        loop_bound_of_path(&use->bound, &path, &asked);
    if (path.count >= STRAIGHT_ROWS_LEAST && holds_samples(&path, region))
        straight_bound_of_path(&use->straight, &path, &asked);
    arena_done(&arena);
}

struct resources resources_of(const struct bottleneck_request *request, const struct region *region)
{
    struct resources use = {0};
    const struct instruction *before = NULL;
    for (uint32_t at = region->rows.first; at <= region->rows.last; at++) {
        const struct instruction *row = &region->code->items[at];
        if (!region_holds(region, at) || row->class == INSTRUCTION_NOP)
            continue;
        bool fuses = row->class == INSTRUCTION_BRANCH && before && sets_flags(before);
        bool stores = row->is_store && row->class != INSTRUCTION_CALL;
        use.issue += (fuses ? 0 : 1) + (row->class == INSTRUCTION_UPDATE ? 1 : 0);
        use.loads += row->is_load;
        use.stores += stores;
        bool arithmetic = row->class == INSTRUCTION_FP || (row->class == INSTRUCTION_LOAD_OP && row->is_fp);
        use.fp += arithmetic;
        use.single += row->class == INSTRUCTION_MUL || row->class == INSTRUCTION_CRYPTO ||
                      (row->class == INSTRUCTION_VECTOR && row->vector_bits);
        before = row;
    }
    use.issue /= WIDTH;
    use.split_ratio = splits_ratio(request, region);
    use.loads *= (1 + use.split_ratio) / LOADS;
    use.fp /= FP_UNITS;
    if (!region->is_loop) /* which of its rows run isn't known, nor whether all of them are code */
        use.loads = use.stores = use.single = 0;
    if (request->machine->core)
        bounds_find(&use, request, region);
    return use;
}

static enum bottleneck_cause chain_cause(const struct loop_result_chain *chain)
{
    static const enum bottleneck_cause causes[CHAIN_KINDS] = {
        [CHAIN_LOAD] = CAUSE_L1_LATENCY,      [CHAIN_FORWARD] = CAUSE_STORE_FORWARDING, [CHAIN_DIVIDE] = CAUSE_DIVIDE,
        [CHAIN_FP] = CAUSE_LATENCY_CHAIN,     [CHAIN_MULTIPLY] = CAUSE_LATENCY_CHAIN,   [CHAIN_LOCKED] = CAUSE_ATOMIC,
        [CHAIN_OTHER] = CAUSE_LATENCY_CHAIN,
    };
    int best = 0;
    for (int kind = 1; kind < CHAIN_KINDS; kind++)
        if (chain->kind_cycles[kind] > chain->kind_cycles[best])
            best = kind;
    return causes[best];
}

static bool is_chain_longest(const struct loop_bound *bound)
{
    return bound->chain.cycles > CLEARLY * bound->frontend_cycles && bound->chain.cycles > CLEARLY * bound->unit_cycles;
}

static enum bottleneck_cause bound_first(const struct loop_bound *bound)
{
    if (is_chain_longest(bound))
        return chain_cause(&bound->chain);
    if (bound->frontend_cycles >= bottleneck_thresholds.issue_busy * bound->unit_cycles)
        return CAUSE_RETIRING;
    return bound->unit_kind == UNIT_DIVIDER ? CAUSE_DIVIDE : bound->unit_kind == UNIT_FP ? CAUSE_FP : CAUSE_PORTS;
}

static double straight_rest(const struct straight_bound *straight)
{
    return straight->frontend_cycles > straight->unit_cycles ? straight->frontend_cycles : straight->unit_cycles;
}

enum straight_wait resources_straight(const struct resources *use)
{
    const struct straight_bound *straight = &use->straight;
    double least = bottleneck_thresholds.straight_apart * straight_rest(straight);
    if (!straight->known || straight->chain.cycles < least || chain_cause(&straight->chain) != CAUSE_LATENCY_CHAIN)
        return STRAIGHT_NOT;
    if (straight->overlapped_cycles >= least)
        return STRAIGHT_SURE;
    bool is_loop = use->bound.known && !use->bound.is_lower; /* whose chains from turn to turn are known */
    return is_loop ? STRAIGHT_NOT : STRAIGHT_OPEN;
}

enum bottleneck_cause resources_chain(const struct resources *use)
{
    bool is_known = use->bound.known && !use->bound.is_lower;
    if (is_known && is_chain_longest(&use->bound))
        return chain_cause(&use->bound.chain);
    return resources_straight(use) == STRAIGHT_SURE ? CAUSE_LATENCY_CHAIN : CAUSE_UNKNOWN;
}

bool resources_chains_are_short(const struct resources *use)
{
    static const double COUNTING = 1; /* cycle a turn: what any loop takes */
    const struct loop_bound *bound = &use->bound;
    const struct straight_bound *straight = &use->straight;
    if (!bound->known || bound->is_lower)
        return straight->known && straight->chain.cycles <= straight_rest(straight);
    double rest = bound->frontend_cycles > bound->unit_cycles ? bound->frontend_cycles : bound->unit_cycles;
    double chain =
        bound->chain.cycles > bound->chain_if_same.cycles ? bound->chain.cycles : bound->chain_if_same.cycles;
    return chain <= COUNTING || chain <= rest;
}

enum bottleneck_cause resources_first(const struct resources *use)
{
    bool is_straight = resources_straight(use) == STRAIGHT_SURE;
    if (use->bound.known && !use->bound.is_lower) {
        enum bottleneck_cause first = bound_first(&use->bound);
        return first == CAUSE_RETIRING && is_straight ? CAUSE_LATENCY_CHAIN : first;
    }
    if (is_straight)
        return CAUSE_LATENCY_CHAIN;
    double ports = use->loads > use->stores ? use->loads : use->stores;
    ports = use->single > ports ? use->single : ports;
    if (use->fp > CLEARLY * use->issue && use->fp >= ports)
        return CAUSE_FP;
    return ports > CLEARLY * use->issue ? CAUSE_PORTS : CAUSE_RETIRING;
}
