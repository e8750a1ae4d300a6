/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads that a simulated cache (cachegrind) missed: where they are is known, and what they cost isn't. */
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <string.h>

/* As source/import/tools/import_cachegrind ends its events. */
static const char mark[] = "simulated";

bool imported_simulated_test(const struct results *results, struct finding *finding)
{
    static const double MUCH = 0.5;
    const struct imported_row *most = NULL;
    const struct imported_table *of = NULL;
    for (size_t at = 0; at < results->imported->count; at++) {
        const struct imported_table *table = &results->imported->tables[at];
        for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT && strstr(table->event, mark); row++)
            if (!most || table->rows[row].number > most->number) {
                most = &table->rows[row];
                of = table;
            }
    }
    if (!most || most->number / 100 < MUCH)
        return false;
    struct value values[] = {VALUE_TEXT("function", most->name),
                             VALUE_SHARE("share", interval_exactly(most->number / 100)),
                             VALUE_TEXT("event", of->event), VALUE_TEXT("file", of->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-simulated", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-simulated", values, array_count(values));
    return true;
}
