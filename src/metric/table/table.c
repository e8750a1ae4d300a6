/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table.h"

#include "metric/table/table_build.h"

#include <ctype.h>
#include <math.h>

/* How formulas call what no counter gives. */
static const struct {
    const char *name; /* in lower case */
    enum table_constant constant;
} constant_names[] = {
    {"#smt_on", TABLE_SMT_ON},
    {"smt_on", TABLE_SMT_ON},
    {"hyperthreading_on", TABLE_SMT_ON},
    {"system_tsc_freq", TABLE_TSC_HZ},
    {"#system_tsc_freq", TABLE_TSC_HZ},
    {"tsc", TABLE_TSC_TICKS},
    {"duration_time", TABLE_SECONDS},
    {"durationtimeinseconds", TABLE_SECONDS},
    {"durationtimeinmilliseconds", TABLE_MILLISECONDS},
    {"user_time", TABLE_USER_SECONDS},
    {"system_time", TABLE_SYSTEM_SECONDS},
    {"threads_per_core", TABLE_THREADS_PER_CORE},
    {"threads", TABLE_THREADS_PER_CORE},
    {"socket_count", TABLE_SOCKETS},
    {"#num_packages", TABLE_SOCKETS},
    {"num_packages", TABLE_SOCKETS},
    {"cores_per_socket", TABLE_CORES_PER_SOCKET},
    {"chas_per_socket", TABLE_CHAS_PER_SOCKET},
    {"#num_cpus", TABLE_CPUS},
    {"num_cpus", TABLE_CPUS},
    {"#num_cpus_online", TABLE_CPUS_ONLINE},
    {"num_cpus_online", TABLE_CPUS_ONLINE},
    {"system.sockets[0].cpus.count * system.socket_count", TABLE_CPUS_ONLINE},
    {"system.sockets[0].cpus.count", TABLE_CPUS_PER_SOCKET},
    {"system.socket_count", TABLE_SOCKETS},
    {"#num_cores", TABLE_CORES},
    {"num_cores", TABLE_CORES},
    {"#num_dies", TABLE_DIES},
    {"num_dies", TABLE_DIES},
    {"#slots", TABLE_SLOTS},
    {"slots_per_cycle", TABLE_SLOTS},
    {"#core_wide", TABLE_CORE_WIDE},
    {"core_wide", TABLE_CORE_WIDE},
    {"#has_pmem", TABLE_HAS_PMEM},
};

enum microarchitecture_vendor metric_table_vendor(const struct metric_table *table)
{
    for (size_t at = 0; at < microarchitecture_row_count; at++)
        if (table->key && strcmp(microarchitecture_rows[at].key, table->key) == 0)
            return microarchitecture_rows[at].vendor;
    return MICROARCHITECTURE_UNKNOWN_VENDOR;
}

void metric_table_done(struct metric_table *table)
{
    vec_done(&table->events);
    vec_done(&table->metrics);
    vec_done(&table->terms);
    hashmap_done(&table->event_names);
    hashmap_done(&table->metric_names);
    hashmap_done(&table->term_names);
    arena_done(&table->arena);
    *table = (struct metric_table){0};
}

const char *table_lower(struct metric_table *table, struct view text)
{
    char *lower = arena_string_n(&table->arena, text.text, text.length);
    for (char *at = lower; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return lower;
}

static uint64_t name_hash(struct view name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t at = 0; at < name.length; at++)
        hash = (hash ^ (uint64_t)tolower((unsigned char)name.text[at])) * 0x100000001b3u;
    return hash_u64(hash);
}

static bool names_equal(const char *name, const struct view *sought)
{
    return strncasecmp(name, sought->text, sought->length) == 0 && name[sought->length] == '\0';
}

static bool event_equal(const void *context, uint32_t id, const void *key)
{
    return names_equal(((const struct metric_table *)context)->events.items[id].name, key);
}

static bool metric_equal(const void *context, uint32_t id, const void *key)
{
    return names_equal(((const struct metric_table *)context)->metrics.items[id].name, key);
}

static bool term_equal(const void *context, uint32_t id, const void *key)
{
    return names_equal(((const struct metric_table *)context)->terms.items[id].name, key);
}

uint32_t table_event_find(const struct metric_table *table, struct view name)
{
    return hashmap_find(&table->event_names, name_hash(name), event_equal, table, &name);
}

