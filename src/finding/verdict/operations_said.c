/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/operations_said.h"

#include "analyse/code/operations.h"
#include "base/scope.h"

enum { SHOWN_MOST = 4 };

/* The next largest, and takes it away; OPERATION_COUNT: none that is worth saying. */
static enum operation operation_take(struct operations *operations, double all, double *ret_share)
{
    static const double SHOWN_LEAST = 0.05;
    int best = 0;
    for (int operation = 1; operation < OPERATION_COUNT; operation++)
        best = operations->samples[operation] > operations->samples[best] ? operation : best;
    *ret_share = operations->samples[best] / all;
    operations->samples[best] = 0;
    return *ret_share >= SHOWN_LEAST ? (enum operation)best : OPERATION_COUNT;
}

const char *operations_said(const struct results *results, struct arena *arena)
{
    static const double ALL_LEAST = 0.2;
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->sample_count)
        return NULL;
    struct operations operations = operations_of(stalls);
    scoped_text struct text out = {0};
    double told = 0, share;
    for (int shown = 0; shown < SHOWN_MOST; shown++) {
        enum operation operation = operation_take(&operations, (double)stalls->sample_count, &share);
        if (operation == OPERATION_COUNT)
            break;
        told += share;
        text_printf(&out,
                    shown ? ", %.0f %% in code that %s (%s)"
                          : "By its instructions, %.0f %% of its CPU time is in code that %s (%s)",
                    share * 100, operation_words(operation), operations.mnemonics[operation]);
    }
    return told >= ALL_LEAST ? arena_printf(arena, "%s.", text_string(&out)) : NULL;
}
