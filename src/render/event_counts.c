/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/event_counts.h"

#include "base/json/json_writer.h"
#include "base/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    RATIO_COLUMNS = 38,
    EVENT_COLUMNS = 32,
    COUNT_COLUMNS = 18,
    TIME_COLUMNS = 16,
    CGROUP_COLUMNS = 16,
    COMM_COLUMNS = 16,
    TID_COLUMNS = 7,
    PARTS_COLUMNS = 4
};

/* How each grouping names its places. */
static const struct {
    const char *heading, *json_key;
    int columns;
    bool has_parts;
} groupings[] = {
    [COUNT_GLOBAL] = {"", NULL, 0, false},
    [COUNT_PER_CPU] = {"cpu", "cpu", 6, false},
    [COUNT_PER_CORE] = {"core", "core", 18, true},
    [COUNT_PER_DIE] = {"die", "die", 12, true},
    [COUNT_PER_SOCKET] = {"socket", "socket", 6, true},
    [COUNT_PER_NODE] = {"node", "node", 6, true},
    [COUNT_PER_THREAD] = {"comm-pid", "thread", 16, false},
};
_Static_assert(array_count(groupings) == COUNT_PER_THREAD + 1, "a row for every grouping");

struct place_name {
    char text[128];
};

static struct place_name place_name(const struct count_report *report, const struct count_line *line)
{
    struct place_name name = {""};
    size_t size = sizeof(name.text);
    switch (report->grouping) {
    case COUNT_GLOBAL:
        break;
    case COUNT_PER_CPU:
        if (line->cpu >= 0)
            snprintf(name.text, size, "CPU%d", line->cpu);
        break;
    case COUNT_PER_CORE:
        snprintf(name.text, size, "S%d-D%d-C%d", line->socket, line->die, line->core);
        break;
    case COUNT_PER_DIE:
        snprintf(name.text, size, "S%d-D%d", line->socket, line->die);
        break;
    case COUNT_PER_SOCKET:
        snprintf(name.text, size, "S%d", line->socket);
        break;
    case COUNT_PER_NODE:
        snprintf(name.text, size, "N%d", line->node);
        break;
    case COUNT_PER_THREAD:
        if (line->thread >= 0)
            snprintf(name.text, size, "%s-%d", report->threads[line->thread].comm,
                     (int)report->threads[line->thread].tid);
        break;
    }
    return name;
}

/* Ratios. */

struct ratio_text {
    char number[32];
    const char *unit;
    double shown; /* the number, as JSON has it */
    const char *quality; /* of a metric; else "" */
    char unit_buffer[192];
};

static void per_second_text(struct ratio_text *text, double rate)
{
    static const char prefixes[] = " KMG";
    size_t at = 0;
    while (rate > 1000 && at < 3) {
        rate /= 1000;
        at++;
    }
    snprintf(text->unit_buffer, sizeof(text->unit_buffer), at ? "%c/sec" : "/sec", prefixes[at]);
    if (at == 0)
        snprintf(text->unit_buffer, sizeof(text->unit_buffer), "/sec");
    text->shown = rate;
    text->unit = text->unit_buffer;
    snprintf(text->number, sizeof(text->number), "%8.3f", rate);
}

/* false: there is no such ratio. */
static bool ratio_text(const struct count_ratio *ratio, struct ratio_text *text)
{
    text->shown = ratio->value;
    switch (ratio->kind) {
    case RATIO_NONE:
        return false;
    case RATIO_CPUS_UTILIZED:
        text->unit = "CPUs utilized";
        snprintf(text->number, sizeof(text->number), "%8.3f", ratio->value);
        break;
    case RATIO_PER_SECOND:
        per_second_text(text, ratio->value);
        break;
    case RATIO_GIGAHERTZ:
        text->unit = "GHz";
        snprintf(text->number, sizeof(text->number), "%8.3f", ratio->value);
        break;
    case RATIO_PER_CYCLE:
        text->unit = "insn per cycle";
        snprintf(text->number, sizeof(text->number), "%7.2f ", ratio->value);
        break;
    case RATIO_STALLED_PER_INSTRUCTION:
        text->unit = "stalled cycles per insn";
        snprintf(text->number, sizeof(text->number), "%7.2f ", ratio->value);
        break;
    case RATIO_SHARE:
        text->unit = ratio->share_of;
        text->shown = ratio->value * 100;
        snprintf(text->number, sizeof(text->number), "%7.2f%%", ratio->value * 100);
        break;
    }
    return true;
}

