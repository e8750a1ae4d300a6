/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_json.h"

#include <ctype.h>
#include <math.h>

/* What is read of an entry; both publishers share most keys. */
enum field {
    FIELD_EVENT_NAME,
    FIELD_EVENT_CODE,
    FIELD_CONFIG_CODE,
    FIELD_UMASK,
    FIELD_UMASK_EXT,
    FIELD_COUNTER,
    FIELD_COUNTER_ALONE,
    FIELD_COUNTER_MASK,
    FIELD_INVERT,
    FIELD_EDGE,
    FIELD_ANY_THREAD,
    FIELD_MSR_INDEX,
    FIELD_MSR_VALUE,
    FIELD_PERIOD,
    FIELD_PRECISE,
    FIELD_PEBS,
    FIELD_ERRATA,
    FIELD_ALONE,
    FIELD_UNIT,
    FIELD_FILTER,
    FIELD_PORT_MASK,
    FIELD_FC_MASK,
    FIELD_BRIEF,
    FIELD_PUBLIC,
    FIELD_STANDARD,
    FIELD_METRIC_NAME,
    FIELD_METRIC_EXPRESSION,
    FIELD_METRIC_THRESHOLD,
    FIELD_SCALE_UNIT,
    FIELD_METRIC_GROUP,
    FIELD_CONSTRAINT,
    FIELD_NO_GROUP,
    FIELD_FORMULA,
    FIELD_BASE_FORMULA,
    FIELD_THRESHOLD,
    FIELD_EVENTS,
    FIELD_CONSTANTS,
    FIELD_LOCATE,
    FIELD_PARENT,
    FIELD_LEVEL,
    FIELD_CATEGORY,
    FIELD_DOMAIN,
    FIELD_UNIT_OF_MEASURE,
    FIELD_LEGACY_NAME,
    FIELD_COUNT
};

static const char *const field_keys[] = {
    [FIELD_EVENT_NAME] = "EventName",
    [FIELD_EVENT_CODE] = "EventCode",
    [FIELD_CONFIG_CODE] = "ConfigCode",
    [FIELD_UMASK] = "UMask",
    [FIELD_UMASK_EXT] = "UMaskExt",
    [FIELD_COUNTER] = "Counter",
    [FIELD_COUNTER_ALONE] = "CounterHTOff",
    [FIELD_COUNTER_MASK] = "CounterMask",
    [FIELD_INVERT] = "Invert",
    [FIELD_EDGE] = "EdgeDetect",
    [FIELD_ANY_THREAD] = "AnyThread",
    [FIELD_MSR_INDEX] = "MSRIndex",
    [FIELD_MSR_VALUE] = "MSRValue",
    [FIELD_PERIOD] = "SampleAfterValue",
    [FIELD_PRECISE] = "Precise",
    [FIELD_PEBS] = "PEBS",
    [FIELD_ERRATA] = "Errata",
    [FIELD_ALONE] = "TakenAlone",
    [FIELD_UNIT] = "Unit",
    [FIELD_FILTER] = "Filter",
    [FIELD_PORT_MASK] = "PortMask",
    [FIELD_FC_MASK] = "FCMask",
    [FIELD_BRIEF] = "BriefDescription",
    [FIELD_PUBLIC] = "PublicDescription",
    [FIELD_STANDARD] = "ArchStdEvent",
    [FIELD_METRIC_NAME] = "MetricName",
    [FIELD_METRIC_EXPRESSION] = "MetricExpr",
    [FIELD_METRIC_THRESHOLD] = "MetricThreshold",
    [FIELD_SCALE_UNIT] = "ScaleUnit",
    [FIELD_METRIC_GROUP] = "MetricGroup",
    [FIELD_CONSTRAINT] = "MetricConstraint",
    [FIELD_NO_GROUP] = "MetricgroupNoGroup",
    [FIELD_FORMULA] = "Formula",
    [FIELD_BASE_FORMULA] = "BaseFormula",
    [FIELD_THRESHOLD] = "Threshold",
    [FIELD_EVENTS] = "Events",
    [FIELD_CONSTANTS] = "Constants",
    [FIELD_LOCATE] = "LocateWith",
    [FIELD_PARENT] = "ParentCategory",
    [FIELD_LEVEL] = "Level",
    [FIELD_CATEGORY] = "Category",
    [FIELD_DOMAIN] = "CountDomain",
    [FIELD_UNIT_OF_MEASURE] = "UnitOfMeasure",
    [FIELD_LEGACY_NAME] = "LegacyName",
};
_Static_assert(array_count(field_keys) == FIELD_COUNT, "a key for every field");

