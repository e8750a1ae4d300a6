/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in throwing: who catches it is looked for frame by frame. By what is called for it, as copied stacks say. */
#include "finding/called.h"

#include <string.h>

static bool is_throwing(const struct stall_function *function)
{
    return function_is_called(function, CALLED_THROWING);
}

static bool is_of(const char *name, const char *word)
{
    return name && strstr(name, word);
}

/* Whose exceptions: keys of the wording differ by what a language has. "": C++'s. */
static const char *language_of(const struct call_class *class)
{
    return is_of(class->entry, "rust") || is_of(class->entry, "panicking")               ? "-rust"
           : is_of(class->entry, "gopanic")                                              ? "-go"
           : is_of(class->entry, "Throwable") || is_of(class->entry, "FillInStackTrace") ? "-java"
                                                                                         : "";
}

static void exceptions_test(const struct results *results, struct finding *finding)
{
    struct interval share = share_called_of(results, finding, CALLED_THROWING);
    const struct call_class *class = results->called ? &results->called->items[CALLED_THROWING] : NULL;
    if (!share.known) {
        test_called_names(results, finding, CALLED_THROWING); /* no stacks: its own functions alone can be told */
        return;
    }
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    struct value said = VALUE_SHARE("share", share), caller = VALUE_TEXT("caller", class->caller ? class->caller : "");
    finding->subject = class->entry;
    if (class->entry)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "called", VALUE_TEXT("function", class->entry),
                         VALUE_TEXT("dso", class->entry_dso), said);
    if (class->caller)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "caller", caller,
                         VALUE_SHARE("part", interval_exactly((double)class->caller_stacks / (double)class->stacks)));
    const char *language = language_of(class);
    if (finding->verdict == VERDICT_SUPPORTED) {
        bool is_of_caller = class->caller && strcmp(language, "-java") != 0; /* of Java's own library, mostly */
        const char *headline = arena_printf(finding->arena, "headline%s%s", language, is_of_caller ? "-caller" : "");
        finding_set(finding, headline, headline, said, caller);
        finding_set(finding, reason, "gain", NO_VALUES);
    } else {
        finding_set(finding, reason, "few", said);
    }
    finding_advise(finding, arena_printf(finding->arena, "advice%s", language), NO_VALUES);
    if (!language[0])
        finding_advise(finding, "advice-shallow", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_exceptions = {
    .id = "exceptions",
    .family = "library",
    .title = "throwing exceptions",
    .rule =
        "a fact when what throws, unwinds and looks for handlers holds the effect with all that it calls, by copied "
        "stacks; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "the same failures reported by a returned value",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = exceptions_test,
    .has_function = is_throwing,
};
