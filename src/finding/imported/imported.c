/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tables of other tools say about a hypothesis that our own measurement left open or could not test.
 *
 * A cause can't cost more than the share of the pipeline, the cycles or the time in which the table sees it at work:
 * that is a bound. Where the metric means the cause itself, it is a fact of that share. All evidence is labelled as
 * imported.
 */
#include "finding/imported/imported.h"

#include "analyse/imported_pair.h"
#include "analyse/told/told_plain.h"
#include "analyse/told/told_quantity.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/imported/global_lock.h"
#include "finding/imported/remote.h"
#include "finding/imported/user_lock.h"
#include "finding/topdown_rows.h"

#include <math.h>

static const char *const origin_words = IMPORTED_WORDS;

/*
 * Of one table where that has them all, else of whichever had each first: their groups are often counted one after the
 * other.
 */
static struct measured metric_in(const struct imported *imported, const struct imported_table *table,
                                 const char *metric, const char **ret_file)
{
    for (size_t at = 0; table && at < table->count; at++)
        if (strcmp(table->rows[at].name, metric) == 0) {
            *ret_file = table->file;
            return measured_as(table->rows[at].number);
        }
    return imported_number(imported, IMPORTED_METRICS, metric, ret_file);
}

static double share_below_parent(const struct imported *imported, const struct imported_table *table, double share,
                                 const char *parent)
{
    const char *ignored;
    struct measured above = parent ? metric_in(imported, table, parent, &ignored) : not_measured("");
    return above.known && above.value / 100 < share ? above.value / 100 : share;
}

void imported_say(struct finding *finding, const char *metric, struct interval share, const char *file)
{
    struct value values[] = {VALUE_TEXT("origin", origin_words), VALUE_TEXT("metric", metric),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_SHARE("share", share), VALUE_TEXT("file", file)};
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

static bool table_has(const struct imported_table *table, const char *metric)
{
    bool has = false;
    for (size_t at = 0; at < table->count && table->kind == IMPORTED_METRICS; at++)
        has |= strcmp(table->rows[at].name, metric) == 0;
    return has;
}

/* Of that table, or the first that has what it is a part of: another run's would take off too much or too little. */
static struct measured sibling_of(const struct imported *imported, const struct imported_table *table,
                                  const struct topdown_row *row)
{
    const char *ignored;
    for (size_t at = 0; at < imported->count && !table; at++)
        table = table_has(&imported->tables[at], row->metrics[0]) ? &imported->tables[at] : NULL;
    bool is_there = row->sibling && table && table_has(table, row->metrics[0]) && table_has(table, row->sibling);
    return is_there ? metric_in(imported, table, row->sibling, &ignored) : not_measured("it wasn't imported");
}

/* All of them added up; not measured: one wasn't imported. */
static struct measured percent_of(const struct imported *imported, const struct imported_table *table,
                                  const struct topdown_row *row, const char **ret_file)
{
    double sum = 0;
    const char *other;
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++) {
        struct measured one = metric_in(imported, table, row->metrics[at], at ? &other : ret_file);
        if (!one.known)
            return one;
        sum += one.value;
    }
    for (size_t at = 0; at < TOPDOWN_ROW_OTHERS && row->others[at]; at++) {
        struct measured one = metric_in(imported, table, row->others[at], &other);
        sum -= one.known ? one.value : 0;
    }
    struct measured sibling = sibling_of(imported, table, row);
    sum -= sibling.known ? sibling.value : 0;
    return measured_as(fmax(sum, 0));
}

struct reported {
    struct interval share; /* the least and the most that a table says */
    double percent;        /* as it stands in the first one */
    const char *file;
    const struct imported_table *least, *most; /* that say so; NULL: only parts of it stand in any one table */
};

