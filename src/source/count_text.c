/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/count_text.h"

#include "base/hashmap.h"
#include "base/json/json_tokens.h"
#include "base/vec.h"

#include <ctype.h>
#include <math.h>

enum { FIELDS_MOST = 24, SETS_MOST = 1024, COLUMNS_MOST = 16, COLUMNS_BEFORE_MOST = 3 };

struct reader {
    struct arena *arena;
    vec(struct counted_event) events;
    vec(struct counted_metric) metrics;
    struct hashmap event_names; /* of this set */
    struct hashmap lines_seen;  /* of this set: hashes of what was counted where */
    struct count_text *result;
    char interval[64]; /* of the line before */
    double interval_seconds, set_seconds;
    double all_seconds; /* of the sets before that say theirs */
    size_t sets_timed, set;
    size_t json_lines; /* that are JSON */
    const char *columns[COLUMNS_MOST]; /* of --metric-only: metrics by the last heading */
    size_t column_count;
};

/* ---- sets: what was counted in one run ---- */

static void set_end(struct reader *reader)
{
    if (reader->set_seconds > 0 && isfinite(reader->set_seconds)) {
        reader->all_seconds += reader->set_seconds;
        reader->sets_timed++;
    }
    reader->set_seconds = reader->interval_seconds = 0;
    reader->interval[0] = '\0';
    hashmap_done(&reader->event_names);
    hashmap_done(&reader->lines_seen);
    reader->event_names = reader->lines_seen = (struct hashmap){0};
}

/* Another run's counts follow. */
static void set_begin(struct reader *reader)
{
    if (!reader->event_names.count || reader->set >= SETS_MOST)
        return;
    set_end(reader);
    reader->set++;
}

/* The same event for the same CPUs and interval (key) was counted again. */
static void line_note(struct reader *reader, struct view name, struct view key, struct view more)
{
    uint64_t hash = hash_combine(hash_combine(hash_bytes(name.text, name.length), hash_bytes(key.text, key.length)),
                                 hash_bytes(more.text, more.length));
    if (hashmap_find(&reader->lines_seen, hash, NULL, NULL, NULL) != HASHMAP_ABSENT)
        set_begin(reader);
    hashmap_put(&reader->lines_seen, hash, 1);
}

/* ---- what lines give ---- */

static bool name_equal(const void *context, uint32_t id, const void *key)
{
    const struct reader *reader = context;
    const struct view *name = key;
    return view_equal(*name, reader->events.items[id].name);
}

/* Whether a count could not be made; the words of it then. */
static bool is_refusal(struct view value)
{
    return view_starts(value, "<not ");
}

static bool is_name(struct view name)
{
    for (size_t at = 0; at < name.length; at++)
        if ((unsigned char)name.text[at] < ' ')
            return false;
    return name.length > 0;
}

static const double COUNT_MOST = 1e20; /* beyond what counters hold: it is no count */

struct counting {
    double ratio;   /* of the time that it was on a counter */
    double seconds; /* that it was there; 0: not said */
};

static void event_add(struct reader *reader, struct view name, struct view unit, struct view value,
                      struct counting counting)
{
    double count = 0;
    bool known = view_double(value, &count) && fabs(count) < COUNT_MOST;
    if (!is_name(name) || (!known && !is_refusal(value)))
        return;
    uint64_t hash = hash_bytes(name.text, name.length);
    uint32_t index = hashmap_find(&reader->event_names, hash, name_equal, reader, &name);
    if (index == HASHMAP_ABSENT) {
        index = (uint32_t)reader->events.count;
        hashmap_add(&reader->event_names, hash, index);
        *vec_push(&reader->events) = (struct counted_event){
            .set = reader->set,
            .name = arena_string_n(reader->arena, name.text, name.length),
            .unit = arena_string_n(reader->arena, unit.text, unit.length), .running_ratio = 1};
    }
    struct counted_event *event = &reader->events.items[index];
    event->lines++;
    if (!known) {
        if (!event->known)
            event->why_not = arena_string_n(reader->arena, value.text, value.length);
        return;
    }
    event->count = event->known ? event->count + count : count;
    event->known = true;
    event->why_not = NULL;
    event->counted_s += counting.ratio > 0 ? counting.seconds / counting.ratio : 0;
    if (counting.ratio < event->running_ratio)
        event->running_ratio = counting.ratio;
}

