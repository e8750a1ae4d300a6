/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_ours.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_sentence.h"
#include "analyse/told/told_words.h"
#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_pieces.h"

#include <ctype.h>
#include <string.h>

struct part {
    struct piece piece;
    bool of_others, both; /* both: words above what is of others say so, and are ours */
};

struct section {
    size_t level, first; /* first: its heading, of the parts */
    bool of_others;
};

enum { SECTIONS_MOST = PIECE_LEVEL_LEAST + 1 };

struct reading_parts {
    struct arena *arena;
    vec(struct part) parts;
    struct section sections[SECTIONS_MOST]; /* each inside of the one before; the first is the document */
    size_t depth;
    bool heads_tables, heads_items; /* what was read last gives what follows to others */
    bool below;                     /* … or what was read in this section does, up to its end */
};

/* ---- what words say ---- */

static bool heads_section(const char *plain)
{
    return (plain_has(plain, WORDS_HEADING_SECTION) && !plain_has(plain, WORDS_HEADING_OWN)) ||
           plain_has(plain, WORDS_HEADING_VOID);
}

/* Behind "3.", "Step 2:" and the like nothing is looked for. */
static bool heads_plan(const char *plain)
{
    const char *begin = plain;
    while (*begin && !isalpha((unsigned char)*begin))
        begin++;
    const char *end = *begin ? words_at(begin - 1, WORDS_HEADING_PLAN) : NULL;
    return end && !words_at(end, WORDS_HEADING_GOES_ON) && !plain_has(plain, WORDS_HEADING_DONE);
}

static bool is_summary(const char *plain)
{
    return words_at(plain, WORDS_HEADING_SUMMARY) && plain_has(plain, WORDS_HEADING_SECTION);
}

/* "None has been tested.", "Edit: the numbers below are from the wrong machine" */
static bool is_disclaimer(const char *plain)
{
    static const struct word_rule none = {WORDS_HEADING_NONE, .behind = WORDS_HEADING_TESTED, .within = 6};
    bool is_wrong = plain_has(plain, WORDS_HEADING_WRONG) || plain_has(plain, WORDS_HEADING_VOID);
    return words_at(plain, WORDS_HEADING_CORRECTION) ||
           (words_at(plain, WORDS_HEADING_DISCLAIMING) &&
            (is_wrong || (rules_hold(plain, &none, 1) && !plain_has(plain, WORDS_HEADING_ELSE))));
}

/* ---- tables with a column that nobody measured ---- */

enum { COLUMNS_MOST = 32 };

/* "expected time", "planned". */
static bool is_unmeasured(struct view words)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, words);
    return words_at(plain.text, WORDS_HEADING_COLUMN);
}

/* As bits: the first one names the rows. ret_left: how many others there are. */
static uint32_t unmeasured_columns(struct view line, size_t *ret_left)
{
    uint32_t found = 0;
    line = view_trim(line);
    line.length -= view_ends(line, "|");
    (void)view_cut(&line, '|');
    *ret_left = 0;
    for (size_t at = 0; line.length && at < COLUMNS_MOST; at++) {
        bool is_one = is_unmeasured(view_cut(&line, '|')) && at;
        found |= (uint32_t)is_one << at;
        *ret_left += !is_one;
    }
    return found;
}

/* "| SMT off (planned) | 44 s |" */
static bool is_planned_row(struct view line)
{
    for (ptrdiff_t at; (at = view_find(line, "(")) >= 0;) {
        line = view_skip(line, (size_t)at + 1);
        if (is_unmeasured(line))
            return true;
    }
    return false;
}

static void row_put(struct text *out, struct view line, uint32_t without)
{
    (void)view_cut(&line, '|');
    text_add_char(out, '|');
    for (size_t at = 0; line.length; at++) {
        struct view cell = view_cut(&line, '|');
        if (at < COLUMNS_MOST && without >> at & 1)
            continue;
        text_append(out, cell.text, cell.length);
        text_add_char(out, '|');
    }
}

static bool is_of_rows(struct view text)
{
    return view_starts(view_trim(text), "|");
}

/* All of its columns are of what nobody measured, but the names. */
static bool is_of_plans(struct view text)
{
    struct view line;
    size_t left = 0;
    return is_of_rows(text) && view_line(&text, &line) && unmeasured_columns(line, &left) && left < 2;
}

static void rows_put(struct text *out, struct view text)
{
    struct view line, first = {0};
    uint32_t without = 0;
    for (size_t left; view_line(&text, &line);) {
        without = first.length ? without : unmeasured_columns(line, &left);
        if (first.length && is_planned_row(line))
            continue;
        if (first.length)
            text_add_char(out, '\n');
        first = line;
        if (without)
            row_put(out, line, without);
        else
            text_append(out, line.text, line.length);
    }
}

/* ---- where they say it ---- */

static struct part *part_at(struct reading_parts *reading, size_t at)
{
    return &reading->parts.items[at];
}

static struct section *innermost(struct reading_parts *reading)
{
    return &reading->sections[reading->depth - 1];
}