/* An entry's values, with those of the standard entry that it builds on where it says nothing itself. */
struct fields {
    const struct json_tokens *documents[FIELD_COUNT];
    uint32_t tokens[FIELD_COUNT];
};

static enum field field_of(struct view key)
{
    for (size_t at = 0; at < FIELD_COUNT; at++)
        if (key.length && field_keys[at][0] == key.text[0] && view_equal(key, field_keys[at]))
            return (enum field)at;
    return FIELD_COUNT;
}

static void fields_overlay(struct fields *fields, const struct json_tokens *document, uint32_t record)
{
    if (!json_token_is(document, record, JSON_TOKEN_OBJECT))
        return;
    for (uint32_t at = record + 1; at < document->tokens.items[record].next; at = document->tokens.items[at + 1].next) {
        enum field field = field_of(json_token_view(document, at));
        if (field < FIELD_COUNT) {
            fields->documents[field] = document;
            fields->tokens[field] = at + 1;
        }
    }
}

static struct view field_view(const struct fields *fields, enum field field)
{
    return fields->documents[field] ? json_token_view(fields->documents[field], fields->tokens[field]) : VIEW("");
}

static bool field_is_said(const struct fields *fields, enum field field)
{
    struct view view = field_view(fields, field);
    return view.length && !view_equal(view, "null") && !view_equal(view, "0");
}

static const char *field_text(const struct fields *fields, enum field field, struct arena *arena)
{
    return fields->documents[field] ? json_token_text(fields->documents[field], fields->tokens[field], arena) : "";
}

/* The first number of a list such as "0xB7, 0xBB"; 0 when there is none. */
static uint64_t field_number(const struct fields *fields, enum field field)
{
    struct view rest = field_view(fields, field);
    uint64_t number = 0;
    (void)!view_u64(view_trim(view_cut(&rest, ',')), 0, &number);
    return number;
}

/* ---- events ---- */

static const struct {
    const char *unit, *pmu;
} pmus[] = {
    {"CBO", "uncore_cbox"},  {"QPI LL", "uncore_qpi"}, {"SBO", "uncore_sbox"},   {"iMPH-U", "uncore_arb"},
    {"iMC", "uncore_imc"},   {"CHA", "uncore_cha"},    {"UPI", "uncore_upi"},    {"UPI LL", "uncore_upi"},
    {"M2M", "uncore_m2m"},   {"IIO", "uncore_iio"},    {"IRP", "uncore_irp"},    {"PCU", "uncore_pcu"},
    {"M3UPI", "uncore_m3upi"}, {"HBM", "uncore_hbm"},  {"MCHBM", "uncore_hbm"},  {"UBOX", "uncore_ubox"},
    {"B2CMI", "uncore_b2cmi"}, {"DFPMC", "amd_df"},    {"L3PMC", "amd_l3"},      {"UMCPMC", "amd_umc"},
};

static const char *pmu_of(struct metric_table *table, struct view unit)
{
    if (!unit.length || view_equal(unit, "cpu_core") || view_equal(unit, "cpu_atom") || view_equal(unit, "core"))
        return NULL;
    for (size_t at = 0; at < array_count(pmus); at++)
        if (view_equal_caseless(unit, pmus[at].unit))
            return pmus[at].pmu;
    const char *lower = table_lower(table, unit);
    return strncmp(lower, "uncore_", 7) == 0 ? lower : arena_printf(&table->arena, "uncore_%s", lower);
}

