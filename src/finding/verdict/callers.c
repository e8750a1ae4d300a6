/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/callers.h"

#include "analyse/code/code_origin.h"
#include "base/scope.h"
#include "finding/finding.h"

#include <string.h>

static const double HOT_LEAST = 0.2, CALLER_LEAST = 0.2; /* of the samples; of the function's stacks */
enum { STACKS_LEAST = 10 };

static void callers_print(struct text *out, const struct stall_caller *callers, uint32_t count, uint64_t stacks,
                          struct arena *arena)
{
    for (uint32_t at = 0; at < count; at++) {
        double share = (double)callers[at].stacks / (double)stacks;
        if (at && share < CALLER_LEAST)
            return;
        const char *file = callers[at].path ? strrchr(callers[at].path, '/') : NULL;
        text_printf(out, "%s%s", at ? ", " : "", name_for_sentence(callers[at].name, arena));
        if (callers[at].path)
            text_printf(out, " (%s:%u)", file ? file + 1 : callers[at].path, callers[at].line);
        if (at || share < 0.9)
            text_printf(out, " %.0f %%", share * 100);
    }
}

const char *callers_said(const struct results *results, const char *said, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls && stalls->function_count ? &stalls->functions[0] : NULL;
    if (!hottest || hottest->is_kernel || !code_is_installed(hottest->dso_path) || hottest->share.mid < HOT_LEAST ||
        hottest->stacks < STACKS_LEAST || !hottest->caller_count)
        return NULL;
    /* by whatever starts a program; or by another of its name, as overloaded functions are without their parameters */
    if (strcmp(hottest->name, "main") == 0 || strcmp(hottest->name, hottest->callers[0].name) == 0)
        return NULL;
    scoped_text struct text out = {0};
    const char *name = name_for_sentence(hottest->name, arena);
    if (strstr(said, name))
        text_printf(&out, "%s is called by ", name);
    else
        text_printf(&out, "The hottest function, %s (%.0f %%), is called by ", name, hottest->share.mid * 100);
    callers_print(&out, hottest->callers, hottest->caller_count, hottest->stacks, arena);
    if (hottest->owner_count && (double)hottest->owners[0].stacks >= CALLER_LEAST * (double)hottest->stacks) {
        text_add(&out, "; for ");
        callers_print(&out, hottest->owners, hottest->owner_count, hottest->stacks, arena);
    }
    text_add_char(&out, '.');
    return arena_string(arena, text_string(&out));
}