/* As perf prints shares in any locale. */
static bool is_share(struct view word, double *ret_number)
{
    return view_double(word, ret_number) || view_decimal(word, ret_number);
}

static void metric_add(struct reader *reader, struct view name, struct view value, struct view unit)
{
    double number;
    if (!is_name(name) || !is_share(value, &number) || !isfinite(number))
        return;
    *vec_push(&reader->metrics) = (struct counted_metric){arena_string_n(reader->arena, name.text, name.length), number,
                                                         arena_string_n(reader->arena, unit.text, unit.length)};
}

static void interval_note(struct reader *reader, struct view time)
{
    double seconds;
    if (!view_double(time, &seconds) || view_equal(time, reader->interval) || time.length >= sizeof(reader->interval))
        return;
    if (seconds < reader->interval_seconds)
        set_begin(reader);
    snprintf(reader->interval, sizeof(reader->interval), "%.*s", (int)time.length, time.text);
    reader->result->intervals++;
    reader->interval_seconds = reader->set_seconds = seconds;
}

/* ---- perf stat -x ---- */

static bool has_letter(struct view field)
{
    for (size_t at = 0; at < field.length; at++)
        if (isalpha((unsigned char)field.text[at]))
            return true;
    return false;
}

/* The value's column: the first that is a number or a refusal, with an event's name two columns on. */
static bool looks_like_name(struct view field)
{
    double number;
    return !view_double(field, &number) && !view_ends(field, "%") && has_letter(field);
}

static bool is_value(struct view field)
{
    double number;
    return is_refusal(field) || view_double(field, &number);
}

static bool is_unit(struct view unit)
{
    static const char *const units[] = {"",      "msec", "ns", "Joules", "MiB", "MB", "GB",
                                        "Bytes", "sec",  "s",  "%",      "W",   "KiB"};
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(unit, units[at]))
            return true;
    return false;
}

/* Cut at the separator, but not inside /…/ of an event. */
static size_t fields_cut(struct view line, char separator, struct view *fields)
{
    size_t count = 0, start = 0;
    bool in_terms = false;
    for (size_t at = 0; at <= line.length && count < FIELDS_MOST; at++) {
        char c = at < line.length ? line.text[at] : separator;
        if (c == '/' && at < line.length)
            in_terms = !in_terms;
        if (c != separator || (in_terms && at < line.length))
            continue;
        fields[count++] = view_trim((struct view){line.text + start, at - start});
        start = at + 1;
        in_terms = false;
    }
    return count;
}

/*
 * "3,50,msec,task-clock": a number before the value says how many CPUs were added up, behind which ones. Where it
 * doesn't, the separator is the fraction's mark.
 */
static bool is_cut_apart(const struct view *fields, size_t value)
{
    uint64_t whole;
    bool named = false;
    for (size_t at = 0; at + 1 < value; at++)
        named |= has_letter(fields[at]);
    return value > 0 && !named && view_u64(fields[value - 1], 10, &whole);
}

/* Columns before the value: time (-I), then what was added up, and how many. */
static void leading_note(struct reader *reader, const struct view *fields, size_t value)
{
    if (value > 0 && memchr(fields[0].text, '.', fields[0].length))
        interval_note(reader, fields[0]);
}

