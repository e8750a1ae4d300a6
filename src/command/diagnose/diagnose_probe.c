/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_probe.h"

#include "analyse/code/wide_code.h"
#include "base/clock.h"
#include "base/vec.h"
#include "command/diagnose/diagnose_case.h"
#include "finding/verdict/enough.h"
#include "probe/page_walk.h"
#include "probe/skid.h"
#include "probe/skid_cache.h"

enum {
    GROUPS_PROBED_MOST = 3,
    LEADING_BUDGET_NS = 800000000, /* where most hangs on the answer, drift of the machine is looked at longer */
    SPARING_CPU_NS = 150000000, /* then no further pattern is begun */
    SPARING_BLOCK_NS = 1000000,
    SPARING_SPAN_BYTES = 64 << 20, /* far beyond caches and translations all the same */
    WORK_UNKNOWN = 16, /* between two accesses, when no loop was found around them */
};

static const double GROUP_SHARE_LEAST = 0.02;
static const double SPAN_LEAST_BYTES = 128 * 1024.0;

/* Measured beside the run; where that came to nothing, what it came to since the machine was booted. */
static void skid_probe(struct context *context, enum skid_event event, enum skid_effort effort,
                       struct access_costs *costs, struct arena *arena)
{
    bool by_clock = event == SKID_OF_CPU_CLOCK; /* that one is kept */
    struct skid_result skid = {0};
    struct error err = {0};
    if (!skid_measure(context->kernel, event, effort, &skid, &err))
        costs->skid_why_not = arena_string(arena, err.message);
    else if (skid.verdict == SKID_UNKNOWN)
        costs->skid_why_not = "too few samples of the self-test";
    else if (by_clock)
        skid_cache_write(context->root, skid.verdict);
    costs->skid_known = skid.verdict != SKID_UNKNOWN || (by_clock && skid_cache_read(context->root, &skid.verdict));
    costs->one_behind = skid.verdict == SKID_ONE;
    costs->exact = skid.verdict == SKID_EXACT && skid_event_precise(event) && skid_registers_fit(&skid);
    costs->behind_ratio = skid.behind_ratio;
    costs->exact_ratio = skid.exact_ratio;
    struct restart_result restart = {0};
    costs->restart_known = (costs->one_behind || costs->exact) &&
                           skid_restart_measure(context->kernel, event, effort, &restart, &err) &&
                           restart.verdict != SKID_UNKNOWN;
    costs->restarts_behind = restart.verdict == SKID_ONE;
}

/* Over how much memory the pattern reaches at a time. */
static uint64_t span_of(const struct stall_group *group)
{
    const struct working_set *set = &group->set;
    if (working_set_walks_rows(set))
        return set->span_bytes;
    double pages = set->pages.known ? set->pages.bytes : set->pages.at_least_bytes;
    double most = (double)set->span_bytes;
    if (!set->pages.known && most > pages)
        pages = most; /* no page was met twice: the span is the better guess */
    return (uint64_t)pages;
}

static struct page_walk_request request_of(const struct stall_group *group)
{
    const struct working_set *set = &group->set;
    bool rows = working_set_walks_rows(set);
    uint64_t span = span_of(group);
    double lines = set->lines.known ? set->lines.bytes : 0;
    if (set->one_place_in_stride)
        lines = (double)span / (double)set->stride_bytes * 64;
    return (struct page_walk_request){
        .span_bytes = span,
        .lines_bytes = !rows && lines > 0 && lines < (double)span ? (uint64_t)lines : 0,
        .stride_bytes = rows ? set->stride_bytes : 0,
        .element_bytes = rows && group->element_bytes ? group->element_bytes : 0,
        .dependent = group->dependent_samples * 2 > group->samples,
        .budget_ns = group->share.mid > 0.25 ? LEADING_BUDGET_NS : 0,
        .work_instructions = group->work_instructions ? group->work_instructions : WORK_UNKNOWN,
    };
}

