/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes in the memory: address translation, caches, bandwidth, stores, nodes, contended lines. */
#include "analyse/code/search_shape.h"
#include "base/cache_line.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/memory/page_walks.h"

#include <math.h>
#include <string.h>

/*
 * First-level data TLBs hold 32 to 96 small pages, second-level ones 1024 to 3072: a group that touches fewer pages
 * than the smallest first level can't miss; between the two a probe decides.
 */
static const double PAGES_NEVER_MISSED_BYTES = 32 * 4096.0;

static const struct stall_function *function_of(const struct stalls *stalls, const struct stall_group *group)
{
    return &stalls->functions[group->function];
}

static struct interval memory_bound(const struct results *results, const struct finding *finding)
{
    return share_of_stalls(results, finding, (double)results->stalls->memory_samples);
}

/* Nothing in memory can matter when so few samples wait for it: decides and says so. */
static bool ruled_out_by_memory_share(const struct results *results, struct finding *finding)
{
    struct interval bound = memory_bound(results, finding);
    if (!bound.known || bound.high >= results->effect)
        return false;
    finding_decide_bound(finding, bound.high, results->effect);
    finding_reason_bound(finding, "bound", bound);
    return true;
}

static bool touches_few_pages(const struct stall_group *group)
{
    const struct set_size *pages = &group->set.pages;
    return pages->known && pages->bytes * 2 < PAGES_NEVER_MISSED_BYTES;
}

static struct interval interval_sum(struct interval a, struct interval b)
{
    return interval_of(a.low + b.low, a.mid + b.mid, a.high + b.high);
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

/* A wrong guess costs 25 cycles at most (documented, cores since 2010), at 2.5 a nanosecond or more. */
static const double WRONG_GUESS_NS = 10;

/*
 * Samples right behind a compare with memory and its branch stand for the load or for a wrong guess: the lower end of
 * what the load's wait returns is what is left when each of them was such a guess.
 */
static struct interval less_wrong_guesses(const struct stall_group *group, struct interval gain, double waited_ns)
{
    if (!group->landing_samples || !group->samples)
        return gain;
    double ambiguous = (double)group->landing_samples / (double)group->samples;
    double guesses =
        (ambiguous < 1 ? ambiguous : 1) * WRONG_GUESS_NS / (WRONG_GUESS_NS + (waited_ns > 0 ? waited_ns : 0));
    return interval_of(gain.low * (1 - guesses), gain.mid * (1 - guesses / 2), gain.high);
}

static void guesses_evidence(struct finding *finding, const struct stall_group *group)
{
    if (group->landing_samples * 2 > group->samples)
        finding_evidence(finding, WEIGHT_AGAINST, ORIGIN_CODE, "wrong-guesses",
                         VALUE_TEXT("instruction", group->row.text));
}

/*
 * The most of a walk in order that may be waiting for what costs `line_ns` a line here: of the time in which the
 * program walks a line, twice that (it reads beside its own work, the probe does nothing else). 1: not known.
 */
static double order_bound(const struct stall_group *group, double line_ns)
{
    double bound = group->order_line_ns > 0 ? line_ns * 2 / group->order_line_ns : 1;
    return bound < 1 ? bound : 1;
}

/*
 * What a line costs one core when all of them come in order: of the pattern's own memory, else as calibrated beside the
 * run. 0: not known.
 */
static double line_ns(const struct results *results, const struct access_cost *cost)
{
    struct interval read = ceilings_figure(results->ceilings, CALIBRATION_READ_ONE);
    if (cost && cost->known && cost->ns_line.known)
        return cost->ns_line.high;
    return read.known && read.low > 0 ? CACHE_LINE_BYTES * 1e9 / read.low : 0;
}

/* Either had the memory to itself: each CPU that the program kept busy may cost as much again. */
static double order_transfer(const struct results *results, const struct stall_group *group,
                             const struct access_cost *cost)
{
    double sharing = results->run && results->run->cpus_used.known ? results->run->cpus_used.value : 1;
    double line = line_ns(results, cost);
    return line > 0 ? order_bound(group, line * (sharing > 1 ? sharing : 1)) : 1;
}

/* One translation serves the 64 lines of a small page, and costs at most what an access anywhere does. */
static double order_translation(const struct stall_group *group, const struct access_cost *cost)
{
    return cost && cost->known ? order_bound(group, cost->ns_small.high / 64) : 1;
}

/* The probe had room for less memory than the pattern spans: what the rest costs is more, and nobody knows how much. */
static bool probe_fell_short(const struct access_cost *cost)
{
    const uint64_t rounding = 2 << 20;
    return cost->measured_span_bytes && cost->measured_span_bytes + rounding < cost->span_bytes;
}

/*
 * What the loop around the group's instruction holds of all samples: the access and the work around it. Unknown where
 * none is known.
 */
static struct interval turn_share(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = function_of(results->stalls, group)->name;
    uint64_t addr = group->row.shown_addr, least = UINT64_MAX;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        bool holds = loop->verdict.function && strcmp(loop->verdict.function, function) == 0 &&
                     loop->first_addr <= addr && addr <= loop->last_addr && loop->samples >= group->samples;
        least = holds && loop->samples < least ? loop->samples : least;
    }
    double all = (double)results->stalls->sample_count;
    return least == UINT64_MAX ? (struct interval){0} : wilson_interval((double)least, all, all);
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
    return less_wrong_guesses(group, gain, cost->ns_small.mid);
}