static void separated_line(struct reader *reader, struct view line, char separator)
{
    struct view fields[FIELDS_MOST];
    size_t count = fields_cut(line, separator, fields), value = 0;
    while (value + 2 < count &&
           !(is_value(fields[value]) && is_unit(fields[value + 1]) && looks_like_name(fields[value + 2])))
        value++;
    struct counting counting = {.ratio = 1};
    if (value + 2 < count && is_cut_apart(fields, value))
        return;
    if (value + 2 < count) {
        for (size_t at = value + 3; at + 1 < count && at < value + 7; at++) { /* run time in ns, then % of it */
            double time, percent;
            if (!view_double(fields[at], &time) || !view_double(fields[at + 1], &percent) || percent < 0 ||
                percent > 100)
                continue;
            counting = (struct counting){percent / 100, time > 0 ? time * 1e-9 : 0};
            break;
        }
        leading_note(reader, fields, value);
        double number;
        struct view where = {line.text, (size_t)(fields[value].text - line.text)};
        struct view cgroup =
            value + 3 < count && !view_double(fields[value + 3], &number) && !view_ends(fields[value + 3], "%")
                ? fields[value + 3]
                : VIEW("");
        line_note(reader, fields[value + 2], where, cgroup);
        event_add(reader, fields[value + 2], fields[value + 1], fields[value], counting);
    }
    /* a metric at the line's end: value, unit and name in one ("12.3,%  tma_retiring") */
    if (count < 2)
        return;
    struct view name = fields[count - 1], unit = VIEW("");
    const char *blank = memrchr(name.text, ' ', name.length);
    if (blank) {
        unit = view_trim((struct view){name.text, (size_t)(blank - name.text)});
        name = view_skip(name, (size_t)(blank - name.text) + 1);
    }
    if (looks_like_name(name) && (view_starts(name, "tma_") || view_find(name, "_") > 0))
        metric_add(reader, name, fields[count - 2], unit);
}

/* ---- perf stat -j ---- */

/* The interval, and which CPUs, threads or devices were added up. */
static struct view json_where(struct reader *reader, const struct json_tokens *tokens, uint32_t object)
{
    static const char *const keys[] = {"interval", "cpu",  "thread",  "core",  "die",
                                       "socket",   "node", "cluster", "cache", "device"};
    const char *where = "";
    for (size_t at = 0; at < array_count(keys); at++) {
        struct view value = json_token_view(tokens, json_token_member(tokens, object, keys[at]));
        if (value.length)
            where = arena_printf(reader->arena, "%s %s %.*s", where, keys[at], (int)value.length, value.text);
    }
    return view_of(where);
}

/* --metric-only: "%  tma_retiring" : "18.4". */
static void json_metrics(struct reader *reader, const struct json_tokens *tokens, uint32_t object)
{
    json_tokens_each(tokens, object, key) {
        uint32_t value = tokens->tokens.items[key].next;
        struct view name = json_token_view(tokens, key);
        ptrdiff_t tma = view_find(name, "tma_");
        if (tma >= 0)
            metric_add(reader, view_skip(name, (size_t)tma), json_token_view(tokens, value), VIEW("%"));
        key = value;
    }
}

static void json_line(struct reader *reader, const struct json_tokens *tokens, uint32_t object)
{
    struct view name = json_token_view(tokens, json_token_member(tokens, object, "event"));
    struct view value = json_token_view(tokens, json_token_member(tokens, object, "counter-value"));
    struct view unit = json_token_view(tokens, json_token_member(tokens, object, "unit"));
    double running = 100, runtime_ns = 0;
    (void)!view_double(json_token_view(tokens, json_token_member(tokens, object, "pcnt-running")), &running);
    (void)!view_double(json_token_view(tokens, json_token_member(tokens, object, "event-runtime")), &runtime_ns);
    struct counting counting = {running >= 0 && running <= 100 ? running / 100 : 1,
                                runtime_ns > 0 ? runtime_ns * 1e-9 : 0};
    interval_note(reader, json_token_view(tokens, json_token_member(tokens, object, "interval")));
    if (name.length)
        line_note(reader, name, json_where(reader, tokens, object),
                  json_token_view(tokens, json_token_member(tokens, object, "cgroup")));
    const char *unescaped = json_token_text(tokens, json_token_member(tokens, object, "event"), reader->arena);
    if (name.length)
        event_add(reader, view_of(unescaped), unit, value, counting);
    if (!name.length)
        json_metrics(reader, tokens, object);
    struct view metric = json_token_view(tokens, json_token_member(tokens, object, "metric-unit")),
                metric_unit = VIEW("");
    const char *blank = memrchr(metric.text, ' ', metric.length);
    if (blank) {
        metric_unit = view_trim((struct view){metric.text, (size_t)(blank - metric.text)});
        metric = view_skip(metric, (size_t)(blank - metric.text) + 1);
    }
    if (view_find(metric, "_") > 0)
        metric_add(reader, metric, json_token_view(tokens, json_token_member(tokens, object, "metric-value")),
                   metric_unit);
}