/* "0,1,2,3" or "Fixed counter 2". */
static void counters_read(struct view text, struct table_event *event)
{
    const char *fixed = "Fixed counter ";
    uint64_t number;
    if (view_starts(text, fixed)) {
        if (view_u64(view_trim(view_skip(text, strlen(fixed))), 10, &number) && number < 32)
            event->fixed = (int)number;
        return;
    }
    while (text.length)
        if (view_u64(view_trim(view_cut(&text, ',')), 10, &number) && number < 32)
            event->counters |= 1u << number;
}

static void extra_register_read(const struct fields *fields, struct event_code *code)
{
    uint64_t index = field_number(fields, FIELD_MSR_INDEX), value = field_number(fields, FIELD_MSR_VALUE);
    if (index == 0x1a6 || index == 0x1a7)
        code->offcore = value;
    else if (index == 0x3f6)
        code->latency = value;
    else if (index == 0x3f7)
        code->frontend = value;
}

/* Terms that only events outside the cores have. */
static void more_terms_read(struct metric_table *table, const struct fields *fields, struct event_code *code)
{
    static const struct {
        enum field field;
        const char *term;
    } terms[] = {{FIELD_PORT_MASK, "ch_mask"}, {FIELD_FC_MASK, "fc_mask"}};
    for (size_t at = 0; at < array_count(terms); at++)
        if (field_number(fields, terms[at].field))
            code->more =
                arena_printf(&table->arena, "%s%s%s=0x%llx", code->more ? code->more : "", code->more ? "," : "",
                             terms[at].term, (unsigned long long)field_number(fields, terms[at].field));
}

static const char *about_of(const struct fields *fields, struct arena *arena)
{
    const char *brief = field_text(fields, FIELD_BRIEF, arena);
    return brief[0] ? brief : field_text(fields, FIELD_PUBLIC, arena);
}

static void event_add(struct metric_table *table, const struct fields *fields)
{
    struct table_event *event = table_event_add(table, field_view(fields, FIELD_EVENT_NAME)), made = {.fixed = -1};
    struct event_code *code = &made.code;
    made.name = event->name;
    code->event = field_number(fields, field_is_said(fields, FIELD_CONFIG_CODE) ? FIELD_CONFIG_CODE : FIELD_EVENT_CODE);
    code->umask = field_number(fields, FIELD_UMASK) | field_number(fields, FIELD_UMASK_EXT) << 8;
    code->cmask = field_number(fields, FIELD_COUNTER_MASK);
    code->invert = field_number(fields, FIELD_INVERT) != 0;
    code->edge = field_number(fields, FIELD_EDGE) != 0;
    code->any_thread = field_number(fields, FIELD_ANY_THREAD) != 0;
    code->known = field_view(fields, FIELD_EVENT_CODE).length || field_view(fields, FIELD_CONFIG_CODE).length;
    extra_register_read(fields, code);
    more_terms_read(table, fields, code);
    /*
     * With SMT off in the firmware, Skylake's threads have eight counters; otherwise the PMU has but the first four of
     * these.
     */
    counters_read(field_view(fields, field_is_said(fields, FIELD_COUNTER_ALONE) ? FIELD_COUNTER_ALONE : FIELD_COUNTER),
                  &made);
    made.pmu = pmu_of(table, field_view(fields, FIELD_UNIT));
    made.period = field_number(fields, FIELD_PERIOD);
    made.precise = (unsigned)field_number(fields, field_is_said(fields, FIELD_PRECISE) ? FIELD_PRECISE : FIELD_PEBS);
    made.alone = field_number(fields, FIELD_ALONE) != 0;
    made.errata = field_is_said(fields, FIELD_ERRATA) ? field_text(fields, FIELD_ERRATA, &table->arena) : NULL;
    made.about = about_of(fields, &table->arena);
    made.latency_default = event->latency_default;
    *event = made;
}

/* ---- files ---- */