/* False: some of it wasn't imported. */
static bool reported_of(const struct imported *imported, const struct topdown_row *row, struct reported *ret)
{
    struct measured percent = percent_of(imported, NULL, row, &ret->file);
    if (!percent.known)
        return false;
    ret->percent = percent.value;
    double low = share_below_parent(imported, NULL, percent.value / 100, row->parent), high = low;
    for (size_t at = 0; at < imported->count; at++) {
        const char *ignored;
        if (!table_has(&imported->tables[at], row->metrics[0]))
            continue;
        double other =
            share_below_parent(imported, &imported->tables[at],
                               percent_of(imported, &imported->tables[at], row, &ignored).value / 100, row->parent);
        ret->least = !ret->least || other < low ? &imported->tables[at] : ret->least;
        ret->most = !ret->most || other > high ? &imported->tables[at] : ret->most;
        low = fmin(low, other);
        high = fmax(high, other);
    }
    ret->share = interval_of(low, (low + high) / 2, high);
    return true;
}

static const char *reported_name(const struct imported *imported, const struct topdown_row *row,
                                 const struct reported *reported, struct arena *arena)
{
    const char *metric = topdown_row_names(row, arena), *missing = topdown_row_missing(row, arena);
    for (size_t at = 0; at < TOPDOWN_ROW_OTHERS && row->others[at]; at++)
        if (imported_number(imported, IMPORTED_METRICS, row->others[at], NULL).known)
            metric = arena_printf(arena, "%s without %s", metric, row->others[at]);
    if (sibling_of(imported, NULL, row).known)
        metric = arena_printf(arena, "%s without %s", metric, row->sibling);
    bool is_there = missing && imported_number(imported, IMPORTED_METRICS, missing, NULL).known;
    if (missing)
        metric = arena_printf(arena, "%s (at least: %s %s)", metric, missing,
                              is_there ? "is of the cycles, and not added to it" : "wasn't imported");
    if (reported->share.low < reported->share.high)
        return arena_printf(arena, "%s (tables differ)", metric);
    return reported->share.mid < reported->percent / 100
               ? arena_printf(arena, "%s (%.4g %%, but no more than %s)", metric, reported->percent, row->parent)
               : metric;
}

/* ---- what can't be of one run ---- */

/*
 * Slots are counted once: a class has no more of them than the one that it is a part of. Below these levels shares are
 * of cycles.
 */
static const struct {
    const char *part, *whole;
} classes[] = {{"tma_memory_bound", "tma_backend_bound"},
               {"tma_core_bound", "tma_backend_bound"},
               {"tma_fetch_latency", "tma_frontend_bound"},
               {"tma_fetch_bandwidth", "tma_frontend_bound"},
               {"tma_branch_mispredicts", "tma_bad_speculation"},
               {"tma_machine_clears", "tma_bad_speculation"},
               {"backend_bound_memory", "backend_bound"},
               {"backend_bound_cpu", "backend_bound"},
               {"frontend_bound_latency", "frontend_bound"},
               {"frontend_bound_bandwidth", "frontend_bound"},
               {"bad_speculation_mispredicts", "bad_speculation"},
               {"bad_speculation_pipeline_restarts", "bad_speculation"}};

/* Of several tables, as before and after a change, the least or the most that one says. */
static struct measured percent_outermost(const struct imported *imported, const char *metric, bool most,
                                         const char **ret_file)
{
    struct measured found = not_measured("it wasn't imported");
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_METRICS;
             row++) {
            double number = imported->tables[at].rows[row].number;
            if (strcmp(imported->tables[at].rows[row].name, metric) != 0 ||
                (found.known && (most ? number <= found.value : number >= found.value)))
                continue;
            found = measured_as(number);
            *ret_file = imported->tables[at].file;
        }
    return found;
}

static bool is_about(const struct finding *finding, const char *metric)
{
    for (const struct topdown_row *row = topdown_row_of(finding->hypothesis->id, NULL); row;
         row = topdown_row_of(finding->hypothesis->id, row)) {
        if (row->parent && strcmp(row->parent, metric) == 0)
            return true;
        for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++)
            if (strcmp(row->metrics[at], metric) == 0)
                return true;
    }
    return false;
}

