/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/described.h"

#include "base/scope.h"
#include "finding/verdict/binaries.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/time_said.h"
#include "finding/verdict/weighing.h"
#include "finding/wording.h"

#include <ctype.h>
#include <string.h>

const char *finding_words(const struct finding *finding)
{
    return finding->headline ? finding->headline : finding->hypothesis->title;
}

const char *capitalised(const char *text, struct arena *arena)
{
    return arena_printf(arena, "%c%s", toupper((unsigned char)text[0]), text + 1);
}

const char *sentence_case(struct arena *arena, const char *text)
{
    static const char *const own[] = {"it ",       "a ",        "an ",          "threads ",    "wrongly ",
                                      "page ",     "system ",   "interpreted ", "allocating ", "copying ",
                                      "starting ", "spinning ", "interrupts ",  "more ",       "the ",
                                      "throwing ", "panics ",   "many ",        "contention ", "loops ",
                                      "garbage ",  "machine ",  "locking ",     "others ",     "waiting "};
    char *copy = arena_string(arena, text);
    for (size_t at = 0; at < sizeof(own) / sizeof(own[0]); at++)
        if (strncmp(text, own[at], strlen(own[at])) == 0)
            copy[0] = (char)toupper((unsigned char)copy[0]);
    return copy;
}

static const char *describe_as(const struct finding *finding, const char *headline, struct arena *arena)
{
    if (finding->gain_unmeasured || !finding->recoverable.known)
        return arena_printf(arena, "%s.", headline);
    scoped_text struct text gain = {0};
    struct value share = VALUE_SHARE("", finding->recoverable);
    value_print(&gain, &share);
    if (finding->of_seconds > 0) {
        struct value seconds = VALUE_SECONDS("", interval_scaled(finding->recoverable, finding->of_seconds));
        text_add(&gain, " (");
        value_print(&gain, &seconds);
        text_add_char(&gain, ')');
    }
    const char *returner = finding->returner ? finding->returner : "removing that";
    return arena_printf(arena, "%s. %c%s would return %s of the %s.", headline, toupper((unsigned char)returner[0]),
                        returner + 1, text_string(&gain), denominator_name(finding->of));
}

static const char *describe(const struct finding *finding, struct arena *arena)
{
    const char *title = finding->hypothesis->title, *headline = finding->headline ? finding->headline : title;
    bool is_title = strncmp(headline, title, strlen(title)) == 0;
    return describe_as(finding, is_title ? capitalised(headline, arena) : sentence_case(arena, headline), arena);
}

/* What both sides' huge pages returned together, where a trial tells; NULL: none does. */
static const char *both_sides(const struct finding *culprit, const struct finding *like, const struct told *told,
                              struct arena *arena)
{
    static const char *const ids[] = {"small-pages", "host-small-pages"};
    bool are_pages = true;
    for (size_t at = 0; at < array_count(ids); at++)
        are_pages &= finding_is(culprit, ids[at]) || finding_is(like, ids[at]);
    for (size_t at = 0; are_pages && told && at < told->trial_count; at++) {
        const struct told_trial *trial = &told->trials[at];
        struct interval share = trial->returned.share.known ? trial->returned.share : trial->number;
        if (trial->treatment == TREATMENT_PAGES && trial->on_host && trial->on_guest && share.known)
            return arena_printf(arena, "Together they returned %.2g %%.", share.mid * 100);
    }
    return NULL;
}

const char *describe_large(const struct finding *culprit, const struct findings *findings,
                           const struct results *results, struct arena *arena)
{
    const char *sentence = describe(culprit, arena);
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    const struct finding *larger = far_larger(culprit, findings),
                         *like = larger ? NULL : like_weight(culprit, findings);
    const char *both = like ? both_sides(culprit, like, results->told, arena) : NULL;
    bool are_apart = like && like->own_rows && culprit->own_rows && like->of_table == culprit->of_table &&
                     !(like->own_rows & culprit->own_rows);
    if (like)
        return arena_printf(arena, "%s Of like weight: %s. %s", sentence, like->headline,
                            both        ? both
                            : are_apart ? "Each is of functions of its own, so that they add up."
                                        : "Both may hold the same time: they don't add up.");
    if (larger && !larger->gain_unmeasured)
        return arena_printf(arena, "%s More would come from another remedy: %s", sentence,
                            describe_as(larger, larger->headline, arena));
    if (larger)
        return arena_printf(arena, "%s Larger still, but with a gain that isn't measured: %s.", sentence,
                            larger->headline);
    const char *estimated = estimated_beside(culprit, findings, results, arena);
    if (estimated)
        return arena_printf(arena, "%s %s", sentence, estimated);
    if (!hottest || !(is_small(culprit) || leaves_most(culprit)))
        return sentence;
    return arena_printf(arena, "%s %s%s", sentence, time_said(results, arena),
                        is_small(culprit) ? open_said(findings, results, arena) : "");
}

/* Its share stands in its headline; not all of that need be what its removal returns. */
static const char *seconds_returned(const struct finding *finding, struct arena *arena)
{
    if (finding->gain_unmeasured || !finding->recoverable.known || finding->of_seconds <= 0)
        return "";
    scoped_text struct text out = {0};
    struct value seconds = VALUE_SECONDS("", interval_scaled(finding->recoverable, finding->of_seconds));
    value_print(&out, &seconds);
    return arena_printf(arena, "; %s would return %s", finding->returner ? finding->returner : "removing that",
                        text_string(&out));
}

const char *describe_small(const struct finding *culprit, const struct findings *findings,
                           const struct results *results, struct arena *arena)
{
    static const double MOST = 0.5, FLAT = 0.25;
    const struct finding *larger = far_larger(culprit, findings);
    const char *which = larger             ? "Certain to return something, but small"
                        : is_tiny(culprit) ? "Certain, but small"
                                           : "Certain, but less";
    const char *cause =
        arena_printf(arena, "%s: %s%s.", which, finding_words(culprit), seconds_returned(culprit, arena));
    const char *goes = time_said(results, arena), *binaries = binaries_said(results, arena);
    if (binaries && results->stalls->functions[0].share.mid < FLAT && binary_largest(results->stalls).share >= MOST)
        goes = arena_printf(arena, "%s %s", binaries, goes);
    if (larger)
        return arena_printf(arena, "%s%s%s. %s", goes, goes[0] ? " " : "", sentence_case(arena, larger->headline),
                            cause);
    return arena_printf(arena, "%s%s%s%s", goes, goes[0] ? " " : "", cause, open_said(findings, results, arena));
}
