/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/counted.h"

#include "base/vec.h"
#include "finding/family.h"
#include "finding/topdown_rows.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

/* A row's nodes, added up. */
struct counted_row {
    const struct topdown_row *row;
    struct interval share;  /* of the slots or cycles that were counted */
    bool is_flagged;        /* one of its nodes, with all above it */
    const char *names, *whole;
};

/* ---- what was counted -------------------------------------------------------------------------------------- */

static bool chain_is_flagged(const struct topdown_tree *tree, const struct topdown_node *node)
{
    while (node->decision == TOPDOWN_FLAGGED && node->parent != SIZE_MAX)
        node = &tree->nodes[node->parent];
    return node->decision == TOPDOWN_FLAGGED;
}

const char *counted_whole(const struct topdown_node *node)
{
    return strncmp(node->domain, "Slots", 5) == 0 ? "issue slots" : "cycles";
}

static struct interval share_of_node(const struct topdown_node *node)
{
    return interval_of(fmax(node->interval.low, 0), fmax(node->value.value, 0), fmax(node->interval.high, 0));
}

static struct interval share_below(struct interval share, const struct topdown_node *parent)
{
    struct interval most = parent ? share_of_node(parent) : interval_exactly(1);
    return interval_of(fmin(share.low, most.low), fmin(share.mid, most.mid), fmin(share.high, most.high));
}

static struct interval share_with(struct interval a, struct interval b)
{
    return interval_of(a.low + b.low, a.mid + b.mid, a.high + b.high);
}

static struct interval share_without(struct interval a, struct interval b)
{
    return interval_of(fmax(a.low - b.high, 0), fmax(a.mid - b.mid, 0), fmax(a.high - b.low, 0));
}

/* False: one of its nodes isn't known. */
static bool row_find(struct counted_row *ret, const struct topdown_counted *counted, const struct topdown_row *row,
                     struct arena *arena)
{
    *ret = (struct counted_row){.row = row, .share = interval_exactly(0), .names = ""};
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++) {
        const struct topdown_node *node = topdown_counted_share(counted, row->metrics[at]);
        if (!node)
            return false;
        ret->share = share_with(ret->share, share_of_node(node));
        ret->is_flagged |= chain_is_flagged(&counted->tree, node);
        ret->names = arena_printf(arena, "%s%s%s", ret->names, at ? " with " : "", node->name);
        ret->whole = at ? ret->whole : counted_whole(node);
    }
    for (size_t at = 0; at < TOPDOWN_ROW_OTHERS && row->others[at]; at++) {
        const struct topdown_node *node = topdown_counted_share(counted, row->others[at]);
        ret->share = node ? share_without(ret->share, share_of_node(node)) : ret->share;
        ret->names = node ? arena_printf(arena, "%s without %s", ret->names, node->name) : ret->names;
    }
    const struct topdown_node *sibling = row->sibling ? topdown_counted_share(counted, row->sibling) : NULL;
    ret->share = sibling ? share_without(ret->share, share_of_node(sibling)) : ret->share;
    ret->names = sibling ? arena_printf(arena, "%s without %s", ret->names, sibling->name) : ret->names;
    ret->share = share_below(ret->share, row->parent ? topdown_counted_share(counted, row->parent) : NULL);
    return true;
}

/* ---- what it says ------------------------------------------------------------------------------------------ */

struct place {
    const char *function, *dso, *line;
    double share;
};

/* The phase with most of it; NULL: there is one phase alone, or it was counted in none. */
static const struct phase_whole *phase_of(const struct results *results, const struct topdown_row *row,
                                          struct arena *arena)
{
    const struct phase_whole *most = NULL;
    double amount = 0;
    for (size_t at = 0; results->phase_trees && at < results->phase_trees->count; at++) {
        const struct phase_tree *tree = &results->phase_trees->items[at];
        struct counted_row counted;
        if (!tree->is_known || !row_find(&counted, &tree->counted, row, arena) ||
            counted.share.mid * (double)tree->phase->samples <= amount)
            continue;
        amount = counted.share.mid * (double)tree->phase->samples;
        most = tree->phase;
    }
    return most;
}

