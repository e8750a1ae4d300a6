/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address translation: small pages behind hot data. */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/memory/page_walks.h"
#include "finding/memory/waits.h"

#include <math.h>
#include <string.h>

/*
 * First-level data TLBs hold 32 to 96 small pages, second-level ones 1024 to 3072: a group that touches fewer pages
 * than the smallest first level can't miss; between the two a probe decides.
 */
static const double PAGES_NEVER_MISSED_BYTES = 32 * 4096.0;

static bool touches_few_pages(const struct stall_group *group)
{
    const struct set_size *pages = &group->set.pages;
    return pages->known && pages->bytes * 2 < PAGES_NEVER_MISSED_BYTES;
}

/*
 * What is left of the group's waiting on huge pages, of the waiting alone and of the waiting with all of the work
 * between two such accesses, each as wide as the probe's blocks were.
 */
static struct interval left_on_huge_pages(const struct access_cost *cost)
{
    struct interval wait = cost->wait_spread, whole = cost->ratio_spread;
    if (!wait.known || !whole.known)
        return interval_clamped(cost->ratio, 0, 1);
    return interval_clamped(interval_of(wait.low < whole.low ? wait.low : whole.low, (wait.mid + whole.mid) / 2,
                                        wait.high > whole.high ? wait.high : whole.high),
                            0, 1);
}

/* One translation serves the 64 lines of a small page, and costs at most what an access anywhere does. */
static double order_translation(const struct stall_group *group, const struct access_cost *cost)
{
    return cost && cost->known ? order_bound(group, cost->ns_small.high / 64) : 1;
}

/*
 * What the loop around the group's instruction holds of all samples: the access and the work around it. Unknown where
 * none is known.
 */
static struct interval turn_share(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck_loop *loop = loop_of_group(results, group);
    double all = (double)results->stalls->sample_count;
    return loop ? wilson_interval((double)loop->samples, all, all) : (struct interval){0};
}

static struct interval interval_hull(struct interval a, struct interval b)
{
    return interval_of(a.low < b.low ? a.low : b.low, (a.mid + b.mid) / 2, a.high > b.high ? a.high : b.high);
}

/*
 * Told in two ways, and the truth lies between. The samples at the load are waiting, of which the probe says what is
 * left; but some of them may be work that hides beneath the wait, and some of the wait may show at what needs the
 * value. The probe's whole turn, with as much work as the program's, says what is left of the loop. Where no loop is
 * known the samples at the load may hold all of the work.
 */
static struct interval group_gain(const struct results *results, const struct stall_group *group,
                                  const struct access_cost *cost)
{
    struct interval turn = turn_share(results, group);
    struct interval small = interval_product(group->share, group->base_share);
    struct interval gain = interval_product(small, interval_complement(left_on_huge_pages(cost)));
    if (turn.known && cost->wait_spread.known && cost->ratio_spread.known) {
        struct interval waiting =
            interval_product(small, interval_complement(interval_clamped(cost->wait_spread, 0, 1)));
        struct interval whole = interval_product(interval_product(turn, group->base_share),
                                                 interval_complement(interval_clamped(cost->ratio_spread, 0, 1)));
        gain = interval_hull(waiting, whole);
    }
    return less_wrong_guesses(results, group, gain, cost->ns_small.mid);
}

static void small_pages_evidence(const struct results *results, struct finding *finding,
                                 const struct stall_group *group, const struct access_cost *cost)
{
    const struct stall_function *function = function_of(results->stalls, group);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", group->share),
                     VALUE_TEXT("function", function->name), VALUE_TEXT("instruction", group->row.text));
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_ADDRESSES,
                     group->set.stride_bytes ? "strided"
                     : group->said.is_known  ? "spread-said"
                                             : "spread",
                     VALUE_BYTES("span", (double)group->set.span_bytes), group_size("pages", group),
                     VALUE_BYTES("stride", (double)group->set.stride_bytes), VALUE_TEXT("area", group->area));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_PAGES, "pages", VALUE_SHARE("base", group->base_share),
                     VALUE_TEXT("area", group->area), VALUE_BYTES("resident", (double)group->area_resident_bytes));
    guesses_evidence(results, finding, group);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_PROBE, cost->work_instructions >= 8 ? "walk-with-work" : "walk",
                     VALUE_SECONDS("small", interval_exactly(cost->ns_small.mid * 1e-9)),
                     VALUE_SECONDS("huge", interval_exactly(cost->ns_huge.mid * 1e-9)),
                     VALUE_COUNT("work", cost->work_instructions),
                     VALUE_SHARE("ratio", interval_complement(left_on_huge_pages(cost))));
}

