/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/metric_quality.h"
#include "render/topdown/topdown_page.h"

#include <math.h>

/* Of a value beside the tree: below this its interval is worth no word. */
static const double SPREAD_LEAST = 0.02;
/* Turns aren't equal: so much less than the others' is worth a word. */
static const double TURN_LEAST = 0.5;

enum { NAME_COLUMNS = 34, BAR_COLUMNS = 20, WIDE_POINTS = 20 };

static double half_width(const struct topdown_node *node)
{
    return fmax(node->value.value - node->interval.low, node->interval.high - node->value.value);
}

/* "41.2 % ±0.8": half of the wider side; wide ones from where to where, as far as a share can go. */
static void interval_add(struct page *page, const struct topdown_node *node)
{
    char text[48], range[24];
    const char *sign = page->unicode ? "±" : "+-";
    int columns = page->unicode ? 6 : 5;
    double half = half_width(node) * node->scale;
    if (!node->interval.known) {
        snprintf(text, sizeof(text), " %s %-*s", sign, columns - 1, "?");
    } else if (half < WIDE_POINTS || node->suspect) {
        snprintf(text, sizeof(text), " %s%-*.1f", sign, columns, half < 0.05 ? 0 : half);
    } else {
        snprintf(range, sizeof(range), "%.0f-%.0f", fmax(node->interval.low, 0) * 100,
                 fmin(node->interval.high, 1) * 100);
        snprintf(text, sizeof(text), " %-7s", range);
    }
    page_add(page, PAGE_FAINT, text);
}

/* Beside the tree there is no column for it: what is worth a word is told in brackets. */
static size_t spread_text(const struct topdown_node *node, char *buffer, size_t size)
{
    double share = node->interval.known && node->value.value != 0 ? half_width(node) / fabs(node->value.value) : 0;
    if (node->level || share < SPREAD_LEAST)
        return 0;
    if (share > 1)
        return (size_t)snprintf(buffer, size, "its runs contradict");
    return (size_t)snprintf(buffer, size, "+-%.0f %%", share * 100);
}

