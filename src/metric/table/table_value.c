/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What metrics are worth, given what was counted. */
#include "metric/table/table.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const char *const constant_missing[TABLE_CONSTANT_COUNT] = {
    [TABLE_SMT_ON] = "whether SMT is on isn't known",
    [TABLE_TSC_HZ] = "the time stamp counter's frequency isn't known",
    [TABLE_TSC_TICKS] = "the time stamp counter's frequency isn't known",
    [TABLE_SECONDS] = "how long the measurement took isn't known",
    [TABLE_MILLISECONDS] = "how long the measurement took isn't known",
    [TABLE_USER_SECONDS] = "user time isn't known",
    [TABLE_SYSTEM_SECONDS] = "system time isn't known",
    [TABLE_THREADS_PER_CORE] = "the threads of a core aren't known",
    [TABLE_SOCKETS] = "the number of sockets isn't known",
    [TABLE_CORES_PER_SOCKET] = "the cores of a socket aren't known",
    [TABLE_CHAS_PER_SOCKET] = "the number of cache agents isn't known",
    [TABLE_CPUS] = "the number of CPUs isn't known",
    [TABLE_CPUS_ONLINE] = "the number of CPUs isn't known",
    [TABLE_CPUS_PER_SOCKET] = "the CPUs of a socket aren't known",
    [TABLE_CORES] = "the number of cores isn't known",
    [TABLE_DIES] = "the number of dies isn't known",
    [TABLE_SLOTS] = "the PMU doesn't say how many slots a cycle has",
    [TABLE_CORE_WIDE] = "whether whole cores were counted isn't known",
    [TABLE_HAS_PMEM] = "whether there is persistent memory isn't known",
};

void table_inputs_clear(struct table_inputs *inputs)
{
    *inputs = (struct table_inputs){0};
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        inputs->constants[at] = not_measured(constant_missing[at]);
}

struct evaluation {
    const struct metric_table *table;
    const struct table_inputs *inputs;
    const struct table_formula *formula;
    const struct table_values *values;
    bool by_rate;
};

/* An Arm core's MIDR: the same part, of that variant and revision or a later one. */
static bool midr_matches(uint64_t pattern, uint64_t cpu)
{
    const uint64_t part = 0xff00fff0, version = 0x00f0000f;
    return (pattern & part) == (cpu & part) && (cpu & version) >= (pattern & version);
}

/* Whether a CPU's identification is what a formula asks for. */
static struct measured cpu_matches(const char *pattern, const char *cpu_id)
{
    regex_t regex;
    uint64_t midr, own;
    if (!cpu_id)
        return not_measured(
            "it depends on the CPU's revision, which isn't known (--cpu takes its identification: 0x410fd493)");
    if (view_starts(view_of(pattern), "0x") && view_u64(view_of(pattern), 16, &midr))
        return measured_as(view_u64(view_of(cpu_id), 16, &own) && midr_matches(midr, own));
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
        return not_measured("the formula compares the CPU with something that is no pattern");
    bool matches = regexec(&regex, cpu_id, 0, NULL, 0) == 0;
    regfree(&regex);
    return measured_as(matches);
}

static struct measured use_value(const struct evaluation *evaluation, const struct table_reference *reference)
{
    const struct table_inputs *inputs = evaluation->inputs;
    switch (reference->use) {
    case EXPRESSION_USE_HAS_EVENT:
        return measured_as(inputs->has_event
                               ? inputs->has_event(inputs->context, reference->text)
                               : table_event_find(evaluation->table, view_of(reference->text)) != TABLE_NONE);
    case EXPRESSION_USE_SOURCE_COUNT:
        return inputs->source_count ? inputs->source_count(inputs->context, reference->text)
                                    : not_measured("how many PMUs counted it isn't known");
    default: return cpu_matches(reference->text, inputs->cpu_id);
    }
}

