/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/loading_said.h"

#include "base/scope.h"
#include "finding/finding.h"
#include "finding/wording.h"

const char *loading_said(const struct results *results, struct arena *arena)
{
    enum { SAMPLES_LEAST = 50 };
    static const double SAID_LEAST = 0.1;
    const struct loading *loading = results->loading;
    if (!loading || loading->samples < SAMPLES_LEAST ||
        (double)loading->loading < SAID_LEAST * (double)loading->samples)
        return NULL;
    scoped_text struct text out = {0};
    double all = (double)loading->samples;
    struct value share = VALUE_SHARE("", wilson_interval((double)loading->loading, all, all));
    text_add(&out, "Loading it takes ");
    value_print(&out, &share);
    text_add(&out, " of its CPU time: the dynamic loader, which maps libraries, relocates them and binds their "
                   "symbols, and page faults on its behalf.");
    return arena_string(arena, text_string(&out));
}
