/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_children.h"

#include "base/scope.h"

static struct view word_unmarked(struct view *line)
{
    struct view word = view_word(line);
    return view_equal(word, "#") ? view_word(line) : word;
}

/* "# Children      Self  Command  Shared Object  Symbol" */
static bool is_heading(struct view line)
{
    return view_equal(word_unmarked(&line), "Children") && view_equal(view_word(&line), "Self");
}

/* Another report's, or the end of the block that this one stands in. */
static bool is_end(struct view line)
{
    return view_starts(view_trim(line), "```") || view_equal(word_unmarked(&line), "Overhead");
}

static bool is_share(struct view word)
{
    double ignored;
    return view_ends(word, "%") && view_decimal((struct view){word.text, word.length - 1}, &ignored);
}

/* "99.10%     0.02%  index …" from its second share on; another line is itself. */
static struct view own_of(struct view line)
{
    struct view rest = line;
    if (!is_share(view_word(&rest)))
        return line;
    struct view own = view_trim(rest);
    return is_share(view_word(&rest)) ? own : line;
}

struct view import_children_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false, inside = false;
    while (view_line(&rest, &line)) {
        inside = is_heading(line) || (inside && !is_end(line));
        turned |= inside;
        line = inside ? own_of(line) : line;
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
