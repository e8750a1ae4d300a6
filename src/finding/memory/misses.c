/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads that wait for lines that the near caches don't hold. */
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/memory/waits.h"

/*
 * The share of an access's waiting that hits in the near caches would save: the page walks too, which they don't need.
 */
static struct interval miss_ratio(const struct access_cost *cost, bool on_small_pages)
{
    const struct interval *now = on_small_pages ? &cost->ns_small : &cost->ns_huge;
    double work = cost->ns_work.known ? cost->ns_work.mid : 0;
    work = work < now->low ? work : 0;
    double low = (now->low - cost->ns_near.high) / now->high; /* as in small pages: with all of the work … */
    double mid = (now->mid - cost->ns_near.mid) / (now->mid - work / 2);
    double high = (now->high - cost->ns_near.low) / (now->low - work); /* … or the waiting alone */
    return interval_clamped(interval_of(low < mid ? low : mid, mid, high > mid ? high : mid), 0, 1);
}

static const double NEAR_CACHE_BYTES = 256 << 10; /* fits the second-level cache of every core in use */

/*
 * Without a probe of the pattern: a load that waits for the one before takes what the calibrated curve says of so much
 * memory, within a factor of two of what was counted; in the near caches it takes what the curve says there. Unknown
 * where it doesn't wait so.
 */
static struct interval calibrated_miss_ratio(const struct results *results, const struct stall_group *group)
{
    static const double COUNTED_WITHIN = 2;
    const struct calibration *now = results->ceilings ? &results->ceilings->now : NULL;
    bool huge = group->huge_hits > group->base_hits;
    bool waits = group->dependent_samples * 2 > group->samples && group->set.lines.known;
    struct interval near = calibration_latency_ns(now, NEAR_CACHE_BYTES, huge);
    struct interval less = calibration_latency_ns(now, group->set.lines.bytes / COUNTED_WITHIN, huge);
    struct interval here = calibration_latency_ns(now, group->set.lines.bytes, huge);
    struct interval more = calibration_latency_ns(now, group->set.lines.bytes * COUNTED_WITHIN, huge);
    if (!waits || !near.known || !less.known || !here.known || !more.known || less.low <= 0)
        return (struct interval){0};
    double low = 1 - near.high / less.low, mid = 1 - near.mid / here.mid, high = 1 - near.low / more.high;
    mid = mid < low ? low : mid;
    return interval_clamped(interval_of(low, mid, high > mid ? high : mid), 0, 1);
}

static void say_cost(const struct results *results, struct finding *finding, const struct stall_group *group,
                     const struct access_cost *cost)
{
    if (cost) {
        bool small = group->base_hits >= group->huge_hits;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_PROBE, small ? "cost-small" : "cost",
                         VALUE_SECONDS("here", interval_exactly(cost->ns_small.mid * 1e-9)),
                         VALUE_SECONDS("huge", interval_exactly(cost->ns_huge.mid * 1e-9)),
                         VALUE_SECONDS("near", interval_exactly(cost->ns_near.mid * 1e-9)));
        return;
    }
    const struct calibration *now = &results->ceilings->now;
    bool huge = group->huge_hits > group->base_hits;
    struct interval here = calibration_latency_ns(now, group->set.lines.bytes, huge);
    struct interval near = calibration_latency_ns(now, NEAR_CACHE_BYTES, huge);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_PROBE, "curve", VALUE_BYTES("size", group->set.lines.bytes),
                     VALUE_SECONDS("here", interval_scaled(here, 1e-9)),
                     VALUE_SECONDS("near", interval_scaled(near, 1e-9)));
}

static bool is_chase(const struct stall_group *group)
{
    return group && group->dependent_samples * 2 > group->samples;
}

/*
 * Where other code waits so, too, or may, the sentence names the function with most of it, and what returns belongs to
 * all of them: more than a function holds it can't return.
 */