static double group_size_bytes(const struct stall_group *group)
{
    const struct set_size *pages = &group->set.pages;
    return pages->known ? pages->bytes : pages->at_least_bytes;
}

/* Where too few addresses were met again it is a lower bound of what they go over. */
static struct value group_size(const char *name, const struct stall_group *group)
{
    double bytes = group_size_bytes(group);
    return group->set.pages.known ? VALUE_BYTES(name, bytes) : VALUE_BYTES_LEAST(name, bytes);
}

static void small_pages_evidence(const struct results *results, struct finding *finding,
                                 const struct stall_group *group, const struct access_cost *cost)
{
    const struct stall_function *function = function_of(results->stalls, group);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", group->share),
                     VALUE_TEXT("function", function->name), VALUE_TEXT("instruction", group->row.text));
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_ADDRESSES, group->set.stride_bytes ? "strided" : "spread",
                     VALUE_BYTES("span", (double)group->set.span_bytes),
                     group_size("pages", group),
                     VALUE_BYTES("stride", (double)group->set.stride_bytes), VALUE_TEXT("area", group->area));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_PAGES, "pages", VALUE_SHARE("base", group->base_share),
                     VALUE_TEXT("area", group->area), VALUE_BYTES("resident", (double)group->area_resident_bytes));
    guesses_evidence(finding, group);
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

/* Of one that was compiled at run time, or of its runtime; NULL: any other code, or none is known. */
static const struct code_maker *maker_of(const struct results *results, const struct stall_group *group)
{
    return group ? code_maker_of(results, function_of(results->stalls, group)) : NULL;
}

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

/* Whether it looks something up where it waits: no other order of the same work makes neighbours of what it goes to. */
static enum search_shape search_of(const struct results *results, const struct stall_group *group)
{
    const struct stall_code *code = results->stalls->codes ? &results->stalls->codes[group->function] : NULL;
    for (uint32_t row = 0; code && row < code->count; row++)
        if (code->items[row].addr == group->row.shown_addr)
            return search_shape_at(code->items, code->count, row);
    return SEARCH_NONE;
}

