/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/leaf.h"

#include "analyse/topdown/topdown_reported.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/topdown_rows.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

static bool row_has(const struct topdown_row *row, const struct topdown_node *leaf)
{
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++)
        if (topdown_node_is_named(leaf, row->metrics[at]))
            return true;
    return false;
}

/* "divisions and square roots, chains of dependent arithmetic"; "": no open cause is a part of that class. */
static const char *parts_of(const struct topdown_node *leaf, const struct findings *findings, struct arena *arena)
{
    const char *parts = "";
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        bool is_part = false;
        for (const struct topdown_row *row = topdown_row_of(finding->hypothesis->id, NULL); row;
             row = topdown_row_of(finding->hypothesis->id, row))
            is_part |= row_has(row, leaf);
        if (is_part && finding->verdict == VERDICT_UNDECIDED)
            parts = arena_printf(arena, "%s%s%s", parts, parts[0] ? ", " : "", finding->hypothesis->title);
    }
    return parts;
}

/* As its file spells it. */
static const struct imported_row *row_printed(const struct imported *imported, const struct topdown_node *leaf,
                                              const char **ret_file)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0;
             strcmp(imported->tables[at].kind, "top-down metrics") == 0 && row < imported->tables[at].count; row++)
            if (topdown_node_is_named(leaf, imported->tables[at].rows[row].name)) {
                *ret_file = imported->tables[at].file;
                return &imported->tables[at].rows[row];
            }
    return NULL;
}

/* Another table says quite another number of it: which of them the case is about isn't known. */
static bool tables_differ(const struct imported *imported, const struct imported_row *row)
{
    static const double TIMES_MOST = 1.5;
    bool differ = false;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t other = 0; other < imported->tables[at].count; other++) {
            const struct imported_row *one = &imported->tables[at].rows[other];
            bool same = strcmp(imported->tables[at].kind, "top-down metrics") == 0 && strcmp(one->name, row->name) == 0;
            differ |= same && (one->number > TIMES_MOST * row->number || row->number > TIMES_MOST * one->number);
        }
    return differ;
}

static bool has_parts(const struct topdown_tree *tree, size_t leaf, bool known)
{
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].level && tree->nodes[at].parent == leaf && (!known || tree->nodes[at].value.known))
            return true;
    return false;
}

static struct imported_leaf leaf_told(const struct topdown_tree *tree, const struct results *results,
                                      const struct findings *findings, const struct finding *culprit,
                                      struct arena *arena)
{
    struct imported_leaf told = {0};
    const char *file = NULL;
    const struct topdown_node *leaf = tree->leaf < tree->count ? &tree->nodes[tree->leaf] : NULL;
    const struct imported_row *row = leaf ? row_printed(results->imported, leaf, &file) : NULL;
    if (!row || tables_differ(results->imported, row) ||
        (culprit && (!culprit->recoverable.known || finding_most_returned(culprit) * 2 >= row->number / 100)))
        return told;
    const char *parts = parts_of(leaf, findings, arena);
    struct value values[] = {
        VALUE_TEXT("file", file),         VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_TEXT("metric", row->name),  VALUE_SHARE("share", interval_exactly(row->number / 100)),
        VALUE_TEXT("about", leaf->about), VALUE_TEXT("parts", parts)};
    told.words =
        wording_fill(arena, wording_find("verdict", parts[0] ? "leaf-parts" : "leaf"), values, array_count(values));
    if (strncmp(row->name, "tma_", 4) == 0 && has_parts(tree, tree->leaf, false) && !has_parts(tree, tree->leaf, true))
        told.advice = wording_fill(arena, wording_find("verdict", "next-leaf"), values, array_count(values));
    return told;
}

struct imported_leaf imported_leaf_of(const struct results *results, const struct findings *findings,
                                      const struct finding *culprit, struct arena *arena)
{
    struct topdown_reported reported;
    if (!topdown_reported_find(&reported, results->imported, arena))
        return (struct imported_leaf){0};
    struct imported_leaf told = leaf_told(&reported.tree, results, findings, culprit, arena);
    topdown_reported_done(&reported);
    return told;
}

