/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_bound.h"

#include "analyse/loop/loop_dependence.h"
#include "base/vec.h"

#include <string.h>

enum {
    LOADS_MOST = 48,  /* different sets of units */
    SETS_MOST = 4096, /* their unions */
};

const char *loop_limit_name(enum loop_limit limit)
{
    static const char *const names[] = {[LOOP_LIMIT_FRONTEND] = "issue slots",
                                        [LOOP_LIMIT_UNITS] = "execution units",
                                        [LOOP_LIMIT_CHAIN] = "a chain of results"};
    _Static_assert(array_count(names) == LOOP_LIMIT_COUNT, "every limit has a name");
    return names[limit];
}

const char *chain_kind_name(enum chain_kind kind)
{
    static const char *const names[] = {[CHAIN_LOAD] = "load",
                                        [CHAIN_FORWARD] = "store forwarding",
                                        [CHAIN_DIVIDE] = "divide",
                                        [CHAIN_FP] = "floating point",
                                        [CHAIN_MULTIPLY] = "multiply",
                                        [CHAIN_LOCKED] = "locked",
                                        [CHAIN_OTHER] = "integer and vector"};
    _Static_assert(array_count(names) == CHAIN_KINDS, "every kind has a name");
    return names[kind];
}

const char *unit_kind_name(enum unit_kind kind)
{
    static const char *const names[] = {
        [UNIT_DIVIDER] = "divider",   [UNIT_LOAD] = "loads",     [UNIT_STORE] = "stores",
        [UNIT_FP] = "floating point", [UNIT_VECTOR] = "vectors", [UNIT_INTEGER] = "integers"};
    _Static_assert(array_count(names) == UNIT_KINDS, "every kind has a name");
    return names[kind];
}

/* Operations that any of the same units may do. */
struct unit_load {
    uint32_t units;
    double cycles, kind_cycles[UNIT_KINDS];
};

struct unit_loads {
    struct unit_load items[LOADS_MOST];
    uint32_t count;
};

static void loads_add(struct unit_loads *loads, uint32_t units, double cycles, enum unit_kind kind)
{
    uint32_t at = 0;
    while (at < loads->count && loads->items[at].units != units)
        at++;
    if (at == LOADS_MOST || !units)
        return;
    if (at == loads->count)
        loads->items[loads->count++] = (struct unit_load){.units = units};
    loads->items[at].cycles += cycles;
    loads->items[at].kind_cycles[kind] += cycles;
}

static double set_cycles(const struct unit_loads *loads, uint32_t set, double *ret_kinds)
{
    double cycles = 0;
    for (uint32_t at = 0; at < loads->count; at++) {
        const struct unit_load *load = &loads->items[at];
        if (load->units & ~set)
            continue;
        cycles += load->cycles;
        for (size_t kind = 0; ret_kinds && kind < UNIT_KINDS; kind++)
            ret_kinds[kind] += load->kind_cycles[kind];
    }
    return cycles / __builtin_popcount(set);
}

/*
 * The best distribution takes as long as the busiest union of unit sets: operations that can go nowhere else, over its
 * units (max-flow min-cut for parallel machines).
 */
static void busiest_units(const struct unit_loads *loads, struct loop_bound *bound)
{
    uint32_t sets[SETS_MOST];
    uint32_t count = 0;
    for (uint32_t at = 0; at < loads->count; at++) {
        uint32_t before = count;
        for (uint32_t old = 0; old <= before && count < SETS_MOST; old++) {
            uint32_t set = loads->items[at].units | (old < before ? sets[old] : 0);
            uint32_t seen = 0;
            while (seen < count && sets[seen] != set)
                seen++;
            if (seen == count)
                sets[count++] = set;
        }
    }
    for (uint32_t at = 0; at < count; at++) {
        double cycles = set_cycles(loads, sets[at], NULL);
        if (cycles <= bound->unit_cycles)
            continue;
        bound->unit_cycles = cycles;
        bound->units = sets[at];
    }
    if (bound->units)
        set_cycles(loads, bound->units, bound->unit_kind_cycles);
    for (size_t kind = 0; kind < UNIT_KINDS; kind++)
        if (bound->unit_kind_cycles[kind] > bound->unit_kind_cycles[bound->unit_kind])
            bound->unit_kind = (enum unit_kind)kind;
}

static enum unit_kind kind_of(const struct core_costs *core, const struct instruction *row, uint32_t units)
{
    if (units & core->divider)
        return UNIT_DIVIDER;
    if (units == core->load)
        return UNIT_LOAD;
    if (units == core->store_address || units == core->store_data)
        return UNIT_STORE;
    if (row->is_fp)
        return UNIT_FP;
    return row->vector_bits ? UNIT_VECTOR : UNIT_INTEGER;
}

/* A comparison and its branch as one operation: the comparison keeps its load, the branch its unit. */
static void fuse(const struct core_costs *core, struct instruction_cost *first, struct instruction_cost *branch)
{
    uint8_t kept = 0;
    for (uint8_t at = 0; at < first->part_count; at++)
        if (first->parts[at].units == core->load)
            first->parts[kept++] = first->parts[at];
    first->part_count = kept;
    branch->slots = 0;
}

