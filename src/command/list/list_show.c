/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which entries are wanted, and how they look. */
#include "base/scope.h"
#include "command/list/lister.h"
#include "metric/schedule/schedule_pmu.h"

#include <ctype.h>
#include <fnmatch.h>

static const struct {
    const char *words[4]; /* operands that choose it */
    const char *label;
} kinds[] = {
    [LIST_HARDWARE] = {{"hw", "hardware"}, "Hardware event"},
    [LIST_SOFTWARE] = {{"sw", "software"}, "Software event"},
    [LIST_CACHE] = {{"cache", "hwcache"}, "Hardware cache event"},
    [LIST_PMU] = {{"pmu"}, "Kernel PMU event"},
    [LIST_TABLE] = {{"cpu"}, "CPU event"},
    [LIST_METRIC] = {{"metric", "metrics"}, "Metric"},
    [LIST_METRIC_GROUP] = {{"metricgroup", "metricgroups"}, "Metric group"},
    [LIST_RAW] = {{"raw"}, "Raw event syntax"},
    [LIST_PROBE] = {{"probe", "breakpoint", "uprobe"}, "Breakpoint or probe syntax"},
    [LIST_TRACEPOINT] = {{"tracepoint", "trace"}, "Tracepoint event"},
};
_Static_assert(array_count(kinds) == LIST_KIND_COUNT, "a label for every kind");

static bool is_kind_word(const char *word, enum list_kind kind)
{
    for (size_t at = 0; at < array_count(kinds[kind].words) && kinds[kind].words[at]; at++)
        if (strcmp(word, kinds[kind].words[at]) == 0)
            return true;
    return false;
}

static bool is_any_kind_word(const char *word)
{
    for (size_t kind = 0; kind < LIST_KIND_COUNT; kind++)
        if (is_kind_word(word, (enum list_kind)kind))
            return true;
    return false;
}

/* A glob must match a name; another word may also be part of what is said about it. */
static bool word_matches(const char *pattern, const struct list_entry *entry)
{
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, entry->name, FNM_CASEFOLD) == 0 ||
               (entry->alias && fnmatch(pattern, entry->alias, FNM_CASEFOLD) == 0) ||
               (entry->also && entry->also[0] && fnmatch(pattern, entry->also, FNM_CASEFOLD) == 0);
    const char *const texts[] = {entry->name, entry->alias, entry->about, entry->groups, entry->also};
    for (size_t at = 0; at < array_count(texts); at++)
        if (texts[at] && strcasestr(texts[at], pattern))
            return true;
    return false;
}

/* A kind's word chooses all of it; other words are globs, or parts of names. */
bool list_wants(const struct lister *lister, const struct list_entry *entry)
{
    if (lister->options.metrics != lister->options.events &&
        lister->options.metrics != (lister->kind == LIST_METRIC || lister->kind == LIST_METRIC_GROUP))
        return false;
    for (int at = 0; at < lister->pattern_count; at++) {
        const char *pattern = lister->patterns[at];
        if (is_any_kind_word(pattern) ? is_kind_word(pattern, lister->kind) : word_matches(pattern, entry))
            return true;
    }
    return lister->pattern_count == 0;
}

bool list_wants_kind(const struct lister *lister, enum list_kind kind)
{
    for (int at = 0; at < lister->pattern_count; at++)
        if (is_kind_word(lister->patterns[at], kind))
            return true;
    return false;
}

void list_begin(struct lister *lister)
{
    if (!lister->options.json)
        return;
    json_begin(&lister->json, &lister->out);
    json_array_open(&lister->json, NULL);
}

void list_end(struct lister *lister)
{
    if (lister->options.json)
        json_array_close(&lister->json);
}

/* ---- what is known of the CPU's own events and metrics ---- */

static void mask_name(uint32_t counters, const char *separator, struct text *text)
{
    for (unsigned first = 0, last; first < 32; first = last + 1) {
        last = first;
        if (!(counters >> first & 1))
            continue;
        while (last + 1 < 32 && counters >> (last + 1) & 1)
            last++;
        text_printf(text, last > first ? "%s%u-%u" : "%s%u", separator, first, last);
        separator = ",";
    }
}