static bool json_read(struct reader *reader, struct view line)
{
    struct json_tokens tokens;
    struct error ignored = {0};
    if (!json_tokens_parse(&tokens, line, &ignored)) {
        reader->result->broken_lines++;
        return false;
    }
    reader->json_lines++;
    size_t before = reader->events.count + reader->metrics.count;
    if (json_token_is(&tokens, 0, JSON_TOKEN_OBJECT))
        json_line(reader, &tokens, 0);
    else if (json_token_is(&tokens, 0, JSON_TOKEN_ARRAY))
        json_tokens_each(&tokens, 0, item)
            json_line(reader, &tokens, item);
    json_tokens_done(&tokens);
    return reader->events.count + reader->metrics.count >= before;
}

/* ---- toplev -x ---- */

/*
 * [Timestamp,][CPUs,]Area,Value,Unit,…, or with --columns [Timestamp,]Area,Node,CPU,CPU…,Description,…: by the heading.
 */
struct toplev_columns {
    bool known;
    size_t name, value, values; /* columns: the node's path; its first value; how many values */
    size_t unit;                /* SIZE_MAX: there is none, shares are percent */
};

/* The heading's column of this name; SIZE_MAX: it has none. */
static size_t column_find(const struct view *fields, size_t count, const char *name)
{
    for (size_t at = 0; at < count; at++)
        if (view_equal(fields[at], name))
            return at;
    return SIZE_MAX;
}

static bool toplev_heading(struct view line, struct toplev_columns *columns)
{
    struct view fields[FIELDS_MOST];
    size_t count = fields_cut(line, ',', fields);
    size_t area = column_find(fields, count, "Area"), value = column_find(fields, count, "Value"),
           unit = column_find(fields, count, "Unit");
    size_t node = column_find(fields, count, "Node"), end = column_find(fields, count, "Description");
    if (area == SIZE_MAX)
        return false;
    if (value != SIZE_MAX && unit != SIZE_MAX)
        *columns = (struct toplev_columns){true, area, value, 1, unit};
    else if (node != SIZE_MAX && end != SIZE_MAX && end > node + 1)
        *columns = (struct toplev_columns){true, node, node + 1, end - node - 1, SIZE_MAX};
    else
        return false;
    return true;
}

static void toplev_line(struct reader *reader, struct view line, const struct toplev_columns *columns)
{
    struct view fields[FIELDS_MOST];
    size_t count = 0;
    while (line.length && count < FIELDS_MOST) /* "BE/Mem" opens no terms */
        fields[count++] = view_trim(view_cut(&line, ','));
    for (size_t at = columns->value; columns->name < count && at < count && at < columns->value + columns->values; at++)
        metric_add(reader, fields[columns->name], fields[at],
                   columns->unit == SIZE_MAX ? VIEW("%") : columns->unit < count ? fields[columns->unit] : VIEW(""));
}

/* ---- text ---- */

/* "(33.3%)" at the end of a line: how long the event was on a counter. */
static double running_of(struct view line)
{
    const char *open = memrchr(line.text, '(', line.length);
    double percent;
    if (!open || !view_ends(view_trim(line), "%)"))
        return 1;
    struct view inside = view_trim(view_skip(line, (size_t)(open - line.text) + 1));
    inside.length = (size_t)((const char *)memchr(inside.text, '%', inside.length) - inside.text);
    return view_decimal(view_trim(inside), &percent) && percent >= 0 && percent <= 100 && view_find(line, "+-") < 0
               ? percent / 100 : 1;
}