/* What would really change the pages, by what the mapping is and what is set for it. */
struct page_remedy {
    const char *advice[4]; /* keys; up to the first NULL */
    const char *confirm;
};

static const struct page_remedy *page_remedy_for(const struct stall_group *group, const char *policy, bool is_foreign,
                                                 bool own_heap)
{
    static const struct page_remedy forbidden = {{"advice-forbidden"}, "confirm-rebuilt"};
    static const struct page_remedy off = {{"advice-never", "advice-then"}, "confirm-policy"};
    static const struct page_remedy asked = {{"advice-asked", "advice-compact"}, "confirm-rebuilt"};
    static const struct page_remedy shared = {{"advice-shared"}, "confirm-rebuilt"};
    static const struct page_remedy file = {{"advice-file"}, "confirm-rebuilt"};
    static const struct page_remedy stack = {{"advice-stack"}, "confirm-rebuilt"};
    static const struct page_remedy scarce = {{"advice-scarce", "advice-compact"}, "confirm-rebuilt"};
    static const struct page_remedy heap = {{"advice-malloc", "advice-always"}, "confirm-malloc"};
    static const struct page_remedy anonymous = {{"advice-madvise", "advice-maybe-malloc", "advice-always"},
                                                 "confirm-policy"};
    static const struct page_remedy runtime = {{"advice-always"}, "confirm-policy"};
    static const struct page_remedy untouched = {{"advice-maybe-malloc", "advice-always"}, "confirm-policy"};
    if (group && group->advised_never)
        return &forbidden;
    if (group && group->is_stack)
        return &stack;
    if (group && group->is_shared)
        return &shared;
    if (group && group->area_known && !group->is_anonymous)
        return &file;
    if (strcmp(policy, "never") == 0)
        return &off;
    if (group && group->advised_huge)
        return &asked;
    if (strcmp(policy, "always") == 0)
        return &scarce;
    if (own_heap)
        return &runtime;
    return group && group->is_heap ? &heap : is_foreign ? &untouched : &anonymous;
}

/* One line after another, far apart: in another order of the same work they would be neighbours. */
static bool walks_across(const struct stall_group *group)
{
    return group->set.stride_bytes >= 128 && !group->set.one_place_in_stride;
}

static void small_pages_advice(const struct results *results, struct finding *finding,
                               const struct stall_group *group)
{
    const struct surroundings *machine = results->surroundings;
    const char *policy = machine ? machine->thp_enabled : "";
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_MACHINE, "policy",
                     VALUE_TEXT("policy", policy[0] ? policy : "unknown"));
    bool is_foreign = code_is_foreign(results);
    const struct code_maker *maker = maker_of(results, group);
    const struct page_remedy *remedy = page_remedy_for(group, policy, is_foreign, maker && maker->own_heap);
    bool asked_by_runtime =
        maker && maker->pages && strcmp(policy, "madvise") == 0 && !group->advised_huge && !group->advised_never;
    is_foreign |= maker != NULL; /* how its data lie is said with the misses */
    if (asked_by_runtime)
        finding_advise(finding, maker->pages, NO_VALUES);
    enum search_shape search = group ? search_of(results, group) : SEARCH_NONE;
    bool walks = group && search == SEARCH_NONE && walks_across(group);
    if (walks && !is_foreign)
        finding_advise(finding, "advice-order", VALUE_BYTES("stride", (double)group->set.stride_bytes));
    for (size_t at = 0; at < array_count(remedy->advice) && remedy->advice[at]; at++)
        finding_advise(finding, remedy->advice[at], VALUE_TEXT("area", group ? group->area : "the hot data"));
    if (search != SEARCH_NONE && !is_foreign)
        finding_advise(finding, search == SEARCH_TREE ? "advice-tree" : "advice-halving", NO_VALUES);
    else if (group && !walks && !is_foreign)
        finding_advise(finding, group->dependent_samples * 2 > group->samples ? "advice-chase" : "advice-together",
                       NO_VALUES);
    if (machine && machine->is_guest)
        finding_advise(finding, machine->confidential[0] ? "advice-confidential" : "advice-guest",
                       VALUE_TEXT("hypervisor", machine->hypervisor));
    finding_set(finding, confirm,
                !results->command  ? "confirm-attached"
                : asked_by_runtime ? maker->confirm_pages
                                   : remedy->confirm,
                VALUE_TEXT("command", results->command ? results->command : ""));
}

struct page_gain { /* what all groups together would get back */
    struct interval sum;
    double unmeasured; /* share that waits for memory and was not told apart */
    const struct stall_group *leading;
    const struct access_cost *leading_cost;
    double leading_mid;
};