static void metric_text(const struct count_metric *metric, struct ratio_text *text)
{
    text->shown = metric->value;
    text->unit = text->unit_buffer;
    text->quality = metric->quality;
    snprintf(text->unit_buffer, sizeof(text->unit_buffer), "%s%s%s", metric->unit, metric->unit[0] ? "  " : "",
             metric->name);
    snprintf(text->number, sizeof(text->number), metric->unit[0] ? "%8.1f" : "%8.2f", metric->value);
}

/* What stands beside a count: metrics, else ratios. */
static size_t beside_count(const struct count_line *line)
{
    return line->metric_count ? line->metric_count : array_count(line->ratios);
}

static bool beside_text(const struct count_line *line, size_t index, struct ratio_text *text)
{
    text->quality = "";
    if (!line->metric_count)
        return ratio_text(&line->ratios[index], text);
    metric_text(&line->metrics[index], text);
    return true;
}

/* Lines. */

struct line_writer {
    struct text *out;
    const struct count_report *report;
    const struct count_style *style;
    uint64_t window_end_ns;
};

static const char *uncounted_text(const struct count_line *line)
{
    return line->status == COUNT_NOT_COUNTED ? "<not counted>" : "<not supported>";
}

static void value_add(struct text *out, const struct count_line *line, bool group_thousands)
{
    char digits[64];
    snprintf(digits, sizeof(digits), line->fractional ? "%.2f" : "%.0f", line->value);
    size_t whole = strcspn(digits, ".");
    size_t separators = group_thousands && whole > 3 ? (whole - 1 - (digits[0] == '-')) / 3 : 0;
    size_t columns = strlen(digits) + separators;
    if (columns < COUNT_COLUMNS)
        text_add_repeated(out, " ", COUNT_COLUMNS - columns);
    for (size_t at = 0; at < whole; at++) {
        text_add_char(out, digits[at]);
        size_t left = whole - 1 - at;
        if (separators && left && left % 3 == 0 && digits[at] != '-')
            text_add_char(out, ',');
    }
    text_add(out, digits + whole);
}

static void text_place(struct line_writer *writer, const struct count_line *line)
{
    enum count_grouping grouping = writer->report->grouping;
    struct place_name name = place_name(writer->report, line);
    if (grouping == COUNT_GLOBAL || (grouping == COUNT_PER_CPU && line->cpu < 0))
        return;
    if (grouping == COUNT_PER_THREAD) {
        const struct count_thread *thread = line->thread >= 0 ? &writer->report->threads[line->thread] : NULL;
        text_printf(writer->out, "%*s-%-*d ", COMM_COLUMNS, thread ? thread->comm : "", TID_COLUMNS,
                    thread ? (int)thread->tid : -1);
        return;
    }
    text_printf(writer->out, "%-*s ", groupings[grouping].columns, name.text);
    if (groupings[grouping].has_parts)
        text_printf(writer->out, "%*zu ", PARTS_COLUMNS, line->parts);
}

static void text_start(struct line_writer *writer, const struct count_line *line)
{
    if (writer->style->interval)
        text_printf(writer->out, "%6" PRIu64 ".%09" PRIu64 " ", writer->window_end_ns / 1000000000u,
                    writer->window_end_ns % 1000000000u);
    text_place(writer, line);
}

static void text_ratio(struct line_writer *writer, const struct count_line *line, size_t index)
{
    struct ratio_text ratio;
    if (!beside_text(line, index, &ratio)) {
        if (index == 0)
            text_add_repeated(writer->out, " ", RATIO_COLUMNS);
        return;
    }
    if (index > 0) {
        text_add_char(writer->out, '\n');
        text_start(writer, line);
        text_add_repeated(writer->out, " ", COUNT_COLUMNS + 1 + (size_t)writer->style->unit_width + 1 + EVENT_COLUMNS);
    }
    size_t before = writer->out->length;
    text_printf(writer->out, " # %s", ratio.number);
    int left = RATIO_COLUMNS - (int)(writer->out->length - before) - 1;
    text_printf(writer->out, " %-*s", left > 0 ? left : 0, ratio.unit);
    if (ratio.quality[0])
        text_printf(writer->out, " (%s)", ratio.quality);
}