static uint64_t view_hash(struct view view)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t at = 0; at < view.length; at++)
        hash = (hash ^ (uint64_t)tolower((unsigned char)view.text[at])) * 0x100000001b3u;
    return hash_u64(hash);
}

static bool standard_equal(const void *context, uint32_t id, const void *key)
{
    const struct table_json *json = context;
    const struct view *name = key;
    return views_equal_caseless(json->standards.items[id].name, *name);
}

static uint32_t standard_find(const struct table_json *json, struct view name)
{
    return name.length ? hashmap_find(&json->standard_names, view_hash(name), standard_equal, json, &name) : TABLE_NONE;
}

static void standard_add(struct table_json *json, const struct fields *fields, size_t document, uint32_t token)
{
    struct view name = field_view(fields, FIELD_EVENT_NAME);
    if (!name.length)
        name = field_view(fields, FIELD_METRIC_NAME);
    if (!name.length || standard_find(json, name) != TABLE_NONE)
        return;
    hashmap_add(&json->standard_names, view_hash(name), (uint32_t)json->standards.count);
    *vec_push(&json->standards) = (struct table_standard){name, document, token};
}

/* An entry's own fields over those of the standard entry it names; *ret_standard is that one's index + 1, or 0. */
static struct fields record_fields(const struct table_json *json, size_t document, uint32_t token, size_t *ret_standard)
{
    struct fields own = {0}, fields = {0};
    fields_overlay(&own, &json->documents.items[document], token);
    uint32_t standard = standard_find(json, field_view(&own, FIELD_STANDARD));
    *ret_standard = standard == TABLE_NONE ? 0 : standard + 1;
    if (standard != TABLE_NONE)
        fields_overlay(&fields, &json->documents.items[json->standards.items[standard].document],
                       json->standards.items[standard].token);
    fields_overlay(&fields, &json->documents.items[document], token);
    return fields;
}

static void record_add(struct table_json *json, size_t document, uint32_t token, bool standard, bool perfmon)
{
    size_t built_on;
    struct fields fields = record_fields(json, document, token, &built_on);
    if (standard) {
        standard_add(json, &fields, document, token);
        return;
    }
    if (field_view(&fields, FIELD_EVENT_NAME).length)
        event_add(json->table, &fields);
    const char *metric = field_text(&fields, FIELD_METRIC_NAME, &json->table->arena);
    if (!metric[0] || !(perfmon || field_view(&fields, FIELD_METRIC_EXPRESSION).length))
        return;
    struct table_metric *added = table_metric_add(json->table, metric);
    *vec_push(&json->records) = (struct table_record){(uint32_t)(added - json->table->metrics.items), document, token,
                                                      built_on, perfmon};
}

static void records_add(struct table_json *json, size_t document, uint32_t array, bool standard, bool perfmon)
{
    const struct json_tokens *tokens = &json->documents.items[document];
    if (!json_token_is(tokens, array, JSON_TOKEN_ARRAY))
        return;
    json_tokens_each(tokens, array, record)
        record_add(json, document, record, standard, perfmon);
}

/* {"Data": {"EVENT": {"MEAN": cycles}}} */
static void latencies_add(struct table_json *json, const struct json_tokens *tokens, uint32_t data)
{
    if (!json_token_is(tokens, data, JSON_TOKEN_OBJECT))
        return;
    for (uint32_t at = data + 1; at < tokens->tokens.items[data].next; at = tokens->tokens.items[at + 1].next) {
        double mean;
        if (view_double(json_token_view(tokens, json_token_member(tokens, at + 1, "MEAN")), &mean) && mean > 0)
            table_event_add(json->table, json_token_view(tokens, at))->latency_default = mean;
    }
}

