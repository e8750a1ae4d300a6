/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/case_command.h"

#include "base/scope.h"

#include <ctype.h>

static bool needs_quotes(const char *word)
{
    for (const char *at = word; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_-./=:,+@%", *at))
            return true;
    return !*word;
}

const char *shell_line(char *const *argv, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; argv[at]; at++) {
        text_add(&out, at ? " " : "");
        if (!needs_quotes(argv[at])) {
            text_add(&out, argv[at]);
            continue;
        }
        text_add_char(&out, '\'');
        for (const char *letter = argv[at]; *letter; letter++)
            if (*letter == '\'')
                text_add(&out, "'\\''");
            else
                text_add_char(&out, *letter);
        text_add_char(&out, '\'');
    }
    return arena_string(arena, text_string(&out));
}
