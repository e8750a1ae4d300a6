/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where lines are: on another node, or wanted by several CPUs at once. */
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/memory/waits.h"

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

/*
 * Most of what it touches are lines that threads take turns at: whether they wait there, or for a wrong guess just
 * before, isn't certain, and nothing else is as likely.
 */
static void turns_point(const struct results *results, struct finding *finding, bool apart)
{
    static const double MOST_OF = 0.5;
    const struct stalls *stalls = results->stalls;
    double turns = (double)stalls->turns_samples / (double)stalls->shared_line_addresses;
    if (turns < MOST_OF)
        return;
    finding->pointed = turns * finding->recoverable.high;
    finding_set(finding, remedy, apart ? "remedy-apart" : "remedy-turns", NO_VALUES);
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
    finding->far_end_waits = apart; /* what waits there does so for that line, whether it was seen to change or not */
    if (apart)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_ADDRESSES, "apart",
                         VALUE_SHARE("apart", interval_exactly((double)stalls->apart_samples / seen)));
    if (finding->verdict == VERDICT_UNDECIDED) {
        finding_reason_bound(finding, "undecided", finding->recoverable);
        turns_point(results, finding, apart);
    } else
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
