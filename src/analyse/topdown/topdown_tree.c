/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/topdown_tree.h"

#include "analyse/topdown/topdown_values.h"
#include "metric/table/table_reading.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* How far children may pass their parent before it is said, and how far level 1 may miss the whole. */
static const double sum_slack = 0.02, whole_slack = 0.02, share_slack = 0.05;
static const double contradiction_width = 0.5;

struct builder {
    const struct metric_table *table;
    const struct table_readings *readings; /* NULL: values were counted here */
    const struct topdown_values *counted;  /* or NULL */
    const struct measured *given;
    struct topdown_node *nodes;
    size_t count;
    size_t *node_of; /* metric: node */
    vec(const char *) notes;
    struct arena *arena;
};

static bool is_estimate(const char *domain)
{
    size_t length = strlen(domain);
    return strstr(domain, "_Retired") || (length > 10 && strcmp(domain + length - 10, "_Estimated") == 0);
}

static const char *path_of(const struct builder *builder, uint32_t metric)
{
    const struct table_metric *item = &builder->table->metrics.items[metric];
    if (item->parent == TABLE_NONE || builder->node_of[item->parent] == SIZE_MAX)
        return item->name;
    return arena_printf(builder->arena, "%s.%s", builder->nodes[builder->node_of[item->parent]].path, item->name);
}

/*
 * The least counted of the events behind a value, whether a published latency is among them, and whether one run has
 * them all.
 */
static void terms_judge(const struct builder *builder, uint32_t metric, struct topdown_node *node)
{
    const struct metric_table *table = builder->table;
    bool *needed = arena_array(builder->arena, bool, table->terms.count + 1);
    uint64_t together = UINT64_MAX;
    table_terms_needed(table, metric, builder->readings->inputs.constants, needed);
    for (size_t at = 0; at < table->terms.count; at++) {
        if (!needed[at])
            continue;
        if (builder->readings->inputs.terms[at].known && builder->readings->term_sets[at])
            together &= builder->readings->term_sets[at];
        if (builder->readings->running_ratio[at] < node->running_ratio)
            node->running_ratio = builder->readings->running_ratio[at];
        node->default_latency |= builder->readings->latency_default[at];
    }
    node->across = !together;
}

static const char *locate_text(const struct builder *builder, const struct table_metric *metric)
{
    const char *text = "";
    for (size_t at = 0; at < metric->locate_count; at++)
        text = arena_printf(builder->arena, "%s%s%s", text, at ? ", " : "",
                            builder->table->terms.items[metric->locate[at]].name);
    return text;
}

/* Why a value isn't known, with the events that were not counted. */
static struct measured value_explained(const struct builder *builder, uint32_t metric, struct measured value)
{
    const struct metric_table *table = builder->table;
    if (value.known || builder->counted)
        return value;
    bool *needed = arena_array(builder->arena, bool, table->terms.count + 1);
    table_terms_needed(table, metric, builder->readings->inputs.constants, needed);
    size_t missing = 0;
    const char *names = "";
    for (size_t at = 0; at < table->terms.count; at++) {
        if (!needed[at] || builder->readings->inputs.terms[at].known)
            continue;
        if (missing++ < 3)
            names = arena_printf(builder->arena, "%s%s%s", names, missing > 1 ? ", " : "", table->terms.items[at].name);
    }
    if (!missing)
        return value;
    return not_measured(missing > 3 ? arena_printf(builder->arena, "not counted: %s and %zu more", names, missing - 3)
                                    : arena_printf(builder->arena, "not counted: %s", names));
}

/*
 * Of passes that contradict each other: what may be this or that half of all and decides nothing. Its number would be
 * taken for one.
 */
static void contradiction_drop(const struct builder *builder, struct topdown_node *node)
{
    bool is_share = node->level > 0 && strcmp(node->unit, "%") == 0 && !node->suspect;
    if (!builder->counted->contradiction || !is_share || !node->value.known || !node->interval.known ||
        node->decision == TOPDOWN_FLAGGED ||
        fmin(node->interval.high, 1) - fmax(node->interval.low, 0) < contradiction_width)
        return;
    node->value = not_measured(builder->counted->contradiction);
    node->interval = (struct interval){0};
    node->contradicted = true;
    node->decision = TOPDOWN_UNDECIDED;
}

