/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/counts/count_metrics.h"

#include "base/vec.h"

#include <string.h>

/* Lines of one place and cgroup, computed together. */
struct place_lines {
    const struct count_metrics *metrics;
    struct count_report *report;
    const struct count_line *first; /* stands for the place */
    double seconds;
    struct arena *arena;
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_here(const struct place_lines *place, const struct count_line *line)
{
    const struct count_line *first = place->first;
    return line->socket == first->socket && line->die == first->die && line->core == first->core &&
           line->node == first->node && line->cpu == first->cpu && line->thread == first->thread &&
           same_text(line->cgroup, first->cgroup);
}

static size_t row_of(const struct count_metrics *metrics, const struct count_line *line)
{
    return line->row % metrics->row_count;
}

/* What formulas need besides: the machine's constants, and how long it took. */
static void constants_set(const struct place_lines *place, struct table_inputs *inputs)
{
    table_inputs_clear(inputs);
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        if (place->metrics->constants[at].known)
            inputs->constants[at] = place->metrics->constants[at];
    inputs->constants[TABLE_SECONDS] = measured_as(place->seconds);
    inputs->constants[TABLE_MILLISECONDS] = measured_as(place->seconds * 1000);
    if (inputs->constants[TABLE_TSC_HZ].known)
        inputs->constants[TABLE_TSC_TICKS] = measured_as(inputs->constants[TABLE_TSC_HZ].value * place->seconds);
    inputs->cpu_id = place->metrics->table->cpu_id;
}

static void term_add(struct measured *term, const struct count_line *line)
{
    if (line->status != COUNT_COUNTED)
        return;
    *term = measured_as(line->value + (term->known ? term->value : 0)); /* several PMUs of a kind count parts */
}

/* Where a term's count is from. */
struct term_source {
    size_t group; /* 1 + the rows' group; 0: not counted */
    double least; /* of the time it was on a counter, as a share */
};

static double line_share(const struct count_line *line)
{
    return line->enabled_ns > 0 ? line->running_ns / line->enabled_ns : 1;
}

/* How much of the time its events were counted, and whether all at the same. */
static const char *quality_of(const struct place_lines *place, uint32_t metric, const struct term_source *sources)
{
    static const double always = 0.9999; /* the kernel's own clock reads may differ by a moment */
    const struct metric_table *table = place->metrics->table;
    bool *needed = arena_array(place->arena, bool, table->terms.count + 1);
    size_t first = 0;
    bool across = false;
    double least = 1;
    table_terms_needed(table, metric, place->metrics->constants, needed);
    for (size_t at = 0; at < table->terms.count; at++) {
        if (!needed[at] || !sources[at].group || sources[at].group == COUNT_METRIC_ACROSS + 1)
            continue;
        across |= first && first != sources[at].group;
        first = first ? first : sources[at].group;
        least = sources[at].least < least ? sources[at].least : least;
    }
    return least >= always ? "" : across ? "cross-group" : "scaled";
}

/* The values with the counts of one group, or of all; events outside of groups belong to each. */
static void evaluate(const struct place_lines *place, size_t group, struct table_values *ret_values,
                     struct term_source *sources)
{
    const struct count_metrics *metrics = place->metrics;
    const struct metric_table *table = metrics->table;
    struct measured *terms = arena_array(place->arena, struct measured, table->terms.count + 1);
    struct table_inputs inputs;
    for (size_t at = 0; at < table->terms.count; at++) {
        const struct table_term *term = &table->terms.items[at];
        double published = term->kind == TERM_LATENCY && term->event != TABLE_NONE
                               ? table->events.items[term->event].latency_default
                               : 0;
        terms[at] = published > 0 ? measured_as(published) : not_measured("it was not counted");
    }
    for (size_t at = 0; at < place->report->line_count; at++) {
        const struct count_line *line = &place->report->lines[at];
        size_t row = row_of(metrics, line), own = metrics->row_groups[row];
        uint32_t term = metrics->row_terms[row];
        if (term == TABLE_NONE || !is_here(place, line) ||
            (group != COUNT_METRIC_ACROSS && own != group && own != COUNT_METRIC_ACROSS))
            continue;
        if (sources[term].group && sources[term].group != own + 1) /* the same event of another group: another time */
            continue;
        if (!sources[term].group || line_share(line) < sources[term].least)
            sources[term] = (struct term_source){own + 1, line_share(line)};
        term_add(&terms[term], line);
    }
    constants_set(place, &inputs);
    inputs.terms = terms;
    table_evaluate(table, &inputs, ret_values, place->arena);
}

static struct count_line *line_of(const struct place_lines *place, size_t row)
{
    for (size_t at = 0; at < place->report->line_count; at++)
        if (row_of(place->metrics, &place->report->lines[at]) == row && is_here(place, &place->report->lines[at]))
            return &place->report->lines[at];
    return NULL;
}

static void metric_put(const struct place_lines *place, const struct count_metric_asked *asked, struct measured value,
                       const char *quality)
{
    const struct table_metric *metric = &place->metrics->table->metrics.items[asked->metric];
    struct count_line *line = line_of(place, asked->row);
    if (!value.known || !line)
        return;
    struct count_metric *grown = arena_array(place->arena, struct count_metric, line->metric_count + 1);
    if (line->metric_count)
        memcpy(grown, line->metrics, line->metric_count * sizeof(*grown));
    grown[line->metric_count++] =
        (struct count_metric){asked->name, metric->unit, value.value * metric->scale, quality};
    line->metrics = grown;
}

static void place_compute(const struct place_lines *place)
{
    const struct count_metrics *metrics = place->metrics;
    bool *done = arena_array(place->arena, bool, metrics->asked_count + 1);
    for (size_t first = 0; first < metrics->asked_count; first++) {
        struct table_values values;
        if (done[first])
            continue;
        struct term_source *sources = arena_array(place->arena, struct term_source, metrics->table->terms.count + 1);
        evaluate(place, metrics->asked[first].group, &values, sources);
        for (size_t at = first; at < metrics->asked_count; at++)
            if (metrics->asked[at].group == metrics->asked[first].group) {
                uint32_t metric = metrics->asked[at].metric;
                metric_put(place, &metrics->asked[at], values.metrics[metric], quality_of(place, metric, sources));
                done[at] = true;
            }
    }
}

void count_metrics_find(struct count_report *report, const struct count_metrics *metrics, double elapsed_seconds,
                        struct arena *arena)
{
    struct place_lines place = {.metrics = metrics, .report = report, .seconds = elapsed_seconds, .arena = arena};
    /* each place has a line of each row: those of one row stand for all places */
    for (size_t at = 0; metrics->row_count && metrics->asked_count && at < report->line_count; at++) {
        place.first = &report->lines[at];
        if (row_of(metrics, place.first) == metrics->asked[0].row)
            place_compute(&place);
    }
}