static struct view without_bars(struct reader *reader, struct view line)
{
    char *copy = arena_string_n(reader->arena, line.text, line.length);
    for (char *at = copy; *at; at++)
        if (*at == '|' || *at == '#')
            *at = ' ';
    return view_trim(view_of(copy));
}

/* Every "66.5 %  tma_dram_bound", "66.5% tma_…" or "tma_… 66.5 %" of the line. */
static void text_metrics(struct reader *reader, struct view line)
{
    struct view rest = without_bars(reader, line), name = VIEW(""), number = VIEW("");
    bool percent = false;
    while (rest.length) {
        struct view word = view_word(&rest);
        double value;
        struct view bare = word;
        if (view_ends(bare, "%"))
            bare.length--;
        if (view_starts(word, "tma_"))
            name = word;
        else if (bare.length && is_share(bare, &value)) {
            number = bare;
            percent = view_ends(word, "%");
        } else if (view_equal(word, "%"))
            percent = true;
        if (name.length && number.length && (percent || (rest.length && rest.text[0] == '%'))) {
            metric_add(reader, name, number, VIEW("%"));
            name = number = VIEW("");
            percent = false;
        }
    }
}

/* ---- --metric-only: a line of names, then lines of their values ---- */

/* Levels 1 and 2 as perf headed them before metrics had names. Longer ones first: "retiring" is no part of another. */
static const struct {
    const char *words, *name;
} headings[] = {
    {"bad speculation", "Bad_Speculation"},
    {"frontend bound", "Frontend_Bound"},
    {"backend bound", "Backend_Bound"},
    {"heavy operations", "Heavy_Operations"},
    {"light operations", "Light_Operations"},
    {"branch mispredict", "Branch_Mispredicts"},
    {"machine clears", "Machine_Clears"},
    {"fetch latency", "Fetch_Latency"},
    {"fetch bandwidth", "Fetch_Bandwidth"},
    {"memory bound", "Memory_Bound"},
    {"core bound", "Core_Bound"},
    {"retiring", "Retiring"},
};

/* The metric that a heading begins with, cut off; NULL: it begins with none. */
static const char *heading_cut(struct reader *reader, struct view *line)
{
    for (size_t at = 0; at < array_count(headings); at++) {
        size_t length = strlen(headings[at].words);
        if (view_starts_caseless(*line, headings[at].words)) {
            *line = view_trim(view_skip(*line, length));
            return headings[at].name;
        }
    }
    struct view word = view_word(line);
    *line = view_trim(*line);
    return view_starts(word, "tma_") ? arena_string_n(reader->arena, word.text, word.length) : NULL;
}

static void blank_out(char *text, const char *characters)
{
    for (; *text; text++)
        if (strchr(characters, *text))
            *text = ' ';
}

/* Nothing but names of metrics: the values are on the lines that follow. */
static bool heading_line(struct reader *reader, struct view line)
{
    char *copy = arena_string_n(reader->arena, line.text, line.length);
    const char *names[COLUMNS_MOST];
    size_t count = 0;
    blank_out(copy, "%,;#|");
    struct view rest = view_trim(view_of(copy));
    if (view_starts(rest, "time ")) /* of -I */
        rest = view_trim(view_skip(rest, strlen("time ")));
    for (; rest.length; count++)
        if (count == COLUMNS_MOST || !(names[count] = heading_cut(reader, &rest)))
            return false;
    if (count < 2)
        return false;
    memcpy(reader->columns, names, sizeof(names));
    reader->column_count = count;
    return true;
}

/* "66,5  18,2": metrics have a fraction; where no point stands before the last one, its comma does. */
static bool has_commas_for_points(struct view line)
{
    while (line.length && !isdigit((unsigned char)line.text[line.length - 1]))
        line.length--;
    const char *comma = memrchr(line.text, ',', line.length);
    return comma && !memchr(comma, '.', line.length - (size_t)(comma - line.text));
}

