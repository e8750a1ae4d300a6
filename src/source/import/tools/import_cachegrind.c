/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_cachegrind.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

/* "==4410== D   refs:      68,220,118  (…)" */
static bool is_of_valgrind(struct view line)
{
    uint64_t pid;
    line = view_trim(line);
    if (!view_starts(line, "=="))
        return false;
    line = view_skip(line, 2);
    ptrdiff_t end = view_find(line, "==");
    return end > 0 && view_u64((struct view){line.text, (size_t)end}, 10, &pid);
}

static bool is_rule(struct view line)
{
    line = view_trim(line);
    for (size_t at = 0; at < line.length; at++)
        if (line.text[at] != '-')
            return false;
    return line.length > 3;
}

/* "Ir  Dr  D1mr  DLmr  file:function": which of its numbers are reads that missed; false: it is no such heading. */
static bool heading_read(struct view line, size_t *ret_column, bool *ret_is_last)
{
    struct view word;
    size_t at = 0;
    bool has_first = false, has_last = false, has_names = false;
    for (; (word = view_word(&line)).length; at++) {
        bool last = view_equal(word, "DLmr") || view_equal(word, "D2mr"), first = view_equal(word, "D1mr");
        if (last || (first && !has_last))
            *ret_column = at;
        has_last |= last;
        has_first |= first;
        has_names |= view_starts(word, "file:function") || view_equal(word, "function:file");
    }
    *ret_is_last = has_last;
    return has_names && (has_first || has_last);
}

/* "16,777,216 (99.7%)" of one column, or "0", "." of none; false: it is neither. */
static bool cell_read(struct view *line, double *ret_ratio)
{
    struct view word = view_word(line), rest = *line;
    double count;
    *ret_ratio = 0;
    if (!view_equal(word, ".") && !view_grouped(word, &count))
        return false;
    word = view_word(&rest);
    if (!view_starts(word, "(") || !view_ends(word, "%)"))
        return true;
    *line = rest;
    double percent;
    if (!view_decimal((struct view){word.text + 1, word.length - 3}, &percent) || !(percent >= 0 && percent <= 100))
        return false;
    *ret_ratio = percent / 100;
    return true;
}

static bool row_put(struct text *out, struct view line, size_t column)
{
    double ratio, wanted = 0;
    for (size_t at = 0; view_trim(line).length; at++) {
        struct view before = view_trim(line);
        if (!cell_read(&line, &ratio)) {
            line = before;
            break;
        }
        wanted = at == column ? ratio : wanted;
    }
    struct view name = view_trim(line), file = name;
    ptrdiff_t colon = view_find(name, ":");
    if (colon <= 0 || !name.length)
        return false;
    file.length = (size_t)colon;
    name = view_skip(name, (size_t)colon + 1);
    if (!name.length || !(wanted > 0))
        return view_trim(name).length > 0;
    for (size_t at = 0; at < file.length; at++) /* one word */
        if (isspace((unsigned char)file.text[at]))
            return true;
    text_printf(out, "%.4g%%  %.*s  [.] %.*s\n", 100 * wanted, (int)file.length, file.text, (int)name.length,
                name.text);
    return true;
}

/* Percent of all reads that missed, by its totals; 0: not told. */
struct totals {
    double first, last;
};

/* "==4410== LLd miss rate:  26.2% (  48.9%  +  3.1%  )": of reads and of writes. */
static void totals_read(struct totals *totals, struct view line)
{
    ptrdiff_t first = view_find(line, "D1  miss rate:"), last = view_find(line, "LLd miss rate:"),
              open = view_find(line, "(");
    if ((first < 0 && last < 0) || open < 0)
        return;
    line = view_skip(line, (size_t)open + 1);
    struct view word = view_word(&line);
    double percent;
    if (view_ends(word, "%") && view_decimal((struct view){word.text, word.length - 1}, &percent))
        *(last >= 0 ? &totals->last : &totals->first) = percent;
}

static bool table_put(struct text *out, struct view line, struct view *rest, const struct totals *totals)
{
    size_t column = 0;
    bool is_last;
    if (!heading_read(line, &column, &is_last))
        return false;
    double of_all = is_last ? totals->last : totals->first;
    text_printf(out, "\n# Samples of event '%s", is_last ? "LLC-load-misses" : "L1-dcache-load-misses");
    if (of_all > 0)
        text_printf(out, " (%.3g %% of all reads)", of_all);
    text_add(out, ", simulated'\n");
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        if (is_rule(line))
            continue;
        if (!view_trim(line).length || !row_put(out, line, column))
            break;
    }
    text_add_char(out, '\n');
    return true;
}

struct view import_cachegrind_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    struct totals totals = {0, 0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        bool own = is_of_valgrind(line);
        if (own) {
            totals_read(&totals, line);
            text_add_char(&out, '\n');
        }
        if (own || table_put(&out, line, &rest, &totals)) {
            turned = true;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
