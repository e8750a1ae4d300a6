/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/resources.h"

#include "analyse/bottleneck/thresholds.h"
#include "base/arena.h"
#include "base/scope.h"

enum {
    BOUND_ROWS_MOST = 1024, /* longer loops aren't loops of one resource */
};

static const double WIDTH = 4, LOADS = 2, FP_UNITS = 2;
static const double CLEARLY = 1.1; /* a tie with issue goes to issue: all units are busy then */

static bool sets_flags(const struct instruction *row)
{
    return row->class == INSTRUCTION_INT || (row->class == INSTRUCTION_LOAD_OP && !row->is_fp);
}

static void bound_find(struct resources *use, const struct bottleneck_request *request, const struct region *region)
{
    const struct stall_code *code = region->code;
    scoped_free double *weights = memory_alloc((code->count + 1) * sizeof(*weights));
    for (size_t row = 0; row < code->count; row++)
        weights[row] = (double)code->sampled[row];
    const struct loop_bound_request asked = {
        .rows = code->items, .loop = region->rows, .row_weights = weights, .core = request->machine->core,
        .issue_share = request->machine->issue_share.known ? request->machine->issue_share.mid : 0,
        .unit_share = request->machine->issue_share.known ? request->machine->issue_share.mid : 0};
    loop_bound_find(&use->bound, &asked);
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
    use.loads /= LOADS;
    use.fp /= FP_UNITS;
    if (region->is_loop && request->machine->core && region->rows.last - region->rows.first < BOUND_ROWS_MOST)
        bound_find(&use, request, region);
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

enum bottleneck_cause resources_chain(const struct resources *use)
{
    bool is_known = use->bound.known && !use->bound.is_lower;
    return is_known && is_chain_longest(&use->bound) ? chain_cause(&use->bound.chain) : CAUSE_UNKNOWN;
}

static enum bottleneck_cause bound_first(const struct loop_bound *bound)
{
    if (is_chain_longest(bound))
        return chain_cause(&bound->chain);
    if (bound->frontend_cycles >= bottleneck_thresholds.issue_busy * bound->unit_cycles)
        return CAUSE_RETIRING;
    return bound->unit_kind == UNIT_DIVIDER ? CAUSE_DIVIDE : bound->unit_kind == UNIT_FP ? CAUSE_FP : CAUSE_PORTS;
}

enum bottleneck_cause resources_first(const struct resources *use)
{
    if (use->bound.known && !use->bound.is_lower)
        return bound_first(&use->bound);
    double ports = use->loads > use->stores ? use->loads : use->stores;
    ports = use->single > ports ? use->single : ports;
    if (use->fp > CLEARLY * use->issue && use->fp >= ports)
        return CAUSE_FP;
    return ports > CLEARLY * use->issue ? CAUSE_PORTS : CAUSE_RETIRING;
}
