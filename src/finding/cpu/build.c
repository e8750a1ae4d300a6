/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes in how the program was built, or in which program is being timed at all. */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/held_in.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <string.h>

/* Unoptimised code reaches for its frame in about half of its instructions, optimised code in few. */
static const double FRAME_DENSITY_OF_UNOPTIMISED = 0.33;
/*
 * That may be lack of registers, too, or saving them all (stubs of a just-in-time compiler): variables must be loaded
 * right behind being stored as well. With a frame pointer fewer of them will do. Variables that must lie in memory
 * (volatile) look the same; the others of such code stay in registers.
 */
static const double RELOAD_DENSITY_OF_UNOPTIMISED = 0.03, RELOAD_DENSITY_WITH_FRAME = 0.02;

enum built {
    BUILT_UNKNOWN,
    BUILT_OPTIMISED,
    BUILT_UNOPTIMISED
};

/* gcc writes its options into the producer; without any -O it did not optimise. clang writes none. */
static enum built built_by_producer(const char *producer)
{
    if (!producer || strncmp(producer, "GNU ", 4) != 0)
        return BUILT_UNKNOWN;
    if (strstr(producer, "GNU AS") || !strstr(producer, " -m"))
        return BUILT_UNKNOWN;
    const char *option = NULL;
    for (const char *at = strstr(producer, " -O"); at; at = strstr(at + 1, " -O"))
        option = at; /* the last one counts */
    if (!option || option[3] == '0')
        return BUILT_UNOPTIMISED;
    return BUILT_OPTIMISED;
}

static bool looks_unoptimised(const struct stall_function *function)
{
    return !function->keeps_values && function->frame_density >= FRAME_DENSITY_OF_UNOPTIMISED &&
           function->reload_density >=
               (function->has_frame ? RELOAD_DENSITY_WITH_FRAME : RELOAD_DENSITY_OF_UNOPTIMISED);
}

static double unoptimised_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct stall_function *here = &stalls->functions[function];
    enum built built = built_by_producer(here->producer);
    (void)context;
    bool is_so = built == BUILT_UNOPTIMISED || (built == BUILT_UNKNOWN && looks_unoptimised(here));
    return is_so ? (double)here->samples : 0;
}

static double stack_share(const struct stall_function *function)
{
    return function->attributed >= 50 ? (double)function->stack_samples / (double)function->attributed : 0;
}

static void unoptimised_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    double told = 0, shaped = 0, unknown = 0;
    const struct stall_function *hottest = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (function->is_kernel)
            continue;
        enum built built = built_by_producer(function->producer);
        bool shape = looks_unoptimised(function);
        told += built == BUILT_UNOPTIMISED ? (double)function->samples : 0;
        shaped += built == BUILT_UNKNOWN && shape ? (double)function->samples : 0;
        unknown += built == BUILT_UNKNOWN && !function->has_code ? (double)function->samples : 0;
        if (!hottest && (built == BUILT_UNOPTIMISED || (built == BUILT_UNKNOWN && shape)))
            hottest = function;
    }
    struct interval share = share_of_samples(results, finding, told + shaped);
    struct interval blind = share_of_samples(results, finding, unknown);
    struct interval most = share_of_samples(results, finding, told + shaped + unknown);
    share = share.known ? interval_of(share.low, share.mid, most.high) : share;
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (!hottest) {
        finding_set(finding, reason, "blind", VALUE_SHARE("share", blind));
        return;
    }
    finding->subject = hottest->name;
    if (built_by_producer(hottest->producer) == BUILT_UNOPTIMISED)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "producer", VALUE_TEXT("function", hottest->name),
                         VALUE_TEXT("producer", hottest->producer));
    if (hottest->frame_density > 0)
        finding_evidence(finding, looks_unoptimised(hottest) ? WEIGHT_FOR : WEIGHT_CONTEXT,
                         ORIGIN_CODE, "shape", VALUE_TEXT("function", hottest->name),
                         VALUE_SHARE("density", interval_exactly(hottest->frame_density)),
                         VALUE_SHARE("stack", interval_exactly(stack_share(hottest))));
    finding_set(finding, reason, "gain", NO_VALUES);
    bool is_generated = function_is_generated(hottest);
    struct held_in held =
        held_in_function(results, finding, (uint32_t)(hottest - stalls->functions), unoptimised_held, NULL, share);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, is_generated ? "headline-generated" : "headline",
                    VALUE_TEXT("function", hottest->name), VALUE_SHARE("share", held.share),
                    VALUE_TEXT("together", held.together));
    finding_advise(finding, is_generated ? "advice-generated" : "advice", NO_VALUES);
    finding_set(finding, confirm, is_generated ? "confirm-generated" : "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_unoptimised = {
    .id = "unoptimised-build",
    .family = "build",
    .title = "an unoptimised build is being timed",
    .rule =
        "a fact when the compiler's note, or code that keeps variables in its frame and none in registers from turn to "
        "turn of a loop, covers at least the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "both builds, -O0 and -O2, in turns",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = unoptimised_test,
};

/* All of them guesses: what is called so may be the product. */
static const struct name_pattern checking_names[] = {
    {.word = "ref", .is_guess = true},     {.word = "reference", .is_guess = true},
    {.word = "verify", .is_guess = true},  {.word = "check", .is_guess = true},
    {.word = "checker", .is_guess = true}, {.word = "validate", .is_guess = true},
    {.word = "assert", .is_guess = true},
};

bool function_name_checks(const char *name)
{
    const struct stall_function function = {.name = name, .dso = ""};
    for (size_t at = 0; at < array_count(checking_names); at++)
        if (function_has_name(&function, &checking_names[at]))
            return true;
    return false;
}

static void checking_code_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, checking_names, array_count(checking_names));
}

const struct hypothesis hypothesis_checking_code = {
    .id = "checking-code",
    .family = "build",
    .title = "a reference or checking routine is being timed",
    .rule =
        "names alone never support it: undecided when functions named like checks hold the effect; ruled out when they "
        "can't",
    .gain = "0 to that share",
    .overturn = "the program without its check",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = checking_code_test,
};

static const struct name_pattern instrumented_names[] = {
    {.prefix = "__asan_"},     {.prefix = "__tsan_"},      {.prefix = "__msan_"},  {.prefix = "__ubsan_"},
    {.prefix = "__sanitizer"}, {.prefix = "__gcov_"},      {.name = "mcount"},     {.name = "__fentry__"},
    {.name = "_mcount"},       {.dso = "libasan"},         {.dso = "libtsan"},     {.dso = "libubsan"},
    {.prefix = "__llvm_profile"}, {.dso = "memcheck"},     {.dso = "vgpreload"},   {.word = "AddressSanitizer"},
};

static bool is_instrumenting(const struct stall_function *function)
{
    return function_has_some_name(function, instrumented_names, array_count(instrumented_names));
}

static void instrumented_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, instrumented_names, array_count(instrumented_names));
}

const struct hypothesis hypothesis_instrumented = {
    .id = "instrumented-build",
    .family = "build",
    .title = "sanitizer, coverage or profiling code",
    .rule =
        "a fact when functions of sanitizers, coverage or profilers hold the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "a build without the instrumentation",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = instrumented_test,
    .has_function = is_instrumenting,
};