bool table_json_add(struct table_json *json, struct view text, bool standard, struct error *err)
{
    struct json_tokens parsed;
    if (!json_tokens_parse(&parsed, text, err))
        return false;
    size_t document = json->documents.count;
    *vec_push(&json->documents) = parsed;
    records_add(json, document, 0, standard, false);
    records_add(json, document, json_token_member(&parsed, 0, "Events"), standard, false);
    records_add(json, document, json_token_member(&parsed, 0, "Metrics"), standard, true);
    latencies_add(json, &parsed, json_token_member(&parsed, 0, "Data"));
    return true;
}

void table_json_done(struct table_json *json)
{
    vec_for_each(&json->documents, document)
        json_tokens_done(document);
    vec_done(&json->documents);
    vec_done(&json->records);
    vec_done(&json->standards);
    hashmap_done(&json->standard_names);
}

/* ---- metrics ---- */

struct aliases {
    vec(struct table_alias) items;
};

/* {"Name": …, "Alias": …} or, in thresholds, {"Value": …, "Alias": …}. */
static void aliases_add(struct aliases *aliases, const struct json_tokens *tokens, uint32_t array, const char *name_key)
{
    if (!tokens || !json_token_is(tokens, array, JSON_TOKEN_ARRAY))
        return;
    json_tokens_each(tokens, array, item) {
        struct view alias = json_token_view(tokens, json_token_member(tokens, item, "Alias"));
        struct view name = json_token_view(tokens, json_token_member(tokens, item, name_key));
        if (alias.length && name.length)
            *vec_push(&aliases->items) = (struct table_alias){alias, name};
    }
}

/* "metric_TMA_....L3_Bound(%)" is the metric L3_Bound. */
static struct view legacy_name(struct view name)
{
    if (view_starts(name, "metric_TMA_"))
        name = view_skip(name, strlen("metric_TMA_"));
    else if (view_starts(name, "metric_"))
        name = view_skip(name, strlen("metric_"));
    while (view_starts(name, "."))
        name = view_skip(name, 1);
    if (view_ends(name, "(%)"))
        name.length -= 3;
    return name;
}

static void formula_set(struct metric_table *table, struct table_metric *metric, struct table_formula *formula,
                        const char *text, const struct table_scope *scope, const char *what)
{
    struct error err = {0};
    if (!text[0] || table_formula_resolve(table, formula, text, scope, &err))
        return;
    error_wrap(&err, "%s", what);
    table_metric_problem(table, metric, &err);
}

/* Formula, over aliases. */
static bool expanded_resolve(struct table_json *json, const struct fields *fields, struct table_metric *metric,
                             struct error *err)
{
    struct aliases aliases = {0};
    aliases_add(&aliases, fields->documents[FIELD_EVENTS], fields->tokens[FIELD_EVENTS], "Name");
    aliases_add(&aliases, fields->documents[FIELD_CONSTANTS], fields->tokens[FIELD_CONSTANTS], "Name");
    struct table_scope scope = {.dialect = EXPRESSION_PERFMON, .metric_prefix = true,
                                .aliases = aliases.items.items, .alias_count = aliases.items.count};
    bool good = table_formula_resolve(json->table, &metric->value,
                                      field_text(fields, FIELD_FORMULA, &json->table->arena), &scope, err);
    metric->factor = 1 / metric->scale; /* Formula gives percent, BaseFormula a fraction */
    /* SYSTEM_TSC_FREQ stands both for the counter's frequency and for its ticks: in one second they are the same */
    metric->by_rate = true;
    vec_done(&aliases.items);
    return good;
}

/* The wanted form; Formula also where BaseFormula names what isn't there (a few of the published ones do). */
static void perfmon_value_set(struct table_json *json, const struct fields *fields, struct table_metric *metric)
{
    const char *readable = field_text(fields, FIELD_BASE_FORMULA, &json->table->arena);
    struct table_scope scope = {.dialect = EXPRESSION_PERFMON, .metric_prefix = true};
    struct error err = {0};
    if (json->form == TABLE_FORM_READABLE && readable[0] &&
        table_formula_resolve(json->table, &metric->value, readable, &scope, &err))
        return;
    if (expanded_resolve(json, fields, metric, &err))
        return;
    error_wrap(&err, "its formula");
    table_metric_problem(json->table, metric, &err);
}

