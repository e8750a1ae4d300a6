/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule's request from intel/perfmon's published JSON: what events ask of a PMU, which nodes of the top-down tree
 * need which. Conditions on SMT are folded by leaving out the events of the other branch.
 */
#ifndef PLUMB_TESTS_UNIT_METRIC_PUBLISHED_REQUEST_H
#define PLUMB_TESTS_UNIT_METRIC_PUBLISHED_REQUEST_H

#include "base/json/json_reader.h"
#include "base/scope.h"
#include "base/vec.h"
#include "metric/schedule/schedule.h"

#include <ctype.h>
#include <strings.h>

struct published {
    struct arena arena;
    struct json_document *events, *metrics;
    bool shares_core;
    vec(struct schedule_event) asked;
    vec(struct schedule_metric) nodes;
    vec(const char *) parents;
    vec(unsigned) levels;
    struct schedule_pmu pmu;
};

static struct json_document *published_open(const char *folder, const char *key, const char *part, const char *file)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/perfmon/%s/%s/%s", folder, key, part, file);
    FILE *stream = fopen(path, "r");
    if (!stream)
        return NULL;
    char *text = malloc(8 << 20);
    size_t length = fread(text, 1, 8 << 20, stream);
    fclose(stream);
    struct json_document *document = NULL;
    struct error err = {0};
    bool parsed = json_document_parse(&document, (struct view){text, length}, &err);
    free(text);
    cr_assert(parsed, "%s", err.message);
    return document;
}

static uint32_t published_counters(const char *text)
{
    uint32_t counters = 0;
    for (; *text; text++)
        if (isdigit((unsigned char)*text))
            counters |= 1u << (*text - '0');
    return counters;
}

static void published_register(struct schedule_event *event, struct json_value row)
{
    const char *index = json_text_or(json_member(row, "MSRIndex"), "0");
    event->needs = strncasecmp(index, "0x1a6", 5) == 0   ? SCHEDULE_OFFCORE
                   : strcasecmp(index, "0x3f7") == 0 ? SCHEDULE_FRONTEND
                   : strcasecmp(index, "0x3f6") == 0 ? SCHEDULE_LATENCY
                                                     : SCHEDULE_NO_REGISTER;
    const char *value = json_text_or(json_member(row, "MSRValue"), "0");
    view_u64(view_of(value), 0, &event->register_value);
}

/* With SMT off in the firmware, Skylake's counters are eight, and some events keep to fewer. */
static void published_place(const struct published *published, struct schedule_event *event, struct json_value row)
{
    const char *counter = json_text_or(json_member(row, "Counter"), "");
    const char *alone_on_core = json_text_or(json_member(row, "CounterHTOff"), "");
    if (strncasecmp(counter, "fixed", 5) == 0) {
        event->fixed = published_counters(counter);
        event->counters = event->fixed & 3 ? published->pmu.general : 0; /* instructions and cycles have general codes, too */
        return;
    }
    bool eight = !published->shares_core && *alone_on_core && strncasecmp(alone_on_core, "fixed", 5) != 0;
    event->counters = published_counters(eight ? alone_on_core : counter);
    published_register(event, row);
    event->alone = strcmp(json_text_or(json_member(row, "TakenAlone"), "0"), "1") == 0;
}

static struct json_value published_row(const struct published *published, const char *name)
{
    struct json_value rows = json_member(json_root(published->events), "Events");
    size_t length = strcspn(name, ":");
    for (size_t at = 0; at < json_count(rows); at++) {
        const char *here = json_text_or(json_member(json_item(rows, at), "EventName"), "");
        if (strncasecmp(here, name, length) == 0 && !here[length])
            return json_item(rows, at);
    }
    return (struct json_value){0};
}

static const char *const published_fields[] = {"RETIRING", "BAD_SPECULATION", "FRONTEND_BOUND", "BACKEND_BOUND",
                                               "HEAVY_OPERATIONS", "BRANCH_MISPREDICTS", "FETCH_LATENCY", "MEMORY_BOUND"};

