/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/weighing.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/verdict/binaries.h"
#include "finding/verdict/time_said.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

/*
 * A small cause with a measured gain must not hide a large one whose gain isn't, or that most of the time is elsewhere.
 */
static const double CULPRIT_SMALL = 0.2;
/* Below that most of the time is something else, which is to be told, too. */
static const double LEAVES_MOST = 0.5;
/* Below that, it is no answer to where the time goes, however sure it is. */
static const double CULPRIT_TINY = 0.1;

/* Of a fact whose gain isn't measured what is certain of it: its far end may be code without names. */
static double share_of_culprit(const struct finding *culprit)
{
    double high = culprit->recoverable.high, middle = 2 * culprit->recoverable.mid;
    return culprit->gain_unmeasured && !culprit->far_end_waits && 2 * middle < high ? middle : high;
}

const struct finding *far_larger(const struct finding *culprit, const struct findings *findings)
{
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding != culprit && finding_is_far_larger(finding, culprit))
            return finding;
    }
    return NULL;
}

static const double LIKE = 0.8, FAR_LARGER = 2;

/* Of causes that weigh about the same none is the one: both are named. What is one wait is one cause. */
const struct finding *like_weight(const struct finding *culprit, const struct findings *findings)
{
    double most = finding_most_returned(culprit);
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        bool one_wait = finding->subject && culprit->subject && strcmp(finding->subject, culprit->subject) == 0;
        double own = finding->recoverable.known ? finding_most_returned(finding) : 0;
        if (finding != culprit && finding->verdict == VERDICT_SUPPORTED && !finding_is_disturbance(finding) &&
            finding->headline && !one_wait && !finding->is_within_first && own >= LIKE * most && most >= LIKE * own)
            return finding;
    }
    return NULL;
}

/* Probes measured that removing that cause returns less than half of what the culprit's does. */
static bool is_measured_small(const struct findings *findings, enum bottleneck_cause cause, double most)
{
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->hypothesis->causes & CAUSE_BIT(cause) && finding->verdict == VERDICT_SUPPORTED &&
            !finding->gain_unmeasured && finding->recoverable.known && 2 * finding_most_returned(finding) < most)
            return true;
    }
    return false;
}

/*
 * A certain cause doesn't hide an estimated one whose remedy may return as much: both are named, and how sure each is.
 * Code that is merely busy has no such remedy. NULL: the estimate says no such thing.
 */
const char *estimated_beside(const struct finding *culprit, const struct findings *findings,
                             const struct results *results, struct arena *arena)
{
    const char *words = estimated_words(results->bottleneck, ESTIMATE_LOW);
    const struct bottleneck_verdict *verdict = words ? &results->bottleneck->program : NULL;
    double cpu_s = results->run && results->run->cpu_s.known ? results->run->cpu_s.value : 0;
    double scale = culprit->of_seconds > 0 ? cpu_s : 1, most = finding_most_returned(culprit);
    if (!verdict || verdict->cause == CAUSE_RETIRING || culprit->hypothesis->causes & CAUSE_BIT(verdict->cause) ||
        !verdict->recoverable.known || verdict->recoverable.high * scale < LIKE * most ||
        verdict->share.mid * scale < most || is_measured_small(findings, verdict->cause, most))
        return NULL;
    scoped_text struct text share = {0}, returns = {0};
    struct value held = VALUE_SHARE("", verdict->share), returned = VALUE_SHARE("", verdict->recoverable);
    value_print(&share, &held);
    value_print(&returns, &returned);
    const char *where =
        verdict->function ? arena_printf(arena, " (%s)", name_for_sentence(verdict->function, arena)) : "";
    return arena_printf(arena, "%s by estimate (confidence %s): in %s of the CPU time%s %s; a remedy would return %s.",
                        verdict->share.mid * scale > FAR_LARGER * most ? "Larger" : "Of like weight",
                        bottleneck_confidence_name(verdict->confidence), text_string(&share), where, words,
                        text_string(&returns));
}

/*
 * The estimate lays most of the CPU time, and more than twice as much, at another cause, and neither's removal has a
 * measured gain: then what holds most of the time is to be said first, however sure the lesser part is. Code that is
 * merely busy waits for nothing that could lead.
 */