/* As many numbers at its end as the heading had names; before them a time, or whose they are. */
static bool column_values(struct reader *reader, struct view line)
{
    if (!reader->column_count || has_commas_for_points(line))
        return false;
    char *copy = arena_string_n(reader->arena, line.text, line.length);
    struct view numbers[COLUMNS_MOST + COLUMNS_BEFORE_MOST];
    size_t count = 0;
    blank_out(copy, "%,;|");
    for (struct view rest = view_trim(view_of(copy)); rest.length && count < array_count(numbers); count++)
        numbers[count] = view_word(&rest);
    if (count < reader->column_count || count > reader->column_count + COLUMNS_BEFORE_MOST)
        return false;
    size_t before = count - reader->column_count;
    for (size_t at = before; at < count; at++) {
        double number;
        if (!view_double(numbers[at], &number))
            return false;
    }
    if (before && memchr(numbers[0].text, '.', numbers[0].length))
        interval_note(reader, numbers[0]);
    for (size_t at = before; at < count; at++)
        metric_add(reader, view_of(reader->columns[at - before]), numbers[at], VIEW("%"));
    return true;
}

/* "CPU3", "S0-D0-C1", "N0", "make-4711": what perf puts before counts that it doesn't add up. */
static bool is_place(struct view word)
{
    size_t digits = 0;
    while (digits < word.length && isdigit((unsigned char)word.text[word.length - 1 - digits]))
        digits++;
    struct view before = {word.text, word.length - digits};
    return digits &&
           (view_equal(before, "CPU") || view_equal(before, "S") || view_equal(before, "N") || view_ends(before, "-") ||
            view_ends(before, "-D") || view_ends(before, "-C") || view_ends(before, "-L"));
}

/* Cut what stands before the count: the time of -I, where it was counted, and how many CPUs that are. */
static struct view leading_cut(struct reader *reader, struct view *line)
{
    struct view whole = *line, rest = whole, word = view_word(&rest), after = rest, next = view_word(&after);
    double number;
    if (memchr(word.text, '.', word.length) && view_double(word, &number) && 
        (view_grouped(next, &number) || is_place(next) || is_refusal(view_trim(rest)))) {
        interval_note(reader, word);
        *line = rest;
        word = next;
        rest = after;
        next = view_word(&after);
    }
    if (is_place(word)) {
        *line = rest;
        struct view name = after, behind = view_word(&name);
        if (view_grouped(next, &number) && (view_grouped(behind, &number) || is_refusal(view_trim(after))))
            *line = after;
    }
    *line = view_trim(*line);
    return view_trim((struct view){whole.text, (size_t)(line->text - whole.text)});
}

static void text_line(struct reader *reader, struct view line)
{
    struct view where = leading_cut(reader, &line);
    struct view whole = without_bars(reader, line), rest = line, word = view_word(&rest), name, unit = VIEW("");
    double number = 0;
    text_metrics(reader, line);
    if (view_find(line, "seconds time elapsed") >= 0) {
        rest = whole;
        (void)!view_decimal(view_word(&rest), &reader->set_seconds);
        return;
    }
    if (view_find(line, "Performance counter stats for") >= 0) {
        set_begin(reader);
        return;
    }
    if (view_starts(whole, "<not")) { /* "<not counted>": two words */
        ptrdiff_t end = view_find(line, ">");
        if (end < 0)
            return;
        word = view_trim((struct view){line.text, (size_t)end + 1});
        rest = view_skip(line, (size_t)end + 1);
    } else if (!word.length || !view_grouped(word, &number)) {
        return;
    }
    name = view_word(&rest);
    if (is_unit(name) && name.length) {
        unit = name;
        name = view_word(&rest);
    } else if (!is_refusal(word)) { /* what has no unit is printed without a fraction */
        (void)!view_count(word, &number);
    }
    if (!looks_like_name(name) || view_starts(name, "tma_") || view_equal(name, "seconds"))
        return;
    struct view after = rest, more = view_word(&after);
    line_note(reader, name, where, more.length && more.text[0] != '#' && more.text[0] != '(' ? more : VIEW(""));
    const char *plain = is_refusal(word) ? NULL : arena_printf(reader->arena, "%.17g", number);
    event_add(reader, name, unit, plain ? view_of(plain) : word, (struct counting){.ratio = running_of(line)});
}

