/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/time_said.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *hottest_words(const struct stall_function *function)
{
    if (!function)
        return "Its code";
    return function->is_kernel && begins(function->name, "[unknown]") ? "the kernel (its functions have no names here)"
                                                                      : function->name;
}

/* What the estimate lays most of the time at, when it is that sure; NULL. */
const char *estimated_words(const struct bottleneck *bottleneck, enum bottleneck_confidence least)
{
    static const char *const words[CAUSE_COUNT] = {
        [CAUSE_LATENCY] = "it waits for cache misses, one after the other",
        [CAUSE_BANDWIDTH] = "it walks through memory as fast as that comes",
        [CAUSE_PARALLEL_MISSES] = "it waits for cache misses",
        [CAUSE_TLB] = "it waits for address translation",
        [CAUSE_L2] = "it waits for the second cache",
        [CAUSE_LATENCY_CHAIN] = "each result waits for the one before",
        [CAUSE_DIVIDE] = "it waits for the divider",
        [CAUSE_FP] = "it waits for floating-point arithmetic",
        [CAUSE_PORTS] = "one kind of unit is busy all the time",
        [CAUSE_STORE_FORWARDING] = "it waits for values that it has only just stored",
        [CAUSE_L1_LATENCY] = "each load waits for the one before, within the first cache",
        [CAUSE_ATOMIC] = "it waits for atomic operations",
        [CAUSE_CONDITIONAL] = "its branches are guessed wrong",
        [CAUSE_INDIRECT] = "the targets of its jumps are guessed wrong",
        [CAUSE_FOOTPRINT] = "its own code doesn't come fast enough",
        [CAUSE_RETIRING] = "nothing holds it up, it is busy with its instructions",
    };
    static const double TOLD_LEAST = 0.25; /* less than that is no answer to what holds it up */
    bool sure = bottleneck && bottleneck->program.confidence >= least &&
                !(bottleneck->program.share.known && bottleneck->program.share.high < TOLD_LEAST);
    if (sure && bottleneck->program.cause == CAUSE_RETIRING && !bottleneck->program.busy_is_shown)
        return "it is busy with its instructions, and no wait was seen";
    return sure ? words[bottleneck->program.cause] : NULL;
}

struct class_mass {
    const char *words;
    double share;
    struct interval range; /* of all samples, too */
};

static int class_mass_compare(const void *a, const void *b)
{
    const struct class_mass *left = a, *right = b;
    return (left->share < right->share) - (left->share > right->share);
}

/*
 * Within the core most wait for arithmetic; else for what was stored just now, for near loads, or for atomic
 * operations.
 */
static const char *core_in_words(const struct bottleneck *bottleneck)
{
    double arithmetic = 0, core = 0;
    for (int cause = 0; bottleneck && cause < CAUSE_COUNT; cause++) {
        bool near = cause == CAUSE_STORE_FORWARDING || cause == CAUSE_L1_LATENCY || cause == CAUSE_ATOMIC;
        double mass =
            bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_CORE ? bottleneck->masses[cause] : 0;
        core += mass;
        arithmetic += near ? 0 : mass;
    }
    return arithmetic * 2 >= core ? "arithmetic" : "waits within the core";
}

/* What lies in the second cache doesn't wait for memory. */
static const char *memory_in_words(const struct bottleneck *bottleneck)
{
    double memory = 0;
    for (int cause = 0; bottleneck && cause < CAUSE_COUNT; cause++)
        memory +=
            bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY ? bottleneck->masses[cause] : 0;
    return bottleneck && bottleneck->masses[CAUSE_L2] * 2 > memory ? "the second cache" : "memory";
}

/* As wide as the estimate leaves it: evidence near a threshold lays it elsewhere in another run. */
static void class_share_print(struct text *out, const struct class_mass *class, double all)
{
    if (!class->range.known) {
        text_printf(out, "%.0f %%", class->share / all * 100);
        return;
    }
    struct value value = VALUE_SHARE("", interval_clamped(interval_scaled(class->range, 1 / all), 0, 1));
    value_print(out, &value);
}

/*
 * Where no class has all but a little of the time, that is the answer: two of them at least, the largest first; or that
 * most of it isn't told. "": the estimate says nothing, or one has it.
 */