static void path_costs(const struct loop_path *path, const struct core_costs *core, struct instruction_cost *costs,
                       struct loop_bound *bound)
{
    for (uint32_t at = 0; at < path->count; at++) {
        const struct instruction *row = &path->all[path->rows[at]];
        costs[at] = instruction_cost_of(core, row);
        if (at + 1 == path->count && row->class == INSTRUCTION_BRANCH)
            costs[at].parts[0].units = core->branch_taken;
        if (at && core_fuses(core, &path->all[path->rows[at - 1]], row))
            fuse(core, &costs[at - 1], &costs[at]);
        if (costs[at].known)
            continue;
        if (!bound->unknown_count++)
            bound->unknown_mnemonic = row->mnemonic ? row->mnemonic : instruction_class_name(row->class);
    }
}

static void sum_up(const struct loop_path *path, const struct core_costs *core, const struct instruction_cost *costs,
                   double split_ratio, struct loop_bound *bound)
{
    struct unit_loads loads = {.count = 0};
    for (uint32_t at = 0; at < path->count; at++) {
        const struct instruction *row = &path->all[path->rows[at]];
        bound->slots += costs[at].slots;
        for (uint8_t part = 0; part < costs[at].part_count; part++) {
            const struct cost_part *one = &costs[at].parts[part];
            double again = one->units == core->load ? split_ratio : 0;
            loads_add(&loads, one->units, one->cycles * (1 + again), kind_of(core, row, one->units));
            bound->divider_cycles += one->units & core->divider ? one->cycles : 0;
        }
    }
    busiest_units(&loads, bound);
}

static double share_or_all(double share)
{
    return share > 0 && share < 1 ? share : 1;
}

static void choose(struct loop_bound *bound)
{
    bound->cycles = bound->frontend_cycles;
    bound->limit = LOOP_LIMIT_FRONTEND;
    if (bound->unit_cycles > bound->cycles) {
        bound->cycles = bound->unit_cycles;
        bound->limit = LOOP_LIMIT_UNITS;
    }
    if (bound->chain.cycles > bound->cycles) {
        bound->cycles = bound->chain.cycles;
        bound->limit = LOOP_LIMIT_CHAIN;
    }
}

/* Issue takes a cycle at least, and both what is left of the core. */
static void shares_apply(struct loop_bound *bound, const struct loop_bound_request *request)
{
    bound->frontend_cycles = bound->slots / (double)request->core->slots;
    bound->frontend_cycles =
        (bound->frontend_cycles < 1 ? 1 : bound->frontend_cycles) / share_or_all(request->issue_share);
    if (bound->units & ~request->core->divider) /* the divider's time is its own */
        bound->unit_cycles /= share_or_all(request->unit_share);
}

void loop_bound_of_path(struct loop_bound *ret_bound, const struct loop_path *path,
                        const struct loop_bound_request *request)
{
    struct loop_bound bound = {.core = request->core, .row_count = path->count};
    if (!request->core)
        bound.why_not = "there is no table of instruction costs for this processor";
    else if (!path->is_closed)
        bound.why_not = "the way back to the loop's head goes by an indirect jump or another loop";
    if (bound.why_not) {
        *ret_bound = bound;
        return;
    }
    struct arena arena;
    arena_init(&arena);
    struct instruction_cost *costs = arena_alloc(&arena, path->count * sizeof(*costs));
    path_costs(path, request->core, costs, &bound);
    sum_up(path, request->core, costs, request->split_ratio, &bound);
    loop_chain_longest(&bound.chain, path, costs, request->core, false, &arena);
    loop_chain_longest(&bound.chain_if_same, path, costs, request->core, true, &arena);
    arena_done(&arena);
    shares_apply(&bound, request);
    bound.is_approximate = !path->is_straight;
    bool by_class = path->count && !path->all[path->rows[0]].mnemonic;
    bound.is_lower = by_class || bound.unknown_count || path->has_calls || path->has_inner_loop;
    bound.known = true;
    choose(&bound);
    *ret_bound = bound;
}

void straight_bound_of_path(struct straight_bound *ret_bound, const struct loop_path *path,
                            const struct loop_bound_request *request)
{
    struct loop_bound bound = {.core = request->core};
    *ret_bound = (struct straight_bound){.row_count = path->count};
    bool by_class = path->count && !path->all[path->rows[0]].mnemonic;
    if (!request->core || !path->count || path->has_calls || path->has_inner_loop || by_class)
        return;
    struct arena arena;
    arena_init(&arena);
    struct instruction_cost *costs = arena_alloc(&arena, path->count * sizeof(*costs));
    path_costs(path, request->core, costs, &bound);
    sum_up(path, request->core, costs, request->split_ratio, &bound);
    shares_apply(&bound, request);
    ret_bound->frontend_cycles = bound.frontend_cycles;
    ret_bound->unit_cycles = bound.unit_cycles;
    straight_chain_longest(&ret_bound->chain, path, costs, request->core, &arena);
    ret_bound->overlapped_cycles = straight_cycles_overlapped(path, costs, request->core, &arena);
    ret_bound->known = !bound.unknown_count && ret_bound->chain.cycles > 0;
    arena_done(&arena);
}

void loop_bound_find(struct loop_bound *ret_bound, const struct loop_bound_request *request)
{
    struct arena arena;
    arena_init(&arena);
    struct loop_path path = loop_path_of(request->rows, request->loop, request->row_weights, &arena);
    loop_bound_of_path(ret_bound, &path, request);
    arena_done(&arena);
}
