/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tables of other tools say about a hypothesis that our own measurement left open or could not test.
 *
 * A cause can't cost more than the share of the pipeline, the cycles or the time in which the table sees it at work: that
 * is a bound. Where the metric means the cause itself, it is a fact of that share. All evidence is labelled as imported.
 */
#include "finding/imported/imported.h"

#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/topdown_rows.h"

static const char *const metrics_kind = "top-down metrics";
static const char *const origin_words = IMPORTED_WORDS;

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

/* All of them added up; not measured: one wasn't imported. */
static struct measured percent_of(const struct imported *imported, const struct topdown_row *row, const char **ret_file)
{
    double sum = 0;
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++) {
        struct measured one = imported_number(imported, metrics_kind, row->metrics[at], at ? NULL : ret_file);
        if (!one.known)
            return one;
        sum += one.value;
    }
    return measured_as(sum);
}

static bool metric_test(const struct results *results, struct finding *finding)
{
    for (const struct topdown_row *row = topdown_row_of(finding->hypothesis->id, NULL); row; row = topdown_row_of(finding->hypothesis->id, row)) {
        const char *file = NULL;
        struct measured percent = percent_of(results->imported, row, &file);
        if (!percent.known)
            continue;
        double share = share_below_parent(results->imported, percent.value / 100, row->parent);
        if (row->is_part && share < results->effect)
            continue;
        if (row->is_cause)
            finding_decide_fact(finding, interval_exactly(share), results->effect);
        else
            finding_decide_bound(finding, share, results->effect);
        const char *metric = topdown_row_names(row, finding->arena);
        if (share < percent.value / 100)
            metric = arena_printf(finding->arena, "%s (%.4g %%, but no more than %s)", metric, percent.value, row->parent);
        finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
        say_metric(finding, metric, share, file);
        if (finding->verdict == VERDICT_SUPPORTED)
            imported_hot_add(results, finding, share);
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
    {"machine-clears", "machine_clears.count", 100},
    {"4k-aliasing", "ld_blocks_partial.address_alias", 7},
    {"store-forwarding", "ld_blocks.store_forward", 20},
    {"denormals", "assists.fp", 200},
    {"denormals", "fp_assist.any", 200},
};

/* Of its cycles what such events can cost at most, in the table where that is most. */
static double count_most(const struct imported_arm *arm, const char *id, const char **ret_event)
{
    struct measured cycles = imported_arm_count(arm, "cycles");
    double most = 0;
    for (size_t at = 0; at < array_count(by_count); at++) {
        struct measured ratio = measured_ratio(imported_arm_count(arm, by_count[at].event), cycles);
        if (strcmp(by_count[at].id, id) != 0 || !ratio.known)
            continue;
        *ret_event = by_count[at].event;
        most += ratio.value * by_count[at].cycles_most;
    }
    return most;
}

static bool count_test(const struct results *results, struct finding *finding)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(results->imported, arms);
    const char *file = NULL, *event = NULL;
    double most = 0;
    bool counted = false;
    for (size_t at = 0; at < count; at++) {
        const char *named = NULL;
        double own = count_most(&arms[at], finding->hypothesis->id, &named);
        if (!named || (counted && own <= most))
            continue;
        counted = true;
        most = own;
        event = named;
        file = arms[at].table->file;
    }
    if (!counted)
        return false;
    finding_decide_bound(finding, most, results->effect);
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
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
    static const struct imported nothing;
    struct results some = *results;
    if (!is_open || (!results->imported && !results->statements))
        return false;
    some.imported = results->imported ? results->imported : &nothing;
    results = &some;
    struct finding with = *finding;
    with.reason = with.remedy = NULL;
    with.evidence_count = with.advice_count = 0;
    struct told told;
    told_of(&told, results->statements, finding->arena);
    if (!imported_trial_test(results, &told, &with) && !imported_licence_test(results, &told, &with) && !imported_code_test(results, &told, &with) &&
        !exits_test(results, &with) && !reloads_test(results, &with) && !metric_test(results, &with) && !count_test(results, &with) && !imported_narrow_test(results, &told, &with))
        return false;
    *finding = with;
    return true;
}
