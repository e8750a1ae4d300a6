/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Atomic operations and fences, and who makes them. */
#include "finding/cpu/instruction_class.h"
#include "finding/family.h"

#include <string.h>

/* Go's: it changes the state of a goroutine, as one hands over to another. */
static bool hands_over(const struct stall_function *function)
{
    static const char *const names[] = {
        "runtime.casgstatus", "runtime.casGToPreemptScan", "runtime.chansend", "runtime.chanrecv",
        "runtime.ready",      "runtime.goready",           "runtime.gopark",   "runtime.schedule",
        "runtime.execute"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(function->name, names[at]) == 0)
            return true;
    return false;
}

/* What most of its atomic operations are for, where that is no counter that threads share: keys of the wording. */
struct atomics_use {
    const char *advice, *confirm; /* confirm: NULL: as any */
};

/* NULL: it may be such a counter. */
static const struct atomics_use *atomics_use_of(const struct results *results)
{
    static const struct atomics_use openmp = {"advice-openmp", NULL}, locks = {"advice-locks", NULL},
                                    goroutines = {"advice-goroutines", "confirm-goroutines"},
                                    apart = {"advice-apart", NULL}, alone = {"advice-alone", "confirm-alone"};
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls->function_count ? &stalls->functions[0] : NULL;
    double locking = (double)locking_samples(stalls);
    if (results->run && results->run->threads_seen == 1)
        return &alone;
    if (hottest && function_hands_out(hottest))
        return &openmp;
    if (hottest && hands_over(hottest))
        return &goroutines;
    if (locking > 0 && locking >= results->effect * (double)stalls->sample_count)
        return &locks;
    /* each thread has its own already, only not a line of its own */
    return stalls->apart_samples * 2 > stalls->shared_line_addresses ? &apart : NULL;
}

static void atomics_test(const struct results *results, struct finding *finding)
{
    class_test_fact(results, finding, CLASS(ATOMIC) | CLASS(BARRIER));
    const struct atomics_use *use = finding->advice_count ? atomics_use_of(results) : NULL;
    if (!use)
        return;
    finding_readvise(finding, use->advice, NO_VALUES);
    if (use->confirm)
        finding_set(finding, confirm, use->confirm, NO_VALUES);
}

const struct hypothesis hypothesis_atomics = {
    .id = "atomics",
    .family = "core",
    .title = "atomic operations and fences",
    .rule = "a fact when at least the effect stands at atomic operations and fences; ruled out when less does",
    .gain = "0 to that share",
    .overturn = "one thread: the time per operation must fall",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = atomics_test,
};