static void cache_misses_say(const struct results *results, struct finding *finding, const struct stall_group *leading,
                             struct interval sum)
{
    static const double MORE = 1.5;
    bool others = sum.high > MORE * leading->share.high;
    bool halves = search_of(results, leading) == SEARCH_HALVING;
    bool is_by_passes = leading->set.stride_bytes && !leading->set.one_place_in_stride;
    finding_set(finding, headline,
                is_chase(leading) ? "headline-chase"
                : halves          ? "headline-halving"
                : is_by_passes    ? "headline-passes"
                                  : "headline",
                VALUE_TEXT("function", function_of(results->stalls, leading)->name),
                VALUE_TEXT("instruction", leading->row.text), group_size("span", leading));
    finding_set(finding, returner,
                leading->share.high < sum.low ? "returner-all"
                : others                      ? "returner-others"
                                              : "returner",
                VALUE_SHARE("share", leading->share));
}

static void advise_on_search(struct finding *finding, enum search_shape search)
{
    finding_advise(finding, search == SEARCH_TREE ? "advice-tree" : "advice-halving", NO_VALUES);
    finding_advise(finding, "advice-several", NO_VALUES);
}

/* Its lines share few sets of the caches: said with the numbers where these are known. NULL: it isn't so. */
static const struct bottleneck_crowd *crowd_of_group(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck_loop *loop = group ? loop_of_group(results, group) : NULL;
    return loop && loop->crowd.lines > 0 ? &loop->crowd : NULL;
}

static void crowd_evidence(const struct results *results, struct finding *finding, const struct stall_group *group)
{
    const struct bottleneck_crowd *crowd = crowd_of_group(results, group);
    const struct surroundings *machine = results->surroundings;
    if (!crowd)
        return;
    bool known =
        crowd->l1_used > 0 && crowd->l2_used > 0 && machine && machine->l1d_sets.known && machine->l2_sets.known;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_ADDRESSES, known ? "sets" : "sets-few",
                     VALUE_BYTES("step", crowd->step_bytes), VALUE_COUNT("lines", crowd->lines),
                     VALUE_COUNT("l1", crowd->l1_used), VALUE_COUNT("l2", crowd->l2_used),
                     VALUE_COUNT("of1", known ? machine->l1d_sets.value : 0),
                     VALUE_COUNT("of2", known ? machine->l2_sets.value : 0));
}

/* Goes through records of which it uses little: each brings a line for that. */
static bool is_of_records(const struct stall_group *group)
{
    static const uint64_t LINE = 64, PAGE = 4096;
    return group->set.one_place_in_stride && group->set.stride_bytes >= LINE && group->set.stride_bytes < PAGE &&
           group->element_bytes > 0 && 2 * group->element_bytes <= LINE;
}

/* What a probe measured of huge pages is hardly anything: they are no remedy. */
static bool is_alike_on_huge_pages(const struct access_cost *cost)
{
    static const double ALIKE = 0.98;
    return cost && cost->ratio.known && cost->ratio.low > ALIKE;
}

static void cache_misses_advice(const struct results *results, struct finding *finding,
                                const struct stall_group *leading, const struct access_cost *cost)
{
    enum search_shape search = leading ? search_of(results, leading) : SEARCH_NONE;
    const struct code_maker *maker = maker_of(results, leading);
    bool chase = is_chase(leading);
    if (maker) {
        finding_advise(finding, maker->memory, NO_VALUES);
        finding_advise(finding, maker->order, NO_VALUES);
    } else if (search != SEARCH_NONE) {
        advise_on_search(finding, search);
    } else if (leading && !chase && is_of_records(leading)) {
        finding_advise(finding, "advice-record", VALUE_BYTES("stride", (double)leading->set.stride_bytes),
                       VALUE_BYTES("element", leading->element_bytes));
    } else {
        bool scattered = leading && !chase && !leading->set.stride_bytes;
        finding_advise(finding, chase ? "advice-chase" : scattered ? "advice-scattered" : "advice-layout", NO_VALUES);
        if (crowd_of_group(results, leading))
            finding_advise(finding, "advice-sets", NO_VALUES);
        finding_advise(finding, chase ? "advice-prefetch" : scattered ? "advice-ahead" : "advice-block", NO_VALUES);
    }
    if ((chase || search != SEARCH_NONE) && leading->base_hits > leading->huge_hits && !code_is_foreign(results) &&
        !is_alike_on_huge_pages(cost))
        finding_advise(finding, "advice-pages", NO_VALUES);
}

