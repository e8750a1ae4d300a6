/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that were asked for and not counted, or for too short: that is no 0, and whoever reads the table is told. */
#include "finding/imported/event_costs.h"
#include "finding/imported/evidence.h"

#include <string.h>

struct uncounted {
    const struct imported_row *row;
    const char *file;
};

/* False: some run has the event and its cycles, or none asked for it. */
static bool uncounted_find(const struct imported *imported, const char *id, struct uncounted *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, arms);
    const struct event_cost *cost;
    *ret = (struct uncounted){.row = NULL};
    for (size_t arm = 0; arm < count; arm++)
        for (size_t at = 0; (cost = event_cost_at(at)); at++) {
            const struct imported_row *row =
                strcmp(cost->id, id) == 0 ? imported_arm_row(&arms[arm], cost->event) : NULL;
            if (!row)
                continue;
            const struct imported_row *cycles = imported_arm_row(&arms[arm], "cycles");
            bool of_cycles = imported_is_counted(row) && cycles && !imported_is_counted(cycles);
            if (imported_is_counted(row) && !of_cycles)
                return false;
            if (!ret->row)
                *ret = (struct uncounted){of_cycles ? cycles : row, arms[arm].table->file};
        }
    return ret->row;
}

bool imported_uncounted_test(const struct results *results, struct finding *finding)
{
    struct uncounted uncounted;
    if (!uncounted_find(results->imported, finding->hypothesis->id, &uncounted))
        return false;
    bool is_short = uncounted.row->running_ratio > 0;
    struct value values[] = {VALUE_TEXT("event", uncounted.row->name), VALUE_TEXT("file", uncounted.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS),
                             VALUE_TEXT("how", uncounted.row->where[0] ? uncounted.row->where : "not counted"),
                             VALUE_SHARE("share", interval_exactly(uncounted.row->running_ratio))};
    const char *key = is_short ? "imported-too-short" : "imported-not-counted";
    finding->verdict = is_short ? VERDICT_UNDECIDED : VERDICT_NOT_TESTABLE;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    if (is_short)
        finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, key, values, sizeof(values) / sizeof(*values));
    finding_set_add(finding, &finding->reason, key, values, sizeof(values) / sizeof(*values));
    return true;
}
