/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's other activities: interrupts, its locks, starting and ending programs, swapping. */
#include "base/scope.h"
#include "base/text.h"
#include "finding/family.h"
#include "finding/system/kernel_time.h"

#include <string.h>

static void interrupts_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    double maybe = (double)(kernel->softirq_samples + kernel->rootless_samples);
    if (!kernel_time_test_with(results, finding, (double)kernel->interrupt_samples, maybe))
        return;
    if (kernel->softirq_samples)
        finding_leave_open(finding, "softirq-whose", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_interrupts = {
    .id = "interrupts",
    .family = "system",
    .title = "interrupts",
    .rule = "supported when samples in interrupt handlers hold the effect; ruled out below it. Soft interrupts that a "
            "system call itself runs are that call's; where the chain doesn't tell, of either",
    .gain = "that share of the samples",
    .overturn = "a CPU without those interrupts",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = interrupts_test,
};

static void kernel_locks_test(const struct results *results, struct finding *finding)
{
    if (!kernel_time_test(results, finding, (double)results->kernel->spin_samples))
        return;
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_kernel_locks = {
    .id = "kernel-locks",
    .family = "system",
    .title = "spinning for kernel locks",
    .rule = "supported when samples that spin for kernel locks hold the effect; ruled out below it",
    .gain = "that share of the samples",
    .overturn = "fewer threads",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = kernel_locks_test,
};

static void start_and_exit_test(const struct results *results, struct finding *finding)
{
    const struct process_starts *starts = &results->kernel->starts;
    if (!kernel_time_test(results, finding, (double)results->kernel->exec_samples))
        return;
    if (starts->short_count >= SHORT_PROCESSES_LEAST) {
        scoped_text struct text commands = {0};
        for (size_t at = 0; at < starts->command_count; at++)
            text_printf(&commands, "%s%llu %s", at ? ", " : "", (unsigned long long)starts->commands[at].count,
                        starts->commands[at].name);
        if (starts->other_count)
            text_printf(&commands, "%s%llu %s", starts->command_count ? " and " : "",
                        (unsigned long long)starts->other_count, starts->command_count ? "more" : "of many names");
        const char *named = arena_string(finding->arena, text_string(&commands));
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "short",
                         VALUE_COUNT("count", (double)starts->short_count), VALUE_TEXT("commands", named));
        finding->subject = starts->commands[0].name;
        if (finding->verdict == VERDICT_SUPPORTED)
            finding_set(finding, headline, "headline-many", VALUE_COUNT("count", (double)starts->short_count),
                        VALUE_TEXT("commands", named), VALUE_SHARE("share", finding->recoverable));
    }
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_start_and_exit = {
    .id = "start-and-exit",
    .family = "system",
    .title = "starting and ending processes",
    .rule = "supported when starting and ending processes holds the effect; ruled out below it",
    .gain = "that share of the samples",
    .overturn = "the same work in one process",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = start_and_exit_test,
};

/* The threads' time in waits that may be for storage: those of other kinds, as their stacks tell, are not. */
static struct measured storage_wait(const struct wait_rows *waits)
{
    if (!waits)
        return not_measured("no context switches were recorded");
    double other_s = 0;
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        if (row->kind != WAIT_FAULT && row->kind != WAIT_DISK && row->kind != WAIT_UNKNOWN)
            other_s += row->total_s;
    }
    return measured_as(waits->waiting_s > other_s ? waits->waiting_s - other_s : 0);
}

/* Who waits for storage is in state D: so few of the looks at it may have met one. */
static double blocked_most(const struct activity *activity)
{
    double looks = activity->look_count > 1 ? activity->look_count - 1 : 0;
    bool looked = activity->blocked_ratio.known && looks > 0;
    return looked ? wilson_interval(activity->blocked_ratio.value * looks, looks, looks).high : 1;
}

/*
 * What its reads held it up by, at most, as a share of the elapsed time: waits bound it, since storage takes as long as
 * it pleases.
 */
static double reads_share(const struct results *results)
{
    const struct run_time *run = results->run;
    struct measured elapsed = run ? run->elapsed_s : not_measured("the elapsed time isn't known");
    struct measured waited = measured_ratio(storage_wait(results->waits), elapsed);
    double most = waited.known && waited.value < 1 ? waited.value : 1;
    struct interval asleep = run ? share_asleep(results) : (struct interval){0};
    return run && run->threads_seen <= 1 && asleep.known && asleep.high < most ? asleep.high : most;
}

static void swap_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    if (!activity->major_faults.known) {
        finding_not_testable(finding, activity->major_faults.why_not, NULL);
        return;
    }
    finding->of = OF_ELAPSED;
    bool is_least = results->run && results->run->scope != RUN_STARTED && results->run->run_delay_is_least;
    bool none = activity->major_faults.value == 0 && !is_least;
    double most = none ? 0 : is_least ? 1 : reads_share(results), blocked = blocked_most(activity);
    bool by_looks = blocked < most;
    most = by_looks ? blocked : most;
    finding_bound_share(finding, results, share_of(OF_ELAPSED, interval_exactly(most)));
    if (!none && finding->verdict == VERDICT_RULED_OUT)
        finding_set(finding, reason, by_looks ? "looked" : "waited", VALUE_COUNT("count", activity->major_faults.value),
                    VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)),
                    VALUE_TEXT("of", denominator_name(finding->of)));
    else
        finding_set(finding, reason,
                    finding->verdict == VERDICT_RULED_OUT ? "bound"
                    : by_looks                            ? "undecided-looked"
                    : is_least                            ? "undecided-least"
                                                          : "undecided",
                    VALUE_COUNT("count", activity->major_faults.value));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_swap = {
    .id = "swap",
    .family = "system",
    .is_capacity = true, /* idle threads' waits may all be reads by their number: a loose bound is no lead */
    .title = "memory read back from storage",
    .rule = "ruled out when nothing was read back from storage, or waits that may be for it stay below the effect; "
            "otherwise "
            "bounded by those waits",
    .gain = "0 to the waits that may be for storage",
    .overturn = "more memory, or files read ahead: major faults must fall to none",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .test = swap_test,
};