static struct page_gain page_gain_of(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    struct page_gain gain = {.sum = interval_exactly(0)};
    double covered = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        const struct access_cost *cost = access_costs_of_group(results->costs, (uint32_t)at);
        bool sized = group->base_hits + group->huge_hits > 0;
        covered += (double)group->samples;
        if (touches_few_pages(group))
            continue;
        if (group_goes_in_order(results, group)) {
            gain.unmeasured += group->share.high * order_translation(group, cost);
            continue;
        }
        if (!sized || (group->base_hits && (!cost || !cost->known))) {
            gain.unmeasured += group->share.high;
            continue;
        }
        /* Addresses whose page size isn't known may all be on small ones; so may a few of the others. */
        double hits = (double)(group->base_hits + group->huge_hits + group->unknown_hits);
        double unknown = (double)group->unknown_hits / hits;
        gain.unmeasured += group->share.high * unknown;
        if (!group->base_hits) {
            gain.unmeasured += group->share.high * (1 - unknown) * group->base_share.high;
            continue;
        }
        struct interval one = interval_scaled(group_gain(results, group, cost), 1 - unknown);
        double most = group->share.high * (1 - unknown);
        gain.unmeasured += probe_fell_short(cost) && most > one.high ? most - one.high : 0;
        gain.sum = interval_sum(gain.sum, one);
        if (!gain.leading || one.mid > gain.leading_mid) {
            gain.leading = group;
            gain.leading_cost = cost;
            gain.leading_mid = one.mid;
        }
    }
    double rest = (double)(stalls->memory_samples + stalls->blind_samples) - covered;
    gain.unmeasured += rest > 0 ? rest / (double)stalls->sample_count : 0;
    return gain;
}

struct interval page_walks_share(const struct results *results)
{
    if (!results->stalls || !results->stalls->sample_count)
        return (struct interval){0};
    struct page_gain gain = page_gain_of(results);
    struct interval waits =
        wilson_interval((double)(results->stalls->memory_samples + results->stalls->blind_samples),
                        (double)results->stalls->sample_count, (double)results->stalls->sample_count);
    double high = gain.sum.high + gain.unmeasured;
    high = high < waits.high ? high : waits.high;
    return interval_of(gain.sum.low < high ? gain.sum.low : high, gain.sum.mid < high ? gain.sum.mid : high, high);
}

struct interval page_walks_bound(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->sample_count)
        return (struct interval){0};
    double most = 0, covered = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        covered += (double)group->samples;
        if (!touches_few_pages(group))
            most +=
                group->share.high * (group_goes_in_order(results, group)
                                         ? order_translation(group, access_costs_of_group(results->costs, (uint32_t)at))
                                         : 1);
    }
    double rest = (double)(stalls->memory_samples + stalls->blind_samples) - covered;
    most += rest > 0 ? rest / (double)stalls->sample_count : 0;
    return interval_of(0, most < 1 ? most / 2 : 0.5, most < 1 ? most : 1);
}

/*
 * What taking huge pages costs more than small ones, as a share of the CPU time: where the host gives a guest its
 * memory anew, clearing 2 MiB takes a fault out there for each 4 KiB, unless the guest still has what another gave
 * back. Paid once for what is kept (the least), at most for all that is ever touched. Of a program that runs already it
 * is paid; where huge pages are cheaper to take, that is the page faults' gain, not this one's.
 */
static struct interval taking_share(const struct results *results)
{
    const struct access_costs *costs = results->costs;
    const struct run_time *run = results->run;
    struct interval more = {0};
    for (size_t at = 0; costs && at < costs->count; at++) {
        struct interval huge = costs->items[at].ns_touch_huge, small = costs->items[at].ns_touch_small;
        if (huge.known && small.known) {
            struct interval one = interval_of(fmax(huge.low - small.mid, 0), fmax(huge.mid - small.mid, 0),
                                              fmax(huge.high - small.mid, 0));
            more = more.known ? interval_hull(more, one) : one;
        }
    }
    bool started = run && run->scope == RUN_STARTED && run->cpu_s.known && run->cpu_s.value > 0;
    if (!more.known || !started || !results->activity || !results->activity->minor_faults.known)
        return interval_exactly(0);
    double kept = 0, touched = results->activity->minor_faults.value;
    for (size_t at = 0; at < results->stalls->group_count; at++) {
        double pages = (double)results->stalls->groups[at].area_resident_bytes / 4096;
        kept = results->stalls->groups[at].base_hits && pages > kept ? pages : kept;
    }
    kept = kept < touched ? kept : touched;
    double of_run = 1e-9 / run->cpu_s.value;
    return interval_clamped(
        interval_of(kept * more.low * of_run, (kept + touched) / 2 * more.mid * of_run, touched * more.high * of_run),
        0, 1);
}