bool is_less_than_estimate(const struct finding *culprit, const struct results *results)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const struct bottleneck_verdict *verdict =
        estimated_words(bottleneck, ESTIMATE_MEDIUM) ? &bottleneck->program : NULL;
    double cpu_s = results->run && results->run->cpu_s.known ? results->run->cpu_s.value : 0;
    double scale = culprit->of_seconds > 0 ? cpu_s : 1;
    if (culprit->hypothesis == &hypothesis_affinity) /* it takes no CPU time, whatever holds that up */
        return false;
    return verdict && culprit->gain_unmeasured && verdict->class != BOTTLENECK_MIXED &&
           verdict->cause != CAUSE_RETIRING && !(culprit->hypothesis->causes & CAUSE_BIT(verdict->cause)) &&
           verdict->share.mid >= LEAVES_MOST &&
           verdict->share.mid * scale > FAR_LARGER * finding_most_returned(culprit);
}

/* The function that the cause is found at; NULL: it is none, or not known. */
static const struct stall_function *function_of(const struct finding *culprit, const struct stalls *stalls)
{
    for (size_t at = 0; culprit->subject && at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].name, culprit->subject) == 0)
            return &stalls->functions[at];
    return NULL;
}

/* Found by the kernel's samples, which are in no function of the program. */
static bool is_in_kernel(const struct finding *culprit)
{
    return culprit->hypothesis->needs & RESULT_BIT(RESULT_KERNEL);
}

/* What names tell is in functions of those names alone. */
static bool is_outside_function(const struct finding *culprit, const struct stall_function *hottest,
                                const struct stalls *stalls)
{
    const struct hypothesis *hypothesis = culprit->hypothesis;
    const struct stall_function *own = function_of(culprit, stalls);
    bool is_told = own && hypothesis->has_function && !hypothesis->has_function(hottest);
    return own != hottest && (is_told || is_in_kernel(culprit));
}

static bool is_outside_binary(const struct finding *culprit, const char *binary, const struct stalls *stalls)
{
    const struct stall_function *own = function_of(culprit, stalls);
    bool is_told = own && culprit->hypothesis->has_function;
    return !(own && strcmp(own->dso, binary) == 0) && (is_told || is_in_kernel(culprit));
}

/*
 * Where the program's time goes is said before a certain cause that takes less than half as much: of its own binary,
 * which is most of nearly all programs, before a small cause alone.
 */
bool is_less_than_place(const struct finding *culprit, const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls && stalls->function_count ? &stalls->functions[0] : NULL;
    double cpu_s = results->run && results->run->cpu_s.known ? results->run->cpu_s.value : 0;
    double scale = culprit->of_seconds > 0 ? cpu_s : 1;
    if (!hottest || culprit->imported_kinds || culprit->is_own_doing || !culprit->recoverable.known ||
        culprit->hypothesis == &hypothesis_affinity)
        return false;
    double least = fmax(LEAVES_MOST, FAR_LARGER * finding_most_returned(culprit) / (scale > 0 ? scale : 1));
    if (!hottest->is_kernel && hottest->share.mid >= least && is_outside_function(culprit, hottest, stalls))
        return true;
    struct binary_share largest = binary_largest(stalls);
    return largest.name && largest.share >= least && is_outside_binary(culprit, largest.name, stalls) &&
           (strstr(largest.name, ".so") || is_small(culprit));
}

bool is_small(const struct finding *culprit)
{
    return share_of_culprit(culprit) < CULPRIT_SMALL;
}

bool is_less_than(const struct finding *culprit, double share)
{
    static const double MOST = 0.3; /* what has more is an answer, whatever else there is */
    double own = culprit->recoverable.mid;
    return culprit->recoverable.known && own <= MOST && FAR_LARGER * own <= share && !culprit->imported_kinds;
}

bool leaves_most(const struct finding *culprit)
{
    /* Clearly more than half is left; of a fact whose gain isn't measured the middle is half of its share. */
    static const double TAKES_LESS = 0.4;
    return culprit->recoverable.mid < (culprit->gain_unmeasured ? LEAVES_MOST / 2 : TAKES_LESS);
}

bool is_tiny(const struct finding *culprit)
{
    /* what it is for each program isn't small */
    return culprit->recoverable.known && share_of_culprit(culprit) < CULPRIT_TINY && !culprit->imported_kinds &&
           !culprit->is_own_doing;
}
