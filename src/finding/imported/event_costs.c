/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/event_costs.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/*
 * Costs as documented by the vendors: what one event takes of the cycles at most, and at least where something always
 * does. A wrong guess refills the pipeline, 10 cycles on any x86 core since 2008; a machine clear does that and starts
 * anew, 20; an assist goes through microcode with the pipeline empty before and after it, 50; a cycle in which a page
 * walk is under way is one, as is one in which fetching waits for the instruction cache or its TLB; a cycle at a clock
 * that is lowered by 25 % at most takes a third longer, and 0.18 longer where it is by 15 %; a load from another node,
 * on a machine that isn't overloaded, takes 250 ns at most, which are 1000 cycles of 4 GHz, and a line that another
 * core of the same processor has changed 100
 * ns. What isn't decoded beforehand takes three cycles a micro-operation at most: one instruction of a length-changing
 * prefix alone. Four page walks run at once at most. A load that memory answers commonly takes a third of the most on
 * another node, and a tenth on its own, where others overlap. A page fault enters and leaves the kernel, which takes
 * 500 cycles, and with a small page to clear no more than 5000; with a huge one it may take a hundred times as long,
 * so that few of them rule nothing out. A page walk reads four levels, from the second cache commonly, 40 cycles; in
 * memory each of them may take 250 ns.
 *
 * Names: Intel's perfmon files from Nehalem to Granite Rapids (github.com/intel/perfmon), AMD's of Zen 1 to 5 as Linux
 * has them (tools/perf/pmu-events/arch/x86/amdzen*).
 */