static const char *quality_text(const struct topdown_node *node, const struct topdown_page *what, char *buffer,
                                size_t size)
{
    buffer[0] = '\0';
    size_t used = spread_text(node, buffer, size);
    if (node->reported)
        used += (size_t)snprintf(buffer + used, size - used, "as reported");
    double usual = what->turn_ratio > 0 ? TURN_LEAST * what->turn_ratio : 0.9995;
    if (node->running_ratio < usual && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%sscaled (%.1f %% of time)", used ? ", " : "",
                                 node->running_ratio * 100);
    if (node->across && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%sfrom several runs", used ? ", " : "");
    if (node->estimate && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%sestimate", used ? ", " : "");
    if (node->default_latency && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%sdefault latency", used ? ", " : "");
    if (node->suspect && used < size)
        snprintf(buffer + used, size - used, "%ssuspect", used ? ", " : "");
    return buffer;
}

static void bar_add(struct page *page, double share, enum page_meaning meaning)
{
    double clamped = share < 0 ? 0 : share > 1 ? 1 : share;
    size_t full = (size_t)lround(clamped * BAR_COLUMNS);
    struct text bar = {0};
    text_add_repeated(&bar, page->unicode ? "█" : "#", full);
    text_add_repeated(&bar, page->unicode ? "·" : ".", BAR_COLUMNS - full);
    page_add(page, meaning, text_string(&bar));
    text_done(&bar);
}

static void value_text(const struct topdown_node *node, char *buffer, size_t size)
{
    double shown = node->value.value * node->scale;
    if ((node->marks & QUALITY_ABOUT_ZERO) && strcmp(node->unit, "%") == 0)
        snprintf(buffer, size, "  ~0.0 %%");
    else if (strcmp(node->unit, "%") == 0)
        snprintf(buffer, size, "%6.1f %%", shown);
    else
        snprintf(buffer, size, "%.4g%s%s", shown, node->unit[0] ? " " : "", node->unit);
}

static bool is_shown(const struct topdown_tree *tree, const struct topdown_node *node, const struct topdown_page *what)
{
    if (what->level_most && node->level > what->level_most)
        return false;
    if (what->all)
        return true;
    if (!node->value.known && !node->contradicted)
        return false;
    return node->level <= 2 || what->level_most || tree->nodes[node->parent].decision == TOPDOWN_FLAGGED;
}

static void node_write(struct page *page, const struct topdown_tree *tree, size_t index,
                       const struct topdown_page *what)
{
    const struct topdown_node *node = &tree->nodes[index];
    char name[96], value[64], quality[128];
    bool flagged = node->decision == TOPDOWN_FLAGGED;
    snprintf(name, sizeof(name), "%*s%s", (int)(2 * (node->level - 1)), "", node->name);
    page_add(page, flagged ? PAGE_STRONG : PAGE_PLAIN, name);
    page_pad(page, name, NAME_COLUMNS);
    if (!node->value.known) {
        page_printf(page, PAGE_FAINT, "not measured: %s\n", node->value.why_not);
        return;
    }
    value_text(node, value, sizeof(value));
    page_printf(page, flagged ? PAGE_BAD : PAGE_PLAIN, "%s  ", value);
    if (what->is_live)
        interval_add(page, node);
    bar_add(page, node->value.value, flagged ? PAGE_BAD : PAGE_FAINT);
    if (flagged)
        page_add(page, PAGE_BAD, index == tree->leaf ? "  <== flagged, the leaf" : "  <== flagged");
    else if (node->decision == TOPDOWN_UNDECIDED && node->threshold[0])
        page_add(page, PAGE_FAINT, "  undecided");
    else if (what->is_live && node->threshold[0])
        page_add(page, PAGE_FAINT, "  not");
    if (quality_text(node, what, quality, sizeof(quality))[0])
        page_printf(page, PAGE_FAINT, "  [%s]", quality);
    text_add_char(page->out, '\n');
}

static void information_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what)
{
    bool headed = false;
    for (size_t at = 0; at < tree->count; at++) {
        const struct topdown_node *node = &tree->nodes[at];
        char value[64], quality[128];
        if (node->level || (!node->value.known && !what->all))
            continue;
        if (!headed)
            page_heading(page, "Beside it");
        headed = true;
        page_add(page, PAGE_PLAIN, node->name);
        page_pad(page, node->name, 44);
        if (node->value.known) {
            value_text(node, value, sizeof(value));
            const char *begin = value;
            while (*begin == ' ')
                begin++;
            page_printf(page, node->decision == TOPDOWN_FLAGGED ? PAGE_WARNING : PAGE_PLAIN, "%-14s", begin);
            page_add(page, PAGE_FAINT, node->about);
            if (quality_text(node, what, quality, sizeof(quality))[0])
                page_printf(page, PAGE_FAINT, "  [%s]", quality);
            text_add_char(page->out, '\n');
        } else {
            page_printf(page, PAGE_FAINT, "not measured: %s\n", node->value.why_not);
        }
    }
}

/* The path to the leaf, what it means, and what to sample. */
static void leaf_write(struct page *page, const struct topdown_tree *tree)
{
    bool has_tree = false;
    for (size_t at = 0; at < tree->count; at++)
        has_tree |= tree->nodes[at].level > 0;
    if (!has_tree)
        return;
    page_heading(page, "Leaf");
    if (tree->leaf == SIZE_MAX) {
        page_paragraph(page, PAGE_PLAIN, 0, 0, "No node of level 1 is flagged, or none could be decided.");
        return;
    }
    const struct topdown_node *leaf = &tree->nodes[tree->leaf];
    struct text said = {0};
    text_printf(&said, "%s, %.1f %%: %s.", leaf->path, leaf->value.value * 100, leaf->about);
    if (tree->sample[0] && strcmp(tree->sample_of, leaf->name) == 0)
        text_printf(&said, " Sample it with %s.", tree->sample);
    else if (tree->sample[0])
        text_printf(&said, " No event locates it; the nearest is %s's: %s.", tree->sample_of, tree->sample);
    page_paragraph(page, PAGE_PLAIN, 0, 0, text_string(&said));
    text_done(&said);
}

/* How much could not be measured, with one example. */
static void missing_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what)
{
    size_t missing = 0, nodes = 0;
    const struct topdown_node *example = NULL;
    for (size_t at = 0; at < tree->count; at++) {
        nodes += tree->nodes[at].level > 0;
        if (tree->nodes[at].level && !tree->nodes[at].value.known && !missing++)
            example = &tree->nodes[at];
    }
    if (!missing || what->all)
        return;
    struct text said = {0};
    text_printf(&said, "%zu of %zu nodes were not measured (--all lists them); %s: %s.", missing, nodes, example->name,
                example->value.why_not);
    page_paragraph(page, PAGE_FAINT, 0, 0, text_string(&said));
    text_done(&said);
}

/* One phase: its first level, and where its flags lead. */
static void phase_write(struct page *page, const struct topdown_phase_row *phase, size_t number)
{
    page_printf(page, PAGE_STRONG, "Phase %zu", number);
    page_printf(page, PAGE_FAINT, ", %.1f s in all: %s\n", phase->seconds, phase->when);
    if (phase->is_warmup) {
        page_add(page, PAGE_PLAIN, "  warm-up: no part of the answer\n");
        return;
    }
    const struct topdown_tree *tree = &phase->tree;
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].level == 1 && tree->nodes[at].value.known)
            page_printf(page, tree->nodes[at].decision == TOPDOWN_FLAGGED ? PAGE_BAD : PAGE_PLAIN, "  %s %.1f %%",
                        tree->nodes[at].name, tree->nodes[at].value.value * 100);
    if (tree->leaf == SIZE_MAX)
        page_add(page, PAGE_PLAIN, "\n  nothing is flagged, or nothing could be decided\n");
    else
        page_printf(page, PAGE_PLAIN, "\n  bound by %s, %.1f %%\n", tree->nodes[tree->leaf].path,
                    tree->nodes[tree->leaf].value.value * 100);
}