/* Skylake's threads share eight counters while the firmware has SMT on. */
static void counters_name(const struct metric_table *table, const struct table_event *event, struct text *text)
{
    struct schedule_pmu shared;
    uint32_t usual = event->counters;
    if (schedule_pmu_of_model(table->key, 2, &shared) && !event->pmu)
        usual &= shared.general;
    if (event->fixed >= 0)
        text_printf(text, "fixed %d", event->fixed);
    mask_name(usual, text->length ? "," : "", text);
    if (usual != event->counters)
        mask_name(event->counters, "; SMT off in the firmware: ", text);
}

static void locate_name(const struct list_entry *entry, struct text *text)
{
    for (size_t at = 0; at < entry->metric->locate_count; at++)
        text_printf(text, "%s%s", at ? ", " : "", entry->table->terms.items[entry->metric->locate[at]].name);
}

static void detail_add(struct lister *lister, const char *key, const char *value)
{
    if (!value || !value[0])
        return;
    if (lister->options.json)
        json_string(&lister->json, key, value);
    else if (lister->options.verbose)
        text_printf(&lister->out, "        %-11s %s\n", key, value);
}

static void event_details(struct lister *lister, const struct metric_table *table, const struct table_event *event)
{
    scoped_text struct text encoding = {0}, counters = {0};
    if (event->code.known)
        table_event_write(event, "cpu", &encoding);
    counters_name(table, event, &counters);
    detail_add(lister, "encoding", event->code.known ? text_string(&encoding) : "not in these tables");
    detail_add(lister, "counters", text_string(&counters));
    char number[32] = "";
    if (event->period)
        snprintf(number, sizeof(number), "%llu", (unsigned long long)event->period);
    detail_add(lister, "period", number);
    detail_add(lister, "precise", event->precise ? "yes" : "");
    detail_add(lister, "errata", event->errata);
}

static void metric_details(struct lister *lister, const struct list_entry *entry)
{
    const struct table_metric *metric = entry->metric;
    scoped_text struct text locate = {0};
    char level[16] = "";
    if (metric->level)
        snprintf(level, sizeof(level), "%u", metric->level);
    locate_name(entry, &locate);
    detail_add(lister, "parent", metric->parent_name);
    detail_add(lister, "level", level);
    detail_add(lister, "domain", metric->domain);
    detail_add(lister, "formula", metric->value.text);
    detail_add(lister, "flagged", metric->threshold.text);
    detail_add(lister, "unit", metric->unit);
    detail_add(lister, "sample", text_string(&locate));
    detail_add(lister, "groups", entry->groups);
    detail_add(lister, "also", entry->also);
    detail_add(lister, "problem", metric->problem);
}

static void details_add(struct lister *lister, const struct list_entry *entry)
{
    if (entry->event)
        event_details(lister, entry->table, entry->event);
    if (entry->metric)
        metric_details(lister, entry);
}

static void show_json(struct lister *lister, const struct list_entry *entry, const char *verdict)
{
    json_object_open(&lister->json, NULL);
    json_string(&lister->json, "name", entry->name);
    if (entry->alias)
        json_string(&lister->json, "alias", entry->alias);
    json_string(&lister->json, "kind", kinds[lister->kind].label);
    if (entry->table)
        json_string(&lister->json, "cpu", entry->table->key);
    if (entry->about && entry->about[0])
        json_string(&lister->json, "description", entry->about);
    details_add(lister, entry);
    if (verdict) {
        json_bool(&lister->json, "countable", strncmp(verdict, "countable", 9) == 0);
        json_string(&lister->json, "verdict", verdict);
    }
    json_object_close(&lister->json);
}

void list_show(struct lister *lister, const struct list_entry *entry)
{
    char both[256];
    if (!list_wants(lister, entry))
        return;
    lister->shown++;
    const char *verdict = list_verdict(lister, entry);
    if (lister->options.json) {
        show_json(lister, entry, verdict);
        return;
    }
    snprintf(both, sizeof(both), entry->alias ? "%s OR %s" : "%s", entry->name, entry->alias);
    text_printf(&lister->out, "  %-50s [%s%s%s]%s%s", both, entry->table ? entry->table->key : "",
                entry->table ? " " : "",
                entry->metric                       ? "metric"
                : lister->kind == LIST_METRIC_GROUP ? "metric group"
                : entry->event                      ? "event"
                                                    : kinds[lister->kind].label,
                verdict ? "  " : "", verdict ? verdict : "");
    if (!verdict && entry->about && entry->about[0])
        text_printf(&lister->out, "  %s", entry->about);
    text_add_char(&lister->out, '\n');
    if (verdict && lister->options.verbose)
        detail_add(lister, "about", entry->about);
    details_add(lister, entry);
}