/* What all groups together would get back, and who leads them. */
struct miss_gain {
    struct interval sum;                                /* share of the samples */
    double unmeasured;                                  /* … that may be in it as well */
    double covered;                                     /* samples of the groups */
    const struct stall_group *leading, *ordered, *rows; /* the first of each kind; NULL: none */
    const struct access_cost *leading_cost;             /* NULL: its pattern has no probe of its own */
};

/* Its lines lie in the first cache; or the estimate and the counted size say different things: neither is certain. */
static bool is_no_far_miss(const struct results *results, const struct stall_group *group, double *unmeasured)
{
    double l1 = results->surroundings && results->surroundings->l1d_bytes.known ? results->surroundings->l1d_bytes.value
                                                                                : 32768;
    enum bottleneck_level level = estimated_level(results, group);
    bool is_near = group->set.lines.known && group->set.lines.bytes * 1.5 < l1;
    bool is_within = level == LEVEL_L1 || level == LEVEL_L2, is_wide = group_size_bytes(group) > l2_bytes(results);
    if (is_near && level != LEVEL_BEYOND)
        return true;
    if (!is_near && !(is_within && is_wide))
        return false;
    *unmeasured += group->share.high;
    return true;
}

/* By its pattern's own probe. */
static void add_probed(struct miss_gain *all, const struct results *results, const struct stall_group *group,
                       const struct access_cost *cost)
{
    bool small = group->base_hits >= group->huge_hits;
    struct interval gain = interval_product(group->share, miss_ratio(cost, small));
    double waited_ns = (small ? cost->ns_small.mid : cost->ns_huge.mid) - cost->ns_near.mid;
    all->sum = interval_sum(all->sum, less_wrong_guesses(results, group, gain, waited_ns));
    all->unmeasured += probe_fell_short(cost) && group->share.high > gain.high ? group->share.high - gain.high : 0;
    if (!all->leading || !all->leading_cost) { /* the pattern's own probe says more than the curve */
        all->leading = group;
        all->leading_cost = cost;
    }
}

/*
 * It goes in order, and yet the estimate lays its loop's time at misses: rows that begin at places in no order end
 * before what is fetched ahead pays.
 */
static bool goes_by_rows(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck_loop *loop = loop_of_group(results, group);
    return loop && loop->verdict.confidence >= ESTIMATE_MEDIUM &&
           (loop->verdict.cause == CAUSE_PARALLEL_MISSES || loop->verdict.cause == CAUSE_LATENCY);
}

static void add_group(struct miss_gain *all, const struct results *results, const struct stall_group *group,
                      const struct access_cost *cost)
{
    if (is_no_far_miss(results, group, &all->unmeasured))
        return;
    /* what lies ahead is fetched ahead: the probe's random order says nothing of it */
    if (group_goes_in_order(results, group)) {
        all->unmeasured += group->share.high * order_transfer(results, group, cost);
        if (goes_by_rows(results, group))
            all->rows = all->rows ? all->rows : group;
        else
            all->ordered = all->ordered ? all->ordered : group;
        return;
    }
    if (cost && cost->known && cost->ns_near.known) {
        add_probed(all, results, group, cost);
        return;
    }
    struct interval calibrated = calibrated_miss_ratio(results, group);
    if (!calibrated.known) {
        all->unmeasured += group->share.high;
        return;
    }
    all->sum = interval_sum(all->sum, interval_product(group->share, calibrated));
    all->leading = all->leading ? all->leading : group;
}

static struct miss_gain miss_gain_of(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    struct miss_gain all = {.sum = interval_exactly(0)};
    for (size_t at = 0; at < stalls->group_count; at++) {
        all.covered += (double)stalls->groups[at].samples;
        add_group(&all, results, &stalls->groups[at], access_costs_of_group(results->costs, (uint32_t)at));
    }
    double rest = (double)(stalls->memory_samples + stalls->blind_samples) - all.covered;
    all.unmeasured += rest > 0 ? rest / (double)stalls->sample_count : 0;
    all.sum.high += all.unmeasured;
    return all;
}