static void heading_take(struct reading_parts *reading, struct part *part, size_t at)
{
    struct plain_sentence plain;
    char *words = arena_string_n(reading->arena, part->piece.text.text, part->piece.text.length);
    while (reading->depth > 1 && innermost(reading)->level >= part->piece.level)
        reading->depth--;
    plain_sentence_of(&plain, part->piece.text);
    bool inside = innermost(reading)->of_others && !plain_has(plain.text, WORDS_HEADING_DONE);
    part->of_others = inside || heads_section(plain.text) || heads_plan(plain.text);
    reading->sections[reading->depth++] = (struct section){part->piece.level, at, part->of_others};
    part->both = reading->heads_tables = told_heads_others(words);
    reading->heads_items = reading->below = false;
}

/* The paragraph, the table or the list that ends right above. */
static void above_give(struct reading_parts *reading, size_t at)
{
    enum piece_kind kind = part_at(reading, at - 1)->piece.kind;
    do
        part_at(reading, --at)->of_others = true;
    while (kind == PIECE_ITEM && at && part_at(reading, at - 1)->piece.kind == kind);
}

static void section_give(struct reading_parts *reading)
{
    innermost(reading)->of_others = true;
    for (size_t at = innermost(reading)->first; at < reading->parts.count; at++)
        part_at(reading, at)->of_others = true;
}

static void disclaimer_take(struct reading_parts *reading, const char *plain, size_t at)
{
    bool is_first = !at || part_at(reading, at - 1)->piece.kind == PIECE_HEADING;
    if (plain_has(plain, WORDS_HEADING_ALL))
        section_give(reading);
    else if (is_first || plain_has(plain, WORDS_HEADING_BELOW))
        reading->below = true;
    else
        above_give(reading, at);
}

static void words_take(struct reading_parts *reading, struct part *part, size_t at)
{
    struct plain_sentence plain = {.text = ""};
    char *words = arena_string_n(reading->arena, part->piece.text.text, part->piece.text.length);
    for (char *end = words; (end = strchr(end, '\n'));)
        *end = ' ';
    bool is_first = true, summary = false, below = reading->below, has_number = false;
    for (struct view rest = view_of(words), sentence; (sentence = told_sentence(&rest)).length; is_first = false) {
        plain_sentence_of(&plain, sentence);
        summary |= is_first && is_summary(plain.text);
        if (!has_number && is_disclaimer(plain.text)) /* behind one it is of that */
            disclaimer_take(reading, plain.text, at);
        has_number |= strpbrk(plain.text, "0123456789") != NULL;
    }
    bool colon = view_ends(view_trim(part->piece.text), ":");
    reading->heads_tables = summary || told_heads_others(words) || (colon && heads_plan(plain.text));
    reading->heads_items = colon && reading->heads_tables;
    part->of_others = innermost(reading)->of_others || below || summary;
    part->both = reading->heads_tables && !part->of_others;
}

static void piece_take(struct reading_parts *reading, struct piece piece)
{
    struct part *part = vec_push(&reading->parts);
    size_t at = reading->parts.count - 1;
    bool is_item = piece.kind == PIECE_ITEM;
    *part = (struct part){.piece = piece};
    if (piece.kind == PIECE_HEADING)
        heading_take(reading, part, at);
    else if (piece.kind == PIECE_WORDS)
        words_take(reading, part, at);
    else
        part->of_others = piece.box != BOX_TICKED &&
                          (piece.box == BOX_OPEN || innermost(reading)->of_others || reading->below ||
                           (is_item ? reading->heads_items : reading->heads_tables) || is_of_plans(piece.text));
}

/* ---- the two parts ---- */

static void empty_put(struct text *out, struct view text)
{
    for (size_t at = 0; at < text.length; at++)
        if (text.text[at] == '\n')
            text_add_char(out, '\n');
}

static void part_put(struct text *out, const struct part *part, bool is_in)
{
    if (is_in && !part->of_others && is_of_rows(part->piece.text))
        rows_put(out, part->piece.text);
    else if (is_in)
        text_append(out, part->piece.text.text, part->piece.text.length);
    else
        empty_put(out, part->piece.text);
}

static struct view kept(const struct text *out, struct arena *arena)
{
    return (struct view){arena_copy(arena, out->bytes, out->length), out->length};
}

static struct document_parts parts_put(const struct reading_parts *reading, struct view text, struct arena *arena)
{
    scoped_text struct text ours = {0}, others = {0};
    bool any = false;
    const char *end = text.text;
    for (size_t at = 0; at < reading->parts.count; at++) {
        const struct part *part = &reading->parts.items[at];
        struct view between = {end, (size_t)(part->piece.text.text - end)};
        text_append(&ours, between.text, between.length);
        text_append(&others, between.text, between.length);
        part_put(&ours, part, !part->of_others);
        part_put(&others, part, part->of_others || part->both);
        any |= part->of_others;
        end = part->piece.text.text + part->piece.text.length;
    }
    text_add_char(&ours, '\n');
    text_add_char(&others, '\n');
    return (struct document_parts){kept(&ours, arena), any ? kept(&others, arena) : (struct view){0}};
}

struct document_parts document_parts_of(struct view text, struct arena *arena)
{
    struct reading_parts reading = {.arena = arena, .depth = 1};
    struct piece piece;
    bool any = false;
    for (struct view rest = text; import_piece_next(&rest, text, &piece);)
        piece_take(&reading, piece);
    for (size_t at = 0; at < reading.parts.count; at++)
        any |= reading.parts.items[at].of_others || is_of_rows(reading.parts.items[at].piece.text);
    struct document_parts parts = any ? parts_put(&reading, text, arena) : (struct document_parts){.ours = text};
    vec_done(&reading.parts);
    return parts;
}
