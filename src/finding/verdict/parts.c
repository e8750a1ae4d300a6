/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/parts.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/finding.h"
#include "finding/wording.h"

#include <string.h>

/* A function that has so much says by itself where the time goes; parts smaller than that say nothing of it. */
static const double FLAT = 0.25, FLAT_NAMELESS = 0.5, LARGE = 0.1, TOLD_LEAST = 0.5;

/* "libgs.so.10.00+0x2df670" says less than who it works for. */
static bool says_it_itself(const struct stall_function *hottest)
{
    return hottest->share.mid >= (function_is_nameless(hottest) ? FLAT_NAMELESS : FLAT);
}

static bool are_worth_saying(const struct call_parts *parts)
{
    double told = 0;
    for (size_t at = 0; parts && at < parts->count; at++)
        told += parts->items[at].is_named || parts->items[at].is_told || parts->items[at].lead_count
                    ? parts->items[at].share.mid
                    : 0;
    return parts && parts->count >= 2 && parts->items[0].share.mid >= LARGE && told >= TOLD_LEAST;
}

/* "answer calls strtod (75 % of that) and log (20 %)." */
static void leads_print(struct text *out, const struct call_part *part, struct arena *arena)
{
    if (part->lead_count)
        text_printf(out, " %s calls ", name_for_sentence(part->name, arena));
    for (size_t at = 0; at < part->lead_count; at++)
        text_printf(out, "%s%s (%.0f %%%s)",
                    !at                         ? ""
                    : at + 1 < part->lead_count ? ", "
                                                : " and ",
                    name_for_sentence(part->leads[at].name, arena), part->leads[at].share * 100, at ? "" : " of that");
    text_add(out, part->lead_count ? "." : "");
}

/* An interpreter's own function without a name, which says nothing to who wrote the script. */
static bool is_within_interpreter(const char *name, struct arena *arena)
{
    const char *plus = strstr(name, "+0x");
    struct stall_function function = {.name = name,
                                      .dso = plus ? arena_string_n(arena, name, (size_t)(plus - name)) : ""};
    return plus && function_is_interpreters(&function);
}

/* "With all that each calls, analyse has 71 to 75 % of its time outside the kernel, search 45 to 49 %." */
static const char *holders_said(const struct call_holders *holders, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; holders && at < holders->count; at++) {
        if (is_within_interpreter(holders->items[at].name, arena))
            continue;
        struct value share = VALUE_SHARE("", holders->items[at].share);
        bool is_first = !out.length;
        text_printf(&out, "%s%s%s ", is_first ? "With all that each calls, " : ", ",
                    name_for_sentence(holders->items[at].name, arena), is_first ? " has" : "");
        value_print(&out, &share);
        text_add(&out, is_first ? " of its time outside the kernel" : "");
    }
    return out.length ? arena_printf(arena, "%s.", text_string(&out)) : NULL;
}

/* Shares of the time outside of it are shares of little then. */
static bool is_mostly_kernel(const struct stalls *stalls)
{
    return 2 * stalls->kernel_samples > stalls->sample_count;
}

const char *parts_said(const struct results *results, struct arena *arena)
{
    const struct call_parts *parts = results->parts;
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    if (!hottest || says_it_itself(hottest))
        return NULL;
    bool is_partial = !are_worth_saying(parts) || parts->user_only;
    if (is_partial && is_mostly_kernel(results->stalls))
        return NULL;
    if (!are_worth_saying(parts))
        return holders_said(results->holders, arena);
    scoped_text struct text out = {0};
    if (parts->below)
        text_printf(&out, "Below %s its", name_for_sentence(parts->below, arena));
    else
        text_add(&out, "Its");
    text_add(&out, parts->user_only ? " time outside the kernel goes into " : " CPU time goes into ");
    for (size_t at = 0; at < parts->count; at++) {
        struct value share = VALUE_SHARE("", parts->items[at].share);
        text_printf(&out, "%s%s (",
                    !at                     ? ""
                    : at + 1 < parts->count ? ", "
                                            : " and ",
                    name_for_sentence(parts->items[at].name, arena));
        value_print(&out, &share);
        text_add_char(&out, ')');
    }
    text_add(&out, ", with all that they call.");
    for (size_t at = 0; at < parts->count; at++)
        leads_print(&out, &parts->items[at], arena);
    return arena_string(arena, text_string(&out));
}