/* A constant; where a formula wants rates, the measurement lasts a second. */
static struct measured constant_value(const struct evaluation *evaluation, uint32_t constant)
{
    if (evaluation->by_rate) {
        if (constant == TABLE_SECONDS || constant == TABLE_MILLISECONDS)
            return measured_as(constant == TABLE_SECONDS ? 1 : 1000);
        if (constant == TABLE_TSC_TICKS)
            constant = TABLE_TSC_HZ;
    }
    return evaluation->inputs->constants[constant];
}

static struct measured term_value(const struct evaluation *evaluation, uint32_t index)
{
    struct measured value = evaluation->inputs->terms[index];
    if (evaluation->by_rate && evaluation->table->terms.items[index].kind == TERM_COUNT)
        return measured_ratio(value, evaluation->inputs->constants[TABLE_SECONDS]);
    return value;
}

static struct measured reference_value(void *context, size_t index)
{
    const struct evaluation *evaluation = context;
    const struct table_reference *reference = &evaluation->formula->references[index];
    if (reference->use != EXPRESSION_USE_VALUE)
        return use_value(evaluation, reference);
    switch (reference->kind) {
    case REFERENCE_TERM: return term_value(evaluation, reference->index);
    case REFERENCE_CONSTANT: return constant_value(evaluation, reference->index);
    case REFERENCE_NUMBER: return measured_as(reference->number);
    case REFERENCE_METRIC: {
        struct measured value = evaluation->values->metrics[reference->index];
        value.value = value.known ? value.value * reference->number : 0;
        return value;
    }
    default: return not_measured("these tables don't have one of its events");
    }
}

static struct measured metric_value(struct evaluation *evaluation, const struct table_metric *metric)
{
    const struct measured *given = evaluation->inputs->given;
    if (given && given[metric - evaluation->table->metrics.items].known)
        return given[metric - evaluation->table->metrics.items];
    if (metric->problem)
        return not_measured(metric->problem);
    evaluation->formula = &metric->value;
    evaluation->by_rate = metric->by_rate;
    struct measured value = expression_value(&metric->value.expression, reference_value, evaluation);
    value.value = value.known ? value.value * metric->factor : 0;
    return value;
}

void table_evaluate(const struct metric_table *table, const struct table_inputs *inputs,
                    struct table_values *ret_values, struct arena *arena)
{
    size_t count = table->metrics.count;
    struct table_values values = {arena_array(arena, struct measured, count + 1),
                                  arena_array(arena, enum expression_verdict, count + 1)};
    struct evaluation evaluation = {.table = table, .inputs = inputs, .values = &values};
    for (size_t at = 0; at < count; at++)
        values.metrics[at] = not_measured("its formula refers to itself");
    for (size_t at = 0; at < count; at++)
        values.metrics[table->order[at]] = metric_value(&evaluation, &table->metrics.items[table->order[at]]);
    for (size_t at = 0; at < count; at++) {
        evaluation.formula = &table->metrics.items[at].threshold;
        evaluation.by_rate = table->metrics.items[at].by_rate;
        if (evaluation.formula->text[0])
            values.flagged[at] = expression_verdict_of(
                expression_value(&evaluation.formula->expression, reference_value, &evaluation));
    }
    *ret_values = values;
}

/* Mark a metric and what its value refers to. */
static void closure_mark(const struct metric_table *table, uint32_t metric, bool *needed)
{
    needed[metric] = true;
    for (size_t at = table->metrics.count; at-- > 0;) {
        const struct table_formula *value = &table->metrics.items[table->order[at]].value;
        for (size_t name = 0; needed[table->order[at]] && value->references && name < value->expression.name_count;
             name++)
            if (value->references[name].kind == REFERENCE_METRIC)
                needed[value->references[name].index] = true;
    }
}