static void phases_write(struct page *page, const struct topdown_page *what)
{
    if (what->phase_count)
        page_heading(page, "Phases");
    for (size_t at = 0; at < what->phase_count; at++)
        phase_write(page, &what->phases[at], at + 1);
}

void topdown_interval_text(struct page *page, const struct topdown_interval_row *row)
{
    if (row->core)
        page_printf(page, PAGE_FAINT, "CPU %-9s", row->core);
    else if (row->pass)
        page_printf(page, PAGE_FAINT, "pass %-8zu", row->pass);
    else
        page_printf(page, PAGE_FAINT, "%9.3f-%.3f s", row->start_s, row->end_s);
    for (size_t value = 0; value < row->count; value++)
        page_printf(page, PAGE_PLAIN, "  %s %.1f %%", row->names[value], row->values[value] * 100);
    page_add(page, PAGE_PLAIN, "\n");
}

void topdown_interval_lines(struct text *out, const struct topdown_interval_row *row, char separator)
{
    for (size_t value = 0; value < row->count; value++)
        text_printf(out, "%.3f%c%.3f%c%s%c%.1f%c%%\n", row->start_s, separator, row->end_s, separator,
                    row->names[value], separator, row->values[value] * 100, separator);
}

static void rows_write(struct page *page, const char *heading, const struct topdown_interval_row *rows, size_t count)
{
    if (count)
        page_heading(page, heading);
    for (size_t at = 0; at < count; at++)
        topdown_interval_text(page, &rows[at]);
}

static void located_write(struct page *page, const struct topdown_page *what)
{
    if (what->located_count)
        page_heading(page, "Where it is");
    for (size_t at = 0; at < what->located_count; at++)
        page_printf(page, PAGE_PLAIN, "%s\n", what->located[at]);
}

static void notes_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what)
{
    if (tree->note_count + what->note_count)
        page_heading(page, "Keep in mind");
    for (size_t at = 0; at < tree->note_count + what->note_count; at++) {
        page_add(page, PAGE_PLAIN, "- ");
        page_paragraph(page, PAGE_PLAIN, 2, 2,
                       at < tree->note_count ? tree->notes[at] : what->notes[at - tree->note_count]);
    }
}

void topdown_nodes_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what)
{
    for (size_t at = 0; at < tree->count; at++)
        if (tree->nodes[at].level && is_shown(tree, &tree->nodes[at], what))
            node_write(page, tree, at, what);
}

void topdown_text_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what)
{
    page_printf(page, PAGE_STRONG, "Top-down of %s", tree->cpu);
    page_printf(page, PAGE_FAINT, ", %s%s; tables %s\n\n", what->is_live ? "counted here: " : "from ", what->origin,
                tree->tables);
    topdown_nodes_write(page, tree, what);
    missing_write(page, tree, what);
    leaf_write(page, tree);
    located_write(page, what);
    phases_write(page, what);
    rows_write(page, "Each pass", what->passes, what->pass_count);
    rows_write(page, "Per core", what->cores, what->core_count);
    information_write(page, tree, what);
    notes_write(page, tree, what);
}
