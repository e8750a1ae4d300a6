/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_perfspect.h"

#include "base/scope.h"

#include <ctype.h>

/* "TMA_....DRAM_Bound(%),52.9,50.8,…": the first number is the mean. */
static bool metric_put(struct text *out, struct view line)
{
    scoped_text struct text name = {0};
    struct view rest = line, word = view_trim(view_cut(&rest, ','));
    double percent;
    word = view_starts(word, "metric_") ? view_skip(word, strlen("metric_")) : word;
    if (!view_starts(word, "TMA_") || !view_ends(word, "(%)") ||
        !view_grouped(view_trim(view_cut(&rest, ',')), &percent) || percent > 100)
        return false;
    for (size_t at = strlen("TMA_"); at + strlen("(%)") < word.length; at++)
        if (word.text[at] != '.')
            text_add_char(&name, (char)tolower((unsigned char)word.text[at]));
    text_printf(out, "%.15g %% tma_%s\n", percent, text_string(&name));
    return true;
}

struct view import_perfspect_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        if (metric_put(&out, line)) {
            turned = true;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
