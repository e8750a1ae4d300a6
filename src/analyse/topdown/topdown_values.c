/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/topdown_values.h"

#include "base/vec.h"

#include <math.h>

enum {
    BLOCKS_MOST = 24,  /* windows are joined to so many, for the variance over them: enough for it, and cheap */
    CORNERS_MOST = 6,  /* values of one threshold whose corners are all tried; of more, the two outermost */
    FIELD_FIRST = 0x80, FIELD_LAST = 0x87,
};

/* How much a field of PERF_METRICS is moved, as a share, to see what depends on it. */
static const double field_nudge = 1e-3;

/* One group's windows, joined to blocks: sums of counts, each window's scaled to all of its time. */
struct blocks {
    double *sums;    /* [block * term_count + term] */
    double *total;   /* [term] */
    double *seconds; /* [block] */
    double all_seconds, ran_seconds; /* of all windows; of those on the counters */
    size_t count;    /* those that were on the counters at all */
    double seen;
};

struct finder {
    const struct topdown_values_request *request;
    struct blocks *blocks; /* of each group */
    struct measured *terms, *scratch;
    struct measured *base; /* of terms when no group tells them: published latencies */
    struct table_inputs inputs;
    struct topdown_values *values;
    struct arena *arena;
};

static double window_scale(const struct group_window *window)
{
    return window->running_ns ? (double)window->enabled_ns / (double)window->running_ns : 0;
}

static void blocks_make(struct blocks *blocks, const struct metric_group *group, struct arena *arena)
{
    size_t ran = 0, at_window = 0;
    double enabled = 0, running = 0;
    for (size_t at = 0; at < group->window_count; at++)
        ran += group->windows[at].running_ns > 0;
    blocks->count = ran < BLOCKS_MOST ? ran : BLOCKS_MOST;
    blocks->sums = arena_array(arena, double, blocks->count * group->term_count + 1);
    blocks->total = arena_array(arena, double, group->term_count + 1);
    blocks->seconds = arena_array(arena, double, blocks->count + 1);
    for (size_t at = 0; at < group->window_count; at++) {
        const struct group_window *window = &group->windows[at];
        enabled += (double)window->enabled_ns;
        running += (double)window->running_ns;
        blocks->all_seconds += (double)(window->end_ns - window->start_ns) / 1e9;
        if (!window->running_ns)
            continue;
        size_t block = at_window++ * blocks->count / ran;
        blocks->seconds[block] += (double)(window->end_ns - window->start_ns) / 1e9;
        blocks->ran_seconds += (double)(window->end_ns - window->start_ns) / 1e9;
        for (size_t term = 0; term < group->term_count; term++) {
            double count = window->counts[term] * window_scale(window);
            blocks->sums[block * group->term_count + term] += count;
            blocks->total[term] += count;
        }
    }
    blocks->seen = enabled > 0 ? running / enabled : 0;
}

/* ---- one evaluation ---------------------------------------------------------------------------------------- */

struct metric_question {
    struct finder *finder;
    const struct metric_place *place;
    struct table_closure closure;
    uint32_t nudged; /* a field of PERF_METRICS, or TABLE_NONE */
    double nudge;
    bool *needed;    /* terms */
};

static bool is_refused(const struct metric_group *group, size_t term)
{
    return group->refused && group->refused[term];
}

static double cycles_of(const struct finder *finder, uint32_t group)
{
    const struct metric_group *from = &finder->request->groups[group];
    for (size_t term = 0; term < from->term_count; term++)
        if (from->terms[term] == finder->request->cycles)
            return finder->blocks[group].total[term];
    return 0;
}

/* The factor that brings a part's counts to the first part's time. */
static double part_factor(const struct finder *finder, const struct metric_place *place, size_t part)
{
    double first = cycles_of(finder, place->groups[0]), own = cycles_of(finder, place->groups[part]);
    return part && first > 0 && own > 0 ? first / own : 1;
}

/* What is left without a block stands for all of the time. */
static double rest_factor(const struct blocks *blocks, size_t left_out)
{
    double rest = left_out == SIZE_MAX ? blocks->ran_seconds : blocks->ran_seconds - blocks->seconds[left_out];
    return rest > 0 && blocks->ran_seconds > 0 ? blocks->ran_seconds / rest : 1;
}

