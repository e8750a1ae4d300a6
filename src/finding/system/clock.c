/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the machine's clock hold it back, or what limits that: heat and power? */
#include "finding/family.h"

#include <string.h>

/* Cycles without the kernel's beside its whole time would be a clock that never was. */
static struct measured clock_hz(const struct counter_summary *counters)
{
    for (size_t at = 0; counters && at < counters->count; at++)
        if (strcmp(counters->items[at].name, "cycles") == 0 && counters->items[at].user_only)
            return not_measured("cycles were counted in user space only");
    struct measured clock = measured_ratio(counter_of(counters, "cycles"), counter_of(counters, "task-clock"));
    return clock.known ? measured_as(clock.value * 1e9) : clock;
}

/* The highest clock is often for one core alone: a lower one is a bound of what could come back, no cause yet. */
static void frequency_measured(const struct results *results, struct finding *finding, double hz)
{
    struct measured most = results->surroundings->clock_most_hz;
    struct value ran = VALUE_COUNT("mhz", hz * 1e-6), highest = VALUE_COUNT("most", most.known ? most.value * 1e-6 : 0);
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_COUNTERS, "ran", ran);
    if (!most.known) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding_set(finding, reason, "most-unknown", ran);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    double lost = hz < most.value ? 1 - hz / most.value : 0;
    finding_decide_bound(finding, lost, results->effect);
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "measured-bound" : "measured-undecided", ran,
                highest);
    if (finding->verdict != VERDICT_RULED_OUT)
        finding_advise(finding, "advice", NO_VALUES);
}

static void frequency_test(const struct results *results, struct finding *finding)
{
    struct measured cycles = counter_of(results->counters, "cycles"), clock = clock_hz(results->counters);
    const struct surroundings *machine = results->surroundings;
    if (clock.known) {
        frequency_measured(results, finding, clock.value);
        return;
    }
    if (!cycles.known && !machine->governor[0]) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "not", NO_VALUES);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, reason, "undecided", VALUE_TEXT("governor", machine->governor[0] ? machine->governor : "?"));
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_frequency = {
    .id = "frequency",
    .family = "system",
    .title = "a lower clock than the machine could run",
    .rule = "ruled out when cycles over CPU time come within the effect of the highest clock; otherwise bounded by the "
            "difference",
    .gain = "0 to 1 - clock / highest clock",
    .overturn = "turbostat, or the performance governor, beside the run",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_COUNTERS),
    .test = frequency_test,
};

/* ---- what holds the clock down ---- */

/*
 * A limit that held throughout shows only against the hardware's highest clock; one that came and went, against the
 * best look as well. What lowered it (heat, power, wide vectors, a neighbour) no clock tells.
 */
static void clock_limits_test(const struct results *results, struct finding *finding)
{
    const struct ceilings *ceilings = results->ceilings;
    struct measured most = results->surroundings->clock_most_hz, counted = clock_hz(results->counters);
    double sum_hz = 0, best_hz = most.known ? most.value : 0;
    for (size_t at = 0; ceilings && at < ceilings->glimpse_count; at++) {
        sum_hz += ceilings->glimpses[at].clock_hz;
        best_hz = ceilings->glimpses[at].clock_hz > best_hz ? ceilings->glimpses[at].clock_hz : best_hz;
    }
    bool looked = ceilings && ceilings->glimpse_count >= CEILINGS_GLIMPSES_LEAST;
    double mean_hz = counted.known ? counted.value : looked ? sum_hz / (double)ceilings->glimpse_count : 0;
    if (mean_hz <= 0 || best_hz <= 0) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "not", NO_VALUES);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    double lost = mean_hz < best_hz ? 1 - mean_hz / best_hz : 0;
    struct value ran = VALUE_COUNT("mhz", mean_hz * 1e-6), best = VALUE_COUNT("most", best_hz * 1e-6);
    finding_decide_bound(finding, lost, results->effect);
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_RULED_OUT && most.known) {
        finding_set(finding, reason, "bound", ran, best);
        return;
    }
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "steady", ran);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    finding_set(finding, reason, "undecided", ran, best);
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_clock_limits = {
    .id = "thermal-power",
    .family = "system",
    .is_disturbance = true,
    .is_capacity = true,
    .title = "heat or a power limit",
    .rule = "ruled out when it ran within the effect of the hardware's highest clock; a lower clock bounds it, but "
            "doesn't say what lowered it; a steady clock "
            "without a known highest one is not testable",
    .gain = "0 to 1 - clock / highest clock",
    .overturn = "turbostat beside the run, and core_throttle_count before and after: no more of them",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_COUNTERS) | RESULT_BIT(RESULT_CEILINGS),
    .test = clock_limits_test,
};