static void cache_misses_evidence(const struct results *results, struct finding *finding, const struct miss_gain *all)
{
    const struct stall_group *leading = all->leading;
    if (leading) {
        finding->subject = leading->row.text;
        finding->function = function_of(results->stalls, leading)->name;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", leading->share),
                         VALUE_TEXT("function", function_of(results->stalls, leading)->name),
                         VALUE_TEXT("instruction", leading->row.text));
        say_cost(results, finding, leading, all->leading_cost);
        crowd_evidence(results, finding, leading);
        if (is_chase(leading))
            finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "dependent", NO_VALUES);
        guesses_evidence(results, finding, leading);
    }
    if (all->rows && finding->verdict != VERDICT_RULED_OUT)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "rows", VALUE_SHARE("share", all->rows->share),
                         VALUE_TEXT("instruction", all->rows->row.text),
                         VALUE_TEXT("function", function_of(results->stalls, all->rows)->name),
                         group_size("span", all->rows));
    if (all->ordered && finding->verdict != VERDICT_RULED_OUT)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "in-order",
                         VALUE_TEXT("instruction", all->ordered->row.text));
}

/* What the check must find is what was promised. */
static void cache_misses_confirm(const struct results *results, struct finding *finding, const struct miss_gain *all)
{
    if (!all->leading_cost) {
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return;
    }
    const struct stall_group *leading = all->leading;
    double ratio = miss_ratio(all->leading_cost, leading->base_hits >= leading->huge_hits).low;
    finding_set(finding, confirm, "confirm-ratio", VALUE_TEXT("function", function_of(results->stalls, leading)->name),
                VALUE_SHARE("ratio", interval_exactly(ratio)));
}

/* The sentence names what has far more samples, though another one's pattern was measured. */
static const struct stall_group *said_of(const struct miss_gain *all)
{
    static const double FAR_MORE = 1.5;
    return all->rows && all->rows->share.low > FAR_MORE * all->leading->share.high ? all->rows : all->leading;
}

static void cache_misses_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    struct miss_gain all = miss_gain_of(results);
    struct interval share = share_of_run(results, finding, all.sum), waits = memory_bound(results, finding);
    /* groups added up, each with room of its own */
    bool beyond = waits.known && share.known && share.high > waits.high;
    finding_decide(finding, beyond ? interval_clamped(share, 0, waits.high) : share, results->effect);
    cache_misses_evidence(results, finding, &all);
    if (finding->verdict == VERDICT_SUPPORTED)
        cache_misses_say(results, finding, said_of(&all), all.sum);
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "measured-bound", finding->recoverable);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, "undecided", VALUE_SHARE("unmeasured", interval_exactly(all.unmeasured)));
    if (finding->verdict != VERDICT_RULED_OUT && (all.leading || !(all.ordered || all.rows))) {
        cache_misses_advice(results, finding, all.leading, all.leading_cost);
        cache_misses_confirm(results, finding, &all);
    }
}

const struct hypothesis hypothesis_cache_misses = {
    .id = "cache-misses",
    .family = "memory",
    .title = "cache misses",
    .rule =
        "supported when the probe of the pattern, against the same loads in the near caches, returns the effect at the "
        "lower end; ruled out when waiting for memory, or that difference, stays below it",
    .gain = "share of samples at those loads times what the probe saved near the core; walks in order and unmeasured "
            "patterns "
            "widen the upper end",
    .overturn = "an input that fits the near caches: the time per element must fall",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_LATENCY) | CAUSE_BIT(CAUSE_PARALLEL_MISSES) | CAUSE_BIT(CAUSE_L2),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_COSTS) | RESULT_BIT(RESULT_CEILINGS) | RESULT_BIT(RESULT_RUN) |
            RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = cache_misses_test,
};
