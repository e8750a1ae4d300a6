/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_pprof.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>

/* What pprof says above its table: "Type: cpu", "File: ingest". */
struct profile_head {
    struct view type, file;
};

/* Of whom samples are time on a CPU; people leave the line out, too. */
static bool is_of_cpu(struct view type)
{
    static const char *const types[] = {"cpu", "samples", "cycles", "cpu-cycles", "cpu-clock", "task-clock"};
    bool is_one = !type.length;
    for (size_t at = 0; at < array_count(types); at++)
        is_one |= view_equal(type, types[at]);
    return is_one;
}

static void head_read(struct profile_head *head, struct view line)
{
    line = view_trim(line);
    if (view_starts(line, "Type: "))
        head->type = view_trim(view_skip(line, strlen("Type: ")));
    else if (view_starts(line, "File: "))
        head->file = view_trim(view_skip(line, strlen("File: ")));
}

/* "flat  flat%   sum%        cum   cum%" */
static bool is_heading(struct view line)
{
    static const char *const columns[] = {"flat", "flat%", "sum%", "cum", "cum%"};
    for (size_t at = 0; at < array_count(columns); at++)
        if (!view_equal(view_word(&line), columns[at]))
            return false;
    return !view_word(&line).length;
}

/* "71.30s", "10ms", "0", "812": of time or samples, not "512.01MB". */
static bool is_amount(struct view word)
{
    size_t digits = 0;
    double ignored;
    while (digits < word.length && (isdigit((unsigned char)word.text[digits]) || word.text[digits] == '.'))
        digits++;
    struct view unit = view_skip(word, digits);
    return view_decimal((struct view){word.text, digits}, &ignored) && (!unit.length || view_ends(unit, "s"));
}

static bool share_read(struct view word, double *ret_share)
{
    word.length -= view_ends(word, "%");
    return view_decimal(word, ret_share) && *ret_share >= 0 && *ret_share <= 100;
}

/* "71.30s 26.27% 26.27%    110.24s 40.62%  runtime.scanobject" */
static bool row_read(struct view line, double *ret_flat, struct view *ret_name)
{
    static const char inlined[] = " (inline)";
    double flat, sum, all;
    bool good = is_amount(view_word(&line)) && share_read(view_word(&line), &flat) &&
                share_read(view_word(&line), &sum) && is_amount(view_word(&line)) && share_read(view_word(&line), &all);
    struct view name = view_trim(line);
    name.length -= view_ends(name, inlined) ? sizeof(inlined) - 1 : 0;
    if (!good || !name.length)
        return false;
    *ret_flat = flat;
    *ret_name = name;
    return true;
}

static void row_put(struct text *out, const struct profile_head *head, double flat, struct view name)
{
    if (!(flat > 0)) /* one that only calls */
        return;
    text_printf(out, "%.15g%%  ", flat);
    for (size_t at = 0; at < head->file.length; at++) /* a report's binary is one word */
        text_add_char(out, head->file.text[at] == ' ' ? '_' : head->file.text[at]);
    text_add(out, "  [.] ");
    text_append(out, name.text, name.length);
    text_add_char(out, '\n');
}

/* Where somebody left rows out. */
static bool is_gap(struct view line)
{
    line = view_trim(line);
    return view_equal(line, "...") || view_equal(line, "[...]") || view_equal(line, "\xe2\x80\xa6");
}

/* The heading of such a table and its rows; false: this line is none. */
static bool table_put(struct text *out, const struct profile_head *head, struct view line, struct view *rest)
{
    struct view name;
    double flat;
    if (!is_heading(line) || !is_of_cpu(head->type))
        return false;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        bool is_row = row_read(line, &flat, &name);
        if (!is_row && !is_gap(line))
            break;
        if (is_row)
            row_put(out, head, flat, name);
    }
    return true;
}

struct view import_pprof_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    struct profile_head head = {.type = {0}};
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        if (table_put(&out, &head, line, &rest)) {
            turned = true;
            head = (struct profile_head){.type = {0}};
            continue;
        }
        head_read(&head, line);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
