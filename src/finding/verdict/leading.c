/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/leading.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/tool_advice.h"
#include "finding/verdict/time_said.h"
#include "finding/wording.h"

#include <string.h>

/* What is true of all of the code was said for what leads. */
static const char *own_advice(const struct finding *finding, const struct results *results)
{
    const char *foreign = leading_foreign_advice(results);
    for (size_t at = 0; at < finding->advice_count; at++)
        if (!foreign || strcmp(finding->advice[at], foreign) != 0)
            return finding->advice[at];
    return NULL;
}

const char *leading_small_advice(const struct finding *small, const struct results *results, struct arena *arena)
{
    const char *advice = own_advice(small, results);
    if (!advice)
        return NULL;
    if (!small->recoverable.known)
        return arena_printf(arena, "against %s: %s", small->hypothesis->title, advice);
    scoped_text struct text share = {0};
    /* the far end of a fact whose gain isn't measured may be code without names */
    double most = finding_most_returned(small) / (small->of_seconds > 0 ? small->of_seconds : 1);
    struct value value = VALUE_SHARE("", small->is_at_least && small->shown.known ? interval_exactly(small->shown.low)
                                         : small->gain_unmeasured                 ? interval_exactly(most)
                                                                                  : small->recoverable);
    value_print(&share, &value);
    return arena_printf(arena, "against %s (%s%s of the %s): %s", small->hypothesis->title,
                        small->is_at_least       ? "at least "
                        : small->gain_unmeasured ? "up to "
                                                 : "",
                        text_string(&share), denominator_name(small->of), advice);
}

const char *leading_foreign_advice(const struct results *results)
{
    return results->stalls && code_is_foreign(results) ? foreign_advice(results) : NULL;
}

const char *leading_confidence(const struct finding *larger, const struct results *results, struct arena *arena)
{
    static const char *const shouted[] = {"", "LOW", "MEDIUM", "HIGH"};
    if (larger && larger->confidence != CONFIDENCE_NONE)
        return arena_printf(arena, "%s in what is larger; ", shouted[larger->confidence]);
    if (!results->stalls || !results->stalls->function_count)
        return "";
    const struct bottleneck *bottleneck = results->bottleneck;
    enum bottleneck_confidence confidence = bottleneck ? bottleneck->program.confidence : ESTIMATE_NONE;
    return confidence == ESTIMATE_NONE || !estimated_words(bottleneck, ESTIMATE_LOW)
               ? "none in what holds most of it up, which samples don't tell; "
               : arena_printf(arena, "%s in what holds most of it up, by estimate; ", shouted[confidence]);
}