static const struct stall_function *function_named(const struct stalls *stalls, const char *name)
{
    for (size_t at = 0; at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].name, name) == 0)
            return &stalls->functions[at];
    return NULL;
}

/* Where its samples are, or those of the phase that it was counted in: a counter says how much, not where. */
static struct place hottest_place(const struct results *results, const struct topdown_row *row, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls && stalls->function_count ? &stalls->functions[0] : NULL;
    const struct phase_whole *phase = hottest ? phase_of(results, row, arena) : NULL;
    const struct stall_function *of_phase =
        phase && phase->function_count ? function_named(stalls, phase->functions[0].name) : NULL;
    hottest = of_phase ? of_phase : hottest;
    if (!hottest || hottest->is_kernel)
        return (struct place){0};
    return (struct place){.function = hottest->name, .dso = hottest->dso, .share = hottest->share.mid,
                          .line = stalls->attributed && hottest->row_count ? hottest->rows[0].text : NULL};
}

static void evidence_add(struct finding *finding, const struct counted_row *counted, enum weight weight)
{
    finding_evidence(finding, weight, ORIGIN_COUNTERS, "node-counted", VALUE_TEXT("node", counted->names),
                     VALUE_SHARE("share", counted->share), VALUE_TEXT("whole", counted->whole));
}

/* Advice that asks for no measured value suits whatever measured it. */
static void advice_add(struct finding *finding)
{
    const char *own = wording_find(finding->hypothesis->id, "advice");
    if (!finding->advice_count && own && !strchr(own, '{'))
        finding_advise(finding, "advice", NO_VALUES);
}

static void headline_set(const struct results *results, struct finding *finding, const struct counted_row *counted)
{
    struct place place = hottest_place(results, counted->row, finding->arena);
    const char *line = place.line ? arena_printf(finding->arena, ", first at '%s'", place.line) : "";
    if (place.function)
        finding_set(finding, headline, "node-headline-hot", VALUE_TEXT("function", place.function),
                    VALUE_TEXT("where", place.dso), VALUE_TEXT("line", line),
                    VALUE_TEXT("title", finding->hypothesis->title), VALUE_TEXT("node", counted->names),
                    VALUE_SHARE("share", counted->share), VALUE_TEXT("whole", counted->whole),
                    VALUE_SHARE("samples", interval_exactly(place.share)));
    else
        finding_set(finding, headline, "node-headline", VALUE_TEXT("title", finding->hypothesis->title),
                    VALUE_TEXT("node", counted->names), VALUE_SHARE("share", counted->share),
                    VALUE_TEXT("whole", counted->whole));
    finding->subject = place.function;
    if (place.function)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "node-where", VALUE_TEXT("function", place.function),
                         VALUE_TEXT("where", place.dso), VALUE_TEXT("line", line),
                         VALUE_SHARE("samples", interval_exactly(place.share)));
}

/* ---- what it decides --------------------------------------------------------------------------------------- */

static void begin_anew(struct finding *finding)
{
    finding->headline = finding->reason = finding->remedy = finding->returner = finding->not_separated = NULL;
    finding->evidence_count = 0;
    finding->is_estimate = finding->gain_unmeasured = false;
    finding->shown = (struct interval){0};
    finding->pointed = 0;
}

static void rule_out(struct finding *finding, const struct counted_row *counted, struct interval share, double effect)
{
    begin_anew(finding);
    finding->advice_count = 0;
    finding_decide_bound(finding, share.high, effect);
    evidence_add(finding, counted, WEIGHT_CONTEXT);
    finding_set(finding, reason, "node-bound", VALUE_TEXT("node", counted->names),
                VALUE_SHARE("bound", interval_exactly(counted->share.high)), VALUE_TEXT("whole", counted->whole));
}

/* Samples and counters agree: the samples' words, which know the instruction, and no more than was counted. */
static void agree(struct finding *finding, const struct counted_row *counted, struct interval share)
{
    struct interval *recoverable = &finding->recoverable;
    if (recoverable->known)
        *recoverable = interval_of(fmin(recoverable->low, share.high), fmin(recoverable->mid, share.high),
                                   fmin(recoverable->high, share.high));
    finding->is_estimate = false;
    if (finding->evidence_count < EVIDENCE_MOST)
        evidence_add(finding, counted, WEIGHT_FOR);
}

