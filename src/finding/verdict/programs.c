/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/programs.h"

#include "base/scope.h"

static const double SAID_LEAST = 0.05, SECOND_LEAST = 0.1;
enum { SAID_MOST = 4, SAMPLES_LEAST = 50 };

/* Threads of one process that call themselves differently are no programs. */
static bool is_another(const struct program_shares *programs, size_t at)
{
    for (size_t before = 0; before < at; before++)
        if (programs->items[before].pid == programs->items[at].pid)
            return false;
    return true;
}

const char *programs_said(const struct results *results, struct arena *arena)
{
    const struct program_shares *programs = results->programs;
    size_t count = 0;
    while (programs && count < programs->count && count < SAID_MOST && programs->items[count].share >= SAID_LEAST &&
           is_another(programs, count))
        count++;
    if (count < 2 || programs->samples < SAMPLES_LEAST || programs->items[1].share < SECOND_LEAST)
        return NULL;
    scoped_text struct text out = {0};
    text_printf(&out, "By program, %s takes %.0f %% of the CPU time", programs->items[0].name,
                programs->items[0].share * 100);
    for (size_t at = 1; at < count; at++)
        text_printf(&out, "%s %s %.0f %%", at + 1 < count ? "," : " and", programs->items[at].name,
                    programs->items[at].share * 100);
    text_add_char(&out, '.');
    return arena_string(arena, text_string(&out));
}
