/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the machine behind it hold it back: exits, pages of the host, the clock? */
#include "finding/family.h"

#include <string.h>

static const struct statement *exits_statement(const struct statements *statements)
{
    for (size_t at = 0; statements && at < statements->count; at++)
        if (strstr(statements->items[at].origin, "table of exits"))
            return &statements->items[at];
    return NULL;
}

static void vm_exits_test(const struct results *results, struct finding *finding)
{
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    const struct statement *table = exits_statement(results->statements);
    if (table) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "statement", VALUE_TEXT("origin", table->origin),
                         VALUE_TEXT("text", table->text));
        finding_set(finding, reason, "undecided", NO_VALUES);
        return;
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "not", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_vm_exits = {
    .id = "vm-exits",
    .family = "system",
    .title = "exits to the hypervisor",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STATEMENTS),
    .test = vm_exits_test,
};

static void host_pages_test(const struct results *results, struct finding *finding)
{
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    if (results->stalls && results->stalls->attributed && results->stalls->sample_count) {
        struct interval bound = share_of_stalls(results, finding, (double)results->stalls->memory_samples);
        if (bound.high < results->effect) {
            finding_decide_bound(finding, bound.high, results->effect);
            finding_reason_bound(finding, "bound", bound);
            return;
        }
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "not", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_host_pages = {
    .id = "host-small-pages",
    .family = "system",
    .title = "small pages on the host behind this guest",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_RUN),
    .test = host_pages_test,
};

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
    finding_set(finding, reason, "undecided", VALUE_TEXT("governor", machine->governor[0] ? machine->governor : "?"));
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_frequency = {
    .id = "frequency",
    .family = "system",
    .title = "a lower clock than the machine could run",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_COUNTERS),
    .test = frequency_test,
};