static void text_line(struct line_writer *writer, const struct count_line *line)
{
    struct text *out = writer->out;
    text_start(writer, line);
    if (line->status == COUNT_COUNTED)
        value_add(out, line, writer->style->group_thousands);
    else
        text_printf(out, "%*s", COUNT_COLUMNS, uncounted_text(line));
    text_printf(out, " %-*s %-*s", writer->style->unit_width, line->unit ? line->unit : "", EVENT_COLUMNS, line->event);
    if (writer->report->has_cgroups)
        text_printf(out, " %-*s", CGROUP_COLUMNS, line->cgroup ? line->cgroup : "");
    for (size_t at = 0; at < beside_count(line); at++)
        text_ratio(writer, line, at);
    if (writer->style->several_runs && line->noise_ratio > 0)
        text_printf(out, "  ( +-%6.2f%% )", line->noise_ratio * 100);
    if (line->running_ns != line->enabled_ns && line->enabled_ns > 0)
        text_printf(out, "  (%.2f%%)", 100 * line->running_ns / line->enabled_ns);
    text_add_char(out, '\n');
}

/* 100 % when there is nothing to say: as perf has it for what was not counted. */
static double running_percent(const struct count_line *line)
{
    return line->enabled_ns > 0 ? 100 * line->running_ns / line->enabled_ns : 100;
}

static void fields_start(struct line_writer *writer, const struct count_line *line)
{
    struct text *out = writer->out;
    const char *separator = writer->style->separator;
    enum count_grouping grouping = writer->report->grouping;
    if (writer->style->interval)
        text_printf(out, "%" PRIu64 ".%09" PRIu64 "%s", writer->window_end_ns / 1000000000u,
                    writer->window_end_ns % 1000000000u, separator);
    else if (writer->style->summary)
        text_printf(out, "summary%s", separator);
    if (grouping == COUNT_GLOBAL)
        return;
    text_printf(out, "%s%s", place_name(writer->report, line).text, separator);
    if (groupings[grouping].has_parts)
        text_printf(out, "%zu%s", line->parts, separator);
}

static void fields_line(struct line_writer *writer, const struct count_line *line)
{
    struct text *out = writer->out;
    const char *separator = writer->style->separator;
    fields_start(writer, line);
    if (line->status == COUNT_COUNTED)
        text_printf(out, line->fractional ? "%.2f" : "%.0f", line->value);
    else
        text_add(out, uncounted_text(line));
    text_printf(out, "%s%s%s%s", separator, line->unit ? line->unit : "", separator, line->event);
    if (writer->report->has_cgroups)
        text_printf(out, "%s%s", separator, line->cgroup ? line->cgroup : "");
    if (writer->style->several_runs)
        text_printf(out, "%s%.2f%%", separator, line->noise_ratio * 100);
    text_printf(out, "%s%.0f%s%.2f", separator, line->running_ns, separator, running_percent(line));
    for (size_t at = 0; at < beside_count(line); at++) {
        struct ratio_text ratio;
        bool has = beside_text(line, at, &ratio);
        if (at > 0 && !has)
            break;
        if (at > 0) {
            text_add_char(out, '\n');
            fields_start(writer, line);
            /* value, unit, event, cgroup, noise, running time and percent stay empty */
            size_t empty = 4 + writer->report->has_cgroups + writer->style->several_runs;
            text_add_repeated(out, separator, empty);
        }
        char *number = ratio.number;
        if (has) {
            number += strspn(number, " ");
            number[strspn(number, "-0123456789.")] = '\0';
        }
        text_printf(out, "%s%s%s%s", separator, has ? number : "", separator, has ? ratio.unit : "");
    }
    text_add_char(out, '\n');
}