/* What is decided by classes that contradict one another isn't decided. */
static void impossible_leave_open(const struct results *results, struct finding *finding)
{
    static const double RUNS_DIFFER = 10; /* percent of the slots: each level is often counted in a run of its own */
    for (size_t at = 0; at < array_count(classes); at++) {
        const char *file, *whole_file;
        struct measured part = percent_outermost(results->imported, classes[at].part, false, &file),
                        whole = percent_outermost(results->imported, classes[at].whole, true, &whole_file);
        if (!part.known || !whole.known || part.value <= whole.value + RUNS_DIFFER ||
            !is_about(finding, classes[at].part))
            continue;
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding->headline = NULL;
        finding_set(finding, reason, "imported-impossible", VALUE_TEXT("part", classes[at].part),
                    VALUE_SHARE("share", interval_exactly(part.value / 100)), VALUE_TEXT("whole", classes[at].whole),
                    VALUE_SHARE("most", interval_exactly(whole.value / 100)), VALUE_TEXT("file", file),
                    VALUE_TEXT("origin", origin_words));
        return;
    }
}

/* "the second table of runs.md with it", where several of one file are called alike; NULL: they aren't. */
static const char *table_ordinal(const struct imported *imported, const struct imported_table *table,
                                 const char *metric, struct arena *arena)
{
    static const char *const words[] = {"first", "second", "third", "fourth", "fifth"};
    size_t before = 0, alike = 0;
    for (size_t at = 0; table && at < imported->count; at++) {
        const struct imported_table *other = &imported->tables[at];
        bool has = table_has(other, metric) && strcmp(other->file, table->file) == 0;
        before += has && other < table;
        alike += has && other != table && strcmp(other->heading, table->heading) == 0;
    }
    return alike ? arena_printf(arena, "%s table of %s with it",
                                before < array_count(words) ? arena_printf(arena, "the %s", words[before]) : "a later",
                                table->file)
                 : NULL;
}

/* "'slow one' of runs.md", "runs.md" where no words stand above it. */
static const char *table_place(const struct imported *imported, const struct imported_table *table, const char *metric,
                               struct arena *arena)
{
    const char *ordinal = table_ordinal(imported, table, metric, arena);
    if (ordinal)
        return ordinal;
    static const char column[] = "These numbers are of "; /* as source/import heads the columns of a table */
    const char *name = table ? table->heading : "";
    name += strncmp(name, column, sizeof(column) - 1) == 0 ? sizeof(column) - 1 : 0;
    return name[0] ? arena_printf(arena, "'%s' of %s", name, table->file)
           : table                    ? table->file
                                      : "another";
}

/* Its first metric alone is as much as is asked about: then the next row has that, and nothing of another unit. */
static bool is_told_by_first(const struct results *results, const struct topdown_row *row)
{
    struct measured first = imported_number(results->imported, IMPORTED_METRICS, row->metrics[0], NULL);
    return row->mixes_units && first.known && first.value / 100 >= results->effect;
}

static bool metric_decide(const struct results *results, struct finding *finding)
{
    for (const struct topdown_row *row = topdown_row_of(finding->hypothesis->id, NULL); row;
         row = topdown_row_of(finding->hypothesis->id, row)) {
        struct reported reported = {0};
        if (is_told_by_first(results, row) || !reported_of(results->imported, row, &reported) ||
            (row->is_part && reported.share.high < results->effect))
            continue;
        if (row->is_cause && !row->mixes_units)
            finding_decide_fact(finding, reported.share, results->effect);
        else
            finding_decide_bound(finding, reported.share.high, results->effect);
        finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
        imported_say(finding, reported_name(results->imported, row, &reported, finding->arena), reported.share,
                     reported.file);
        if (row->is_cause && !row->mixes_units && reported.share.low < results->effect &&
            reported.share.high >= results->effect) {
            finding->recoverable = (struct interval){0};
            finding->contradicted = reported.share.high;
            finding_set(
                finding, reason, "imported-runs-differ", VALUE_TEXT("metric", topdown_row_names(row, finding->arena)),
                VALUE_SHARE("least", interval_exactly(reported.share.low)),
                VALUE_SHARE("most", interval_exactly(reported.share.high)),
                VALUE_TEXT("one", table_place(results->imported, reported.least, row->metrics[0], finding->arena)),
                VALUE_TEXT("other", table_place(results->imported, reported.most, row->metrics[0], finding->arena)),
                VALUE_TEXT("origin", origin_words));
        }
        if (finding->verdict == VERDICT_SUPPORTED)
            imported_hot_add(results, finding, reported.share.mid);
        return true;
    }
    return false;
}