static const struct event_cost costs[] = {
    {"branch-mispredicts", "branch-misses", 10, 25, 0},
    {"avx512-licence", "core_power.lvl2_turbo_license", 0, 1.0 / 3, 0},
    {"avx512-licence", "core_power.lvl1_turbo_license", 0, 0.18, 0},
    {"machine-clears", "machine_clears.count", 20, 100, 0},
    {"4k-aliasing", "ld_blocks_partial.address_alias", 0, 7, 0},
    {"4k-aliasing", "ld_blocks.address_alias", 0, 7, 0},
    {"store-forwarding", "ld_blocks.store_forward", 0, 20, 0},
    {"store-forwarding", "ls_bad_status2.stli_other", 0, 20, 0},
    {"denormals", "assists.fp", 50, 200, 0},
    {"denormals", "fp_assist.any", 50, 200, 1},
    {"denormals", "fp_assist.all", 50, 200, 2},
    {"small-pages", "dtlb_load_misses.walk_active", 1, 1, 0},
    {"small-pages", "dtlb_store_misses.walk_active", 0, 1, 0},
    {"small-pages", "dtlb_load_misses.walk_duration", 1, 1, 1},
    {"small-pages", "dtlb_store_misses.walk_duration", 0, 1, 1},
    {"small-pages", "dtlb_load_misses.walk_cycles", 1, 1, 2},
    {"small-pages", "dtlb_load_misses.walk_pending", 0.25, 1, 3},
    {"small-pages", "dtlb_store_misses.walk_pending", 0, 1, 3},
    {"small-pages", "dtlb_load_misses.walk_completed", 0, 1000, 4, true, 40, true},
    {"small-pages", "dtlb_load_misses.miss_causes_a_walk", 0, 1000, 5, true, 40, true},
    {"small-pages", "dTLB-load-misses", 0, 1000, 6, true, 40, true},
    {"numa-remote", "mem_load_l3_miss_retired.remote_dram", 0, 1000, 0, false, 300},
    {"numa-remote", "mem_load_l3_miss_retired.remote_hitm", 0, 1000, 0, false, 300},
    {"numa-remote", "mem_load_l3_miss_retired.remote_fwd", 0, 1000, 0, false, 300},
    {"numa-remote", "mem_load_uops_l3_miss_retired.remote_dram", 0, 1000, 1, false, 300},
    {"numa-remote", "mem_load_uops_l3_miss_retired.remote_hitm", 0, 1000, 1, false, 300},
    {"numa-remote", "mem_load_uops_l3_miss_retired.remote_fwd", 0, 1000, 1, false, 300},
    {"numa-remote", "mem_load_uops_llc_miss_retired.remote_dram", 0, 1000, 2, false, 300},
    {"numa-remote", "mem_load_uops_llc_miss_retired.remote_hitm", 0, 1000, 2, false, 300},
    {"contended-lines", "mem_load_l3_hit_retired.xsnp_hitm", 0, 400, 0},
    {"contended-lines", "mem_load_l3_hit_retired.xsnp_fwd", 0, 400, 0},
    {"contended-lines", "mem_load_l3_miss_retired.remote_hitm", 0, 1000, 0},
    {"contended-lines", "mem_load_uops_l3_hit_retired.xsnp_hitm", 0, 400, 1},
    {"contended-lines", "mem_load_uops_l3_miss_retired.remote_hitm", 0, 1000, 1},
    {"contended-lines", "mem_load_uops_llc_hit_retired.xsnp_hitm", 0, 400, 2},
    {"contended-lines", "mem_load_uops_llc_miss_retired.remote_hitm", 0, 1000, 2},
    {"divider", "arith.divider_active", 1, 1, 0},
    {"divider", "arith.div_active", 1, 1, 1},
    {"divider", "arith.fpu_div_active", 1, 1, 2},
    {"divider", "arith.cycles_div_busy", 1, 1, 3},
    {"divider", "cycles_div_busy.all", 1, 1, 4},
    {"divider", "ex_div_busy", 1, 1, 5, true},
    {"divider", "arith.idiv_active", 1, 1, 6, true},
    {"divider", "arith.fpdiv_active", 1, 1, 7, true},
    {"divider", "arith.int_divider_active", 1, 1, 8, true},
    {"divider", "arith.fp_divider_active", 1, 1, 9, true},
    {"stores", "exe_activity.bound_on_stores", 1, 1, 0},
    {"stores", "resource_stalls.sb", 0, 1, 1, true},
    {"front-end", "icache_16b.ifdata_stall", 1, 1, 0},
    {"front-end", "icache_64b.iftag_stall", 1, 1, 0},
    {"front-end", "icache_data.stalls", 1, 1, 1},
    {"front-end", "icache_tag.stalls", 1, 1, 1},
    {"front-end", "icache.ifdata_stall", 1, 1, 2},
    {"uop-cache", "idq.mite_uops", 0, 1, 0, false, 1},
    {"uop-cache", "de_dis_uops_from_decoder.decoder_dispatched", 0, 3, 1, false, 1},
    {"uop-cache", "de_src_op_disp.decoder", 0, 3, 2, false, 1},
    {"decoding", "ild_stall.lcp", 0, 1, 0, true},
    {"decoding", "decode.lcp", 0, 1, 1, true},
    {"page-faults", "page-faults", 500, 5000, 0, true},
    {"page-faults", "minor-faults", 500, 5000, 1, true},
    {"page-faults", "faults", 500, 5000, 2, true},
    {"cache-misses", "mem_load_retired.l3_miss", 0, 1000, 0, true, 100, true},
    {"cache-misses", "mem_load_uops_retired.l3_miss", 0, 1000, 1, true, 100, true},
    {"cache-misses", "mem_load_uops_retired.llc_miss", 0, 1000, 2, true, 100, true},
    {"cache-misses", "longest_lat_cache.miss", 0, 1000, 3, true, 100, true},
    {"cache-misses", "LLC-load-misses", 0, 1000, 4, true, 100, true},
    {"cache-misses", "cache-misses", 0, 1000, 5, true, 100, true},
};

/*
 * What misses of the instruction cache and accesses of two lines take depends on what else there is to do: few of them
 * rule nothing out, and many more of them in the slower run are what it differs by. A miss that the second cache
 * answers takes 12 cycles; an access of two lines holds its unit for two turns and goes back to it later.
 */
static const struct event_cost pointers[] = {
    {"front-end", "L1-icache-load-misses", 0, 50, 0, true, 12, true},
    {"front-end", "icache.misses", 0, 50, 0, true, 12, true},
    {"front-end", "icache_64b.iftag_miss", 0, 50, 0, true, 12, true},
    {"front-end", "frontend_retired.l1i_miss", 0, 50, 0, true, 12, true},
    {"port-pressure", "mem_inst_retired.split_loads", 0, 12, 0, true, 3, true},
    {"port-pressure", "mem_inst_retired.split_stores", 0, 24, 0, true, 6, true},
    {"port-pressure", "mem_uops_retired.split_loads", 0, 12, 0, true, 3, true},
    {"port-pressure", "mem_uops_retired.split_stores", 0, 24, 0, true, 6, true},
};

const struct event_cost *event_cost_at(size_t index)
{
    return index < array_count(costs)                           ? &costs[index]
           : index - array_count(costs) < array_count(pointers) ? &pointers[index - array_count(costs)]
                                                                : NULL;
}

