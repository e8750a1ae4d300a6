/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/metric_name.h"

#include <ctype.h>

static bool starts(const char *text, const char *prefix)
{
    return view_starts_caseless(view_of(text), prefix);
}

/* The tree, and what published tables call information beside it. */
static const char *prefix_of(const struct metric_table *table, const struct table_metric *metric)
{
    bool is_tma = metric->level || starts(metric->name, "Info_") || starts(metric->name, "Bottleneck_");
    return metric_table_vendor(table) == MICROARCHITECTURE_INTEL && is_tma && !starts(metric->name, "tma_") ? "tma_"
                                                                                                            : "";
}

static void lower_add(struct text *text, const char *name)
{
    for (; *name; name++)
        text_add_char(text, (char)tolower((unsigned char)*name));
}

void metric_perf_name(const struct metric_table *table, const struct table_metric *metric, struct text *text)
{
    text_add(text, prefix_of(table, metric));
    lower_add(text, metric->name);
}

void metric_perf_also(const struct metric_table *table, const struct table_metric *metric, struct text *text)
{
    if (!metric->also || !metric->also[0])
        return;
    text_add(text, starts(metric->also, "tma_") ? "" : prefix_of(table, metric));
    lower_add(text, metric->also);
}

static void group_begin(struct text *text)
{
    if (text->length)
        text_add_char(text, ';');
}

static void level_groups(struct text *text, unsigned level, enum microarchitecture_vendor vendor)
{
    group_begin(text);
    text_printf(text, "TopdownL%u", level);
    if (vendor == MICROARCHITECTURE_INTEL)
        text_printf(text, ";tma_L%u_group", level);
    else if (vendor == MICROARCHITECTURE_AMD)
        text_printf(text, ";PipelineL%u", level);
}

/* Of published tables "$issueBW, $issueSL, ~overlap", of plumb's own "BW SL". */
static void issue_groups(struct text *text, const char *tags)
{
    bool published = strchr(tags, '$') != NULL;
    struct view rest = view_of(tags);
    while (rest.length) {
        struct view word = view_word(&rest);
        if (view_ends(word, ","))
            word.length--;
        if (!word.length || (published && !view_starts(word, "$issue")))
            continue;
        group_begin(text);
        text_printf(text, published ? "tma_%.*s" : "tma_issue%.*s", (int)(word.length - published),
                    word.text + published);
    }
}

void metric_perf_groups(const struct metric_table *table, const struct table_metric *metric, struct text *text)
{
    enum microarchitecture_vendor vendor = metric_table_vendor(table);
    struct text groups = {0};
    if (metric->level)
        level_groups(&groups, metric->level, vendor);
    if (metric->parent_name && metric->parent_name[0]) {
        group_begin(&groups);
        text_add(&groups, vendor == MICROARCHITECTURE_INTEL && !starts(metric->parent_name, "tma_") ? "tma_" : "");
        lower_add(&groups, metric->parent_name);
        text_add(&groups, "_group");
    }
    if (metric->see_also)
        issue_groups(&groups, metric->see_also);
    if (metric->groups[0]) {
        group_begin(&groups);
        text_add(&groups, metric->groups);
    }
    text_add(text, text_string(&groups));
    text_done(&groups);
}

static bool is_in_group(const struct metric_table *table, const struct table_metric *metric, struct view word)
{
    struct text groups = {0};
    metric_perf_groups(table, metric, &groups);
    struct view rest = text_view(&groups);
    bool found = false;
    while (rest.length && !found) {
        struct view group = view_trim(view_cut(&rest, ';'));
        found = views_equal_caseless(group, word);
    }
    text_done(&groups);
    return found;
}

bool metric_is_meant(const struct metric_table *table, const struct table_metric *metric, struct view word)
{
    struct view bare = word;
    if (word.length > 4 && view_starts_caseless(word, "tma_") && prefix_of(table, metric)[0])
        bare = view_skip(word, 4);
    if (view_equal_caseless(word, metric->name) || view_equal_caseless(bare, metric->name))
        return true;
    if (metric->also && metric->also[0] &&
        (view_equal_caseless(word, metric->also) || view_equal_caseless(bare, metric->also)))
        return true;
    return is_in_group(table, metric, word);
}