static void decide_cause(const struct results *results, struct finding *finding, const struct counted_row *counted,
                         struct interval share)
{
    if (finding->verdict == VERDICT_SUPPORTED) {
        agree(finding, counted, share);
        return;
    }
    begin_anew(finding);
    if (!counted->is_flagged) {
        finding_decide_bound(finding, share.high, results->effect);
        evidence_add(finding, counted, WEIGHT_CONTEXT);
        finding_set(finding, reason, "node-unflagged", VALUE_TEXT("node", counted->names),
                    VALUE_SHARE("share", counted->share), VALUE_TEXT("whole", counted->whole));
        return;
    }
    finding_decide_fact(finding, share, results->effect);
    evidence_add(finding, counted, WEIGHT_FOR);
    if (finding->verdict == VERDICT_SUPPORTED) {
        headline_set(results, finding, counted);
        finding_set(finding, reason, "node-gain", NO_VALUES);
        advice_add(finding);
    } else {
        finding_set(finding, reason, "node-undecided", VALUE_TEXT("node", counted->names),
                    VALUE_SHARE("share", counted->share), VALUE_TEXT("whole", counted->whole));
    }
}

/* The class holds the cause: no more than that, and what was open may be bounded closer by what led to it. */
static bool bound_open(struct finding *finding, const struct counted_row *counted, struct interval share, double effect)
{
    bool is_open = finding->verdict == VERDICT_UNDECIDED || finding->verdict == VERDICT_NOT_TESTABLE;
    bool closer =
        finding->verdict == VERDICT_UNDECIDED && finding->recoverable.known && finding->recoverable.high <= share.high;
    if (!is_open || closer)
        return false;
    begin_anew(finding);
    finding_decide_bound(finding, share.high, effect);
    evidence_add(finding, counted, WEIGHT_CONTEXT);
    finding_set(finding, reason, "node-class", VALUE_TEXT("node", counted->names), VALUE_SHARE("share", counted->share),
                VALUE_TEXT("whole", counted->whole));
    return true;
}

/* Counted where the kernel was left out, shares are of what samples saw, too. */
static struct interval share_of_time(const struct results *results, const struct finding *finding,
                                     const struct counted_row *counted)
{
    struct interval share = counted->share;
    if (results->topdown->user_only && results->sampled.known)
        share = interval_product(share, results->sampled);
    return interval_clamped(share_of_run(results, finding, interval_clamped(share, 0, 1)), 0, 1);
}

bool counted_test(const struct results *results, struct finding *finding)
{
    const char *id = finding->hypothesis->id;
    for (const struct topdown_row *row = topdown_row_of(id, NULL); row && results->topdown;
         row = topdown_row_of(id, row)) {
        struct counted_row counted;
        if (!row_find(&counted, results->topdown, row, finding->arena))
            continue;
        struct interval share = share_of_time(results, finding, &counted);
        if (!share.known)
            return false;
        if (row->is_part && (!counted.is_flagged || share.low < results->effect))
            continue;
        if (share.high < results->effect)
            rule_out(finding, &counted, share, results->effect);
        else if (row->is_cause)
            decide_cause(results, finding, &counted, share);
        else
            return bound_open(finding, &counted, share, results->effect);
        return true;
    }
    return false;
}

const struct topdown_node *counted_node(const struct topdown_counted *counted)
{
    const struct topdown_tree *tree = &counted->tree;
    const struct topdown_node *most = NULL;
    if (tree->leaf != SIZE_MAX)
        return &tree->nodes[tree->leaf];
    for (size_t at = 0; at < tree->count; at++) {
        const struct topdown_node *node = &tree->nodes[at];
        if (node->level == 1 && node->value.known && !node->suspect && (!most || node->value.value > most->value.value))
            most = node;
    }
    return most;
}

const char *counted_words(const struct results *results, struct arena *arena)
{
    const struct topdown_node *most = results->topdown ? counted_node(results->topdown) : NULL;
    if (!most)
        return NULL;
    return arena_printf(arena, "by the counters %s is %.0f %% of its %s: %s", most->name, most->value.value * 100,
                        counted_whole(most), most->about);
}