static const char *with_name(const char *names, const char *more, struct arena *arena)
{
    return names ? arena_printf(arena, "%s with %s", names, more) : more;
}

static struct measured count_of(const struct imported_arm *arm, const struct event_cost *cost)
{
    if (strcmp(cost->id, "page-faults") == 0 && imported_arm_is_of_user(arm))
        return not_measured("its cycles leave the kernel out");
    return imported_arm_count(arm, cost->event);
}

/* False: it was counted in no event of that way. */
static bool costing_by(const struct imported_arm *arm, const char *id, int way, struct arena *arena,
                       struct costing *ret)
{
    struct measured cycles = imported_arm_count(arm, "cycles");
    const struct event_cost *first = NULL;
    const char *others = NULL;
    double largest = 0;
    *ret = (struct costing){.file = arm->table->file};
    for (size_t at = 0; at < array_count(costs); at++) {
        if (strcmp(costs[at].id, id) != 0 || costs[at].way != way || costs[at].is_loose)
            continue;
        struct measured count = count_of(arm, &costs[at]), ratio = measured_ratio(count, cycles);
        if (!ratio.known)
            continue;
        ret->least += ratio.value * costs[at].cycles_least;
        ret->most += ratio.value * costs[at].cycles_most;
        if (first && ratio.value * costs[at].cycles_most <= largest)
            continue;
        largest = ratio.value * costs[at].cycles_most;
        first = &costs[at];
        ret->count = count.value;
    }
    for (size_t at = 0; first && at < array_count(costs); at++)
        if (&costs[at] != first && strcmp(costs[at].id, id) == 0 && costs[at].way == way &&
            count_of(arm, &costs[at]).known)
            others = with_name(others, costs[at].event, arena);
    if (!first)
        return false;
    ret->event = others ? with_name(first->event, others, arena) : first->event;
    ret->each = first->cycles_most;
    ret->is_part = first->is_part;
    return true;
}

enum { WAYS = 10 };

bool costing_of(const struct imported_arm *arm, const char *id, struct arena *arena, struct costing *ret)
{
    struct costing most = {.event = NULL}, own;
    for (int way = 0; way < WAYS; way++)
        if (costing_by(arm, id, way, arena, &own) && (!most.event || own.most > most.most))
            most = own;
    if (most.event)
        *ret = most;
    return most.event;
}

/* What executes fewer instructions would be the faster one by far without what holds it up. */
static bool is_more_work(const struct imported_pair *pair)
{
    static const double MORE = 1.05;
    const struct imported_part *work = &pair->parts[FACTOR_WORK];
    return !pair->is_window && work->slow.known && work->fast.known && work->fast.value > MORE * work->slow.value;
}

/* For as much work as the slow one's. */
static struct measured fast_count_of(const struct imported_pair *pair, const struct event_cost *cost)
{
    struct measured count = count_of(&pair->fast, cost);
    return count.known ? measured_as(count.value * pair->fast_scale) : count;
}

static struct interval excess_of(const struct imported_pair *pair, const char *id, bool loose)
{
    struct measured cycles = imported_arm_count(&pair->slow, "cycles");
    struct interval most = {0};
    for (int way = 0; way < WAYS && cycles.known && pair->cycles.known; way++) {
        double least_cycles = 0, most_cycles = 0;
        bool counted = false;
        for (size_t at = 0; at < array_count(costs); at++) {
            struct measured many = count_of(&pair->slow, &costs[at]), few = fast_count_of(pair, &costs[at]);
            if (strcmp(costs[at].id, id) != 0 || costs[at].way != way || costs[at].is_loose != loose || !many.known ||
                !few.known)
                continue;
            double more = many.value - few.value;
            least_cycles += more * (more > 0 ? costs[at].cycles_least : costs[at].cycles_most);
            most_cycles += more * (more > 0 ? costs[at].cycles_most : costs[at].cycles_least);
            counted = true;
        }
        double room = is_more_work(pair) ? 1 : fmax(pair->cycles.value, pair->gap.value),
               low = fmin(fmax(least_cycles / cycles.value, 0), room),
               high = fmin(fmax(most_cycles / cycles.value, 0), room);
        if (counted && (!most.known || high > most.high))
            most = interval_of(low, (low + high) / 2, high);
    }
    return most;
}

struct interval costing_excess(const struct imported_pair *pair, const char *id)
{
    struct interval excess = excess_of(pair, id, false);
    return excess.known ? excess : excess_of(pair, id, true);
}
