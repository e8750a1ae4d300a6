/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_hyperfine.h"

#include "base/scope.h"
#include "source/import/import_line.h"

#include <ctype.h>

enum { NAME_MOST = 36 };

/* "Benchmark 2: ./b x", "Benchmark #2: …": "2 ./b x", as long as a run's name may be. */
static bool name_of(struct view line, struct text *ret_name)
{
    static const char begins[] = "Benchmark ";
    line = view_trim(line);
    if (!view_starts(line, begins))
        return false;
    struct view rest = view_skip(line, sizeof(begins) - 1);
    rest = view_starts(rest, "#") ? view_skip(rest, 1) : rest;
    uint64_t number;
    if (!view_u64(view_cut(&rest, ':'), 10, &number))
        return false;
    rest = view_trim(rest);
    text_clear(ret_name);
    text_printf(ret_name, "%llu ", (unsigned long long)number);
    for (size_t at = 0; at < rest.length && ret_name->length < NAME_MOST; at++)
        text_add_char(ret_name, rest.text[at] == ':' || rest.text[at] == '|' ? ' ' : rest.text[at]);
    return true;
}

/* "  Range (min … max):    8.001 s …  8.402 s    10 runs", below the time: " (8.001 s … 8.402 s, 10 runs)". */
static void range_put(struct text *out, struct view rest)
{
    struct view line;
    if (!view_line(&rest, &line) || !view_starts(view_trim(line), "Range ("))
        return;
    (void)view_cut(&line, ':');
    text_add(out, " (");
    for (struct view word = view_word(&line); word.length; word = view_word(&line)) {
        struct view after = line, next = view_word(&after);
        bool runs = view_equal(next, "runs");
        text_printf(out, "%s%.*s",
                    runs                                 ? ", "
                    : out->bytes[out->length - 1] == '(' ? ""
                                                         : " ",
                    (int)word.length, word.text);
    }
    text_add(out, ")");
}

/* "  Time (mean ± σ):      8.121 s ±  0.092 s    [User: 30.211 s, System: 9.120 s]", or "(abs)" of one run. */
static bool time_put(struct text *out, const struct text *name, struct view line, struct view rest)
{
    line = view_trim(line);
    if (!view_starts(line, "Time ("))
        return false;
    (void)view_cut(&line, ':');
    struct view number = view_word(&line), unit = view_word(&line);
    double ignored;
    if (!view_grouped(number, &ignored))
        return false;
    text_printf(out, "%s: %.*s %.*s", text_string(name), (int)number.length, number.text, (int)unit.length, unit.text);
    struct view sign = view_word(&line), differs = view_word(&line), its_unit = view_word(&line);
    if (view_equal(sign, IMPORT_LINE_SPREAD) && view_grouped(differs, &ignored)) {
        text_printf(out, " " IMPORT_LINE_SPREAD " %.*s %.*s", (int)differs.length, differs.text, (int)its_unit.length,
                    its_unit.text);
        range_put(out, rest);
    }
    text_add_char(out, '\n');
    return true;
}

struct view import_hyperfine_turned(struct view text, struct arena *arena, struct view *ret_prose)
{
    struct view line, rest = text;
    scoped_text struct text out = {0}, prose = {0}, name = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        bool own = name_of(line, &name) || (name.length && time_put(&out, &name, line, rest)) ||
                   (name.length && view_starts(view_trim(line), "Range ("));
        turned |= own;
        if (!own) {
            text_append(&out, line.text, line.length);
            text_add_char(&out, '\n');
            text_append(&prose, line.text, line.length);
        }
        text_add_char(&prose, '\n');
    }
    *ret_prose = turned ? (struct view){arena_copy(arena, prose.bytes, prose.length), prose.length} : text;
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
