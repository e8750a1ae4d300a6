/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "core_throttle_count: 0 before, 412 after", "thermal_throttle/core_throttle_count 0 -> 412", or "was 0 before and
 * after": by how much it grew.
 */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <string.h>

static struct view word_bare(struct view word)
{
    while (word.length > 1 && strchr("`*(\"'", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length > 1 && strchr("`*)\"':,;.=", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

/* The counter's own name at the end of its path; length 0: it is none. */
static struct view counter_of(struct view word)
{
    word = word_bare(word);
    for (ptrdiff_t slash = view_find(word, "/"); slash >= 0; slash = view_find(word, "/"))
        word = view_skip(word, (size_t)slash + 1);
    bool plain = word.length > 0;
    for (size_t at = 0; at < word.length; at++)
        plain &= islower((unsigned char)word.text[at]) || word.text[at] == '_';
    return plain && view_ends(word, "throttle_count") ? word : (struct view){0};
}

struct looks {
    double values[2];
    size_t count;
    ptrdiff_t before, after; /* where these words stand; -1: they don't */
    bool arrow;
};

static void look_read(struct looks *looks, struct view word, ptrdiff_t at)
{
    double value;
    struct view bare = word_bare(word);
    looks->before = view_equal(bare, "before") ? at : looks->before;
    looks->after = view_equal(bare, "after") ? at : looks->after;
    looks->arrow |= view_equal(word, "->") || view_equal(word, "\xe2\x86\x92") || view_equal(word, "to");
    if (bare.length && isdigit((unsigned char)bare.text[0]) && view_grouped(bare, &value) && looks->count++ < 2)
        looks->values[looks->count - 1] = value;
}

bool system_throttles_read(struct system_reading *reading, struct view line, struct text *out)
{
    struct looks looks = {.before = -1, .after = -1};
    struct words words;
    struct view name = {0};
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++) {
        if (name.length)
            look_read(&looks, words.items[at], (ptrdiff_t)at);
        else
            name = counter_of(words.items[at]);
    }
    bool told = looks.arrow || (looks.before >= 0 && looks.after >= 0);
    bool same = looks.count == 1 && looks.after == looks.before + 2 && looks.before >= 0; /* "0 before and after" */
    looks.values[1] = same ? looks.values[0] : looks.values[1];
    if (!name.length || !(looks.count == 2 || same) || !told)
        return false;
    bool backwards = !looks.arrow && looks.after < looks.before;
    double grown = backwards ? looks.values[0] - looks.values[1] : looks.values[1] - looks.values[0];
    if (grown < 0) /* it began anew */
        return false;
    reading->was_hot |= grown > 0;
    text_printf(out, "%.15g %.*s", grown, (int)name.length, name.text);
    return true;
}