/* Counts that support what a metric does go with it; what two runs differ by bounds what may be returned. */
static void count_add(const struct results *results, struct finding *finding)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    if (finding->verdict != VERDICT_SUPPORTED || !imported_count_test(results, &counted) ||
        counted.verdict != VERDICT_SUPPORTED || !counted.evidence_count)
        return;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-also",
                     VALUE_TEXT("evidence", counted.evidence[0].text));
    if (counted.recoverable.high < finding->recoverable.high)
        finding->recoverable = counted.recoverable;
}

bool imported_metric_test(const struct results *results, struct finding *finding)
{
    if (!metric_decide(results, finding))
        return false;
    impossible_leave_open(results, finding);
    count_add(results, finding);
    imported_loop_add(results, finding);
    return true;
}

static const char *trial_words(const struct finding *finding)
{
    for (size_t at = 0; at < finding->evidence_count; at++)
        if (strcmp(finding->evidence[at].key, "told-trial") == 0)
            return finding->evidence[at].text;
    return "a trial";
}

/* What was counted beside a trial goes with it, or says otherwise: then neither decides. */
static void hold_against_counts(const struct results *results, struct finding *finding)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    counted.pointed = 0;
    counted.verdict = VERDICT_UNDECIDED;
    bool decides =
        finding->verdict == VERDICT_SUPPORTED || (finding->verdict == VERDICT_RULED_OUT && finding->by_trial);
    if (!decides ||
        (!imported_metric_test(results, &counted) && !imported_count_test(results, &counted) &&
         !imported_report_test(results, &counted) && !imported_quota_test(results, &counted) &&
         !imported_system_test(results, &counted) && !imported_pair_test(results, &counted)) ||
        !counted.evidence_count)
        return;
    imported_remote_decide(results, &counted);
    if (counted.verdict == finding->verdict) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-also",
                         VALUE_TEXT("evidence", counted.evidence[0].text));
        finding->imported_kinds |= counted.imported_kinds;
        finding->counted_beside =
            finding->verdict == VERDICT_SUPPORTED && counted.recoverable.known ? counted.recoverable.high : 0;
    } else if (counted.verdict == VERDICT_SUPPORTED || counted.verdict == VERDICT_RULED_OUT) {
        finding_set(finding, reason, "imported-against", VALUE_TEXT("sentence", trial_words(finding)),
                    VALUE_TEXT("evidence", counted.evidence[0].text));
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding->imported_kinds = 0;
        finding->headline = NULL;
        finding->advice_count = 0;
    } else {
        /* events of this very cause, and enough for what the trial returned: fewer would have spoken against it */
        bool allows = finding->verdict == VERDICT_SUPPORTED && finding->recoverable.known && counted.pointed > 0 &&
                      counted.pointed >= finding->recoverable.low;
        finding_evidence(finding, allows ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-also",
                         VALUE_TEXT("evidence", counted.evidence[0].text));
        finding->imported_kinds |= allows ? 1u << ORIGIN_COUNTERS : 0;
    }
}

static bool is_of_cores(const struct quantity *quantity)
{
    static const char *const units[] = {"core", "cpu"}; /* "vcpus", too */
    struct view words = {quantity->begin, (size_t)(quantity->end - quantity->begin)};
    for (size_t at = 0; at < array_count(units); at++)
        if (quantity->kind == QUANTITY_TIME && view_find(words, units[at]) >= 0)
            return true;
    return false;
}

/* "6" of them are as many; "3.4" are as exact as that. */
static double error_of(const struct quantity *quantity)
{
    return quantity->value == floor(quantity->value) ? 0 : quantity->half_digit;
}