static void advise_on_search(struct finding *finding, enum search_shape search)
{
    finding_advise(finding, search == SEARCH_TREE ? "advice-tree" : "advice-halving", NO_VALUES);
    finding_advise(finding, "advice-several", NO_VALUES);
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

static double l2_bytes(const struct results *results)
{
    return results->surroundings && results->surroundings->l2_bytes.known ? results->surroundings->l2_bytes.value
                                                                          : 1 << 20;
}

/*
 * How far a group's accesses reach by the estimated bottleneck, which counts what the code goes over as well as where
 * it stalled: two answers to one question would contradict each other. NONE: its loops don't tell, or there is no
 * estimate.
 */
static enum bottleneck_level estimated_level(const struct results *results, const struct stall_group *group)
{
    static const double TOLD_LEAST = 0.5, REACHED_LEAST = 0.1;
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = function_of(results->stalls, group)->name;
    double by_level[LEVEL_BEYOND + 1] = {0}, told = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->verdict.function || strcmp(loop->verdict.function, function) != 0 ||
            loop->verdict.level == LEVEL_NONE)
            continue;
        by_level[loop->verdict.level] += (double)loop->samples;
        told += (double)loop->samples;
    }
    if (told < TOLD_LEAST * (double)group->samples)
        return LEVEL_NONE;
    enum bottleneck_level level = LEVEL_BEYOND;
    while (level > LEVEL_L1 && by_level[level] < REACHED_LEAST * told)
        level--;
    return level;
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
    finding_set(finding, headline,
                is_chase(leading) ? "headline-chase"
                : halves          ? "headline-halving"
                                  : "headline",
                VALUE_TEXT("function", function_of(results->stalls, leading)->name),
                VALUE_TEXT("instruction", leading->row.text), group_size("span", leading));
    finding_set(finding, returner,
                leading->share.high < sum.low ? "returner-all"
                : others                      ? "returner-others"
                                              : "returner",
                VALUE_SHARE("share", leading->share));
}

static void cache_misses_advice(const struct results *results, struct finding *finding,
                                const struct stall_group *leading)
{
    enum search_shape search = leading ? search_of(results, leading) : SEARCH_NONE;
    const struct code_maker *maker = maker_of(results, leading);
    bool chase = is_chase(leading);
    if (maker) {
        finding_advise(finding, maker->memory, NO_VALUES);
        finding_advise(finding, maker->order, NO_VALUES);
    } else if (search != SEARCH_NONE) {
        advise_on_search(finding, search);
    } else {
        bool scattered = leading && !chase && !leading->set.stride_bytes;
        finding_advise(finding, chase ? "advice-chase" : scattered ? "advice-scattered" : "advice-layout", NO_VALUES);
        finding_advise(finding, chase ? "advice-prefetch" : scattered ? "advice-ahead" : "advice-block", NO_VALUES);
    }
    if ((chase || search != SEARCH_NONE) && leading->base_hits > leading->huge_hits && !code_is_foreign(results))
        finding_advise(finding, "advice-pages", NO_VALUES);
}