/* Terms of one part; what an earlier part has told stays. left_out: a block, or SIZE_MAX. */
static void part_give(const struct finder *finder, const struct metric_place *place, size_t part, size_t left_out)
{
    uint32_t index = place->groups[part];
    const struct metric_group *group = &finder->request->groups[index];
    const struct blocks *blocks = &finder->blocks[index];
    double factor = part_factor(finder, place, part) * rest_factor(blocks, left_out);
    for (size_t term = 0; term < group->term_count; term++) {
        struct measured *value = &finder->terms[group->terms[term]];
        if (value->known)
            continue;
        if (is_refused(group, term))
            *value = not_measured(group->refused[term]);
        else if (!blocks->count)
            *value = not_measured("its group was never on the counters: others hold them, or it ran too shortly");
        else
            *value =
                measured_as(factor * (blocks->total[term] -
                                      (left_out == SIZE_MAX ? 0 : blocks->sums[left_out * group->term_count + term])));
    }
}

static void terms_clear(const struct finder *finder, const struct metric_place *place)
{
    for (size_t part = 0; part < place->group_count; part++) {
        const struct metric_group *group = &finder->request->groups[place->groups[part]];
        for (size_t term = 0; term < group->term_count; term++)
            finder->terms[group->terms[term]] = finder->base[group->terms[term]];
    }
}

static void seconds_give(struct finder *finder, const struct blocks *blocks)
{
    double seconds = blocks->all_seconds;
    if (!(seconds > 0))
        return;
    finder->inputs.constants[TABLE_SECONDS] = measured_as(seconds);
    finder->inputs.constants[TABLE_MILLISECONDS] = measured_as(seconds * 1000);
    if (finder->inputs.constants[TABLE_TSC_HZ].known)
        finder->inputs.constants[TABLE_TSC_TICKS] = measured_as(seconds * finder->inputs.constants[TABLE_TSC_HZ].value);
}

static struct measured question_value(void *context, int part, size_t left_out)
{
    struct metric_question *question = context;
    struct finder *finder = question->finder;
    const struct metric_place *place = question->place;
    for (size_t at = 0; at < place->group_count; at++)
        part_give(finder, place, at, part == (int)at ? left_out : SIZE_MAX);
    seconds_give(finder, &finder->blocks[place->groups[0]]);
    if (question->nudged != TABLE_NONE && finder->terms[question->nudged].known)
        finder->terms[question->nudged].value += question->nudge;
    struct measured value =
        table_closure_value(finder->request->table, &question->closure, &finder->inputs, finder->scratch);
    terms_clear(finder, place);
    return value;
}

/* The value when one count is larger or smaller by a share: how far it moves at most. */
static double count_moves(struct metric_question *question, uint32_t term, double count, double share, double value)
{
    double most = 0;
    question->nudged = term;
    for (int sign = -1; sign <= 1; sign += 2) {
        question->nudge = sign * share * count;
        struct measured moved = question_value(question, QUALITY_NOTHING_LEFT_OUT, 0);
        most = moved.known ? fmax(most, fabs(moved.value - value)) : most;
    }
    question->nudged = TABLE_NONE;
    return most;
}

static double question_moves(void *context, double share)
{
    struct metric_question *question = context;
    const struct metric_place *place = question->place;
    struct measured value = question_value(question, QUALITY_NOTHING_LEFT_OUT, 0);
    double squares = 0;
    for (size_t part = 0; part < place->group_count && value.known; part++) {
        const struct metric_group *group = &question->finder->request->groups[place->groups[part]];
        const struct blocks *blocks = &question->finder->blocks[place->groups[part]];
        for (size_t at = 0; at < group->term_count; at++) {
            bool counts = question->needed[group->terms[at]] && group->terms[at] != question->finder->request->cycles;
            double moved = counts ? count_moves(question, group->terms[at], blocks->total[at], share, value.value) : 0;
            squares += moved * moved;
        }
    }
    return sqrt(squares);
}

/* ---- PERF_METRICS' steps ----------------------------------------------------------------------------------- */

static bool is_field(const struct table_term *term)
{
    return term->event == TABLE_NONE && !term->pmu && term->code.known && !term->code.event &&
           term->code.umask >= FIELD_FIRST && term->code.umask <= FIELD_LAST;
}