static void perfmon_threshold_set(struct metric_table *table, const struct fields *fields, struct table_metric *metric)
{
    const struct json_tokens *tokens = fields->documents[FIELD_THRESHOLD];
    uint32_t threshold = fields->tokens[FIELD_THRESHOLD];
    struct table_scope scope = {.dialect = EXPRESSION_PERFMON, .shown_values = true, .metric_prefix = true};
    if (!tokens || !json_token_is(tokens, threshold, JSON_TOKEN_OBJECT))
        return;
    struct aliases aliases = {0};
    aliases_add(&aliases, tokens, json_token_member(tokens, threshold, "ThresholdMetrics"), "Value");
    vec_for_each(&aliases.items, alias)
        alias->name = legacy_name(alias->name);
    scope.aliases = aliases.items.items;
    scope.alias_count = aliases.items.count;
    formula_set(table, metric, &metric->threshold,
                json_token_text(tokens, json_token_member(tokens, threshold, "Formula"), &table->arena), &scope,
                "its threshold");
    metric->see_also = json_token_text(tokens, json_token_member(tokens, threshold, "ThresholdIssues"), &table->arena);
    vec_done(&aliases.items);
}

/* "EVENT_A;EVENT_B", with blanks and "#NA" among them. */
static void locate_set(struct metric_table *table, struct table_metric *metric, struct view list)
{
    vec(uint32_t) terms = {0};
    while (list.length) {
        struct view name = view_trim(view_cut(&list, ';'));
        struct error err = {0};
        uint32_t term;
        if (!name.length || view_equal(name, "#NA"))
            continue;
        if (table_term_resolve(table, name, &term, &err)) {
            *vec_push(&terms) = term;
        } else {
            error_wrap(&err, "the event to locate it with");
            table_metric_problem(table, metric, &err);
        }
    }
    metric->locate = arena_copy(&table->arena, terms.items, terms.count * sizeof(*terms.items));
    metric->locate_count = terms.count;
    vec_done(&terms);
}

/* Level and parent from the dots of "metric_TMA_....Name(%)", two a level, and the names of those above. */
static void perfmon_place_set(struct table_json *json, const struct fields *fields, struct table_metric *metric)
{
    struct view legacy = field_view(fields, FIELD_LEGACY_NAME);
    const char *parent = field_text(fields, FIELD_PARENT, &json->table->arena);
    uint64_t level = 0;
    (void)!view_u64(field_view(fields, FIELD_LEVEL), 10, &level);
    bool is_node = view_starts(legacy, "metric_TMA_") && view_ends(legacy, "(%)");
    if (!is_node || strncmp(metric->name, "Info_", 5) == 0 || strncmp(metric->name, "Bottleneck_", 11) == 0)
        return;
    metric->level = (unsigned)level;
    metric->parent_name = parent;
}

/* Where a node of level 2 and more names no parent, its threshold does: "own & parent & grandparent …". */
static void parent_from_threshold(struct metric_table *table, struct table_metric *metric)
{
    const struct table_formula *threshold = &metric->threshold;
    if (metric->level < 2 || metric->parent_name[0] || !threshold->references)
        return;
    for (size_t at = 0; at < threshold->expression.name_count; at++) {
        const struct table_reference *reference = &threshold->references[at];
        if (reference->kind == REFERENCE_METRIC && table->metrics.items[reference->index].level + 1 == metric->level) {
            metric->parent_name = table->metrics.items[reference->index].name;
            return;
        }
    }
}

static void perfmon_finish(struct table_json *json, const struct fields *fields, struct table_metric *metric)
{
    struct metric_table *table = json->table;
    perfmon_value_set(json, fields, metric);
    perfmon_threshold_set(table, fields, metric);
    locate_set(table, metric, field_view(fields, FIELD_LOCATE));
}

