/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is floating-point work done one number at a time, by the classes that a tree has of it?
 *
 * That it could be done several at a time no class says: it is open, and named.
 */
#include "finding/family.h"
#include "finding/imported/evidence.h"

#include <string.h>

bool imported_scalar_test(const struct results *results, struct finding *finding)
{
    static const double MUCH = 0.15, FAR_MORE = 4;
    const char *file = NULL, *ignored;
    struct measured scalar = imported_number(results->imported, IMPORTED_METRICS, "tma_fp_scalar", &file),
                    vector = imported_number(results->imported, IMPORTED_METRICS, "tma_fp_vector", &ignored);
    double share = scalar.known ? scalar.value / 100 : 0, wide = vector.known ? vector.value / 100 : 0;
    if (share < results->effect || !vector.known || share < FAR_MORE * wide)
        return false;
    struct value values[] = {VALUE_SHARE("scalar", interval_exactly(share)),
                             VALUE_SHARE("vector", interval_exactly(wide)), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding->pointed = share >= MUCH ? share : 0;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-scalar", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scalar", values, array_count(values));
    finding_advise(finding, "advice-one", NO_VALUES);
    return true;
}
