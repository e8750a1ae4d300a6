/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/ruled_out_said.h"

#include "base/scope.h"

enum { NAMED_MOST = 6 }; /* causes named as ruled out in the verdict; the list has them all */

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
    size_t tried = 0;
    for (size_t at = 0; at < findings->count; at++)
        if (findings->items[at].verdict == VERDICT_RULED_OUT && findings->items[at].by_trial)
            text_printf(&out, "%s%s",
                        tried++ ? ", "
                        : count ? "; by a trial without them: "
                                : "by a trial without them: ",
                        findings->items[at].hypothesis->title);
    if (!count && !tried)
        return NULL;
    return arena_string(arena, text_string(&out));
}
