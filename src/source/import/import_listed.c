/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_listed.h"

#include "base/scope.h"
#include "source/import/import_text.h"

#include <string.h>

enum { LISTED_LEAST = 2, LISTED_MOST = 16 };

struct listed {
    struct view names[LISTED_MOST], shares[LISTED_MOST];
    size_t count;
};

/* "`tma_dram_bound`:", "(tma_dram_bound" */
static struct view name_alone(struct view word)
{
    while (word.length > 1 && strchr("`*(\"'", word.text[0]))
        word = view_skip(word, 1);
    while (word.length > 1 && strchr("`*\"':=", word.text[word.length - 1]))
        word.length--;
    return word;
}

/* Without what ends an item of a list; false: nothing does. */
static bool item_end(struct view *word)
{
    size_t before = word->length;
    while (word->length > 1 && strchr(",;.)", word->text[word->length - 1]))
        word->length--;
    return word->length < before;
}

/* "38.8 %,", "38.8%;", "is 38.8 % and": rest goes behind it. */
static bool share_next(struct view *rest, struct view *ret_share)
{
    struct view word = view_word(rest), behind;
    double percent;
    if (view_equal(word, "=") || view_equal(word, "at") || view_equal(word, "is"))
        word = view_word(rest);
    bool ends = item_end(&word), has_sign = view_ends(word, "%");
    word.length -= has_sign;
    if (!has_sign && !ends) {
        struct view sign = view_word(rest);
        ends = item_end(&sign);
        has_sign = view_equal(sign, "%");
    }
    behind = *rest;
    ends |= !view_trim(behind).length || view_equal(view_word(&behind), "and");
    *ret_share = word;
    return has_sign && ends && view_grouped(word, &percent) && percent <= 100;
}

/* False: one stands there twice, as before and after a change. */
static bool listed_add(struct listed *listed, struct view name, struct view share)
{
    for (size_t at = 0; at < listed->count; at++)
        if (listed->names[at].length == name.length && !memcmp(listed->names[at].text, name.text, name.length))
            return false;
    if (listed->count == LISTED_MOST)
        return false;
    listed->names[listed->count] = name;
    listed->shares[listed->count++] = share;
    return true;
}

/* Each class with its share behind it; one without, or in columns of a tool, and the line is something else. */
static bool listed_of(struct view line, struct listed *ret)
{
    *ret = (struct listed){.count = 0};
    if (view_find(line, "#") >= 0 || view_find(line, "|") >= 0 || view_find(line, "\t") >= 0)
        return false;
    for (struct view word; (word = view_word(&line)).length;) {
        struct view name = name_alone(word), share;
        bool is_class = import_text_is_class(name) && !view_ends(name, "_group");
        if (is_class && (!share_next(&line, &share) || !listed_add(ret, name, share)))
            return false;
    }
    return ret->count >= LISTED_LEAST;
}

struct view import_listed_turned(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct view line, rest = text;
    struct listed listed;
    bool turned = false;
    while (view_line(&rest, &line)) {
        bool is_list = listed_of(line, &listed);
        turned |= is_list;
        for (size_t at = 0; is_list && at < listed.count; at++)
            text_printf(&out, "%.*s %%  %.*s\n", (int)listed.shares[at].length, listed.shares[at].text,
                        (int)listed.names[at].length, listed.names[at].text);
        if (!is_list) {
            text_append(&out, line.text, line.length);
            text_add_char(&out, '\n');
        }
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
