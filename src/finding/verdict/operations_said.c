/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/operations_said.h"

#include "analyse/code/operations.h"
#include "base/scope.h"

enum { SHOWN_MOST = 3 };

const char *operations_said(const struct results *results, struct arena *arena)
{
    static const double FIRST_LEAST = 0.2, SHOWN_LEAST = 0.1;
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->sample_count)
        return NULL;
    struct operations operations = operations_of(stalls);
    scoped_text struct text out = {0};
    for (int shown = 0; shown < SHOWN_MOST; shown++) {
        int best = 0;
        for (int operation = 1; operation < OPERATION_COUNT; operation++)
            best = operations.samples[operation] > operations.samples[best] ? operation : best;
        double share = operations.samples[best] / (double)stalls->sample_count;
        if (share < (shown ? SHOWN_LEAST : FIRST_LEAST))
            break;
        text_printf(&out,
                    shown ? ", %.0f %% in code that %s (%s)"
                          : "By its instructions, %.0f %% of its CPU time is in code that %s (%s)",
                    share * 100, operation_words((enum operation)best), operations.mnemonics[best]);
        operations.samples[best] = 0;
    }
    return out.length ? arena_printf(arena, "%s.", text_string(&out)) : NULL;
}
