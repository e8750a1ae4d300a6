/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_counts.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/count_text.h"
#include "source/import/import_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_count(struct view word)
{
    double ignored;
    return view_grouped(word, &ignored) || view_starts(word, "<not");
}

static bool is_name(struct view word)
{
    return word.length > 2 && isalpha((unsigned char)word.text[0]) && !view_ends(word, ":");
}

static bool has_digit(struct view word)
{
    for (size_t at = 0; at < word.length; at++)
        if (isdigit((unsigned char)word.text[at]))
            return true;
    return false;
}

/* The count behind what was added up, and its name. */
static bool counts_behind(struct view rest)
{
    struct view word = view_word(&rest);
    if (!is_count(word))
        return false;
    if (view_starts(word, "<not"))
        (void)view_word(&rest);
    struct view name = view_word(&rest);
    double unit_before = 0;
    if (view_equal(name, "msec") || view_grouped(name, &unit_before))
        name = view_word(&rest);
    return is_name(name);
}

/* "1.000893421  3,901,223,001  cycles", "S0-D0-C0  2  3,386,784,008  cycles", "CPU0  3,386 cycles". */
static bool is_of_parts(struct view line)
{
    struct view rest = line, first = view_word(&rest);
    double seconds;
    bool interval = view_double(first, &seconds) && view_find(first, ".") > 0;
    bool part = first.length && isalpha((unsigned char)first.text[0]) && has_digit(first) && !view_ends(first, ":") &&
                !view_ends(first, "%");
    return (interval || part) && view_find(line, "|") < 0 && view_find(line, "%  ") < 0 && counts_behind(rest);
}

/*
 * "8386784008,,cycles:u,2401000000,100.00,,": three separators of one kind at least, and a number or a refusal before
 * the second.
 */
static bool is_separated(struct view line)
{
    static const char separators[] = ",;\t";
    struct view behind = line;
    double ignored;
    if (view_grouped(view_word(&behind), &ignored)) /* "4,120,331,220  cycles": commas between thousands */
        return false;
    for (const char *separator = separators; *separator; separator++) {
        struct view rest = line;
        size_t count = 0, counts = 0;
        while (rest.length && count < 8) {
            struct view field = view_trim(view_cut(&rest, *separator));
            counts += count < 4 && (view_double(field, &ignored) || view_starts(field, "<not"));
            count++;
        }
        if (count >= 4 && counts && view_find(line, ", ") < 0 && view_find(line, "|") < 0)
            return true;
    }
    return false;
}

/* ",,,,,88.8,%  tma_backend_bound": a metric of the event above, as perf stat -M -x has those behind its first. */
static bool is_metric_alone(struct view line)
{
    size_t at = line.length;
    while (at && !strchr(",;\t", line.text[at - 1]))
        at--;
    struct view unit = view_skip(line, at), word = view_word(&unit);
    return at > 1 && line.text[0] == line.text[at - 1] && view_starts(word, "%") &&
           import_text_is_class(view_trim(unit));
}

static bool is_json(struct view line)
{
    return view_starts(line, "{") &&
           (view_find(line, "\"counter-value\"") > 0 || view_find(line, "\"metric-value\"") > 0 ||
            view_find(line, "\"%  tma_") > 0); /* --metric-only */
}

static bool is_counts(struct view line)
{
    line = view_trim(line);
    return line.length && (is_json(line) || is_separated(line) || is_metric_alone(line) || is_of_parts(line));
}

/* The lines of one form from here on, with the remarks and blank lines between them. */
static struct view run_of(struct view *rest)
{
    struct view run = {rest->text, 0}, after = *rest, line;
    while (view_line(&after, &line)) {
        if (is_counts(line)) {
            run.length = (size_t)(after.text - run.text);
            *rest = after;
        } else if (view_trim(line).length && !view_starts(view_trim(line), "#")) {
            break;
        }
    }
    return run;
}

/* "6.48 s", "5.90s", "6.48 seconds" stands somewhere in the text, about as long as that. */
static bool is_told(struct view text, double seconds)
{
    static const char *const units[] = {"s", "sec", "seconds"};
    static const double ALIKE = 0.01;
    for (struct view word; (word = view_word(&text)).length;) {
        struct view rest = text, unit = view_word(&rest);
        double number;
        while (unit.length && strchr(".,;:|)", unit.text[unit.length - 1]))
            unit.length--;
        bool is_joined = word.length > 1 && view_ends(word, "s");
        if (!is_joined && !view_is_any_caseless(unit, units, array_count(units)))
            continue;
        word.length -= is_joined;
        if (view_double(word, &number) && fabs(number - seconds) <= ALIKE * seconds)
            return true;
    }
    return false;
}

static bool is_cycles(const struct counted_event *event)
{
    return strncmp(event->name, "cycles", 6) == 0 || strncmp(event->name, "cpu-cycles", 10) == 0;
}

/* For how long its cycles were counted, where a run is said to have taken as long: one thread, then. 0: none is. */
static double run_seconds(const struct count_text *counts, struct view text)
{
    double found = 0;
    for (size_t at = 0; at < counts->event_count && counts->set_count <= 1; at++) {
        const struct counted_event *event = &counts->events[at];
        if (is_cycles(event) && event->known && event->lines == 1 && event->counted_s > 0 &&
            is_told(text, event->counted_s))
            found = event->counted_s;
    }
    return found;
}

static void event_put(struct text *out, const struct counted_event *event, double run_s)
{
    if (event->known && run_s > 0 && is_cycles(event))
        text_printf(out, "%.15g %s # %.6g GHz (%.2f%%)\n", event->count, event->name, event->count / run_s * 1e-9,
                    event->running_ratio * 100);
    else if (event->known)
        text_printf(out, "%.15g%s %s (%.2f%%)\n", event->count, strcmp(event->unit, "msec") == 0 ? " msec" : "",
                    event->name, event->running_ratio * 100);
}

static void counts_put(struct text *out, const struct count_text *counts, struct view text)
{
    double run_s = counts->seconds > 0 ? 0 : run_seconds(counts, text);
    for (size_t at = 0; at < counts->event_count; at++)
        event_put(out, &counts->events[at], run_s);
    for (size_t at = 0; at < counts->metric_count; at++)
        if (import_text_is_class(view_of(counts->metrics[at].name)))
            text_printf(out, "%.15g %% %s\n", counts->metrics[at].value, counts->metrics[at].name);
    if ((counts->seconds > 0 && counts->set_count <= 1) || run_s > 0)
        text_printf(out, "%.9g seconds time elapsed\n", run_s > 0 ? run_s : counts->seconds);
}

/* text: all of the document. False: it holds no counts, as columns of another tool. */
static bool run_put(struct text *out, struct view run, struct view text)
{
    struct count_text counts;
    struct error ignored = {0};
    struct arena scratch;
    arena_init(&scratch);
    bool read = count_text_read(&counts, run, &scratch, &ignored);
    if (read)
        counts_put(out, &counts, text);
    arena_done(&scratch);
    return read;
}

struct view import_counts_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    for (struct view from = rest; view_line(&rest, &line); from = rest) {
        if (is_counts(line)) { /* whatever it is, none of it is looked at again */
            rest = from;
            line = run_of(&rest);
            if (run_put(&out, line, text)) {
                turned = true;
                continue;
            }
        }
        text_append(&out, line.text, line.length);
        if (!view_ends(line, "\n"))
            text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
