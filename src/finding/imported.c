/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tables of other tools say about a hypothesis that our own measurement left open or could not test.
 *
 * A cause can't cost more than the share of the pipeline, the cycles or the time in which the table sees it at work: that
 * is a bound. Where the metric means the cause itself, it is a fact of that share. All evidence is labelled as imported.
 */
#include "finding/imported.h"

#include "base/vec.h"

static const char *const metrics_kind = "top-down metrics";
static const char *const stat_kind = "perf stat";
static const char *const origin_words = "imported, not measured by plumb";

/*
 * The first row whose metrics were all imported is taken: the nearest to the cause stands first. A cause that several
 * metrics make up (false sharing is in three) is bounded by what holds them all. plus: added to it.
 */
static const struct {
    const char *id, *metric;
    const char *plus;   /* counted elsewhere, but the cause's as well: refetching behind a wrong guess */
    const char *parent; /* siblings counted in cycles may exceed the parent's slots: never more than it */
    bool is_cause;      /* the metric is that cause, not a class that holds it */
} by_metric[] = {
    {"branch-mispredicts", "tma_branch_mispredicts", "tma_branch_resteers", NULL, true},
    {"branch-mispredicts", "tma_branch_mispredicts", "tma_fetch_latency", NULL, false},
    {"branch-mispredicts", "tma_bad_speculation", "tma_frontend_bound", NULL, false},
    {"front-end", "tma_frontend_bound", NULL, NULL, false},
    {"memory-bandwidth", "tma_mem_bandwidth", NULL, "tma_dram_bound", true},
    {"memory-bandwidth", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"memory-bandwidth", "tma_backend_bound", NULL, NULL, false},
    {"cache-misses", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"cache-misses", "tma_backend_bound", NULL, NULL, false},
    {"stores", "tma_store_bound", NULL, "tma_memory_bound", true},
    {"stores", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"small-pages", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"contended-lines", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"numa-remote", "tma_memory_bound", NULL, "tma_backend_bound", false},
    {"divider", "tma_divider", NULL, "tma_core_bound", true},
    {"divider", "tma_core_bound", NULL, "tma_backend_bound", false},
    {"latency-chain", "tma_core_bound", NULL, "tma_backend_bound", false},
};

static double share_below_parent(const struct imported *imported, double share, const char *parent)
{
    struct measured above = parent ? imported_number(imported, metrics_kind, parent, NULL) : not_measured("");
    return above.known && above.value / 100 < share ? above.value / 100 : share;
}

/* A compiler that doesn't optimise keeps variables on the stack: its hot lines load them from there, again and again. */
static bool reloads_test(const struct results *results, struct finding *finding)
{
    double share = 0;
    const char *file = NULL, *line = NULL;
    for (size_t at = 0; at < results->imported->count; at++) {
        const struct imported_table *table = &results->imported->tables[at];
        for (size_t row = 0; row < table->count && strcmp(table->kind, "perf annotate") == 0; row++)
            if (strstr(table->rows[row].name, "(%rbp)") && table->rows[row].number / 100 > share) {
                share = table->rows[row].number / 100;
                line = table->rows[row].name;
                file = table->file;
            }
    }
    /* Lines that weren't imported could hold more: this never rules it out. */
    if (strcmp(finding->hypothesis->id, "unoptimised-build") != 0 || share < results->effect)
        return false;
    struct value values[] = {VALUE_TEXT("origin", origin_words), VALUE_TEXT("line", line),
                             VALUE_SHARE("share", interval_exactly(share)), VALUE_TEXT("file", file)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-reload", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-reload", values, array_count(values));
    return true;
}

static void say_metric(struct finding *finding, const char *metric, double share, const char *file)
{
    struct value values[] = {VALUE_TEXT("origin", origin_words), VALUE_TEXT("metric", metric),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_SHARE("share", interval_exactly(share)), VALUE_TEXT("file", file)};
    enum weight weight = finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT;
    finding_evidence_add(finding, weight, ORIGIN_STATEMENT, "imported-metric", values, array_count(values));
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set_add(finding, &finding->headline, "imported-headline", values, array_count(values));
    else
        finding_set_add(finding, &finding->reason,
                        finding->verdict == VERDICT_RULED_OUT ? "imported-bound" : "imported-undecided", values,
                        array_count(values));
}