static const struct table_term *term_at(const struct metric_question *question, const struct metric_group *group,
                                        size_t at)
{
    return &question->finder->request->table->terms.items[group->terms[at]];
}

/* Slots as the four first fields add up to. */
static double slots_of(const struct metric_question *question, uint32_t index)
{
    const struct metric_group *group = &question->finder->request->groups[index];
    double slots = 0;
    for (size_t at = 0; at < group->term_count; at++)
        if (is_field(term_at(question, group, at)) && term_at(question, group, at)->code.umask < FIELD_FIRST + 4)
            slots += question->finder->blocks[index].total[at];
    return slots;
}

/* How much the value moves for each whole step of a share that one of the fields is off by, over all fields. */
static double step_weight_find(struct metric_question *question)
{
    const struct metric_place *place = question->place;
    const struct metric_group *group = &question->finder->request->groups[place->groups[0]];
    struct measured value = question_value(question, QUALITY_NOTHING_LEFT_OUT, 0);
    double slots = slots_of(question, place->groups[0]), weight = 0;
    for (size_t at = 0; slots > 0 && value.known && at < group->term_count; at++) {
        if (!is_field(term_at(question, group, at)))
            continue;
        question->nudged = group->terms[at];
        question->nudge = field_nudge * slots;
        struct measured moved = question_value(question, QUALITY_NOTHING_LEFT_OUT, 0);
        weight += moved.known ? fabs(moved.value - value.value) / field_nudge : 0;
    }
    question->nudged = TABLE_NONE;
    return weight;
}

/* ---- one metric -------------------------------------------------------------------------------------------- */

static bool is_estimate(const char *domain)
{
    size_t length = strlen(domain);
    return strstr(domain, "_Retired") || (length > 10 && strcmp(domain + length - 10, "_Estimated") == 0);
}

/* Why it isn't known: the events that its place lacks. */
static struct measured value_explained(const struct finder *finder, uint32_t metric, const struct metric_place *place,
                                       struct measured value)
{
    const struct metric_table *table = finder->request->table;
    bool *needed = arena_array(finder->arena, bool, table->terms.count + 1);
    table_terms_needed(table, metric, finder->request->constants, needed);
    for (size_t part = 0; part < place->group_count; part++) {
        const struct metric_group *group = &finder->request->groups[place->groups[part]];
        for (size_t term = 0; term < group->term_count; term++)
            if (needed[group->terms[term]] && is_refused(group, term))
                return not_measured(arena_printf(finder->arena, "%s: %s", table->terms.items[group->terms[term]].name,
                                                 group->refused[term]));
    }
    return value;
}

static unsigned metric_marks(const struct finder *finder, uint32_t metric, const struct metric_place *place)
{
    const struct metric_table *table = finder->request->table;
    bool *needed = arena_array(finder->arena, bool, table->terms.count + 1);
    unsigned marks = (is_estimate(table->metrics.items[metric].domain) ? QUALITY_ESTIMATE : 0) |
                     (place->group_count > 1 ? QUALITY_ACROSS : 0);
    table_terms_needed(table, metric, finder->request->constants, needed);
    for (size_t at = 0; at < table->terms.count; at++)
        marks |= needed[at] && finder->base[at].known ? QUALITY_DEFAULT_LATENCY : 0;
    return marks;
}

static void quality_find(struct finder *finder, uint32_t metric, const struct metric_place *place,
                         struct metric_quality *ret)
{
    const struct table_metric *item = &finder->request->table->metrics.items[metric];
    struct quality_part *parts = arena_array(finder->arena, struct quality_part, place->group_count + 1);
    struct metric_question question = {.finder = finder,
                                       .place = place,
                                       .nudged = TABLE_NONE,
                                       .needed =
                                           arena_array(finder->arena, bool, finder->request->table->terms.count + 1)};
    table_closure_find(&question.closure, finder->request->table, metric, finder->arena);
    table_terms_needed(finder->request->table, metric, finder->request->constants, question.needed);
    for (size_t at = 0; at < place->group_count; at++)
        parts[at] =
            (struct quality_part){finder->blocks[place->groups[at]].count, finder->blocks[place->groups[at]].seen};
    struct quality_question asked = {.value = question_value,
                                     .moves = question_moves,
                                     .context = &question,
                                     .parts = parts,
                                     .part_count = place->group_count,
                                     .step_weight = step_weight_find(&question),
                                     .step_reads = parts[0].window_count,
                                     .run_spread = finder->request->run_spread,
                                     .run_freedom = finder->request->run_freedom,
                                     .marks = metric_marks(finder, metric, place),
                                     .is_share = item->level > 0 && strcmp(item->unit, "%") == 0};
    metric_quality_find(ret, &asked);
    if (!ret->value.known)
        ret->value = value_explained(finder, metric, place, ret->value);
}