/* What was counted here has its intervals, and decisions made on them. */
static void quality_take(const struct builder *builder, uint32_t metric, struct topdown_node *node)
{
    static const enum topdown_decision decisions[] = {[DECISION_NO] = TOPDOWN_NOT_FLAGGED,
                                                      [DECISION_UNDECIDED] = TOPDOWN_UNDECIDED,
                                                      [DECISION_YES] = TOPDOWN_FLAGGED};
    const struct metric_quality *quality = &builder->counted->qualities[metric];
    node->interval = quality->interval;
    node->marks = quality->marks;
    node->running_ratio = quality->seen;
    node->across = (quality->marks & QUALITY_ACROSS) != 0;
    node->default_latency = (quality->marks & QUALITY_DEFAULT_LATENCY) != 0;
    node->suspect = (quality->marks & QUALITY_SUSPECT) != 0;
    node->decision = decisions[builder->counted->decisions[metric]];
    contradiction_drop(builder, node);
}

static void node_add(struct builder *builder, uint32_t metric, const struct table_values *values)
{
    const struct table_metric *item = &builder->table->metrics.items[metric];
    static const enum topdown_decision decisions[] = {[EXPRESSION_UNKNOWN] = TOPDOWN_UNDECIDED,
                                                      [EXPRESSION_NO] = TOPDOWN_NOT_FLAGGED,
                                                      [EXPRESSION_YES] = TOPDOWN_FLAGGED};
    struct topdown_node *node = &builder->nodes[builder->count];
    *node = (struct topdown_node){
        .name = item->name, .path = path_of(builder, metric), .about = item->about, .unit = item->unit,
        .domain = item->domain, .see_also = item->see_also, .level = item->level,
        .parent = item->parent == TABLE_NONE ? SIZE_MAX : builder->node_of[item->parent],
        .value = value_explained(builder, metric, values->metrics[metric]), .scale = item->scale,
        .threshold = item->threshold.text, .decision = decisions[values->flagged[metric]],
        .reported = builder->given && builder->given[metric].known, .estimate = is_estimate(item->domain),
        .running_ratio = 1, .sample = locate_text(builder, item),
    };
    bool is_share = item->level > 0 && strcmp(item->unit, "%") == 0;
    node->suspect =
        is_share && node->value.known && (node->value.value < -share_slack || node->value.value > 1 + share_slack);
    if (builder->counted)
        quality_take(builder, metric, node);
    else if (!node->reported && node->value.known)
        terms_judge(builder, metric, node);
    builder->node_of[metric] = builder->count++;
}

/* Parents first: level by level of a node's own subtree. */
static void subtree_add(struct builder *builder, uint32_t metric, const struct table_values *values, unsigned depth)
{
    node_add(builder, metric, values);
    for (uint32_t child = 0; depth < 16 && child < builder->table->metrics.count; child++)
        if (builder->table->metrics.items[child].parent == metric && builder->node_of[child] == SIZE_MAX)
            subtree_add(builder, child, values, depth + 1);
}

static void nodes_add(struct builder *builder, const struct table_values *values)
{
    size_t count = builder->table->metrics.count;
    builder->nodes = arena_array(builder->arena, struct topdown_node, count + 1);
    builder->node_of = arena_array(builder->arena, size_t, count + 1);
    for (size_t at = 0; at < count; at++)
        builder->node_of[at] = SIZE_MAX;
    for (uint32_t at = 0; at < count; at++)
        if (builder->table->metrics.items[at].level == 1)
            subtree_add(builder, at, values, 0);
    for (uint32_t at = 0; at < count; at++)
        if (builder->node_of[at] == SIZE_MAX)
            node_add(builder, at, values);
}

/* ---- what doesn't add up ---- */

#define note(builder, ...) (*vec_push(&(builder)->notes) = arena_printf((builder)->arena, __VA_ARGS__))

static bool is_slots(const char *domain)
{
    return strcmp(domain, "Slots") == 0;
}

static void children_check(struct builder *builder, size_t parent)
{
    const struct topdown_node *above = &builder->nodes[parent];
    double sum = 0;
    size_t known = 0, all = 0;
    bool slots = is_slots(above->domain);
    const char *names = "";
    for (size_t at = 0; at < builder->count; at++) {
        const struct topdown_node *node = &builder->nodes[at];
        if (node->parent != parent)
            continue;
        all++;
        if (!node->value.known)
            continue;
        sum += node->value.value;
        slots &= is_slots(node->domain);
        names = arena_printf(builder->arena, "%s%s%s", names, known++ ? ", " : "", node->name);
    }
    if (!above->value.known || known < 2 || sum <= above->value.value * (1 + sum_slack) + 0.005)
        return;
    if (slots)
        note(builder,
             "%s add up to %.1f %%, more than the %.1f %% of %s that they are parts of: they were not counted together",
             names, sum * 100, above->value.value * 100, above->name);
    else
        note(builder,
             "%s add up to %.1f %%, more than the %.1f %% of %s: shares of cycles may overlap and pass a share of %s, "
             "that "
             "is no error",
             names, sum * 100, above->value.value * 100, above->name,
             is_slots(above->domain) ? "slots" : "other cycles");
}

