/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does somebody tell of more trips to memory than another way takes, and did the program that the sentence names become
 * faster later? Or was what is compared timed when it had them no more?
 *
 * What a class of a tree says of waiting for memory decides before any sentence. Does not support: how much each trip
 * costs.
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <string.h>

static bool has_class(const struct imported *imported)
{
    static const char *const classes[] = {"tma_mem_bandwidth", "tma_memory_bound", "backend_bound_memory"};
    for (size_t at = 0; at < array_count(classes); at++)
        if (imported_number(imported, IMPORTED_METRICS, classes[at], NULL).known)
            return true;
    return false;
}

/* Somebody took them out before what is compared was timed. */
static bool rule_out_mended(const struct results *results, struct finding *finding)
{
    const char *sentence = results->told->trips_mended_sentence;
    if (!sentence)
        return false;
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->of = OF_ELAPSED;
    finding->verdict = VERDICT_RULED_OUT;
    finding->by_trial = true;
    finding->recoverable = (struct interval){0};
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "told-trips", VALUE_TEXT("sentence", sentence),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, reason, "told-trips-mended", VALUE_TEXT("sentence", sentence),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

bool imported_trips_test(const struct results *results, struct finding *finding)
{
    const char *sentence = results->told->trips_sentence;
    if (!sentence || has_class(results->imported))
        return false;
    if (rule_out_mended(results, finding))
        return true;
    struct imported_gain gain = imported_gain_of(results->imported);
    double gained = gain.known ? 1 - gain.ratio : 0;
    bool is_of_named = gain.known && gain.name && strcasestr(sentence, gain.name) && gained >= results->effect;
    struct value values[] = {VALUE_TEXT("sentence", sentence),
                             VALUE_TEXT("name", is_of_named ? gain.name : ""),
                             VALUE_SHARE("gain", interval_exactly(gained)),
                             VALUE_SECONDS("before", interval_exactly(gain.before_s)),
                             VALUE_SECONDS("after", interval_exactly(gain.after_s)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->of = OF_ELAPSED;
    finding->verdict = is_of_named ? VERDICT_SUPPORTED : VERDICT_UNDECIDED;
    finding->recoverable = is_of_named ? interval_exactly(gained) : (struct interval){0};
    finding_evidence_add(finding, is_of_named ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-trips", values,
                         array_count(values));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    if (!is_of_named) {
        finding_set_add(finding, &finding->reason, "told-trips-open", values, array_count(values));
        return true;
    }
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
    finding_set_add(finding, &finding->headline, "told-trips-headline", values, array_count(values));
    finding_open_add(finding, "told-trips-order", values, array_count(values));
    return true;
}