void table_closure_find(struct table_closure *ret_closure, const struct metric_table *table, uint32_t metric,
                        struct arena *arena)
{
    bool *needed = arena_array(arena, bool, table->metrics.count + 1);
    uint32_t *metrics = arena_array(arena, uint32_t, table->metrics.count + 1);
    size_t count = 0;
    closure_mark(table, metric, needed);
    for (size_t at = 0; at < table->metrics.count; at++)
        if (needed[table->order[at]])
            metrics[count++] = table->order[at];
    *ret_closure = (struct table_closure){metrics, count};
}

struct measured table_closure_value(const struct metric_table *table, const struct table_closure *closure,
                                    const struct table_inputs *inputs, struct measured *scratch)
{
    struct table_values values = {.metrics = scratch};
    struct evaluation evaluation = {.table = table, .inputs = inputs, .values = &values};
    struct measured value = not_measured("its formula refers to itself");
    for (size_t at = 0; at < closure->count; at++) {
        value = metric_value(&evaluation, &table->metrics.items[closure->metrics[at]]);
        scratch[closure->metrics[at]] = value;
    }
    return value;
}

enum expression_verdict table_threshold_verdict(const struct metric_table *table, uint32_t metric,
                                                const struct table_inputs *inputs, struct measured *metrics)
{
    const struct table_metric *item = &table->metrics.items[metric];
    struct table_values values = {.metrics = metrics};
    struct evaluation evaluation = {
        .table = table, .inputs = inputs, .values = &values, .formula = &item->threshold, .by_rate = item->by_rate};
    if (!item->threshold.text[0])
        return EXPRESSION_UNKNOWN;
    return expression_verdict_of(expression_value(&item->threshold.expression, reference_value, &evaluation));
}

/* What is known of a name before anything is counted. */
static struct measured known_before(void *context, size_t index)
{
    const struct evaluation *evaluation = context;
    const struct table_reference *reference = &evaluation->formula->references[index];
    bool counted = reference->kind == REFERENCE_TERM || reference->kind == REFERENCE_METRIC ||
                   reference->use == EXPRESSION_USE_SOURCE_COUNT;
    return reference->use == EXPRESSION_USE_VALUE && counted ? not_measured("it is yet to be counted")
                                                             : reference_value(context, index);
}

/* The names of a metric's formula that matter, as it marks terms and further metrics. */
static void references_mark(struct evaluation *evaluation, const struct table_formula *formula, bool *metrics,
                            bool *terms)
{
    bool *needed = memory_alloc(memory_product(formula->expression.name_count + 1, sizeof(*needed)));
    memset(needed, 0, (formula->expression.name_count + 1) * sizeof(*needed));
    evaluation->formula = formula;
    expression_names_needed(&formula->expression, known_before, evaluation, needed);
    for (size_t name = 0; name < formula->expression.name_count; name++) {
        const struct table_reference *reference = &formula->references[name];
        if (needed[name] && reference->kind == REFERENCE_METRIC)
            metrics[reference->index] = true;
        else if (needed[name] && reference->kind == REFERENCE_TERM)
            terms[reference->index] = true;
    }
    free(needed);
}

void table_terms_needed(const struct metric_table *table, uint32_t metric, const struct measured *constants,
                        bool *terms)
{
    struct arena arena = {0};
    struct table_inputs inputs;
    bool *needed = arena_array(&arena, bool, table->metrics.count + 1);
    table_inputs_clear(&inputs);
    for (size_t at = 0; constants && at < TABLE_CONSTANT_COUNT; at++)
        inputs.constants[at] = constants[at];
    inputs.cpu_id = table->cpu_id;
    struct evaluation evaluation = {.table = table, .inputs = &inputs};
    needed[metric] = true;
    for (size_t at = table->metrics.count; at-- > 0;) {
        const struct table_formula *value = &table->metrics.items[table->order[at]].value;
        if (needed[table->order[at]] && value->references)
            references_mark(&evaluation, value, needed, terms);
    }
    arena_done(&arena);
}
