/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/ruled_out_said.h"

#include "base/scope.h"

enum { NAMED_MOST = 6 }; /* causes named as ruled out in the verdict; the list has them all */

static void tried_say(const struct findings *findings, bool with, struct text *out)
{
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict != VERDICT_RULED_OUT || !finding->by_trial || finding->is_trial_with != with)
            continue;
        const char *before = !count ? text_view(out).length ? "; " : "" : ", ";
        const char *trial = count ? "" : with ? "by a trial with them alone: " : "by a trial without them: ";
        text_printf(out, "%s%s%s", before, trial, finding->hypothesis->title);
        count++;
    }
}

const char *ruled_out_said(const struct findings *findings, double effect, struct arena *arena)
{
    scoped_text struct text out = {0};
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        if (findings->items[at].verdict != VERDICT_RULED_OUT || findings->items[at].by_trial)
            continue;
        if (count < NAMED_MOST)
            text_printf(&out, "%s%s", count ? ", " : "", findings->items[at].hypothesis->title);
        count++;
    }
    if (count > NAMED_MOST)
        text_printf(&out, " and %zu more", count - NAMED_MOST);
    if (count)
        text_printf(&out, count > 1 ? ", each bounded below %.3g %%" : ", bounded below %.3g %%", effect * 100);
    tried_say(findings, false, &out);
    tried_say(findings, true, &out);
    if (!text_view(&out).length)
        return NULL;
    return arena_string(arena, text_string(&out));
}