/* A group that has by chance all that the metric needs. */
static bool place_by_chance(const struct finder *finder, uint32_t metric, uint32_t *ret_group)
{
    const struct metric_table *table = finder->request->table;
    bool *needed = arena_array(finder->arena, bool, table->terms.count + 1);
    size_t wanted = 0;
    table_terms_needed(table, metric, finder->request->constants, needed);
    for (size_t term = 0; term < table->terms.count; term++)
        wanted += needed[term] && !finder->base[term].known;
    for (uint32_t at = 0; wanted && at < finder->request->group_count; at++) {
        const struct metric_group *group = &finder->request->groups[at];
        size_t had = 0;
        for (size_t term = 0; term < group->term_count; term++)
            had += needed[group->terms[term]] && !is_refused(group, term);
        if (had == wanted && finder->blocks[at].count) {
            *ret_group = at;
            return true;
        }
    }
    return false;
}

/* What other passes measured of the same may be as true. */
static void range_take(const struct interval *range, struct metric_quality *quality)
{
    if (!range->known || !quality->value.known || !quality->interval.known)
        return;
    quality->interval.low = fmin(quality->interval.low, range->low);
    quality->interval.high = fmax(quality->interval.high, range->high);
}

static void metric_find(struct finder *finder, uint32_t metric)
{
    const struct metric_place *place = &finder->request->places[metric];
    struct metric_quality *quality = &finder->values->qualities[metric];
    uint32_t group;
    *quality = (struct metric_quality){.value = not_measured(place->why_not ? place->why_not : "it was not asked for"),
                                       .seen = 1};
    if (place->group_count)
        quality_find(finder, metric, place, quality);
    else if (!place->why_not && place_by_chance(finder, metric, &group))
        quality_find(finder, metric, &(struct metric_place){.groups = &group, .group_count = 1}, quality);
    if (finder->request->ranges)
        range_take(&finder->request->ranges[metric], quality);
}

/* ---- decisions --------------------------------------------------------------------------------------------- */

static bool is_decidable(const struct metric_quality *quality)
{
    return quality->value.known && quality->interval.known && !(quality->marks & QUALITY_SUSPECT);
}

/* The metrics that a threshold speaks of, each once. */
static size_t threshold_metrics(const struct metric_table *table, uint32_t metric, uint32_t *ret, size_t most)
{
    const struct table_formula *formula = &table->metrics.items[metric].threshold;
    size_t count = 0;
    for (size_t at = 0; formula->references && at < formula->expression.name_count; at++) {
        const struct table_reference *reference = &formula->references[at];
        bool known = reference->kind != REFERENCE_METRIC || reference->use != EXPRESSION_USE_VALUE;
        for (size_t had = 0; had < count && !known; had++)
            known = ret[had] == reference->index;
        if (!known && count < most)
            ret[count++] = reference->index;
    }
    return count;
}

/*
 * Bit n of corner: the upper end of the n-th metric's interval; of more than CORNERS_MOST, the last bit speaks for the
 * rest.
 */
static enum decision corner_decide(struct finder *finder, uint32_t metric, const uint32_t *metrics, size_t count,
                                   unsigned corner)
{
    static const enum decision decisions[] = {
        [EXPRESSION_UNKNOWN] = DECISION_UNDECIDED, [EXPRESSION_NO] = DECISION_NO, [EXPRESSION_YES] = DECISION_YES};
    for (size_t at = 0; at < count; at++) {
        const struct metric_quality *quality = &finder->values->qualities[metrics[at]];
        bool upper = corner >> (at < CORNERS_MOST ? at : CORNERS_MOST - 1) & 1;
        finder->scratch[metrics[at]] =
            is_decidable(quality)
                ? measured_as(upper ? quality->interval.high : quality->interval.low)
                : not_measured(quality->value.known ? "how far it may be off isn't known" : quality->value.why_not);
    }
    return decisions[table_threshold_verdict(finder->request->table, metric, &finder->inputs, finder->scratch)];
}