static void whole_check(struct builder *builder)
{
    double sum = 0;
    size_t known = 0, all = 0;
    for (size_t at = 0; at < builder->count; at++)
        if (builder->nodes[at].level == 1 && is_slots(builder->nodes[at].domain)) {
            all++;
            known += builder->nodes[at].value.known;
            sum += builder->nodes[at].value.known ? builder->nodes[at].value.value : 0;
        }
    if (all && known == all && fabs(sum - 1) > whole_slack)
        note(builder,
             "level 1 adds up to %.1f %%, not to 100 %%: its parts were not counted together, or something was counted "
             "that "
             "is not of this CPU",
             sum * 100);
}

static void notes_find(struct builder *builder)
{
    whole_check(builder);
    for (size_t at = 0; at < builder->count; at++)
        if (builder->nodes[at].level > 0)
            children_check(builder, at);
    if (builder->readings && builder->readings->user_only)
        note(builder, "only user code was counted (:u): what happened in the kernel is no part of this");
    for (size_t at = 0; at < builder->count; at++)
        if (builder->nodes[at].suspect) {
            note(builder, "%s is %.1f %%, which no share can be: it decides nothing", builder->nodes[at].name,
                 builder->nodes[at].value.value * 100);
            builder->nodes[at].decision = TOPDOWN_UNDECIDED;
        }
}

/* Down from the top along the largest flagged node, as long as there is one. */
static size_t leaf_find(const struct builder *builder)
{
    size_t leaf = SIZE_MAX;
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t at = 0; at < builder->count; at++) {
            const struct topdown_node *node = &builder->nodes[at];
            bool below = leaf == SIZE_MAX ? node->level == 1 : node->parent == leaf;
            if (below && node->decision == TOPDOWN_FLAGGED &&
                (best == SIZE_MAX || node->value.value > builder->nodes[best].value.value))
                best = at;
        }
        if (best == SIZE_MAX)
            return leaf;
        leaf = best;
    }
}

static void tree_finish(struct topdown_tree *tree, struct builder *builder, const struct table_values *values)
{
    nodes_add(builder, values);
    notes_find(builder);
    *tree = (struct topdown_tree){.cpu = builder->table->key,
                                  .tables = builder->table->source,
                                  .nodes = builder->nodes,
                                  .count = builder->count,
                                  .leaf = leaf_find(builder),
                                  .sample = "",
                                  .sample_of = ""};
    for (size_t at = tree->leaf; at != SIZE_MAX && !tree->sample[0]; at = builder->nodes[at].parent) {
        tree->sample = builder->nodes[at].sample;
        tree->sample_of = builder->nodes[at].name;
    }
    tree->notes =
        arena_copy(builder->arena, builder->notes.items, builder->notes.count * sizeof(*builder->notes.items));
    tree->note_count = builder->notes.count;
    vec_done(&builder->notes);
}

void topdown_tree_find(struct topdown_tree *tree, const struct metric_table *table,
                       const struct table_readings *readings, const struct measured *given, struct arena *arena)
{
    struct builder builder = {.table = table, .readings = readings, .given = given, .arena = arena};
    struct table_inputs inputs = readings->inputs;
    struct table_values values;
    inputs.given = given;
    table_evaluate(table, &inputs, &values, arena);
    tree_finish(tree, &builder, &values);
}

void topdown_tree_of_values(struct topdown_tree *tree, const struct metric_table *table,
                            const struct topdown_values *counted, struct arena *arena)
{
    struct builder builder = {.table = table, .counted = counted, .arena = arena};
    size_t count = table->metrics.count;
    struct table_values values = {arena_array(arena, struct measured, count + 1),
                                  arena_array(arena, enum expression_verdict, count + 1)};
    for (size_t at = 0; at < count; at++)
        values.metrics[at] = counted->qualities[at].value;
    tree_finish(tree, &builder, &values);
}

bool topdown_node_is_named(const struct topdown_node *node, const char *name)
{
    const char *bare = strncmp(name, "tma_", 4) == 0 ? name + 4 : name;
    return strcasecmp(node->name, bare) == 0 ||
           (strcasecmp(bare, "dram_bound") == 0 && strcasecmp(node->name, "l3_miss_bound") == 0);
}