/* "100%", "1per_instr", "6.1e-5MiB": a number and the unit behind it. */
static void scale_unit_set(struct metric_table *table, struct table_metric *metric, struct view text)
{
    size_t length = 0;
    double scale;
    while (length < text.length &&
           (isdigit((unsigned char)text.text[length]) || text.text[length] == '.' ||
            ((text.text[length] == 'e' || text.text[length] == '-') && length && length + 1 < text.length &&
             (isdigit((unsigned char)text.text[length + 1]) || text.text[length + 1] == '-'))))
        length++;
    if (!view_double((struct view){text.text, length}, &scale) || !isfinite(scale))
        return;
    metric->scale = scale;
    metric->unit = arena_string_n(&table->arena, text.text + length, text.length - length);
}

/* perf's groups tell the tree: "tma_L2_group" or "TopdownL2" the level, "tma_backend_bound_group" the parent. */
static void linux_place_set(struct metric_table *table, struct table_metric *metric)
{
    struct view rest = view_of(metric->groups);
    while (rest.length) {
        struct view group = view_trim(view_cut(&rest, ';'));
        uint64_t level;
        ptrdiff_t mark = view_find(group, "L");
        struct view digit =
            mark >= 0 && (size_t)mark + 1 < group.length ? (struct view){group.text + mark + 1, 1} : VIEW("");
        bool tells_level = view_starts(group, "TopdownL") || view_starts(group, "TmaL") ||
                           view_starts(group, "PipelineL") || view_starts(group, "tma_L");
        if (tells_level && view_u64(digit, 10, &level)) {
            metric->level = (unsigned)level;
        } else if (view_ends(group, "_group") && group.length > 6) {
            struct view parent = {group.text, group.length - 6};
            uint32_t index = table_metric_find(table, parent);
            if (index != TABLE_NONE && &table->metrics.items[index] != metric)
                metric->parent_name = table->metrics.items[index].name;
        }
    }
}

static void linux_finish(struct table_json *json, const struct fields *fields, struct table_metric *metric)
{
    struct metric_table *table = json->table;
    struct table_scope scope = {.dialect = EXPRESSION_LINUX};
    formula_set(table, metric, &metric->value, field_text(fields, FIELD_METRIC_EXPRESSION, &table->arena), &scope,
                "its formula");
    formula_set(table, metric, &metric->threshold, field_text(fields, FIELD_METRIC_THRESHOLD, &table->arena), &scope,
                "its threshold");
}

static void metric_describe(struct table_json *json, const struct table_record *record, const struct fields *fields)
{
    struct metric_table *table = json->table;
    struct table_metric *metric = &table->metrics.items[record->metric];
    metric->about = about_of(fields, &table->arena);
    metric->groups = field_text(fields, FIELD_METRIC_GROUP, &table->arena);
    metric->domain = field_text(fields, FIELD_DOMAIN, &table->arena);
    metric->never_grouped = field_is_said(fields, FIELD_CONSTRAINT) || field_is_said(fields, FIELD_NO_GROUP);
    if (!record->perfmon) {
        scale_unit_set(table, metric, field_view(fields, FIELD_SCALE_UNIT));
        linux_place_set(table, metric);
        return;
    }
    metric->unit = field_text(fields, FIELD_UNIT_OF_MEASURE, &table->arena);
    if (strcmp(metric->unit, "percent") == 0) {
        metric->unit = "%";
        metric->scale = 100;
    }
    perfmon_place_set(json, fields, metric);
}

void table_json_finish(struct table_json *json)
{
    size_t standard;
    vec_for_each(&json->records, record) {
        struct fields fields = record_fields(json, record->document, record->token, &standard);
        metric_describe(json, record, &fields);
    }
    vec_for_each(&json->records, record) {
        struct fields fields = record_fields(json, record->document, record->token, &standard);
        struct table_metric *metric = &json->table->metrics.items[record->metric];
        (record->perfmon ? perfmon_finish : linux_finish)(json, &fields, metric);
    }
    vec_for_each(&json->table->metrics, metric)
        parent_from_threshold(json->table, metric);
    table_order(json->table);
}