static void cache_misses_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    struct interval sum = interval_exactly(0);
    double unmeasured = 0, covered = 0;
    const struct stall_group *leading = NULL, *ordered = NULL;
    const struct access_cost *leading_cost = NULL;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        const struct access_cost *cost = access_costs_of_group(results->costs, (uint32_t)at);
        covered += (double)group->samples;
        double l1 = results->surroundings && results->surroundings->l1d_bytes.known
                        ? results->surroundings->l1d_bytes.value
                        : 32768;
        enum bottleneck_level level = estimated_level(results, group);
        bool is_near = group->set.lines.known && group->set.lines.bytes * 1.5 < l1;
        if (is_near && level != LEVEL_BEYOND)
            continue;
        bool is_within = level == LEVEL_L1 || level == LEVEL_L2, is_wide = group_size_bytes(group) > l2_bytes(results);
        if (is_near || (is_within && is_wide)) { /* the estimate says otherwise: neither is certain */
            unmeasured += group->share.high;
            continue;
        }
        /* what lies ahead is fetched ahead: the probe's random order says nothing of it */
        if (group_goes_in_order(results, group)) {
            unmeasured += group->share.high * order_transfer(results, group, cost);
            ordered = ordered ? ordered : group;
            continue;
        }
        if (!cost || !cost->known || !cost->ns_near.known) {
            struct interval calibrated = calibrated_miss_ratio(results, group);
            if (calibrated.known) {
                sum = interval_sum(sum, interval_product(group->share, calibrated));
                leading = leading ? leading : group;
            } else {
                unmeasured += group->share.high;
            }
            continue;
        }
        bool small = group->base_hits >= group->huge_hits;
        struct interval gain = interval_product(group->share, miss_ratio(cost, small));
        sum = interval_sum(
            sum, less_wrong_guesses(group, gain, (small ? cost->ns_small.mid : cost->ns_huge.mid) - cost->ns_near.mid));
        unmeasured += probe_fell_short(cost) && group->share.high > gain.high ? group->share.high - gain.high : 0;
        if (!leading || !leading_cost) { /* the pattern's own probe says more than the curve */
            leading = group;
            leading_cost = cost;
        }
    }
    double rest = (double)(stalls->memory_samples + stalls->blind_samples) - covered;
    unmeasured += rest > 0 ? rest / (double)stalls->sample_count : 0;
    sum.high += unmeasured;
    struct interval share = share_of_run(results, finding, sum), waits = memory_bound(results, finding);
    /* groups added up, each with room of its own */
    bool beyond = waits.known && share.known && share.high > waits.high;
    finding_decide(finding, beyond ? interval_clamped(share, 0, waits.high) : share, results->effect);
    if (leading) {
        finding->subject = leading->row.text;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", leading->share),
                         VALUE_TEXT("function", function_of(stalls, leading)->name),
                         VALUE_TEXT("instruction", leading->row.text));
        say_cost(results, finding, leading, leading_cost);
        if (is_chase(leading))
            finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "dependent", NO_VALUES);
        guesses_evidence(finding, leading);
    }
    if (ordered && finding->verdict != VERDICT_RULED_OUT)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "in-order",
                         VALUE_TEXT("instruction", ordered->row.text));
    if (finding->verdict == VERDICT_SUPPORTED)
        cache_misses_say(results, finding, leading, sum);
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "measured-bound", finding->recoverable);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, "undecided", VALUE_SHARE("unmeasured", interval_exactly(unmeasured)));
    if (finding->verdict != VERDICT_RULED_OUT && (leading || !ordered)) {
        cache_misses_advice(results, finding, leading);
        if (leading_cost) /* what the check must find is what was promised */
            finding_set(
                finding, confirm, "confirm-ratio", VALUE_TEXT("function", function_of(stalls, leading)->name),
                VALUE_SHARE("ratio",
                            interval_exactly(miss_ratio(leading_cost, leading->base_hits >= leading->huge_hits).low)));
        else
            finding_set(finding, confirm, "confirm", NO_VALUES);
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

/*
 * A strided access moves one line: what a line costs this core when all of them come one after the other, as measured
 * here, is what bandwidth can account for, and no more can return. A stream's accesses share lines, and its own cost
 * was not measured: then all of it may be bandwidth.
 */

static double transfer_share(const struct results *results, const struct stall_group *group,
                             const struct access_cost *cost)
{
    bool strided = group->set.stride_bytes >= 128 && !group->set.one_place_in_stride;
    if (group_goes_in_order(results, group))
        return group->store_samples * 10 > group->samples ? 1 : order_transfer(results, group, cost);
    if (!strided || !cost || !cost->known || !cost->ns_line.known || group->store_samples * 10 > group->samples)
        return 1;
    const struct interval *now = group->huge_hits > group->base_hits ? &cost->ns_huge : &cost->ns_small;
    double work = cost->ns_work.known && cost->ns_work.mid < now->low ? cost->ns_work.mid : 0;
    double share = cost->ns_line.high / (now->low - work);
    return share < 1 ? share : 1;
}

static const char *gigabytes(struct finding *finding, struct interval rate)
{
    return arena_printf(finding->arena, rate.high * 1e-9 - rate.low * 1e-9 < 0.1 ? "%.1f GB/s" : "%.1f to %.1f GB/s",
                        rate.low * 1e-9, rate.high * 1e-9);
}

/* What one core could move while it ran: the ceiling that a stream meets. */
static void say_bandwidth(const struct results *results, struct finding *finding)
{
    struct interval read = ceilings_figure(results->ceilings, CALIBRATION_READ_ONE);
    struct interval written = ceilings_figure(results->ceilings, CALIBRATION_WRITE_ONE);
    if (read.known && written.known)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_PROBE, "ceiling", VALUE_TEXT("read", gigabytes(finding, read)),
                         VALUE_TEXT("written", gigabytes(finding, written)));
}

/*
 * What a walk at the memory's pace has as remedies: fewer bytes, or other CPUs' share of what memory gives, if there is
 * one.
 */
static void advise_on_bandwidth(const struct results *results, struct finding *finding, bool stores)
{
    static const double MORE_LEAST = 1.3;
    struct interval one = ceilings_figure(results->ceilings, CALIBRATION_READ_ONE),
                    all = ceilings_figure(results->ceilings, CALIBRATION_READ_ALL);
    finding_advise(finding, "advice", NO_VALUES);
    finding_advise(finding, "advice-types", NO_VALUES);
    if (stores)
        finding_advise(finding, "advice-stores", NO_VALUES);
    if (one.known && all.known)
        finding_advise(finding, all.mid > MORE_LEAST * one.mid ? "advice-threads" : "advice-no-threads",
                       VALUE_TEXT("one", gigabytes(finding, one)), VALUE_TEXT("all", gigabytes(finding, all)));
}

