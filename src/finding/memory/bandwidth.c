/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As fast as memory comes and goes: bandwidth, and waiting for stores. */
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/memory/waits.h"

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
    /* a library's loop isn't to be changed by who uses it */
    bool is_copy = copying_advise(results, finding, results->bottleneck->program.function);
    if (!is_copy) {
        finding_advise(finding, "advice", NO_VALUES);
        finding_advise(finding, "advice-types", NO_VALUES);
    }
    if (stores && !is_copy)
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
