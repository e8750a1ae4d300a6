/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Advice whose change somebody tried already: what came of it is better than any guess. A change that helps where the
 * cause says it can't speaks against the cause.
 */
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include <string.h>

/* Changes with a hypothesis of their own decide that one (finding/imported/trial); these stand in others' advice. */
static const struct {
    const char *id, *advice; /* by its key in the wording */
    enum treatment treatment;
    bool is_part;         /* the advice has other changes, too */
    const char *unlikely; /* key of what it says against the cause that this helped; NULL: it goes with it */
} changes[] = {
    {"memory-bandwidth", "imported-advice-prefetch", TREATMENT_PREFETCH, false, "tried-against"},
    {"memory-bandwidth", "imported-advice-sockets", TREATMENT_INTERLEAVE, true, NULL},
    {"garbage-collection", "advice", TREATMENT_HEAP, true, NULL},
    {"front-end", "advice", TREATMENT_CODE_PAGES, true, NULL},
    {"page-faults", "imported-advice", TREATMENT_PAGES, true, NULL},
    {"swap", "advice-swapped", TREATMENT_MORE_MEMORY, true, NULL},
};

/* The trial of it; NULL: there is none, or several that came out otherwise. */
static const struct told_trial *trial_of(const struct results *results, enum treatment treatment, bool *ret_helped)
{
    const struct told *told = results->told;
    const struct told_trial *found = NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *one = &told->trials[at];
        bool helped = imported_trial_helped(told, one, results->effect);
        if (one->treatment != treatment)
            continue;
        if (found && helped != *ret_helped)
            return NULL;
        found = one;
        *ret_helped = helped;
    }
    return found;
}

/* Where that advice stands; advice_count: it wasn't given. */
static size_t advice_index(const struct finding *finding, const char *key)
{
    const char *words = wording_find(finding->hypothesis->id, key);
    size_t at = 0;
    while (at < finding->advice_count && (!words || strcmp(finding->advice[at], words) != 0))
        at++;
    return at;
}

/* What helped comes first, what didn't last. */
static void advice_move(struct finding *finding, size_t from, bool to_front)
{
    const char *moved = finding->advice[from];
    if (to_front) {
        memmove(&finding->advice[1], &finding->advice[0], from * sizeof(moved));
        finding->advice[0] = moved;
        return;
    }
    memmove(&finding->advice[from], &finding->advice[from + 1], (finding->advice_count - from - 1) * sizeof(moved));
    finding->advice[finding->advice_count - 1] = moved;
}

static void tried_say(struct finding *finding, size_t index, const struct told_trial *trial, bool helped, bool is_part)
{
    struct value values[] = {VALUE_TEXT("change", told_change_name(trial->treatment)),
                             VALUE_TEXT("sentence", trial->sentence)};
    const char *before = finding->advice[index];
    finding_set_add(finding, &finding->advice[index], helped ? "tried-keep" : "tried-without", values,
                    array_count(values));
    if (is_part)
        finding->advice[index] = arena_printf(finding->arena, "%s; of that %s", before, finding->advice[index]);
    else
        advice_move(finding, index, helped);
}

/* It helped, which this cause leaves no room for: then the cause is less sure, and what it was instead is open. */
static void doubt(struct finding *finding, const char *key, const struct told_trial *trial)
{
    struct value values[] = {VALUE_TEXT("change", told_change_name(trial->treatment)),
                             VALUE_TEXT("sentence", trial->sentence)};
    finding_evidence_add(finding, WEIGHT_AGAINST, ORIGIN_STATEMENT, key, values, array_count(values));
    finding_open_add(finding, key, values, array_count(values));
}

void imported_tried_apply(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < array_count(changes) && finding->verdict == VERDICT_SUPPORTED; at++) {
        bool helped = false;
        const struct told_trial *trial = strcmp(changes[at].id, finding->hypothesis->id) == 0
                                             ? trial_of(results, changes[at].treatment, &helped)
                                             : NULL;
        size_t index = advice_index(finding, changes[at].advice);
        if (!trial)
            continue;
        if (helped && changes[at].unlikely)
            doubt(finding, changes[at].unlikely, trial);
        if (index < finding->advice_count)
            tried_say(finding, index, trial, helped, changes[at].is_part);
    }
}