static struct access_cost cost_probe(struct context *context, const struct stalls *stalls, uint32_t index,
                                     bool sparing, struct arena *arena)
{
    const struct stall_group *group = &stalls->groups[index];
    struct page_walk_request request = request_of(group);
    struct access_cost cost = {
        .group = index,
        .function = arena_string(arena, stalls->functions[group->function].name),
        .area = arena_string(arena, group->area),
        .instruction = group->row.shown_addr,
        .span_bytes = request.span_bytes,
        .lines_bytes = request.lines_bytes,
        .stride_bytes = request.stride_bytes,
        .element_bytes = request.element_bytes,
        .dependent = request.dependent,
        .work_instructions = request.work_instructions,
    };
    struct page_walk_result walk;
    struct error err = {0};
    if (sparing) {
        request.lines_bytes = request.span_bytes > SPARING_SPAN_BYTES ? 0 : request.lines_bytes;
        request.span_bytes = request.span_bytes > SPARING_SPAN_BYTES ? SPARING_SPAN_BYTES : request.span_bytes;
        request.block_ns = SPARING_BLOCK_NS;
        request.budget_ns = 1; /* as few blocks as make a result */
        request.touch_once = true;
    }
    if (!page_walk_measure(context->root, &request, &walk, &err)) {
        cost.why_not = arena_string(arena, err.message);
        return cost;
    }
    cost.known = walk.ns_4k.known && walk.ns_2m.known && walk.ratio.known;
    cost.why_not = cost.known ? NULL : "the probe came to no result";
    cost.ns_small = walk.ns_4k;
    cost.ns_huge = walk.ns_2m;
    cost.ratio = walk.ratio;
    cost.ns_near = walk.ns_near;
    cost.ns_work = walk.ns_work;
    cost.ns_line = walk.ns_line;
    cost.ratio_spread = walk.ratio_spread;
    cost.wait_spread = walk.wait_spread;
    cost.ns_touch_small = walk.touch_4k;
    cost.ns_touch_huge = walk.touch_2m;
    cost.measured_span_bytes = walk.span_bytes;
    cost.blocks = walk.block_count;
    return cost;
}

static bool is_wide(const struct stalls *stalls)
{
    struct wide_code code = wide_code_of(stalls);
    return code.stands[WIDE_LIGHT_512] || code.stands[WIDE_HEAVY_512] || code.samples[WIDE_HEAVY_256];
}

static void groups_probe(struct context *context, const char *folder, bool sparing, struct access_costs *costs,
                         bool *ret_is_wide, struct arena *arena)
{
    struct loaded_case loaded;
    struct error ignored;
    if (!loaded_case_read(&loaded, folder, &ignored))
        return;
    *ret_is_wide = is_wide(&loaded.stalls);
    uint64_t began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t at = 0; at < loaded.stalls.group_count && costs->count < GROUPS_PROBED_MOST; at++) {
        const struct stall_group *group = &loaded.stalls.groups[at];
        bool counted = group->set.address_count >= WORKING_SET_ADDRESSES_LEAST;
        if (group->share.mid < GROUP_SHARE_LEAST || !counted || (double)span_of(group) < SPAN_LEAST_BYTES)
            continue;
        if (sparing && costs->count && clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns > SPARING_CPU_NS)
            break;
        costs->items[costs->count++] = cost_probe(context, &loaded.stalls, at, sparing, arena);
    }
    loaded_case_done(&loaded);
}

static bool costs_write(const struct access_costs *costs, const char *folder, struct error *err)
{
    scoped_text struct text out = {0};
    access_costs_write(costs, &out);
    return case_part_write(folder, "costs.json", &out, err);
}

bool diagnose_probe(struct context *context, const char *folder, enum skid_event event, uint64_t samples, bool sparing,
                    struct case_manifest *manifest, struct arena *arena, bool *ret_is_wide, struct error *err)
{
    struct access_costs costs = {.items = arena_array(arena, struct access_cost, GROUPS_PROBED_MOST)};
    *ret_is_wide = false;
    if (samples < ENOUGH_SAMPLES)
        costs.skid_why_not = "with so few samples the self-test of what they mean was left out";
    else
        skid_probe(context, event, sparing ? SKID_SPARING : SKID_WHOLE, &costs, arena);
    /* The skid's answer decides what the samples mean, so it is written before the case is read again. */
    if (!costs_write(&costs, folder, err))
        return false;
    if (costs.one_behind || costs.exact)
        groups_probe(context, folder, sparing, &costs, ret_is_wide, arena);
    else
        case_manifest_gap(manifest, arena, "stalled instructions",
                          costs.skid_known ? "samples don't land one instruction behind the stall here"
                                           : costs.skid_why_not);
    case_manifest_part(manifest, "costs.json", "measured by plumb " PLUMB_VERSION);
    return costs_write(&costs, folder, err);
}
