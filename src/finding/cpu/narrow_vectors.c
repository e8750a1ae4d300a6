/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that compute on fewer numbers at a time than this core could. */
#include "analyse/code/narrow_code.h"
#include "finding/family.h"
#include "finding/held_in.h"
#include "finding/maker.h"

#include <string.h>

/* Where each number lies in a line of its own, or its place is known only after the last: wider loads bring no more. */
static double scattered_narrow_samples(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    double scattered = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        if (group_goes_in_order(results, group))
            continue;
        bool strided = group->set.stride_bytes >= 128 && !group->set.one_place_in_stride;
        bool chased = group->dependent_samples * 10 > group->samples * 9;
        scattered += strided || chased ? (double)group->narrow_samples : 0;
    }
    return scattered;
}

/*
 * The part of a loop's time that wider code can shorten for sure: what waits for memory goes on waiting, and arithmetic
 * that takes longer than it should may do so at any width.
 */
static double computing_part(const struct results *results, const struct narrow_loop *loop)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *here = &bottleneck->loops[at];
        if (here->first_addr != loop->first_addr || here->last_addr != loop->last_addr || !here->verdict.function ||
            strcmp(here->verdict.function, loop->function->name) != 0)
            continue;
        double memory = bottleneck_memory_mass(here) + (here->fp_is_unexplained ? here->masses[CAUSE_FP] : 0);
        return memory < 1 ? 1 - memory : 0;
    }
    return 1;
}

static const char *width_words(const struct finding *finding, const struct loop_width *width)
{
    return width->bits >= 128 ? arena_printf(finding->arena, "%u bits", width->bits)
                              : arena_printf(finding->arena, "one %u-bit number", width->element_bits);
}

struct narrow_loops {
    const struct results *results;
    const struct narrow_code *code;
    double best_bits;
};

/* What all of its turns have to compute may be less than a vector. */
static double loop_best_bits(const struct narrow_loops *loops, const struct loop_width *width)
{
    return width->most_bits && width->most_bits < loops->best_bits ? width->most_bits : loops->best_bits;
}

/* Samples of a loop that wider code can shorten; 0: it is as wide as can be, or its writer can't build it anew. */
static double narrow_samples(const struct narrow_loops *loops, const struct narrow_loop *loop)
{
    bool is_scripts = function_is_interpreters(loop->function);
    return loop->width.bits >= loop_best_bits(loops, &loop->width) || is_scripts
               ? 0
               : computing_part(loops->results, loop) * (double)loop->samples;
}

static double narrow_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct narrow_loops *loops = context;
    double held = 0;
    for (size_t at = 0; at < loops->code->count; at++)
        held += loops->code->loops[at].function == &stalls->functions[function]
                    ? narrow_samples(loops, &loops->code->loops[at])
                    : 0;
    return held;
}

/* Loops that their code lets compute more at once: that they do is a fact, what wider code returns isn't measured. */
static bool narrow_loops_found(const struct results *results, struct finding *finding, const struct narrow_code *code,
                               double best_bits)
{
    double samples = 0, gain = 0, most = 0;
    const struct narrow_loop *loop = NULL; /* that has most of the gain */
    struct narrow_loops loops = {results, code, best_bits};
    for (size_t at = 0; at < code->count; at++) {
        double part = narrow_samples(&loops, &code->loops[at]);
        double own = part * (1 - code->loops[at].width.bits / loop_best_bits(&loops, &code->loops[at].width));
        loop = own > most ? &code->loops[at] : loop;
        most = own > most ? own : most;
        samples += part;
        gain += own;
    }
    struct interval share = share_of_samples(results, finding, gain > 0 ? gain : 0);
    if (!loop || !share.known || share.low < results->effect)
        return false;
    finding_decide_fact(finding, share, results->effect);
    finding->subject = loop->function->name;
    struct value best = VALUE_COUNT("best", loop_best_bits(&loops, &loop->width)),
                 now = VALUE_TEXT("now", width_words(finding, &loop->width));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "looped",
                     VALUE_SHARE("share", share_of_samples(results, finding, samples)),
                     VALUE_TEXT("function", loop->function->name), now);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "free", VALUE_COUNT("best", best_bits));
    struct held_in held = held_in_function(results, finding, (uint32_t)(loop->function - results->stalls->functions),
                                           narrow_held, &loops, share_of_samples(results, finding, samples));
    finding_set(finding, headline, "headline", VALUE_TEXT("function", loop->function->name), now, best,
                VALUE_SHARE("share", held.share), VALUE_TEXT("together", held.together));
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_advise(finding, loop->width.bits >= 128 ? "advice-wider" : "advice-one", NO_VALUES);
    if (loop->width.sums_fp)
        finding_advise(finding, "advice-sum", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}

/*
 * Samples that wider code could have at most: narrow instructions, or the loops they stand in, less what code or
 * addresses hold back.
 */
static double narrow_most(const struct results *results, const struct narrow_code *code, double best_bits)
{
    const struct stalls *stalls = results->stalls;
    double rows = (double)stalls->scalar_fp_samples + (best_bits > 128 ? (double)stalls->vector_samples[0] : 0) -
                  (double)code->held_fp_rows;
    /* counting and loading go with the numbers */
    double loops = (double)stalls->narrow_loop_samples - (double)code->held_fp_loops;
    double most = loops > rows ? loops : rows, scattered = scattered_narrow_samples(results);
    double integers = (double)code->branched_samples;
    most = most > scattered ? most - scattered : 0;
    for (size_t at = 0; at < code->count; at++)
        integers +=
            code->loops[at].width.is_fp || code->loops[at].width.bits >= 128 ? 0 : (double)code->loops[at].samples;
    most += integers;
    return most < (double)stalls->sample_count ? most : (double)stalls->sample_count;
}

static void narrow_vectors_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    double known_bits = surroundings_widest_bits(results->surroundings), best_bits = known_bits > 0 ? known_bits : 128;
    struct narrow_code code = narrow_code_of(stalls, finding->arena);
    if (narrow_loops_found(results, finding, &code, best_bits))
        return;
    double width = best_bits / 32;
    struct interval share = share_of_stalls(results, finding, narrow_most(results, &code, best_bits));
    finding_decide_bound(finding, share.high * (1 - 1 / width), results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "mix",
                     VALUE_SHARE("scalar", share_of_samples(results, finding, (double)stalls->scalar_fp_samples)),
                     VALUE_SHARE("narrow", share_of_samples(results, finding, (double)stalls->vector_samples[0])),
                     VALUE_COUNT("best", best_bits));
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_narrow_vectors = {
    .id = "narrow-vectors",
    .family = "core",
    .title = "scalar or narrow vector code",
    .rule =
        "a fact when loops that the code lets compute more at once hold at least the effect; ruled out when all narrow "
        "loops could save less than it at the widest vectors",
    .gain = "0 to the share of such loops times (1 - width now / widest)",
    .overturn = "a build with -O3 -march=native, old against new",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = narrow_vectors_test,
};
