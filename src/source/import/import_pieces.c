/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_pieces.h"

#include "source/import/import_line.h"
#include "source/import/import_text.h"

#include <ctype.h>

/* ---- lines ---- */

static bool is_blank(struct view line)
{
    return !view_trim(line).length;
}

static bool is_fence(struct view line)
{
    return import_text_is_gap(line) && !is_blank(line);
}

/* The line that stands here; empty: none does. */
static struct view line_of(struct view rest)
{
    struct view line = {0};
    return view_line(&rest, &line) ? line : (struct view){0};
}

static struct view line_before(struct view whole, const char *place)
{
    const char *end = place > whole.text ? place - 1 : place, *begin = end;
    while (begin > whole.text && begin[-1] != '\n')
        begin--;
    return (struct view){begin, (size_t)(end - begin)};
}

/* How many # a heading has; perf's own remarks begin with one, too, and come together. */
static size_t marks_of(struct view line, struct view before, struct view after)
{
    size_t level = 0;
    while (level < line.length && line.text[level] == '#')
        level++;
    struct view words = view_trim(view_skip(line, level));
    bool is_one = level && level < PIECE_LEVEL_LEAST && level < line.length && line.text[level] == ' ' &&
                  words.length && isalnum((unsigned char)words.text[0]);
    bool is_remark = level == 1 && (view_starts(before, "#") || view_starts(after, "#")) && !view_starts(after, "##");
    return is_one && !is_remark ? level : 0;
}

/* "=====" or "-----" below a line that stands alone. */
static size_t underlined(struct view line, struct view before, struct view after)
{
    after = view_trim(after);
    bool is_rule = after.length > 2 && (after.text[0] == '=' || after.text[0] == '-');
    for (size_t at = 0; at < after.length; at++)
        is_rule &= after.text[at] == after.text[0];
    bool is_one =
        is_rule && is_blank(before) && line.length && isalpha((unsigned char)line.text[0]) && view_find(line, "  ") < 0;
    return is_one ? after.text[0] == '=' ? 1 : 2 : 0;
}

static size_t level_of(struct view line, struct view before, struct view after)
{
    size_t marks = line.length ? marks_of(line, before, after) : 0;
    if (marks || !line.length)
        return marks;
    line = view_trim(line);
    bool bold = line.length > 4 && view_starts(line, "**") && (view_ends(line, "**") || view_ends(line, "**:"));
    return bold && (is_blank(before) || is_blank(after)) ? PIECE_LEVEL_LEAST : underlined(line, before, after);
}

/* What stands behind "- ", "* ", "+ ", "3. ", "3) "; length 0: it is no item. */
static struct view behind_bullet(struct view line)
{
    size_t digits = 0;
    line = view_trim(line);
    while (digits < line.length && digits < 3 && isdigit((unsigned char)line.text[digits]))
        digits++;
    bool bullet = view_starts(line, "- ") || view_starts(line, "* ") || view_starts(line, "+ ");
    bool number = digits && digits + 1 < line.length && strchr(".)", line.text[digits]) && line.text[digits + 1] == ' ';
    return bullet ? view_skip(line, 2) : number ? view_skip(line, digits + 2) : (struct view){0};
}

static bool is_item(struct view line)
{
    struct view behind = view_trim(behind_bullet(line));
    return behind.length && (isalpha((unsigned char)behind.text[0]) || strchr("[*`_\"'", behind.text[0])) &&
           !import_line_kinds(line);
}

static enum piece_box box_of(struct view line)
{
    struct view behind = view_trim(behind_bullet(line));
    return view_starts(behind, "[ ]")                                 ? BOX_OPEN
           : view_starts(behind, "[x]") || view_starts(behind, "[X]") ? BOX_TICKED
                                                                      : BOX_NONE;
}

/* Columns stand apart, and names of the kernel's have their numbers behind "=". */
static bool is_of_columns(struct view line)
{
    for (size_t at = 1; at + 1 < line.length; at++)
        if (line.text[at] == '\t' ||
            (line.text[at] == ' ' && line.text[at + 1] == ' ' && !strchr(".:!?", line.text[at - 1])))
            return true;
    return view_find(line, "avg10=") >= 0 || import_line_kinds(line);
}

static bool is_words(struct view text)
{
    struct view line = view_trim(line_of(text)), rest = view_skip(text, line.length);
    if (!line.length || is_of_columns(line))
        return false;
    bool ends = text.length && strchr(".:!?)", text.text[text.length - 1]);
    return import_text_is_prose(line, true, rest) || (isalpha((unsigned char)line.text[0]) && ends) ||
           view_starts(line, "*") || view_starts(line, "_") || view_starts(line, "(");
}

/* ---- pieces ---- */

static bool is_row(struct view line)
{
    return view_starts(view_trim(line), "|");
}

static bool is_quote(struct view line)
{
    return view_starts(line, ">");
}

/* The manual's example: with rows right below. */
static bool ends_above_rows(struct view line, struct view next)
{
    return view_ends(view_trim(line), ":") && !is_of_columns(line) && next.length &&
           (next.text[0] == ' ' || next.text[0] == '\t' || isdigit((unsigned char)next.text[0]));
}

/* A line that the piece before it doesn't go on with. */
static bool begins_piece(struct view line, struct view before, struct view after)
{
    return is_blank(line) || is_fence(line) || is_item(line) || is_row(line) != is_row(before) ||
           is_quote(line) != is_quote(before) || level_of(line, before, after);
}

static void fenced_take(struct view *rest, const char **end)
{
    struct view line;
    while (view_line(rest, &line)) {
        *end = line.text + line.length;
        if (is_fence(line))
            break;
    }
}

static void lines_take(struct view *rest, struct view first, const char **end)
{
    struct view line, before = first;
    for (struct view after = *rest; !ends_above_rows(before, line_of(after)) && view_line(&after, &line);
         *rest = after, before = line) {
        if (begins_piece(line, before, line_of(after)))
            break;
        *end = line.text + line.length;
    }
}

bool import_piece_next(struct view *text, struct view whole, struct piece *ret_piece)
{
    struct view line;
    do {
        if (!view_line(text, &line))
            return false;
    } while (is_blank(line));
    const char *end = line.text + line.length;
    size_t level = level_of(line, line_before(whole, line.text), line_of(*text));
    if (is_fence(line))
        fenced_take(text, &end);
    else if (!level)
        lines_take(text, line, &end);
    struct view all = {line.text, (size_t)(end - line.text)};
    bool item = is_item(line) || is_quote(line), table = is_fence(line) || is_row(line);
    *ret_piece = (struct piece){.kind = level           ? PIECE_HEADING
                                        : item          ? PIECE_ITEM
                                        : table         ? PIECE_TABLE
                                        : is_words(all) ? PIECE_WORDS
                                                        : PIECE_TABLE,
                                .text = all,
                                .level = level,
                                .box = item ? box_of(line) : BOX_NONE};
    return true;
}