uint32_t table_metric_find(const struct metric_table *table, struct view name)
{
    uint32_t found = hashmap_find(&table->metric_names, name_hash(name), metric_equal, table, &name);
    for (size_t at = 0; found == TABLE_NONE && at < table->also_count; at++)
        if (names_equal(table->metrics.items[table->also[at]].also, &name))
            found = table->also[at];
    return found;
}

void table_metric_also(struct metric_table *table, struct table_metric *metric, const char *also)
{
    metric->also = also;
    if (also[0] && table->also_count < array_count(table->also))
        table->also[table->also_count++] = (uint32_t)(metric - table->metrics.items);
}

struct table_event *table_event_add(struct metric_table *table, struct view name)
{
    uint32_t found = table_event_find(table, name);
    if (found == TABLE_NONE) {
        found = (uint32_t)table->events.count;
        *vec_push(&table->events) = (struct table_event){.name = table_lower(table, name), .about = "", .fixed = -1};
        hashmap_add(&table->event_names, name_hash(name), found);
    }
    return &table->events.items[found];
}

struct table_metric *table_metric_add(struct metric_table *table, const char *name)
{
    uint32_t found = table_metric_find(table, view_of(name));
    if (found == TABLE_NONE) {
        found = (uint32_t)table->metrics.count;
        *vec_push(&table->metrics) = (struct table_metric){0};
        table->metrics.items[found].name = arena_string(&table->arena, name);
        hashmap_add(&table->metric_names, name_hash(view_of(name)), found);
    }
    struct table_metric *metric = &table->metrics.items[found];
    *metric = (struct table_metric){.name = metric->name,
                                    .about = "",
                                    .also = "",
                                    .groups = "",
                                    .domain = "",
                                    .see_also = "",
                                    .unit = "",
                                    .scale = 1,
                                    .factor = 1,
                                    .parent_name = "",
                                    .parent = TABLE_NONE,
                                    .value.text = "",
                                    .threshold.text = ""};
    return metric;
}

void table_metric_problem(struct metric_table *table, struct table_metric *metric, const struct error *err)
{
    if (!metric->problem)
        metric->problem = arena_string(&table->arena, err->message);
}

/* ---- names ---- */

uint32_t table_term_put(struct metric_table *table, const struct table_term *term)
{
    struct view name = view_of(term->name);
    uint32_t found = hashmap_find(&table->term_names, name_hash(name), term_equal, table, &name);
    if (found != TABLE_NONE)
        return found;
    found = (uint32_t)table->terms.count;
    *vec_push(&table->terms) = *term;
    hashmap_add(&table->term_names, name_hash(name), found);
    return found;
}

static bool constant_find(struct view name, uint32_t *ret_constant)
{
    for (size_t at = 0; at < array_count(constant_names); at++)
        if (names_equal(constant_names[at].name, &name)) {
            *ret_constant = constant_names[at].constant;
            return true;
        }
    return false;
}

/* The metric of this name; formulas of both publishers may put tma_ before it. */
static uint32_t metric_named(const struct metric_table *table, struct view name, bool prefix)
{
    uint32_t found = table_metric_find(table, name);
    if (found == TABLE_NONE && prefix && name.length > 4 && view_starts_caseless(name, "tma_"))
        found = table_metric_find(table, view_skip(name, 4));
    return found;
}

uint32_t table_metric_printed(const struct metric_table *table, const char *name)
{
    const char *dot = strrchr(name, '.');
    return metric_named(table, view_of(dot ? dot + 1 : name), true);
}

/* What a formula's alias stands for; "a[0]" is the first instance of what a stands for. */
static struct view alias_undo(struct metric_table *table, struct view name, const struct table_scope *scope)
{
    const char *bracket = memchr(name.text, '[', name.length);
    struct view alias = {name.text, bracket ? (size_t)(bracket - name.text) : name.length};
    for (size_t at = 0; at < scope->alias_count; at++) {
        const struct table_alias *known = &scope->aliases[at];
        if (!views_equal_caseless(known->alias, alias))
            continue;
        return bracket ? view_of(arena_printf(&table->arena, "%.*s%.*s", (int)known->name.length, known->name.text,
                                              (int)(name.length - alias.length), bracket))
                       : known->name;
    }
    return name;
}