static void bandwidth_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    double l2 = l2_bytes(results);
    double possible = 0, grouped = 0, stores = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        stores += (double)group->store_samples;
        bool small = group->set.lines.known && group->set.lines.bytes * 2 < l2 &&
                     estimated_level(results, group) != LEVEL_BEYOND;
        bool one_at_a_time = group->dependent_samples * 10 > group->samples * 9;
        double transfer = transfer_share(results, group, access_costs_of_group(results->costs, (uint32_t)at));
        possible += small || one_at_a_time ? 0 : (double)group->samples * transfer;
        grouped += (double)group->samples;
    }
    /* What belongs to no group has no pattern: many small mappings, gathers, processes too short to count. */
    double rest = (double)stalls->memory_samples - grouped;
    possible += rest > 0 ? rest : 0;
    /*
     * At the edge of a cache the pattern alone says now this, now that: what the estimate lays there isn't ruled out.
     */
    double laid = estimated_samples(results, CAUSE_BIT(CAUSE_BANDWIDTH));
    possible = possible > laid ? possible : laid;
    struct interval bound = share_of_stalls(results, finding, possible);
    finding_decide_bound(finding, bound.high, results->effect);
    if (finding->verdict == VERDICT_UNDECIDED && decide_by_estimate(results, finding, CAUSE_BIT(CAUSE_BANDWIDTH))) {
        say_bandwidth(results, finding);
        advise_on_bandwidth(results, finding, stores > 0);
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return;
    }
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "shape-bound" : "undecided", bound);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    say_bandwidth(results, finding);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_bandwidth = {
    .id = "memory-bandwidth",
    .family = "memory",
    .title = "memory bandwidth",
    .rule = "supported when the estimate (or a counted or imported tma_mem_bandwidth) lays at least the effect at "
            "walks as fast as "
            "memory comes; ruled out when accesses that could stream beyond the second cache hold less",
    .gain = "0 to the share: what moving fewer bytes returns isn't measured",
    .overturn =
        "data that fits the second-level cache, or two copies side by side: bandwidth shared halves, latency doesn't",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_BANDWIDTH),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_COSTS) | RESULT_BIT(RESULT_CEILINGS) | RESULT_BIT(RESULT_RUN) |
            RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = bandwidth_test,
};

static void stores_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    const uint64_t *by_class = results->stalls->class_samples;
    double hits = (double)(by_class[INSTRUCTION_STORE] + by_class[INSTRUCTION_UPDATE] + by_class[INSTRUCTION_STRING] +
                           by_class[INSTRUCTION_SCATTER]);
    struct interval bound = share_of_stalls(results, finding, hits);
    finding_decide_bound(finding, bound.high, results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", bound);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_stores = {
    .id = "stores",
    .family = "memory",
    .title = "waiting for stores",
    .rule = "ruled out when less than the effect stands at stores; supported only by store-bound counters (counted or "
            "imported "
            "tma_store_bound)",
    .gain = "0 to the share of samples at stores",
    .overturn = "a copy that stores each result into one place: the time must fall",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = stores_test,
};

static void numa_remote_test(const struct results *results, struct finding *finding)
{
    const struct surroundings *machine = results->surroundings;
    if (machine->nodes.known && machine->nodes.value <= 1) {
        if (!machine->is_guest) {
            finding_decide_bound(finding, 0, results->effect);
            finding_set(finding, reason, "one-node", NO_VALUES);
            return;
        }
        bool told = results->stalls && results->stalls->attributed && results->stalls->sample_count;
        if (told && ruled_out_by_memory_share(results, finding))
            return;
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "one-node-guest", NO_VALUES);
        finding_set(finding, remedy, "remedy-guest", NO_VALUES);
        return;
    }
    if (!results->stalls) {
        finding_not_testable(finding, "no samples were taken", NULL);
        return;
    }
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    finding_decide_bound(finding, memory_bound(results, finding).high, results->effect);
    finding_reason_bound(finding, "undecided", memory_bound(results, finding));
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_numa_remote = {
    .id = "numa-remote",
    .family = "memory",
    .title = "memory on another node",
    .rule =
        "ruled out when the machine has one node or less than the effect waits for memory; otherwise bounded by that "
        "waiting",
    .gain = "0 to the share that waits for memory",
    .overturn = "numactl --cpunodebind=0 --membind=0 and without, in turns",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_RUN),
    .test = numa_remote_test,
};