/* ---- the whole ---- */

/* The separator of -x: what stands behind the first column of a line that has a value, a unit and a name. */
static char separator_of(struct view text)
{
    static const char candidates[] = {',', ';', '\t', '|', ':', '^', '~'};
    struct view line;
    for (size_t lines = 0; lines < 200 && view_line(&text, &line); lines++)
        for (size_t at = 0; at < sizeof(candidates) && line.length && line.text[0] != '#'; at++) {
            struct view fields[FIELDS_MOST];
            size_t count = fields_cut(line, candidates[at], fields);
            for (size_t value = 0; value + 4 < count; value++)
                if (is_value(fields[value]) && is_unit(fields[value + 1]) && looks_like_name(fields[value + 2]) &&
                    !memchr(fields[value + 2].text, ' ', fields[value + 2].length))
                    return candidates[at];
        }
    return '\0';
}

static void lines_read(struct reader *reader, struct view text, char separator, bool is_json)
{
    struct toplev_columns columns = {0};
    struct view line;
    while (view_line(&text, &line)) {
        struct view trimmed = view_trim(line);
        if (!trimmed.length)
            continue;
        if (toplev_heading(trimmed, &columns))
            reader->result->form = "toplev -x";
        else if (columns.known)
            toplev_line(reader, trimmed, &columns);
        else if (is_json && (trimmed.text[0] == '[' || trimmed.text[0] == ']'))
            continue;
        else if (trimmed.text[0] == '{' || trimmed.text[0] == '[')
            json_read(reader, view_ends(trimmed, ",") ? (struct view){trimmed.text, trimmed.length - 1} : trimmed);
        else if (view_starts(trimmed, "# started on")) /* perf stat -o --append: of each run */
            set_begin(reader);
        else if (heading_line(reader, trimmed) || column_values(reader, trimmed))
            continue;
        else if (separator && trimmed.text[0] != '#')
            separated_line(reader, line, separator);
        else
            text_line(reader, trimmed);
    }
}

bool count_text_read(struct count_text *counts, struct view text, struct arena *arena, struct error *err)
{
    struct count_text result = {0};
    struct reader reader = {.arena = arena, .result = &result};
    struct view first = view_trim(text);
    if (memchr(text.text, '\0', text.length))
        return error_set(err, ERROR_FORMAT, "it is no text");
    char separator = separator_of(text);
    bool json = first.length && (first.text[0] == '{' || first.text[0] == '[');
    result.form = json ? "perf stat -j" : separator ? "perf stat -x" : "perf stat";
    if (json && first.text[0] == '[' && json_read(&reader, first))
        separator = '\0';
    else
        lines_read(&reader, text, json ? '\0' : separator, json);
    result.events = arena_copy(arena, reader.events.items, reader.events.count * sizeof(*reader.events.items));
    result.event_count = reader.events.count;
    result.metrics = arena_copy(arena, reader.metrics.items, reader.metrics.count * sizeof(*reader.metrics.items));
    result.metric_count = reader.metrics.count;
    vec_done(&reader.events);
    vec_done(&reader.metrics);
    set_end(&reader);
    result.set_count = reader.set + 1;
    result.seconds = reader.sets_timed ? reader.all_seconds / (double)reader.sets_timed : 0;
    if (!reader.json_lines) /* a document may have lines that begin so */
        result.broken_lines = 0;
    if (reader.set >= SETS_MOST)
        return error_set(err, ERROR_LIMIT, "more than %d runs are in it", SETS_MOST);
    if (!result.event_count && !result.metric_count) {
        error_set(err, ERROR_FORMAT, "no counts and no metrics are in it");
        return error_hint(err, "perf stat's output (-x, -j or text) or toplev's (-x,) is expected");
    }
    *counts = result;
    return true;
}