/* What is left of a gain when something it needs has been paid for. */
static struct interval interval_after(struct interval gain, struct interval paid)
{
    return interval_clamped(interval_of(gain.low - paid.high, gain.mid - paid.mid, gain.high - paid.low), 0, 1);
}

static void taking_evidence(const struct results *results, struct finding *finding, const struct access_cost *cost,
                            struct interval taking)
{
    if (cost && cost->ns_touch_huge.known && cost->ns_touch_small.known && taking.high * 5 >= results->effect)
        finding_evidence(finding, WEIGHT_AGAINST, ORIGIN_PROBE, "taking", VALUE_SHARE("share", taking),
                         VALUE_SECONDS("huge", interval_scaled(cost->ns_touch_huge, 1e-9)),
                         VALUE_SECONDS("small", interval_exactly(cost->ns_touch_small.mid * 1e-9)));
}

/*
 * On a machine whose speed changes the probe's interval may reach down to nothing. Where the middle of it returns
 * something and the estimate, which needs no probe, says translation, that is a fact; what it returns stays what the
 * probe leaves open.
 */
static void pages_by_estimate(const struct results *results, struct finding *finding)
{
    struct interval probed = finding->recoverable, share;
    if (probed.mid < results->effect || !estimate_decides(results, finding, CAUSE_BIT(CAUSE_TLB), &share))
        return;
    finding->recoverable = interval_of(probed.low, probed.mid < share.high ? probed.mid : share.high,
                                       probed.high < share.high ? probed.high : share.high);
    finding->gain_unmeasured = false; /* it was probed, however wide */
}

static void small_pages_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    struct page_gain gain = page_gain_of(results);
    struct interval recoverable =
        interval_of(gain.sum.low, gain.sum.mid, gain.sum.high + gain.unmeasured);
    struct interval taking = taking_share(results), gain_of_run = share_of_run(results, finding, recoverable);
    struct interval net = share_of_run(results, finding, interval_after(recoverable, taking));
    bool pays = !(net.high < results->effect);
    /*
     * The price of taking them changes with the host's memory, by the minute: it makes the gain doubtful, but rules
     * nothing out.
     */
    finding_decide(finding, pays ? gain_of_run : interval_of(net.low, net.mid, gain_of_run.high), results->effect);
    if (finding->verdict == VERDICT_UNDECIDED && gain.leading)
        pages_by_estimate(results, finding);
    if (pays && finding->verdict != VERDICT_RULED_OUT)
        finding->recoverable.low = interval_after(finding->recoverable, share_of_run(results, finding, taking)).low;
    if (gain.leading) {
        small_pages_evidence(results, finding, gain.leading, gain.leading_cost);
        taking_evidence(results, finding, gain.leading_cost, taking);
        finding->subject = gain.leading->row.text;
    }
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, returner, "returner", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, gain.leading->set.stride_bytes ? "headline-strided" : "headline",
                    VALUE_TEXT("function", function_of(results->stalls, gain.leading)->name),
                    VALUE_TEXT("instruction", gain.leading->row.text),
                    group_size("span", gain.leading),
                    VALUE_BYTES("stride", (double)gain.leading->set.stride_bytes));
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "measured-bound", finding->recoverable);
    if (finding->verdict == VERDICT_UNDECIDED) {
        finding_set(finding, reason, "undecided", VALUE_SHARE("unmeasured", interval_exactly(gain.unmeasured)));
        finding_set(finding, remedy, "remedy", NO_VALUES);
    }
    if (finding->verdict != VERDICT_RULED_OUT)
        small_pages_advice(results, finding, gain.leading);
}

const struct hypothesis hypothesis_small_pages = {
    .id = "small-pages",
    .family = "memory",
    .title = "small pages behind hot data",
    .rule = "supported when probes of the very access pattern, 4 KiB against 2 MiB pages in turns, return the effect "
            "at the "
            "lower end, or when a trial with huge pages closed the gap; ruled out when what waits for memory beyond "
            "the TLB's reach, or the measured "
            "difference, stays below it at the upper end, or such a trial left the time as it was",
    .gain = "between the share of samples at those loads on 4 KiB pages times what the probe saved of the wait, and "
            "the loop's share "
            "times what it saved of a whole turn; patterns not measured widen the upper end; at the lower end less "
            "what taking huge pages costs more "
            "than small ones, at their first touch as the probe measured it",
    .overturn = "the same command on huge pages and on small ones, in turns (plumb confirm does it)",
    .causes = CAUSE_BIT(CAUSE_TLB),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_COSTS) | RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY) |
            RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = small_pages_test,
};