static enum decision metric_decide(struct finder *finder, uint32_t metric)
{
    uint32_t metrics[16];
    if (!finder->values->qualities[metric].value.known ||
        !finder->request->table->metrics.items[metric].threshold.text[0])
        return DECISION_UNDECIDED;
    size_t count = threshold_metrics(finder->request->table, metric, metrics, array_count(metrics));
    unsigned corners = 1u << (count < CORNERS_MOST ? count : CORNERS_MOST);
    enum decision all = corner_decide(finder, metric, metrics, count, 0);
    for (unsigned corner = 1; corner < corners && all != DECISION_UNDECIDED; corner++)
        all = corner_decide(finder, metric, metrics, count, corner) == all ? all : DECISION_UNDECIDED;
    return all;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

static void finder_init(struct finder *finder, const struct topdown_values_request *request, struct arena *arena)
{
    const struct metric_table *table = request->table;
    *finder = (struct finder){.request = request,
                              .arena = arena,
                              .blocks = arena_array(arena, struct blocks, request->group_count + 1),
                              .terms = arena_array(arena, struct measured, table->terms.count + 1),
                              .base = arena_array(arena, struct measured, table->terms.count + 1),
                              .scratch = arena_array(arena, struct measured, table->metrics.count + 1)};
    table_inputs_clear(&finder->inputs);
    for (size_t at = 0; request->constants && at < TABLE_CONSTANT_COUNT; at++)
        if (request->constants[at].known)
            finder->inputs.constants[at] = request->constants[at];
    for (size_t at = 0; at < table->terms.count; at++) {
        const struct table_term *term = &table->terms.items[at];
        double published = term->kind == TERM_LATENCY && term->event != TABLE_NONE
                               ? table->events.items[term->event].latency_default
                               : 0;
        finder->base[at] = published > 0 ? measured_as(published) : not_measured("it was not counted");
        finder->terms[at] = finder->base[at];
    }
    finder->inputs.terms = finder->terms;
    finder->inputs.cpu_id = request->cpu_id;
    for (size_t at = 0; at < request->group_count; at++)
        blocks_make(&finder->blocks[at], &request->groups[at], arena);
}

void topdown_values_find(struct topdown_values *ret_values, const struct topdown_values_request *request,
                         struct arena *arena)
{
    struct finder finder;
    size_t count = request->table->metrics.count;
    ret_values->qualities = arena_array(arena, struct metric_quality, count + 1);
    ret_values->decisions = arena_array(arena, enum decision, count + 1);
    ret_values->contradiction = NULL;
    finder_init(&finder, request, arena);
    finder.values = ret_values;
    for (uint32_t at = 0; at < count; at++)
        metric_find(&finder, at);
    for (uint32_t at = 0; at < count; at++)
        ret_values->decisions[at] = metric_decide(&finder, at);
}

struct measured metric_group_value(const struct topdown_values_request *request, uint32_t metric,
                                   const struct metric_group *group, struct arena *arena)
{
    const uint32_t first = 0;
    const struct metric_place place = {.groups = &first, .group_count = 1};
    struct topdown_values_request one = *request;
    struct finder finder;
    one.groups = group;
    one.group_count = 1;
    finder_init(&finder, &one, arena);
    struct metric_question question = {.finder = &finder, .place = &place, .nudged = TABLE_NONE};
    table_closure_find(&question.closure, request->table, metric, arena);
    return question_value(&question, QUALITY_NOTHING_LEFT_OUT, 0);
}

struct measured metric_group_count(const struct metric_group *group, uint32_t term)
{
    double sum = 0;
    bool ran = false;
    for (size_t at = 0; at < group->term_count; at++) {
        if (group->terms[at] != term || is_refused(group, at))
            continue;
        for (size_t window = 0; window < group->window_count; window++) {
            sum += group->windows[window].counts[at] * window_scale(&group->windows[window]);
            ran |= group->windows[window].running_ns > 0;
        }
        return ran ? measured_as(sum) : not_measured("its group was never on the counters");
    }
    return not_measured("it was not counted");
}
