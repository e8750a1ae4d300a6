/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/case/shell_line.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

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

/* Takes what stands between quotes; false when the quote is left open. */
static bool quoted_take(const char **at, struct text *word)
{
    char quote = *(*at)++;
    const char *end = strchr(*at, quote);
    if (!end)
        return false;
    text_append(word, *at, (size_t)(end - *at));
    *at = end + 1;
    return true;
}

char **shell_words(const char *line, struct arena *arena)
{
    vec(char *) words = {0};
    bool whole = true;
    for (const char *at = line; whole && *(at += strspn(at, " \t\n"));) {
        scoped_text struct text word = {0};
        while (whole && *at && !strchr(" \t\n", *at)) {
            if (*at == '\'' || *at == '"') {
                whole = quoted_take(&at, &word);
            } else {
                at += *at == '\\' && at[1];
                text_add_char(&word, *at++);
            }
        }
        *vec_push(&words) = arena_string(arena, text_string(&word));
    }
    *vec_push(&words) = NULL;
    char **kept =
        whole && words.count > 1 ? arena_copy(arena, words.items, memory_product(words.count, sizeof(char *))) : NULL;
    vec_done(&words);
    return kept;
}
