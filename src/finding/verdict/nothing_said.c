/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/nothing_said.h"

#include "base/scope.h"
#include "finding/counted.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/time_said.h"
#include "finding/wording.h"

#include <string.h>

/* An estimate of what a remedy returns stands on the same page: the two must not deny each other. */
static const char *what_returns(const struct results *results, struct arena *arena)
{
    const struct bottleneck_verdict *verdict = &results->bottleneck->program;
    if (verdict->cause == CAUSE_RETIRING)
        return verdict->busy_is_shown ? " Only fewer instructions, or wider ones, are faster."
                                      : " Fewer instructions are faster for certain; what else is stays open.";
    if (!verdict->recoverable.known || verdict->recoverable.high < results->effect)
        return arena_printf(arena, " No cause is certain to return %.3g %% or more.", results->effect * 100);
    scoped_text struct text returns = {0};
    struct value value = VALUE_SHARE("", verdict->recoverable);
    value_print(&returns, &value);
    return arena_printf(arena,
                        " What a good remedy returns is estimated, too (%s); nothing measured here makes it certain.",
                        text_string(&returns));
}

/* ", filter first": the loop that tells of it isn't the hottest function's; else "". */
static const char *leading_elsewhere(const struct bottleneck_verdict *verdict, const struct stall_function *hottest,
                                     struct arena *arena)
{
    bool is_other = verdict->function && strcmp(verdict->function, hottest->name) != 0;
    return is_other ? arena_printf(arena, ", %s first", name_for_sentence(verdict->function, arena)) : "";
}

const char *nothing_said(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls->function_count ? &stalls->functions[0] : NULL;
    const char *goes = goes_into(hottest, arena);
    const char *estimated = estimated_words(results->bottleneck, ESTIMATE_MEDIUM);
    static const double FLAT = 0.25;
    if (hottest && !estimated && hottest->share.mid < FLAT)
        return arena_printf(arena, "%s No cause is certain to return %.3g %% or more.%s", time_said(results, arena),
                            results->effect * 100, open_said(findings, results, arena));
    const char *counted = counted_words(results, arena);
    if (counted && hottest)
        return arena_printf(arena, "%s; %s. No cause is certain to return %.3g %% or more.%s", goes, counted,
                            results->effect * 100, open_said(findings, results, arena));
    if (!estimated || !hottest)
        return arena_printf(arena, "%s, but no cause in it is certain to return %.3g %% or more.%s%s", goes,
                            results->effect * 100, several_said(results->bottleneck, arena),
                            open_said(findings, results, arena));
    const struct bottleneck_verdict *verdict = &results->bottleneck->program;
    scoped_text struct text share = {0};
    struct value value = VALUE_SHARE("", verdict->share);
    value_print(&share, &value);
    return arena_printf(arena, "%s. By estimate %s in %s of its CPU time%s.%s", goes, estimated, text_string(&share),
                        leading_elsewhere(verdict, hottest, arena), what_returns(results, arena));
}

bool is_estimated(const struct results *results)
{
    static const double MOST = 0.5;
    const struct bottleneck *bottleneck = results->bottleneck;
    return estimated_words(bottleneck, ESTIMATE_MEDIUM) && bottleneck->program.cause != CAUSE_RETIRING &&
           bottleneck->program.class != BOTTLENECK_MIXED && bottleneck->program.share.mid >= MOST;
}