static struct schedule_event published_event(struct published *published, const char *name)
{
    struct schedule_event event = {.name = arena_string(&published->arena, name)};
    if (strncmp(name, "PERF_METRICS.", 13) == 0) {
        event.kind = SCHEDULE_TOPDOWN;
        while (event.field < 8 && strcmp(published_fields[event.field], name + 13) != 0)
            event.field++;
        cr_assert_lt(event.field, 8, "%s", name);
        return event;
    }
    event.kind = strncmp(name, "TOPDOWN.SLOTS", 13) == 0 && name[13] != '_' ? SCHEDULE_SLOTS : SCHEDULE_COUNTER;
    struct json_value row = published_row(published, name);
    cr_assert(json_present(row), "no event %s", name);
    if (strstr(name, ":retire_latency")) {
        event.kind = SCHEDULE_OUTSIDE; /* sampled */
        return event;
    }
    published_place(published, &event, row);
    const char *value = strstr(name, "ocr_msr_val=");
    if (value)
        view_u64(view_of(value + 12), 0, &event.register_value);
    event.whole_core = strstr(name, "_ANY") && strncmp(name, "CPU_CLK", 7) == 0;
    return event;
}

static uint32_t published_index(struct published *published, const char *name)
{
    for (uint32_t at = 0; at < published->asked.count; at++)
        if (strcmp(published->asked.items[at].name, name) == 0)
            return at;
    struct schedule_event event = published_event(published, name);
    *vec_push(&published->asked) = event;
    return (uint32_t)published->asked.count - 1;
}

/* Blank the branch of "( A if smt_on else B )" that isn't meant; its own parentheses bound it. */
static void published_fold(char *formula, bool shares_core)
{
    static const char words[] = " if smt_on else ";
    for (char *at = strstr(formula, words); at; at = strstr(formula, words)) {
        char *from = at, *to = at + sizeof(words) - 1;
        for (int depth = 0; shares_core && *to; to++) {
            depth += (*to == '(') - (*to == ')');
            if (depth < 0)
                break;
        }
        for (int depth = 0; !shares_core && from > formula; from--) {
            depth += (from[-1] == ')') - (from[-1] == '(');
            if (depth < 0)
                break;
        }
        memset(from, ' ', (size_t)(to - from));
    }
}

static bool published_uses(const char *formula, const char *alias)
{
    size_t length = strlen(alias);
    for (const char *at = strstr(formula, alias); at; at = strstr(at + 1, alias)) {
        bool starts = at == formula || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (starts && !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    }
    return false;
}

static void published_node(struct published *published, struct json_value row)
{
    struct json_value used = json_member(row, "Events");
    uint32_t *events = arena_array(&published->arena, uint32_t, json_count(used) + 1);
    char *formula = arena_string(&published->arena, json_text_or(json_member(row, "Formula"), ""));
    size_t count = 0;
    published_fold(formula, published->shares_core);
    for (size_t at = 0; at < json_count(used); at++)
        if (published_uses(formula, json_text_or(json_member(json_item(used, at), "Alias"), "")))
            events[count++] = published_index(published, json_text_or(json_member(json_item(used, at), "Name"), ""));
    *vec_push(&published->nodes) = (struct schedule_metric){
        .name = json_text_or(json_member(row, "MetricName"), ""), .events = {events, count}};
    *vec_push(&published->parents) = json_text_or(json_member(row, "ParentCategory"), "");
    *vec_push(&published->levels) = (unsigned)json_number_or(json_member(row, "Level"), 0);
}

static bool published_read(struct published *published, const char *key, const char *stem, unsigned threads)
{
    char events[64], metrics[64];
    const char *folder = test_shared_data();
    *published = (struct published){.shares_core = threads > 1};
    snprintf(events, sizeof(events), "%s_core.json", stem);
    snprintf(metrics, sizeof(metrics), "%s_metrics.json", stem);
    if (!folder || !(published->events = published_open(folder, key, "events", events)))
        return false;
    cr_assert((published->metrics = published_open(folder, key, "metrics", metrics)));
    arena_init(&published->arena);
    cr_assert(schedule_pmu_of_model(key, threads, &published->pmu));
    struct json_value rows = json_member(json_root(published->metrics), "Metrics");
    for (size_t at = 0; at < json_count(rows); at++) {
        const char *category = json_text_or(json_member(json_item(rows, at), "Category"), "");
        struct json_value legacy = json_member(json_item(rows, at), "LegacyName");
        if (strcmp(category, "TMA") == 0 && strncmp(json_text_or(legacy, ""), "metric_TMA_", 11) == 0 &&
            strncmp(json_text_or(legacy, ""), "metric_TMA_Info", 15) != 0 &&
            strncmp(json_text_or(legacy, ""), "metric_TMA_Bottleneck", 21) != 0)
            published_node(published, json_item(rows, at));
    }
    return true;
}

static void published_done(struct published *published)
{
    json_document_free(published->events);
    json_document_free(published->metrics);
    vec_done(&published->asked);
    vec_done(&published->nodes);
    vec_done(&published->parents);
    vec_done(&published->levels);
    arena_done(&published->arena);
}

#endif
