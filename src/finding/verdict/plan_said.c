/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/plan_said.h"

#include "analyse/imported.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

const char *plan_said(const struct results *results, struct arena *arena)
{
    static const double MOST_OF = 50; /* percent */
    const char *file = NULL;
    const struct imported_row *scan = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_SCAN_DROPS, &file);
    if (!scan || scan->number < MOST_OF)
        return NULL;
    struct value values[] = {VALUE_TEXT("scan", scan->where),
                             VALUE_SHARE("share", interval_exactly(scan->number / 100)), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "why-scan"), values, array_count(values));
}
