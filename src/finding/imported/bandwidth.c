/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is memory's bandwidth used up, by how much went there in a second and the most that the machine is said to give?
 *
 * Most of it in use is the usual proof. Little of it on average leaves room for parts of the run that used all: that
 * is a bound, with what a random walk can have of it taken for all. Does not support: one node of several that is full.
 */
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "base/share_names.h"

#include <string.h>

/* From so much on it is used up, and a walk in no order may have all of it from there on. */
static const double FULL_FROM = 0.8, MAY_BE_FULL_FROM = 0.5, LITTLE = 0.4;

/* The least and the most of all tables; false: none has it. */
static bool used_of(const struct imported *imported, struct interval *ret_share, const struct imported_row **ret_row,
                    const char **ret_file)
{
    double low = 1, high = 0;
    *ret_row = imported_row_of(imported, IMPORTED_SYSTEM, SHARE_BANDWIDTH_USED, ret_file);
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++) {
            if (imported->tables[at].kind != IMPORTED_SYSTEM ||
                strcmp(imported->tables[at].rows[row].name, SHARE_BANDWIDTH_USED) != 0)
                continue;
            double share = imported->tables[at].rows[row].number / 100;
            low = share < low ? share : low;
            high = share > high ? share : high;
        }
    *ret_share = interval_of(low, (low + high) / 2, high);
    return *ret_row != NULL;
}

static void say(struct finding *finding, const char *key, struct interval share, const struct imported_row *row,
                const char *file)
{
    struct value values[] = {VALUE_SHARE("share", share), VALUE_TEXT("rate", row->where), VALUE_TEXT("file", file),
                             VALUE_TEXT("title", finding->hypothesis->title), VALUE_TEXT("origin", IMPORTED_WORDS)};
    enum weight weight = finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT;
    finding_evidence_add(finding, weight, ORIGIN_STATEMENT, key, values, array_count(values));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set_add(finding, &finding->headline, "imported-bandwidth-headline", values, array_count(values));
    else
        finding_set_add(finding, &finding->reason, key, values, array_count(values));
}

/* How much it was is known, and nobody says what there is. */
static bool is_rate_alone(const struct results *results, struct finding *finding)
{
    const char *file;
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_OTHER, RATE_BANDWIDTH, &file);
    if (!row || finding->verdict == VERDICT_SUPPORTED || finding->verdict == VERDICT_RULED_OUT)
        return false;
    bool is_bound = finding->verdict == VERDICT_UNDECIDED && finding->recoverable.known;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = is_bound ? finding->recoverable : (struct interval){0};
    say(finding, "imported-rate", interval_exactly(0), row, file);
    return true;
}

/* Behind another table's bound (is_bound) that stays one; else by this alone. */
static bool bandwidth_decide(const struct results *results, struct finding *finding, bool is_bound)
{
    struct interval share;
    const struct imported_row *row;
    const char *file;
    if (!used_of(results->imported, &share, &row, &file))
        return is_rate_alone(results, finding);
    double bound = is_bound ? finding->recoverable.high : 1;
    if (share.low >= FULL_FROM) {
        finding->verdict = VERDICT_SUPPORTED;
        finding->gain_unmeasured = true;
        finding->of = is_bound ? finding->of : OF_CPU_TIME;
        finding->recoverable = is_bound ? interval_of(0, bound / 2, bound) : (struct interval){0};
        finding->is_own_doing = true;
        finding->reason = NULL;
        finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
        say(finding, "imported-bandwidth", share, row, file);
        struct imported_hot hot = imported_hot_of(results->imported);
        if (finding->advice_count == 0)
            imported_bandwidth_advise(results, finding, &hot);
        return true;
    }
    if (share.high <= LITTLE) {
        double most = share.high / MAY_BE_FULL_FROM;
        finding_decide_bound(finding, most < bound ? most : bound, results->effect);
        finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
        say(finding, "imported-bandwidth-little", share, row, file);
        return true;
    }
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = is_bound ? finding->recoverable : (struct interval){0};
    say(finding, "imported-bandwidth-some", share, row, file);
    return true;
}

/*
 * A metric lays a small part of the time at it, and memory gave far less than it can: many lines were on their way
 * then, but not as many as it takes. A large part may still be what few cores can ask for at once.
 */