/* What is told as CPUs in use ("3.4 cores instead of 6") is CPU time. */
static void cores_settle(const struct told *told, struct finding *finding)
{
    struct plain_sentence plain;
    struct quantities all;
    struct quantity first, last;
    const char *sentence = NULL;
    for (size_t at = 0; at < told->trial_count && finding->evidence_count; at++)
        sentence = strstr(finding->evidence[0].text, told->trials[at].sentence) ? told->trials[at].sentence : sentence;
    if (!sentence || finding->of != OF_ELAPSED || !finding->recoverable.known)
        return;
    plain_sentence_of(&plain, view_of(sentence));
    quantities_of(plain.text, &all);
    if (!quantities_pair(&all, QUANTITY_TIME, &first, &last) || (!is_of_cores(&first) && !is_of_cores(&last)))
        return;
    const struct quantity *longer = first.value > last.value ? &first : &last,
                          *shorter = longer == &first ? &last : &first;
    struct interval exact = told_gain_between(shorter->value, error_of(shorter), longer->value, error_of(longer));
    finding->of = OF_CPU_TIME;
    if (exact.low >= finding->recoverable.low && exact.high <= finding->recoverable.high)
        finding->recoverable = exact;
}

/* By what somebody tried; false: nobody did. */
static bool trial_test(const struct results *results, struct finding *finding)
{
    if (!imported_trial_test(results, finding))
        return false;
    cores_settle(results->told, finding);
    hold_against_counts(results, finding);
    return true;
}

/* What says most of a hypothesis comes first. */
static const struct {
    const char *id; /* the only hypothesis that it speaks of; NULL: it looks itself */
    bool (*test)(const struct results *results, struct finding *finding);
} tests[] = {
    {"avx512-licence", imported_licence_test},
    {NULL, trial_test},
    {NULL, imported_code_test},
    {"extra-trips", imported_trips_test},
    {"vm-exits", imported_exits_test},
    {"unoptimised-build", imported_build_test},
    {"host-small-pages", imported_host_pages_test},
    {NULL, imported_metric_test},
    {NULL, imported_count_test},
    {NULL, imported_misses_test},
    {"lock-turns", imported_global_lock_test},
    {"lock-turns", imported_user_lock_test},
    {NULL, imported_report_test},
    {"memory-bandwidth", imported_bandwidth_test},
    {"narrow-vectors", imported_scalar_test},
    {"cache-misses", imported_simulated_test},
    {"frequency", imported_busy_clock_test},
    {"thermal-power", imported_busy_clock_test},
    {"frequency", imported_clock_of_vectors_test},
    {"thermal-power", imported_clock_of_vectors_test},
    {"kernel-locks", imported_lock_waits_test},
    {"cpu-quota", imported_quota_test},
    {"affinity", imported_affinity_test},
    {NULL, imported_system_test},
    {"contended-lines", imported_shared_lines_test},
    {NULL, imported_pair_test},
    {"frequency", imported_governor_test},
    {NULL, imported_loop_test},
    {NULL, imported_listing_test},
    {"avx512-licence", imported_narrow_test},
    {NULL, imported_uncounted_test},
    {NULL, imported_unread_test},
    {NULL, imported_missed_test},
    {NULL, imported_cpus_test},
    {"migrations", imported_moves_test},
};

/* Counts single it out: what the class says of it bounds what that returns, and goes with it. */
static void support_by_counts(const struct results *results, struct finding *finding, const struct finding *counted)
{
    struct finding class = *finding;
    *finding = *counted;
    if (finding->recoverable.known && finding->recoverable.high > class.recoverable.high) {
        finding->recoverable = interval_of(0, class.recoverable.high / 2, class.recoverable.high);
        imported_hot_bound(results, finding);
    }
    if (class.evidence_count)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-also",
                         VALUE_TEXT("evidence", class.evidence[0].text));
}

/* A class of the tree bounds a cause by all that it holds; counts of its own events say more of it. */
static void bound_by_counts(const struct results *results, struct finding *finding)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    counted.reason = NULL;
    bool is_bound =
        finding->verdict == VERDICT_UNDECIDED && finding->recoverable.known && finding->recoverable.low <= 0;
    if (!is_bound || !imported_count_test(results, &counted))
        return;
    if (counted.verdict == VERDICT_RULED_OUT)
        *finding = counted;
    else if (counted.verdict == VERDICT_SUPPORTED && counted.evidence_count)
        support_by_counts(results, finding, &counted);
}