static bool metric_test(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < array_count(by_metric); at++) {
        const char *file = NULL;
        if (strcmp(by_metric[at].id, finding->hypothesis->id) != 0)
            continue;
        struct measured percent = imported_number(results->imported, metrics_kind, by_metric[at].metric, &file);
        if (!percent.known)
            continue;
        struct measured plus = by_metric[at].plus
                                   ? imported_number(results->imported, metrics_kind, by_metric[at].plus, NULL)
                                   : measured_as(0);
        if (!plus.known)
            continue;
        percent.value += plus.value;
        double share = share_below_parent(results->imported, percent.value / 100, by_metric[at].parent);
        if (by_metric[at].is_cause)
            finding_decide_fact(finding, interval_exactly(share), results->effect);
        else
            finding_decide_bound(finding, share, results->effect);
        const char *metric = by_metric[at].metric;
        if (by_metric[at].plus)
            metric = arena_printf(finding->arena, "%s with %s", metric, by_metric[at].plus);
        if (share < percent.value / 100)
            metric = arena_printf(finding->arena, "%s (%.4g %%, but no more than %s)", metric, percent.value,
                                  by_metric[at].parent);
        say_metric(finding, metric, share, file);
        return true;
    }
    return false;
}

/* Costs as documented by the vendors: what one event can take of the cycles at most. */
static const struct {
    const char *id, *event;
    double cycles_most; /* of one; a clock that is lowered loses at most that share of its cycles */
} by_count[] = {
    {"branch-mispredicts", "branch-misses", 25},
    {"avx512-licence", "core_power.lvl2_turbo_license", 0.25},
    {"avx512-licence", "core_power.lvl1_turbo_license", 0.15},
};

/* What was counted in a small part of the time says little about the rest. */
static const double RUNNING_LEAST = 0.2;

static struct measured counted_long_enough(const struct imported *imported, const char *event, const char **ret_file)
{
    const struct imported_row *row = imported_row_of(imported, stat_kind, event, ret_file);
    return row && row->running_ratio >= RUNNING_LEAST ? measured_as(row->number)
                                                      : not_measured("it was not counted for long enough");
}

static bool count_test(const struct results *results, struct finding *finding)
{
    double most = 0;
    bool counted = false;
    const char *file = NULL, *event = NULL;
    for (size_t at = 0; at < array_count(by_count); at++) {
        if (strcmp(by_count[at].id, finding->hypothesis->id) != 0)
            continue;
        struct measured count = counted_long_enough(results->imported, by_count[at].event, &file);
        struct measured cycles = counted_long_enough(results->imported, "cycles", NULL);
        struct measured ratio = measured_ratio(count, cycles);
        if (!ratio.known)
            continue;
        counted = true;
        event = by_count[at].event;
        most += ratio.value * by_count[at].cycles_most;
    }
    if (!counted)
        return false;
    finding_decide_bound(finding, most, results->effect);
    say_metric(finding, arena_printf(finding->arena, "what %s can cost of the counted cycles", event), most, file);
    return true;
}

static bool exits_test(const struct results *results, struct finding *finding)
{
    struct imported_exits exits = imported_exits_of(results->imported);
    if (strcmp(finding->hypothesis->id, "vm-exits") != 0 || !exits.count.known)
        return false;
    struct measured elapsed = results->run ? results->run->elapsed_s : not_measured("nothing was run");
    struct measured share = measured_ratio(exits.seconds, elapsed);
    struct value values[] = {VALUE_TEXT("origin", origin_words), VALUE_COUNT("exits", exits.count.value),
                             VALUE_TEXT("reason", exits.commonest),
                             VALUE_SHARE("share", interval_exactly(exits.commonest_share)),
                             VALUE_TEXT("file", exits.file),
                             VALUE_SECONDS("seconds", interval_exactly(exits.seconds.known ? exits.seconds.value : 0))};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->remedy = NULL;
    finding->evidence_count = 0;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         exits.seconds.known ? "imported-exit-times" : "imported-exits", values, array_count(values));
    if (share.known) {
        finding->of = OF_ELAPSED;
        finding_decide_bound(finding, share.value, results->effect);
    }
    finding_set_add(finding, &finding->reason,
                    !exits.seconds.known                      ? "undecided"
                    : finding->verdict == VERDICT_RULED_OUT ? "imported-exits-bound"
                                                            : "imported-exits-undecided",
                    values, array_count(values));
    return true;
}

bool imported_test(const struct results *results, struct finding *finding)
{
    bool is_open = finding->verdict == VERDICT_UNDECIDED || finding->verdict == VERDICT_NOT_TESTABLE;
    if (!results->imported || !is_open)
        return false;
    struct finding with = *finding;
    with.reason = with.remedy = NULL;
    if (!exits_test(results, &with) && !reloads_test(results, &with) && !metric_test(results, &with) &&
        !count_test(results, &with))
        return false;
    *finding = with;
    return true;
}
