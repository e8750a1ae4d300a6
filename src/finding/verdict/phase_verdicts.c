/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/phase_verdicts.h"

#include "finding/counted.h"
#include "finding/hypothesis.h"
#include "finding/topdown_rows.h"

#include <string.h>

static const struct hypothesis *hypothesis_of(const char *id)
{
    for (size_t at = 0; hypothesis_table[at]; at++)
        if (strcmp(hypothesis_table[at]->id, id) == 0)
            return hypothesis_table[at];
    return NULL;
}

/* The cause whose first node it is: a row names that first, and then what else it costs. */
static const struct hypothesis *cause_of(const struct topdown_counted *counted, const struct topdown_node *node)
{
    const struct topdown_row *row;
    for (size_t at = 0; (row = topdown_row_at(at)); at++)
        for (size_t name = 0; row->is_cause && name < TOPDOWN_ROW_METRICS && row->metrics[name]; name++)
            if (topdown_counted_share(counted, row->metrics[name]) == node)
                return hypothesis_of(row->id);
    return NULL;
}

static const char *sentence_of(const struct phase_verdict *verdict, struct arena *arena)
{
    const struct topdown_node *node = verdict->node;
    const char *range = verdict->share.known ? arena_printf(arena, " (%.0f to %.0f %%)", verdict->share.low * 100,
                                                            verdict->share.high * 100)
                                             : "";
    return arena_printf(arena, "%s is %.0f %%%s of its %s%s%s%s", node->name, node->value.value * 100, range,
                        verdict->whole, verdict->cause_title ? ": " : "",
                        verdict->cause_title ? verdict->cause_title : "",
                        verdict->is_flagged ? "" : "; no flag leads further");
}

static struct phase_verdict verdict_of(const struct phase_tree *tree, struct arena *arena)
{
    struct phase_verdict verdict = {.tree = tree, .why_not = tree->why_not};
    if (tree->why_not)
        return verdict;
    verdict.node = counted_node(&tree->counted);
    if (!verdict.node) {
        verdict.why_not = "what was counted in it doesn't add up";
        return verdict;
    }
    verdict.is_flagged = tree->counted.tree.leaf != SIZE_MAX;
    verdict.share = verdict.node->interval;
    verdict.whole = counted_whole(verdict.node);
    const struct hypothesis *cause = cause_of(&tree->counted, verdict.node);
    verdict.cause = cause ? cause->id : NULL;
    verdict.cause_title = cause ? cause->title : NULL;
    verdict.sentence = sentence_of(&verdict, arena);
    return verdict;
}

void phase_verdicts_of(struct phase_verdicts *ret_verdicts, const struct phase_trees *trees, struct arena *arena)
{
    ret_verdicts->count = 0;
    for (; ret_verdicts->count < trees->count; ret_verdicts->count++)
        ret_verdicts->items[ret_verdicts->count] = verdict_of(&trees->items[ret_verdicts->count], arena);
}