/*
 * CPU time in which at least two of its threads ran at once, of its CPU time, at most; unknown: without switch records.
 * What ran beyond the time in which any ran was beside it, and as long at least ran what it was beside: twice the
 * excess.
 */
static struct interval side_by_side(const struct run_time *run)
{
    bool counted = run->from_switches && run->scope != RUN_MACHINE && run->switched_cpu_s.known &&
                   run->on_cpu_ratio.known && run->elapsed_s.known && run->switched_cpu_s.value > 0;
    if (!counted)
        return (struct interval){0};
    double total = run->switched_cpu_s.value;
    if (run->cpu_s.known && run->cpu_s.value > total)
        total = run->cpu_s.value; /* the records may miss some of it: that may have been beside */
    double beside = 2 * (total - run->on_cpu_ratio.value * run->elapsed_s.value) / total;
    return interval_exactly(beside < 0 ? 0 : beside > 1 ? 1 : beside);
}

static void false_sharing_test(const struct results *results, struct finding *finding)
{
    if (results->run->threads_seen <= 1) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "one-thread", NO_VALUES);
        return;
    }
    if (!stalls_are_attributed(results, finding) || ruled_out_by_memory_share(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    if (!stalls->shared_line_addresses) {
        finding_decide_bound(finding, memory_bound(results, finding).high, results->effect);
        finding_set(finding, reason, "no-addresses", NO_VALUES);
        return;
    }
    double seen = (double)stalls->shared_line_addresses;
    struct interval shared = wilson_interval((double)stalls->shared_line_samples, seen, seen);
    struct interval certain = wilson_interval((double)stalls->contended_samples, seen, seen);
    struct interval waits = memory_bound(results, finding);
    struct interval share = interval_product(interval_of(certain.low, certain.mid, shared.high), waits);
    struct share_scale scale = share_scale_of(results);
    struct interval beside = share_as(share_of(OF_CPU_TIME, side_by_side(results->run)), finding->of, &scale);
    bool by_time = beside.known && beside.high < share.high;
    if (by_time)
        share = interval_of(share.low < beside.high ? share.low : beside.high,
                            share.mid < beside.high ? share.mid : beside.high, beside.high);
    finding_decide_fact(finding, share, results->effect);
    finding_evidence(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_ADDRESSES,
                     "shared", VALUE_SHARE("shared", shared));
    if (by_time)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SCHEDULER, "side-by-side",
                         VALUE_SHARE("beside", interval_exactly(beside.high)),
                         VALUE_TEXT("of", denominator_name(finding->of)));
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, by_time ? "bound-beside" : "bound", share);
        return;
    }
    bool apart = stalls->apart_samples * 10 > stalls->shared_line_samples * 9;
    if (apart)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_ADDRESSES, "apart",
                         VALUE_SHARE("apart", interval_exactly((double)stalls->apart_samples / seen)));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "undecided", finding->recoverable);
    else
        finding_set(finding, reason, by_time ? "gain-beside" : "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, apart ? "headline-apart" : "headline",
                    VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)),
                    VALUE_TEXT("of", denominator_name(finding->of)));
    finding_advise(finding, apart ? "advice-apart" : "advice", NO_VALUES);
    finding_set(finding, confirm, apart ? "confirm-apart" : "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_false_sharing = {
    .id = "contended-lines",
    .family = "memory",
    .title = "cache lines that threads fight over",
    .rule = "supported when threads were seen to take turns at written lines in at least the effect; ruled out when "
            "only one "
            "thread ran, or lines that several touch hold less, or threads ran side by side in less",
    .gain = "0 to the share of samples at such lines, no more than ran side by side",
    .overturn = "the variables on lines of their own (alignas(128)), old against new",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_STALLS),
    .test = false_sharing_test,
};