/* Of a listing without a profile beside it. */
static const char *line_words(const struct imported_hot *hot, struct arena *arena)
{
    static const double MUCH = 0.25;
    if (!hot->line || !hot->line_is_hottest || hot->line_share < MUCH)
        return NULL;
    struct value values[] = {VALUE_TEXT("line", hot->line),
                             VALUE_TEXT("of", hot->listed ? arena_printf(arena, " of %s", hot->listed) : ""),
                             VALUE_SHARE("share", interval_exactly(hot->line_share)),
                             VALUE_TEXT("file", hot->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "hot-line"), values, array_count(values));
}

const char *imported_hot_words(const struct results *results, struct arena *arena)
{
    static const double SAID_FROM = 0.2;
    struct imported_hot hot = results->imported ? imported_hot_of(results->imported) : (struct imported_hot){0};
    if (!hot.function)
        return line_words(&hot, arena);
    if (hot.share < SAID_FROM)
        return NULL;
    struct value values[] = {
        VALUE_TEXT("function", hot.function),
        VALUE_TEXT("file", hot.file),
        VALUE_TEXT("origin", IMPORTED_WORDS),
        VALUE_TEXT("where", hot.where[0] ? arena_printf(arena, " (%s)", hot.where) : ""),
        VALUE_TEXT("line", hot.line ? arena_printf(arena, ", first at '%s'", hot.line) : ""),
        VALUE_TEXT("samples", arena_printf(arena, "%.4g %%", hot.share * 100)),
        VALUE_TEXT("event", hot.event[0] ? arena_printf(arena, "%s samples", hot.event) : "samples")};
    return wording_fill(arena, wording_find("verdict", "hot"), values, array_count(values));
}

const char *imported_hot_beside(const struct results *results, const char *sentence, struct arena *arena)
{
    struct imported_hot hot = results->imported ? imported_hot_of(results->imported) : (struct imported_hot){0};
    return hot.function && !strstr(sentence, hot.function) ? imported_hot_words(results, arena) : NULL;
}

/* What the cycles differ by is next to nothing of what the times do. */
static bool cycles_are_alike(const struct imported_arm *slow, const struct imported_arm *fast, double more,
                             double fewer)
{
    static const double NEXT_TO_NOTHING = 0.1;
    double longer = slow->elapsed_s.value / fast->elapsed_s.value - 1;
    return fewer > 0 && fabs(more / fewer - 1) < NEXT_TO_NOTHING * longer;
}

/* Of the slowest and the fastest run the cycles, where both counted them: " (8386784008 and 8014232049 cycles)". */
static const char *cycles_words(const struct imported *imported, struct arena *arena)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    const struct imported_arm *slow = NULL, *fast = NULL;
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        if (!arms[at].elapsed_s.known)
            continue;
        slow = !slow || arms[at].elapsed_s.value > slow->elapsed_s.value ? &arms[at] : slow;
        fast = !fast || arms[at].elapsed_s.value < fast->elapsed_s.value ? &arms[at] : fast;
    }
    struct measured more = slow ? imported_arm_count(slow, "cycles") : not_measured(""),
                    fewer = fast ? imported_arm_count(fast, "cycles") : not_measured("");
    if (slow == fast || !more.known || !fewer.known)
        return "";
    return arena_printf(arena, " (%.4g s with %.15g cycles, %.4g s with %.15g%s)", slow->elapsed_s.value, more.value,
                        fast->elapsed_s.value, fewer.value,
                        cycles_are_alike(slow, fast, more.value, fewer.value)
                            ? ": as many cycles, so it ran at a lower clock or waited"
                            : "");
}

const char *imported_gap_words(const struct results *results, struct arena *arena)
{
    struct measured gap = results->imported ? imported_gap_of(results->imported) : not_measured("");
    if (!gap.known || gap.value < results->effect)
        return NULL;
    struct value values[] = {VALUE_TEXT("gap", arena_printf(arena, "%.1f %%", gap.value * 100)),
                             VALUE_TEXT("runs", cycles_words(results->imported, arena)),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "gap-open"), values, array_count(values));
}