const char *several_said(const struct bottleneck *bottleneck, struct arena *arena)
{
    static const double SHOWN_LEAST = 0.05, SECOND_LEAST = 0.1, NEARLY_MOST = 0.4, MOST = 0.5;
    struct class_mass classes[BOTTLENECK_CLASS_COUNT] = {
        [BOTTLENECK_MEMORY] = {.words = memory_in_words(bottleneck)},
        [BOTTLENECK_CORE] = {.words = core_in_words(bottleneck)},
        [BOTTLENECK_BAD_SPECULATION] = {.words = "wrong guesses"},
        [BOTTLENECK_FRONTEND] = {.words = "code that comes late"},
        [BOTTLENECK_RETIRING] = {.words = "busy with instructions"},
    };
    double all = 0, told = 0;
    for (int cause = 0; bottleneck && cause < CAUSE_COUNT; cause++) {
        struct class_mass *class = &classes[bottleneck_class_of((enum bottleneck_cause)cause)];
        class->share += class->words ? bottleneck->masses[cause] : 0;
        class->range = bottleneck->classes[bottleneck_class_of((enum bottleneck_cause)cause)];
        all += bottleneck->masses[cause];
    }
    /* of a wrong guess that waits for a load, samples can't tell the two apart */
    if (classes[BOTTLENECK_MEMORY].share > SHOWN_LEAST * all)
        classes[BOTTLENECK_BAD_SPECULATION].words = "wrong guesses and their loads";
    qsort(classes, array_count(classes), sizeof(*classes), class_mass_compare);
    bool several = classes[1].share > SECOND_LEAST * all,
         untold = classes[0].share > SECOND_LEAST * all && classes[0].share < NEARLY_MOST * all;
    if (!several && !untold)
        return "";
    scoped_text struct text out = {0};
    for (size_t at = 0; at < array_count(classes) && classes[at].share > SHOWN_LEAST * all; at++) {
        text_printf(&out, "%s%s ", at ? ", " : "", classes[at].words);
        class_share_print(&out, &classes[at], all);
        told += classes[at].share / all;
    }
    const char *lead = !several                        ? ""
                       : classes[0].share > MOST * all ? "several things share it: "
                                                       : "no one thing holds it up: ";
    const char *rest = told < 0.995 ? arena_printf(arena, "; %.0f %% is not told", (1 - told) * 100) : "";
    return arena_printf(arena, " By estimate %s%s%s.", lead, text_string(&out), rest);
}

/* A wide range has what is likeliest first: "some 57 % (26 to 64 %)". */
static void share_print(struct text *out, struct interval share)
{
    static const double WIDE = 0.15;
    struct value value = VALUE_SHARE("", share), likeliest = VALUE_SHARE("", interval_exactly(share.mid));
    bool wide = share.known && share.high - share.low > WIDE;
    if (wide) {
        text_add(out, "some ");
        value_print(out, &likeliest);
        text_add(out, " (");
    }
    value_print(out, &value);
    text_add(out, wide ? ")" : "");
}

const char *goes_into(const struct stall_function *hottest, struct arena *arena)
{
    static const double FLAT = 0.25, MOST = 0.5;
    const char *name = name_for_sentence(hottest_words(hottest), arena);
    if (!hottest)
        return arena_printf(arena, "%s is where the time goes", name);
    return arena_printf(arena,
                        hottest->share.mid < FLAT    ? "Its CPU time is spread, the hottest function is %s (%.0f %%)"
                        : hottest->share.mid >= MOST ? "Most CPU time goes into %s (%.0f %%)"
                                                     : "The largest part of its CPU time goes into %s (%.0f %%)",
                        name, hottest->share.mid * 100);
}

/*
 * Where the time goes, whatever the cause: the hottest function with its share, and what the estimate says of it all.
 */
const char *time_said(const struct results *results, struct arena *arena)
{
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    if (!hottest)
        return "";
    scoped_text struct text out = {0};
    text_add(&out, goes_into(hottest, arena));
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *estimated = estimated_words(bottleneck, ESTIMATE_LOW);
    bool one_class =
        estimated && bottleneck->program.class != BOTTLENECK_MIXED && bottleneck->program.class != BOTTLENECK_UNKNOWN;
    if (one_class) {
        text_printf(&out, ". By estimate (confidence %s), in ",
                    bottleneck_confidence_name(bottleneck->program.confidence));
        share_print(&out, bottleneck->program.share);
        text_printf(&out, " of its CPU time %s", estimated);
    }
    text_add_char(&out, '.');
    text_add(&out, one_class ? "" : several_said(bottleneck, arena));
    return arena_string(arena, text_string(&out));
}