static bool name_resolve(struct metric_table *table, struct view name, const struct table_scope *scope,
                         struct table_reference *reference, struct error *err)
{
    name = alias_undo(table, name, scope);
    double number;
    uint32_t index;
    if (view_double(name, &number) && isfinite(number)) {
        *reference = (struct table_reference){.kind = REFERENCE_NUMBER, .number = number};
        return true;
    }
    if ((index = metric_named(table, name, scope->metric_prefix)) != TABLE_NONE) {
        const struct table_metric *metric = &table->metrics.items[index];
        *reference = (struct table_reference){.kind = REFERENCE_METRIC, .index = index,
                                              .number = scope->shown_values ? metric->scale : 1};
        return true;
    }
    if (constant_find(name, &index)) {
        *reference = (struct table_reference){.kind = REFERENCE_CONSTANT, .index = index};
        return true;
    }
    if (!table_term_resolve(table, name, &index, err))
        return false;
    *reference = (struct table_reference){.kind = REFERENCE_TERM, .index = index};
    return true;
}

bool table_formula_resolve(struct metric_table *table, struct table_formula *formula, const char *text,
                           const struct table_scope *scope, struct error *err)
{
    *formula = (struct table_formula){.text = ""};
    struct expression expression;
    if (!expression_parse(&expression, view_of(text), scope->dialect, &table->arena, err))
        return false;
    struct table_reference *references =
        arena_array(&table->arena, struct table_reference, expression.name_count + !expression.name_count);
    bool good = true;
    for (size_t at = 0; at < expression.name_count; at++) {
        const struct expression_name *name = &expression.names[at];
        struct error missing = {0};
        references[at].kind = REFERENCE_MISSING;
        if (name->use == EXPRESSION_USE_VALUE &&
            !name_resolve(table, view_of(name->name), scope, &references[at], &missing)) {
            if (good && err)
                *err = missing;
            good = false;
        }
        references[at].use = name->use;
        references[at].text = name->name;
    }
    *formula = (struct table_formula){arena_string(&table->arena, text), expression, references};
    return good;
}

/* ---- order ---- */

enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

struct ordering {
    struct metric_table *table;
    unsigned char *state;
    size_t count;
    struct visit {
        uint32_t metric;
        size_t name;
    } *stack;
    size_t depth;
};

/* The next metric that the one on top needs and that isn't done; TABLE_NONE when there is none. */
static uint32_t need_next(struct ordering *ordering, struct visit *visit)
{
    const struct table_formula *value = &ordering->table->metrics.items[visit->metric].value;
    while (visit->name < (value->references ? value->expression.name_count : 0)) {
        const struct table_reference *reference = &value->references[visit->name++];
        if (reference->kind == REFERENCE_METRIC && ordering->state[reference->index] != VISIT_DONE)
            return reference->index;
    }
    return TABLE_NONE;
}

static void metric_visit(struct ordering *ordering, uint32_t first)
{
    ordering->stack[ordering->depth++] = (struct visit){.metric = first};
    ordering->state[first] = VISIT_OPEN;
    while (ordering->depth) {
        struct visit *top = &ordering->stack[ordering->depth - 1];
        uint32_t need = need_next(ordering, top);
        if (need == TABLE_NONE) {
            ordering->state[top->metric] = VISIT_DONE;
            ordering->table->order[ordering->count++] = top->metric;
            ordering->depth--;
        } else if (ordering->state[need] == VISIT_OPEN) {
            struct error err;
            error_set(&err, ERROR_FORMAT, "its formula refers to itself through '%s'",
                      ordering->table->metrics.items[need].name);
            table_metric_problem(ordering->table, &ordering->table->metrics.items[top->metric], &err);
        } else {
            ordering->state[need] = VISIT_OPEN;
            ordering->stack[ordering->depth++] = (struct visit){.metric = need};
        }
    }
}

void table_order(struct metric_table *table)
{
    size_t count = table->metrics.count;
    struct ordering ordering = {.table = table};
    table->order = arena_array(&table->arena, uint32_t, count + 1);
    ordering.state = arena_alloc(&table->arena, count + 1);
    ordering.stack = arena_array(&table->arena, struct visit, count + 1);
    for (uint32_t at = 0; at < count; at++)
        if (ordering.state[at] == VISIT_NEW)
            metric_visit(&ordering, at);
    for (size_t at = 0; at < count; at++) {
        struct table_metric *metric = &table->metrics.items[at];
        if (metric->parent_name[0])
            metric->parent = table_metric_find(table, view_of(metric->parent_name));
    }
}
