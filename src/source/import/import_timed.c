/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_timed.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

enum { TIMED_LEAST = 2, TIMED_MOST = 16 };

struct timed {
    struct view names[TIMED_MOST];
    double seconds[TIMED_MOST];
    size_t count;
};

static struct view bare(struct view word)
{
    while (word.length && strchr("([*`", word.text[0]))
        word = view_skip(word, 1);
    while (word.length && strchr(")]*`,;:.", word.text[word.length - 1]))
        word.length--;
    return word;
}

/* Seconds of the unit that a heading of runs has; 0: it has none, or is of parts of a run. */
static double unit_above(struct view line)
{
    static const struct {
        const char *word;
        double seconds;
    } units[] = {{"seconds", 1}, {"secs", 1}, {"s", 1}, {"milliseconds", 1e-3}, {"ms", 1e-3}, {"minutes", 60}};
    static const char *const runs[] = {"benchmark", "benchmarks", "run", "runs", "runtime", "elapsed", "wall"},
                             *const parts[] = {"function", "functions", "symbol", "phase", "phases", "step",
                                               "steps", "stage", "stages", "section", "thread", "query"};
    double found = 0;
    bool is_of_runs = false, is_of_parts = false;
    if (!view_ends(view_trim(line), ":"))
        return 0;
    for (struct view word; (word = bare(view_word(&line))).length;) {
        is_of_runs |= view_is_any_caseless(word, runs, array_count(runs));
        is_of_parts |= view_is_any_caseless(word, parts, array_count(parts));
        for (size_t at = 0; at < array_count(units) && !(found > 0); at++)
            found = view_equal_caseless(word, units[at].word) ? units[at].seconds : 0;
    }
    return is_of_runs && !is_of_parts ? found : 0;
}

/* "halide 0.247", and nothing else. */
static bool row_of(struct view line, struct timed *timed, double unit)
{
    struct view name = view_word(&line), number = view_word(&line);
    double value;
    if (!name.length || !isalpha((unsigned char)name.text[0]) || view_word(&line).length ||
        !view_decimal(number, &value) || !(value > 0) || timed->count == TIMED_MOST)
        return false;
    timed->names[timed->count] = name;
    timed->names[timed->count].length -= view_ends(name, ":");
    timed->seconds[timed->count++] = value * unit;
    return true;
}

static bool is_blank(struct view line)
{
    return !view_trim(line).length || view_starts(view_trim(line), "```");
}

/* From its first row on up to what is none; rest: behind them. */
static struct timed rows_of(struct view *rest, double unit)
{
    struct timed timed = {.count = 0};
    struct view line;
    for (struct view after = *rest; view_line(&after, &line) && row_of(line, &timed, unit); *rest = after)
        ;
    return timed;
}

/* All of them were timed before, by what their unit was told. */
static bool are_known(const struct timed *timed, const struct timed *known)
{
    size_t found = 0;
    for (size_t at = 0; at < timed->count; at++)
        for (size_t other = 0; other < known->count; other++)
            if (views_equal_caseless(timed->names[at], known->names[other])) {
                found++;
                break;
            }
    return timed->count >= TIMED_LEAST && found == timed->count;
}

static void rows_put(struct text *out, const struct timed *timed)
{
    for (size_t at = 0; at < timed->count; at++)
        text_printf(out, "%.*s: %.9g s\n", (int)timed->names[at].length, timed->names[at].text, timed->seconds[at]);
}

struct view import_timed_turned(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct timed known = {.count = 0};
    struct view line, rest = text;
    double unit = 0, above = 0; /* of the known ones; of a heading that stands right above */
    bool turned = false;
    while (rest.length) {
        struct view behind = rest;
        struct timed timed = rows_of(&behind, above > 0 ? above : unit);
        bool begins = above > 0 && timed.count >= TIMED_LEAST;
        if (begins || are_known(&timed, &known)) {
            rows_put(&out, &timed);
            unit = begins ? above : unit;
            known = begins ? timed : known;
            rest = behind;
            above = 0;
            turned = true;
            continue;
        }
        (void)view_line(&rest, &line);
        above = is_blank(line) ? above : unit_above(line);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
