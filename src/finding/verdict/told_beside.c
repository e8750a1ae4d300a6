/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/told_beside.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/finding.h"

#include <string.h>

static const double LEAST = 0.1; /* of the samples */
enum { SAID_MOST = 2 };

/* "m4+0xefb0 (asserts as "next_token")", of which the first word is said already or not. */
static bool is_new(const struct stall_function *function, const char *said, struct arena *arena)
{
    const char *remark = strstr(function->name, " (");
    if (!remark || !function_is_nameless(function) || function->is_kernel || function->share.mid < LEAST)
        return false;
    return !strstr(said, arena_string_n(arena, function->name, (size_t)(remark - function->name)));
}

const char *told_beside(const struct results *results, const char *said, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    scoped_text struct text out = {0};
    int count = 0;
    for (size_t at = 0; stalls && at < stalls->function_count && count < SAID_MOST; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (!is_new(function, said, arena))
            continue;
        text_printf(&out, "%s%s%s %.0f %%%s", count ? ", " : "", name_for_sentence(function->name, arena),
                    count ? "" : " has", function->share.mid * 100, count ? "" : " of its CPU time");
        count++;
    }
    return count ? arena_printf(arena, "%s.", text_string(&out)) : NULL;
}