static void quoted(struct text *out, const char *value)
{
    struct json_writer json;
    json_begin(&json, out);
    json_string(&json, NULL, value ? value : "");
}

static void json_start(struct line_writer *writer, const struct count_line *line)
{
    struct text *out = writer->out;
    enum count_grouping grouping = writer->report->grouping;
    text_add_char(out, '{');
    if (writer->style->interval)
        text_printf(out, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ", writer->window_end_ns / 1000000000u,
                    writer->window_end_ns % 1000000000u);
    if (grouping == COUNT_GLOBAL)
        return;
    text_printf(out, "\"%s\" : ", groupings[grouping].json_key);
    if (grouping == COUNT_PER_CPU && line->cpu >= 0)
        text_printf(out, "\"%d\"", line->cpu);
    else
        quoted(out, place_name(writer->report, line).text);
    text_add(out, ", ");
    if (groupings[grouping].has_parts)
        text_printf(out, "\"aggregate-number\" : %zu, ", line->parts);
}

static void json_line(struct line_writer *writer, const struct count_line *line)
{
    struct text *out = writer->out;
    json_start(writer, line);
    if (line->status == COUNT_COUNTED)
        text_printf(out, "\"counter-value\" : \"%f\", ", line->value);
    else
        text_printf(out, "\"counter-value\" : \"%s\", ", uncounted_text(line));
    text_add(out, "\"unit\" : ");
    quoted(out, line->unit);
    text_add(out, ", \"event\" : ");
    quoted(out, line->event);
    if (writer->report->has_cgroups) {
        text_add(out, ", \"cgroup\" : ");
        quoted(out, line->cgroup);
    }
    if (writer->style->several_runs)
        text_printf(out, ", \"variance\" : %.2f", line->noise_ratio * 100);
    text_printf(out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ", line->running_ns, running_percent(line));
    for (size_t at = 0; at < beside_count(line); at++) {
        struct ratio_text ratio;
        bool has = beside_text(line, at, &ratio);
        if (at > 0 && !has)
            break;
        if (at > 0) {
            text_add_char(out, '\n');
            json_start(writer, line);
        }
        text_printf(out, "\"metric-value\" : %f, \"metric-unit\" : ", has ? ratio.shown : 0.0);
        quoted(out, has ? ratio.unit : "");
        if (has && ratio.quality[0])
            text_printf(out, ", \"metric-quality\" : \"%s\"", ratio.quality);
        text_add_char(out, '}');
    }
    text_add_char(out, '\n');
}

/* ---- --metric-only ---- */

enum { METRIC_COLUMNS = 20 };

static bool same_place_as(const struct count_line *a, const struct count_line *b)
{
    return a->socket == b->socket && a->die == b->die && a->core == b->core && a->node == b->node && a->cpu == b->cpu &&
           a->thread == b->thread &&
           (a->cgroup == b->cgroup || (a->cgroup && b->cgroup && strcmp(a->cgroup, b->cgroup) == 0));
}

/* As perf has it: no rates, and a share says of what. */
static bool metric_only_text(const struct count_line *line, size_t index, struct ratio_text *text)
{
    char share[sizeof(text->unit_buffer)];
    if (!beside_text(line, index, text) || strstr(text->unit, "/sec") || strstr(text->unit, "CPUs utilized"))
        return false;
    if (strncmp(text->unit, "of all", 6) == 0) {
        snprintf(share, sizeof(share), "%s %s", line->event, text->unit);
        memcpy(text->unit_buffer, share, sizeof(share));
        text->unit = text->unit_buffer;
    }
    return true;
}

static bool has_metric_only(const struct count_line *line)
{
    struct ratio_text text;
    for (size_t at = 0; at < beside_count(line); at++)
        if (metric_only_text(line, at, &text))
            return true;
    return false;
}

static void metric_only_value(struct line_writer *writer, const struct ratio_text *metric, bool first)
{
    size_t width = strlen(metric->unit);
    const char *bare = metric->number + strspn(metric->number, " ");
    if (writer->style->format == COUNT_TEXT) {
        text_printf(writer->out, "%*s ", (int)(width < METRIC_COLUMNS ? METRIC_COLUMNS : width), metric->number);
    } else if (writer->style->format == COUNT_FIELDS) {
        text_printf(writer->out, "%s%s", bare, writer->style->separator);
    } else {
        text_add(writer->out, first ? "" : ", ");
        quoted(writer->out, metric->unit);
        text_printf(writer->out, " : \"%s\"", bare);
    }
}

static bool first_of_place(const struct count_report *report, size_t at)
{
    for (size_t before = 0; before < at; before++)
        if (same_place_as(&report->lines[before], &report->lines[at]))
            return false;
    return true;
}

static void metric_only_place(struct line_writer *writer, const struct count_line *place)
{
    static void (*const starts[])(struct line_writer *, const struct count_line *) = {
        [COUNT_TEXT] = text_start, [COUNT_FIELDS] = fields_start, [COUNT_JSON] = json_start};
    bool first = true;
    starts[writer->style->format](writer, place);
    for (size_t at = 0; at < writer->report->line_count; at++) {
        const struct count_line *line = &writer->report->lines[at];
        for (size_t index = 0; same_place_as(line, place) && index < beside_count(line); index++) {
            struct ratio_text text;
            if (!metric_only_text(line, index, &text))
                continue;
            metric_only_value(writer, &text, first);
            first = false;
        }
    }
    text_add(writer->out, writer->style->format == COUNT_JSON ? "}\n" : "\n");
}

static bool place_has_metrics(const struct count_report *report, const struct count_line *place)
{
    for (size_t at = 0; at < report->line_count; at++)
        if (has_metric_only(&report->lines[at]) && same_place_as(&report->lines[at], place))
            return true;
    return false;
}

/* The names above the columns, as the first place that has them all says. */
static void metric_only_heading(struct text *out, const struct count_report *report, const struct count_style *style)
{
    const struct count_line *place = NULL;
    bool has_place = report->grouping != COUNT_GLOBAL;
    for (size_t at = 0; at < report->line_count && !place; at++)
        place = has_metric_only(&report->lines[at]) ? &report->lines[at] : NULL;
    if (!place || style->format == COUNT_JSON)
        return;
    if (style->format == COUNT_FIELDS) {
        text_printf(out, "%s%s", style->interval ? "time" : "", style->interval ? style->separator : "");
        text_printf(out, "%s%s", has_place ? groupings[report->grouping].heading : "",
                    has_place ? style->separator : "");
        text_printf(out, "%s%s", groupings[report->grouping].has_parts ? "cpus" : "",
                    groupings[report->grouping].has_parts ? style->separator : "");
    } else {
        text_printf(out, style->interval ? "#%*s " : "%*s", style->interval ? TIME_COLUMNS - 1 : 0,
                    style->interval ? "time" : "");
        text_add_repeated(out, " ", has_place ? (size_t)groupings[report->grouping].columns + 1 : 0);
        text_add_repeated(out, " ", groupings[report->grouping].has_parts ? PARTS_COLUMNS + 1 : 0);
    }
    for (size_t at = 0; at < report->line_count; at++)
        for (size_t index = 0; same_place_as(&report->lines[at], place) && index < beside_count(&report->lines[at]);
             index++) {
            struct ratio_text text;
            if (!metric_only_text(&report->lines[at], index, &text))
                continue;
            if (style->format == COUNT_FIELDS)
                text_printf(out, "%s%s", text.unit, style->separator);
            else
                text_printf(out, "%*s ", METRIC_COLUMNS, text.unit);
        }
    text_add_char(out, '\n');
}

static void metric_only_lines(struct line_writer *writer)
{
    if (!writer->style->interval)
        metric_only_heading(writer->out, writer->report, writer->style);
    for (size_t at = 0; at < writer->report->line_count; at++)
        if (first_of_place(writer->report, at) && place_has_metrics(writer->report, &writer->report->lines[at]))
            metric_only_place(writer, &writer->report->lines[at]);
}

void count_lines_render(struct text *out, const struct count_report *report, uint64_t window_end_ns,
                        const struct count_style *style)
{
    static void (*const writers[])(struct line_writer *, const struct count_line *) = {
        [COUNT_TEXT] = text_line, [COUNT_FIELDS] = fields_line, [COUNT_JSON] = json_line};
    struct line_writer writer = {out, report, style, window_end_ns};
    if (style->metric_only) {
        metric_only_lines(&writer);
        return;
    }
    for (size_t at = 0; at < report->line_count; at++) {
        const struct count_line *line = &report->lines[at];
        bool silent = line->status == COUNT_NOT_COUNTED || (line->status == COUNT_COUNTED && line->value == 0);
        if (!(style->skip_zero_threads && silent))
            writers[style->format](&writer, line);
    }
}

int count_unit_width(const struct count_report *report)
{
    size_t width = 4;
    for (size_t at = 0; at < report->line_count; at++)
        if (report->lines[at].unit && strlen(report->lines[at].unit) > width)
            width = strlen(report->lines[at].unit);
    return (int)width;
}

void count_header_render(struct text *out, const struct count_report *report, const struct count_caption *caption,
                         const struct count_style *style)
{
    if (style->format != COUNT_TEXT)
        return;
    text_printf(out, "\n Performance counter stats for %s", caption->subject);
    if (style->several_runs)
        text_printf(out, " (%zu runs)", report->run_count);
    text_add(out, ":\n\n");
}

void count_interval_header_render(struct text *out, const struct count_report *report, const struct count_style *style)
{
    if (style->metric_only) {
        metric_only_heading(out, report, style);
        return;
    }
    if (style->format != COUNT_TEXT)
        return;
    text_printf(out, "#%*s", TIME_COLUMNS - 1, "time");
    if (report->grouping == COUNT_PER_THREAD)
        text_printf(out, " %*s-%-*s", COMM_COLUMNS, "comm", TID_COLUMNS, "pid");
    else if (report->grouping != COUNT_GLOBAL)
        text_printf(out, " %-*s", groupings[report->grouping].columns, groupings[report->grouping].heading);
    if (groupings[report->grouping].has_parts)
        text_add(out, " cpus");
    text_printf(out, " %*s %*s events\n", COUNT_COLUMNS, "counts", style->unit_width, "unit");
}

/* Decimals that show two digits of the error. */
static int decimals_for(double error)
{
    if (error >= 1)
        return 2;
    return error > 0 ? (int)lround(ceil(-log10(error))) + 2 : 9;
}

static void table_render(struct text *out, const double *seconds, size_t count, int decimals, double mean)
{
    char number[64];
    snprintf(number, sizeof(number), " %17.*f", decimals, mean);
    int indent = (int)strspn(number, " ");
    text_printf(out, "%*s# Table of individual measurements:\n", indent, "");
    for (size_t at = 0; at < count; at++) {
        double away = seconds[at] > 0 ? fabs(100 * (seconds[at] - mean) / seconds[at]) : 0;
        text_printf(out, " %17.*f (%+.*f) ", decimals, seconds[at], decimals, seconds[at] - mean);
        text_add_repeated(out, "#", 1 + (size_t)(away < 500 ? away / 5 : 100));
        text_add_char(out, '\n');
    }
    text_printf(out, "\n%*s# Final result:\n", indent, "");
}

void count_footer_render(struct text *out, const struct count_report *report, const struct count_caption *caption,
                         const struct count_style *style)
{
    if (style->format != COUNT_TEXT)
        return;
    double mean = report->elapsed_ns / 1e9, error = report->elapsed_error_ns / 1e9;
    if (!caption->nothing_counted)
        text_add_char(out, '\n');
    if (style->several_runs) {
        int decimals = decimals_for(error);
        if (caption->run_seconds)
            table_render(out, caption->run_seconds, report->run_count, decimals, mean);
        text_printf(out, " %17.*f +- %.*f seconds time elapsed", decimals, mean, decimals, error);
        if (error > 0 && mean > 0)
            text_printf(out, "  ( +-%6.2f%% )", 100 * error / mean);
    } else {
        text_printf(out, " %17.9f seconds time elapsed", mean);
        if (caption->has_usage)
            text_printf(out, "\n\n %17.9f seconds user\n %17.9f seconds sys", caption->user_seconds,
                        caption->system_seconds);
    }
    text_add(out, style->several_runs || !caption->has_usage ? "\n\n" : "\n\n\n");
}