static bool is_far_from_full(const struct finding *finding, struct interval share)
{
    static const double FAR = 0.15, SMALL = 0.2;
    return finding->verdict == VERDICT_SUPPORTED && finding->gain_unmeasured && finding->recoverable.known &&
           finding->recoverable.high <= SMALL && share.high <= FAR;
}

static void far_from_full(const struct results *results, struct finding *finding, struct interval share,
                          const struct imported_row *row, const char *file)
{
    double metric = finding->recoverable.high;
    finding_decide_bound(finding, metric * share.high / MAY_BE_FULL_FROM, results->effect);
    finding->gain_unmeasured = false;
    finding->advice_count = 0;
    finding->headline = NULL;
    for (size_t at = 0; at < finding->evidence_count; at++)
        finding->evidence[at].weight = WEIGHT_CONTEXT;
    struct value values[] = {VALUE_SHARE("share", share), VALUE_SHARE("metric", interval_exactly(metric)),
                             VALUE_TEXT("rate", row->where), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_AGAINST, ORIGIN_STATEMENT, "imported-bandwidth", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-bandwidth-far", values, array_count(values));
}

struct scaling {
    double each; /* 0..1 of what each thread did when there were half as many; 0: nobody tells */
    const char *words, *file;
};

/* Of a table, else of a trial that a sentence tells. */
static struct scaling scaling_of(const struct results *results)
{
    const char *file = NULL;
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_SCALING, &file);
    if (row)
        return (struct scaling){row->number / 100, row->where, file};
    for (size_t at = 0; results->told && at < results->told->trial_count; at++)
        if (results->told->trials[at].scaled > 0)
            return (struct scaling){results->told->trials[at].scaled, results->told->trials[at].sentence, "in words"};
    return (struct scaling){.file = NULL};
}

/* Twice as many threads did all but twice the work: they share nothing that is used up, whatever a metric says. */
static void leave_to_scaling(const struct results *results, struct finding *finding, const struct scaling *scaling)
{
    struct value values[] = {VALUE_TEXT("evidence", finding->evidence_count ? finding->evidence[0].text : ""),
                             VALUE_TEXT("rates", scaling->words), VALUE_TEXT("file", scaling->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->contradicted = finding->recoverable.known ? finding->recoverable.high : 0;
    if (finding->contradicted > 0)
        finding_decide_bound(finding, finding->contradicted, results->effect);
    finding->verdict = VERDICT_UNDECIDED;
    finding->headline = NULL;
    finding->advice_count = 0;
    for (size_t at = 0; at < finding->evidence_count; at++)
        finding->evidence[at].weight = WEIGHT_CONTEXT;
    finding_evidence_add(finding, WEIGHT_AGAINST, ORIGIN_STATEMENT, "imported-scaled", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-scaling-against", values, array_count(values));
}

void imported_scaling_add(const struct results *results, struct finding *finding)
{
    static const double LITTLE_MORE = 0.55, /* twice as many threads do a tenth more */
        ALL_BUT_TWICE = 0.9;
    struct scaling scaling = scaling_of(results);
    if (!scaling.file || !finding_is(finding, "memory-bandwidth") || finding->verdict != VERDICT_SUPPORTED)
        return;
    if (scaling.each >= ALL_BUT_TWICE)
        leave_to_scaling(results, finding, &scaling);
    if (scaling.each > LITTLE_MORE)
        return;
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-scaling", VALUE_TEXT("rates", scaling.words),
                     VALUE_TEXT("file", scaling.file), VALUE_TEXT("origin", IMPORTED_WORDS));
}

bool imported_bandwidth_test(const struct results *results, struct finding *finding)
{
    return bandwidth_decide(results, finding, false);
}

void imported_bandwidth_beside(const struct results *results, struct finding *finding)
{
    bool is_open = finding->verdict == VERDICT_UNDECIDED;
    if (!finding_is(finding, "memory-bandwidth"))
        return;
    if (is_open) {
        (void)bandwidth_decide(results, finding, finding->recoverable.known);
        return;
    }
    struct interval share;
    const struct imported_row *row;
    const char *file;
    if (!used_of(results->imported, &share, &row, &file))
        return;
    if (is_far_from_full(finding, share))
        far_from_full(results, finding, share, row, file);
    else if (finding->verdict == VERDICT_SUPPORTED)
        finding_evidence(finding, share.low >= FULL_FROM ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         "imported-bandwidth", VALUE_SHARE("share", share), VALUE_TEXT("rate", row->where),
                         VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS));
}