static double share_said(const struct finding *finding)
{
    for (size_t at = 0; at < finding->evidence[0].value_count; at++)
        if (finding->evidence[0].values[at].unit == UNIT_SHARE)
            return finding->evidence[0].values[at].number.high;
    return 0;
}

/* The known functions' sum is the least of a cause: where a table of the system says more of it, that leads. */
static void system_beside(const struct results *results, struct finding *finding)
{
    struct finding of_system = *finding, *lesser = &of_system;
    of_system.evidence_count = of_system.advice_count = of_system.open_count = of_system.imported_kinds = 0;
    of_system.headline = of_system.reason = NULL;
    of_system.is_at_least = false;
    if (!imported_system_test(results, &of_system) || !of_system.evidence_count || !finding->evidence_count)
        return;
    struct finding of_profile = *finding;
    if (of_system.verdict == VERDICT_SUPPORTED && share_said(&of_system) > share_said(finding)) {
        *finding = of_system;
        lesser = &of_profile;
    }
    bool agrees = lesser->verdict == finding->verdict;
    finding_evidence(finding, agrees ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-also",
                     VALUE_TEXT("evidence", lesser->evidence[0].text));
    finding->imported_kinds |= agrees ? lesser->imported_kinds : 0;
}

/* What functions of a profile are seen to have goes with counts of their events; it decides where these only bound. */
static void profile_beside(const struct results *results, struct finding *finding)
{
    struct finding profile = *finding, counted = *finding;
    struct imported_pair pair;
    profile.evidence_count = profile.advice_count = profile.open_count = profile.imported_kinds = 0;
    profile.headline = profile.reason = NULL;
    profile.pointed = 0;
    bool decides = finding->verdict == VERDICT_UNDECIDED && !imported_pair_of(results->imported, &pair);
    if ((!decides && finding->verdict != VERDICT_SUPPORTED) || !imported_report_test(results, &profile) ||
        profile.verdict != VERDICT_SUPPORTED || !counted.evidence_count)
        return;
    if (decides)
        *finding = profile;
    finding_evidence(finding, decides ? WEIGHT_CONTEXT : WEIGHT_FOR, ORIGIN_STATEMENT, "imported-also",
                     VALUE_TEXT("evidence", (decides ? counted : profile).evidence[0].text));
    finding->imported_kinds |= profile.imported_kinds;
}

static bool is_said(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < array_count(tests); at++) {
        bool is_asked = !tests[at].id || strcmp(tests[at].id, finding->hypothesis->id) == 0;
        if (!is_asked || !tests[at].test(results, finding))
            continue;
        if (tests[at].test == imported_metric_test)
            bound_by_counts(results, finding);
        if (tests[at].test != imported_bandwidth_test && tests[at].test != trial_test)
            imported_bandwidth_beside(results, finding);
        if (tests[at].test == imported_count_test)
            profile_beside(results, finding);
        if (tests[at].test == imported_report_test)
            system_beside(results, finding);
        if (tests[at].test == imported_exits_test)
            imported_tick_beside(results, finding);
        return true;
    }
    return false;
}

bool imported_test(const struct results *results, struct finding *finding)
{
    static const struct imported no_tables;
    static const struct told nothing;
    bool is_open = finding->verdict == VERDICT_UNDECIDED || finding->verdict == VERDICT_NOT_TESTABLE;
    if (!is_open || (!results->imported && !results->told))
        return false;
    struct results some = *results;
    some.imported = results->imported ? results->imported : &no_tables;
    some.told = results->told ? results->told : &nothing;
    struct finding with = *finding;
    with.reason = with.remedy = NULL;
    with.evidence_count = with.advice_count = 0;
    if (!is_said(&some, &with))
        return false;
    imported_remote_decide(&some, &with);
    imported_heat_beside(&some, &with);
    imported_governor_beside(&some, &with);
    imported_scaling_add(&some, &with);
    imported_walks_add(&some, &with);
    imported_pages_there_beside(&some, &with);
    imported_pages_advise(&some, &with);
    imported_shared_line_add(&some, &with);
    imported_tried_apply(&some, &with);
    imported_pages_off_beside(&some, &with);
    *finding = with;
    return true;
}
