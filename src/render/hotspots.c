/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/hotspots_internal.h"

#include "analyse/profile/host_profile.h"
#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>

static const struct column columns[] = {
    [COLUMN_CHILDREN] = {"Children", 8, true}, [COLUMN_OVERHEAD] = {"Overhead", 8, true},
    [COLUMN_SAMPLES] = {"Samples", 12, true},  [COLUMN_PERIOD] = {"Period", 12, true},
    [COLUMN_COMM] = {"Command", 7, false},     [COLUMN_PID] = {"    Pid:Command", 15, false},
    [COLUMN_TID] = {"    Tid:Command", 15, false}, [COLUMN_DSO] = {"Shared Object", 13, false},
    [COLUMN_SYMBOL] = {"Symbol", 6, false},    [COLUMN_LINE] = {"Source:Line", 11, false},
    [COLUMN_CPU] = {"CPU", 3, true},
    [COLUMN_DSO_FROM] = {"Source Shared Object", 20, false},
    [COLUMN_DSO_TO] = {"Target Shared Object", 20, false},
    [COLUMN_SYMBOL_FROM] = {"Source Symbol", 13, false},
    [COLUMN_SYMBOL_TO] = {"Target Symbol", 13, false},
    [COLUMN_LINE_FROM] = {"From Source:Line", 16, false},
    [COLUMN_LINE_TO] = {"To Source:Line", 14, false},
    [COLUMN_MISPREDICTED] = {"Branch Mispredicted", 19, false},
    [COLUMN_BRANCH_CYCLES] = {"Basic Block Cycles", 18, false},
    [COLUMN_IN_TRANSACTION] = {"Branch in transaction", 21, false},
    [COLUMN_ABORT] = {"Transaction abort", 17, false},
};
_Static_assert(array_count(columns) == COLUMN_TRAIT, "a heading for every column but the traits'");

bool hotspot_column_is_number(enum hotspot_column column)
{
    return column < COLUMN_COMM;
}

struct column hotspot_column_of(const struct hotspots *hotspots, enum hotspot_column column)
{
    if (column < COLUMN_TRAIT)
        return columns[column];
    const struct trait *trait = &hotspots->traits->items[column - COLUMN_TRAIT];
    return (struct column){trait->heading, strlen(trait->heading), trait->right};
}

static void add_symbol(struct text *cell, char level, const char *symbol, uint64_t addr, bool is_inlined)
{
    const char mark[] = {'[', level, ']', ' '};
    text_append(cell, mark, sizeof(mark));
    text_add(cell, symbol ? symbol : "");
    if (!symbol)
        text_printf(cell, "%#.16" PRIx64, addr);
    else if (is_inlined)
        text_add(cell, " (inlined)");
}

/* A thread nobody named is shown by its number. */
static void add_comm(struct text *cell, const struct hotspot *row, const char *comm)
{
    if (comm[0])
        text_add(cell, comm);
    else
        text_printf(cell, ":%" PRId32, (int32_t)row->tid);
}

/* Where a branch began or led. */
static void add_branch_place(struct text *cell, enum hotspot_column column, const struct hotspots *hotspots,
                             uint32_t id)
{
    if (id == PLACE_NONE) {
        text_add(cell, "N/A");
        return;
    }
    const struct place *place = &hotspots->places->items[id];
    if (column == COLUMN_DSO_FROM || column == COLUMN_DSO_TO)
        text_add(cell, place->dso);
    else if (column == COLUMN_LINE_FROM || column == COLUMN_LINE_TO)
        text_add(cell, place->line ? place->line : "[unknown]");
    else
        add_symbol(cell, place->level, place->symbol, place->addr, place->is_inlined);
}

/* Blanks beside what stands behind `begin`, up to so many columns. */
static void cell_pad(struct text *out, size_t begin, size_t width, bool right)
{
    size_t length = out->length - begin, columns_used = text_columns(text_string(out) + begin);
    if (columns_used >= width)
        return;
    text_add_repeated(out, " ", width - columns_used);
    if (!right)
        return;
    memmove(out->bytes + begin + (width - columns_used), out->bytes + begin, length);
    memset(out->bytes + begin, ' ', width - columns_used);
}

/* One number for each event of the group, side by side. */
void hotspot_number_add(struct text *cell, enum hotspot_column column, const struct hotspot_counts *counts,
                        size_t width)
{
    size_t begin = cell->length;
    if (column == COLUMN_CHILDREN || column == COLUMN_OVERHEAD) {
        text_add_hundredths(cell, 100 * (column == COLUMN_CHILDREN ? counts->children_share : counts->share));
        text_add_char(cell, '%');
    } else {
        text_add_u64(cell, column == COLUMN_SAMPLES ? counts->samples : counts->period);
    }
    cell_pad(cell, begin, width, true);
}

/* How wide one number of a column is: of a group each event has one. */
static size_t number_width(const struct hotspots_layout *layout, enum hotspot_column column)
{
    for (size_t at = 0; at < layout->column_count; at++)
        if (layout->columns[at] == column && layout->widths[at])
            return layout->widths[at];
    return columns[column].width_least;
}

static void add_numbers(struct text *cell, enum hotspot_column column, const struct hotspots *hotspots,
                        const struct hotspot *row, const char *before, const struct hotspots_layout *layout)
{
    size_t width = hotspots->other_count && !before[0] ? number_width(layout, column) : 0;
    for (uint32_t member = 0; member <= hotspots->other_count; member++) {
        struct hotspot_counts counts = hotspot_counts_of(hotspots, row, member);
        text_add(cell, before);
        hotspot_number_add(cell, column, &counts, member ? width : 0);
    }
}

/* Nobody asked for that work but whoever measured. */
static bool is_of_profiler(const struct hotspot *row)
{
    const struct host_symbol *known = row->level == 'k' ? host_symbol_find(row->symbol) : NULL;
    return known && known->part == HOST_PROFILER;
}

void hotspot_cell_add(struct text *cell, enum hotspot_column column, const struct hotspots *hotspots,
                      const struct hotspot *row, const struct hotspots_layout *layout)
{
    static const char *const outcomes[] = {
        [BRANCH_OUTCOME_UNKNOWN] = "N/A", [BRANCH_PREDICTED] = "N", [BRANCH_MISPREDICTED] = "Y"};
    if (column >= COLUMN_TRAIT) {
        sample_traits_show(hotspots->traits, row->traits, column - COLUMN_TRAIT, row->samples, cell);
        return;
    }
    switch (column) {
    case COLUMN_CHILDREN:
    case COLUMN_OVERHEAD:
    case COLUMN_SAMPLES:
    case COLUMN_PERIOD:
        add_numbers(cell, column, hotspots, row, "", layout);
        break;
    case COLUMN_COMM:
        add_comm(cell, row, row->comm);
        break;
    case COLUMN_PID:
    case COLUMN_TID:
        text_printf(cell, "%7" PRId32 ":", (int32_t)(column == COLUMN_PID ? row->pid : row->tid));
        add_comm(cell, row, row->owner);
        break;
    case COLUMN_DSO:
        text_add(cell, row->dso ? row->dso : "[unknown]");
        break;
    case COLUMN_SYMBOL:
        add_symbol(cell, row->level, row->symbol, row->addr, row->is_inlined);
        if (layout->mark_profiler && is_of_profiler(row))
            text_add(cell, " (profiler's own)");
        break;
    case COLUMN_LINE:
        text_add(cell, row->line ? row->line : "[unknown]");
        break;
    case COLUMN_CPU:
        if (row->cpu == UINT32_MAX)
            text_add(cell, "?");
        else
            text_printf(cell, "%03" PRIu32, row->cpu);
        break;
    case COLUMN_DSO_FROM:
    case COLUMN_SYMBOL_FROM:
    case COLUMN_LINE_FROM:
        add_branch_place(cell, column, hotspots, row->from);
        break;
    case COLUMN_DSO_TO:
    case COLUMN_SYMBOL_TO:
    case COLUMN_LINE_TO:
        add_branch_place(cell, column, hotspots, row->place);
        break;
    case COLUMN_MISPREDICTED:
        text_add(cell, outcomes[row->branch_outcome]);
        break;
    case COLUMN_BRANCH_CYCLES:
        if (row->branch_cycles)
            text_add_u64(cell, row->branch_cycles);
        else
            text_add_char(cell, '-');
        break;
    case COLUMN_IN_TRANSACTION:
        text_add_char(cell, row->branch_marks & BRANCH_IN_TRANSACTION ? 'T' : '.');
        break;
    case COLUMN_ABORT:
        text_add_char(cell, row->branch_marks & BRANCH_ABORTS ? 'A' : '.');
        break;
    case COLUMN_TRAIT:
    case COLUMN_COUNT:
        break;
    }
}

/* What doesn't fit into a width that was asked for is cut off; numbers aren't. */
static void cell_fit(struct text *out, size_t begin, const struct table *table, size_t at)
{
    if (!table->layout->widths[at] || hotspot_column_is_number(table->layout->columns[at]))
        return;
    size_t end = begin;
    for (size_t places = 0; places < table->widths[at] && end < out->length; places++)
        end += utf8_length(out->bytes + end, out->length - end);
    text_truncate(out, end);
}

static void table_measure(struct table *table)
{
    const struct hotspots_layout *layout = table->layout;
    scoped_text struct text cell = {0};
    for (size_t at = 0; at < layout->column_count; at++) {
        struct column column = hotspot_column_of(table->hotspots, layout->columns[at]);
        table->widths[at] = layout->widths[at] ? layout->widths[at] : column.width_least;
        if (hotspot_column_is_number(layout->columns[at]))
            table->widths[at] *= table->hotspots->other_count + 1; /* numbers have room enough */
        if (layout->widths[at] || hotspot_column_is_number(layout->columns[at]))
            continue;
        for (size_t row = 0; row < table->hotspots->count; row++) {
            text_clear(&cell);
            hotspot_cell_add(&cell, layout->columns[at], table->hotspots, &table->hotspots->items[row], layout);
            size_t width = text_columns(text_string(&cell));
            if (width > table->widths[at])
                table->widths[at] = width;
        }
    }
}

/* Beside the shares of what was called, a row's own is called Self. */
static const char *heading_of(const struct table *table, size_t at)
{
    const struct hotspots_layout *layout = table->layout;
    bool beside = at > 0 && layout->columns[at] == COLUMN_OVERHEAD && layout->columns[at - 1] == COLUMN_CHILDREN;
    return beside ? "Self" : hotspot_column_of(table->hotspots, layout->columns[at]).heading;
}

static void add_heading(struct text *out, const struct table *table)
{
    const struct hotspots_layout *layout = table->layout;
    const char *gap = layout->separator ? layout->separator : "  ";
    text_add(out, "# ");
    for (size_t at = 0; at < layout->column_count; at++) {
        text_add(out, at ? gap : "");
        size_t begin = out->length;
        text_add(out, heading_of(table, at));
        if (layout->widths[at] && out->length - begin > table->widths[at])
            text_truncate(out, begin + table->widths[at]);
        cell_pad(out, begin, table->widths[at], hotspot_column_of(table->hotspots, layout->columns[at]).right);
    }
    text_add(out, layout->verbose ? "  95 % of the share\n" : "\n");
    if (layout->separator)
        return;
    text_add(out, "# ");
    for (size_t at = 0; at < layout->column_count; at++) {
        text_add(out, at ? gap : "");
        text_add_repeated(out, ".", table->widths[at]);
    }
    text_add(out, layout->verbose ? "  .................\n#\n" : "\n#\n");
}

/* As in perf, commas become points. */
void hotspot_cell_separate(struct text *out, size_t begin, const char *separator)
{
    for (size_t byte = begin; separator[0] && byte < out->length; byte++)
        if (out->bytes[byte] == separator[0])
            out->bytes[byte] = '.';
}

static void add_row_separated(struct text *out, const struct table *table, const struct hotspot *row)
{
    const struct hotspots_layout *layout = table->layout;
    for (size_t at = 0; at < layout->column_count; at++) {
        text_add(out, at ? layout->separator : "");
        size_t begin = out->length;
        if (hotspot_column_is_number(layout->columns[at]))
            add_numbers(out, layout->columns[at], table->hotspots, row, " ", layout);
        else
            hotspot_cell_add(out, layout->columns[at], table->hotspots, row, layout);
        hotspot_cell_separate(out, begin, layout->separator);
        cell_fit(out, begin, table, at);
        cell_pad(out, begin, table->widths[at], false);
    }
}

static void add_row(struct text *out, const struct table *table, const struct hotspot *row)
{
    const struct hotspots_layout *layout = table->layout;
    if (layout->separator) {
        add_row_separated(out, table, row);
    } else {
        for (size_t at = 0; at < layout->column_count; at++) {
            bool last = at + 1 == layout->column_count && !layout->verbose;
            text_add(out, "  ");
            size_t begin = out->length;
            hotspot_cell_add(out, layout->columns[at], table->hotspots, row, layout);
            cell_fit(out, begin, table, at);
            /* the name at the end of a line needs no blanks behind it, a number does need those before it */
            bool padded = !last || layout->columns[at] != COLUMN_SYMBOL;
            cell_pad(out, begin, padded ? table->widths[at] : 0,
                     hotspot_column_of(table->hotspots, layout->columns[at]).right);
        }
    }
    if (layout->verbose && row->share_interval.known)
        text_printf(out, "%s[%.2f .. %.2f %%]", layout->separator ? layout->separator : "  ",
                    100 * row->share_interval.low, 100 * row->share_interval.high);
    text_add_char(out, '\n');
}

/* ---- call trees ---- */

struct drawing {
    struct text *out;
    const struct hotspots *hotspots;
    const struct hotspots_layout *layout;
    const struct call_tree *tree;
    struct text margin; /* what stands left of a branch: bars and blanks */
};

static void add_name(struct drawing *drawing, uint32_t node)
{
    const struct place *place = &drawing->hotspots->places->items[drawing->tree->items[node].place];
    text_add(drawing->out, place->symbol ? place->symbol : "");
    if (!place->symbol)
        text_printf(drawing->out, "%#" PRIx64, place->runtime_addr);
    else if (place->is_inlined)
        text_add(drawing->out, " (inlined)");
    if (!drawing->layout->tree_lines || !place->symbol || !place->line)
        return;
    size_t length = strlen(place->symbol); /* "function+16" is said instead of a line that nobody knows */
    bool repeats = strncmp(place->line, place->symbol, length) == 0 && place->line[length] == '+';
    text_add_char(drawing->out, ' ');
    text_add(drawing->out, place->line + (repeats ? length : 0));
}

/* Of everything, or (fractal) of what the caller passes on; the caller's own samples count at the trunk only. */
static double share_of(const struct drawing *drawing, uint64_t value, uint64_t passed_on)
{
    uint64_t whole =
        drawing->layout->tree_style == TREE_FRACTAL ? passed_on : drawing->hotspots->total_period;
    return whole ? 100.0 * (double)value / (double)whole : 0;
}

static void add_value(struct drawing *drawing, uint64_t period, uint64_t samples, uint64_t passed_on)
{
    switch (drawing->layout->tree_value) {
    case TREE_PERCENT:
        text_add_hundredths(drawing->out, share_of(drawing, period, passed_on));
        text_add_char(drawing->out, '%');
        break;
    case TREE_PERIOD:
        text_add_u64(drawing->out, period);
        break;
    case TREE_SAMPLES:
        text_add_u64(drawing->out, samples);
        break;
    }
}

/* The only child when every sample of the node goes on into it: then both stand in one stretch of the chain. */
static uint32_t node_continuation(const struct call_tree *tree, uint32_t node)
{
    const struct call_node *items = tree->items;
    uint32_t child = items[node].first_child;
    if (child == CALL_NODE_NONE || items[child].next_sibling != CALL_NODE_NONE ||
        items[child].total != items[node].total || items[child].samples_total != items[node].samples_total)
        return CALL_NODE_NONE;
    return child;
}

static void draw_children(struct drawing *drawing, uint32_t node, uint64_t passed_on);

static void draw_branch(struct drawing *drawing, uint32_t node, uint64_t passed_on, bool last)
{
    const struct call_node *items = drawing->tree->items;
    struct text *out = drawing->out;
    size_t margin_before = drawing->margin.length;
    text_add(out, text_string(&drawing->margin));
    text_add(out, "|          \n");
    text_add(out, text_string(&drawing->margin));
    text_add(out, last ? " --" : "|--");
    add_value(drawing, items[node].total, items[node].samples_total, passed_on);
    text_add(out, "--");
    text_add(&drawing->margin, last ? "           " : "|          ");
    for (uint32_t at = node; at != CALL_NODE_NONE; at = node_continuation(drawing->tree, at)) {
        if (at != node)
            text_add(out, text_string(&drawing->margin));
        add_name(drawing, at);
        text_add_char(out, '\n');
        node = at;
    }
    draw_children(drawing, node, items[node].total - items[node].self);
    drawing->margin.length = margin_before;
    drawing->margin.bytes[margin_before] = '\0';
}

static void draw_children(struct drawing *drawing, uint32_t node, uint64_t passed_on)
{
    const struct call_node *items = drawing->tree->items;
    uint64_t shown = 0;
    for (uint32_t at = items[node].first_child; at != CALL_NODE_NONE; at = items[at].next_sibling)
        shown += items[at].total;
    /* Shares of the caller add up to all of it, so what was left out has a line as well. */
    bool rest = drawing->layout->tree_style == TREE_FRACTAL && shown && shown < passed_on;
    uint32_t left = drawing->layout->tree_most ? drawing->layout->tree_most : UINT32_MAX;
    for (uint32_t at = items[node].first_child; at != CALL_NODE_NONE && left--; at = items[at].next_sibling)
        draw_branch(drawing, at, passed_on, !rest && items[at].next_sibling == CALL_NODE_NONE);
    if (!rest)
        return;
    text_printf(drawing->out, "%s --", text_string(&drawing->margin));
    add_value(drawing, passed_on - shown, 0, passed_on);
    text_add(drawing->out, "--[...]\n");
}

/* A single trunk that carries all of the row needs no share of its own. */
static void draw_tree(struct drawing *drawing, const struct hotspot *row, bool children)
{
    const struct call_node *items = drawing->tree->items;
    uint32_t node = CALL_TREE_ROOT, trunk = items[CALL_TREE_ROOT].first_child;
    uint64_t whole = children ? row->children_period : row->period;
    if (trunk == CALL_NODE_NONE)
        return;
    bool begun = false;
    text_add(&drawing->margin, "            ");
    if (items[trunk].next_sibling == CALL_NODE_NONE && items[trunk].total == whole) {
        uint32_t left = drawing->layout->tree_most ? drawing->layout->tree_most : UINT32_MAX;
        for (uint32_t at = trunk; at != CALL_NODE_NONE; at = node_continuation(drawing->tree, at)) {
            node = at;
            if ((at == trunk && drawing->layout->trunk_named_by_row) || !left)
                continue;
            left--;
            if (!begun) {
                text_printf(drawing->out, "%s|\n%s---", drawing->margin.bytes, drawing->margin.bytes);
                text_add(&drawing->margin, "   ");
            } else {
                text_add(drawing->out, drawing->margin.bytes);
            }
            begun = true;
            add_name(drawing, at);
            text_add_char(drawing->out, '\n');
        }
    }
    size_t before = drawing->out->length;
    draw_children(drawing, node, items[CALL_TREE_ROOT].total);
    if (begun || drawing->out->length > before)
        text_add_char(drawing->out, '\n');
}

/* ---- paths, one a block or a line ---- */

static void add_path(struct drawing *drawing, uint32_t node, const char *before, const char *between)
{
    vec(uint32_t) path = {0};
    for (uint32_t at = node; at != CALL_TREE_ROOT; at = drawing->tree->items[at].parent)
        *vec_push(&path) = at;
    for (size_t at = path.count; at-- > 0;) {
        text_add(drawing->out, before);
        add_name(drawing, path.items[at]);
        text_add(drawing->out, at ? between : "\n");
    }
    vec_done(&path);
}

struct path_end {
    uint64_t weight;
    uint32_t node;
};

static int heavier_path_first(const void *a, const void *b)
{
    const struct path_end *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static void draw_paths(struct drawing *drawing, uint64_t least)
{
    const struct call_tree *tree = drawing->tree;
    bool folded = drawing->layout->tree_style == TREE_FOLDED;
    uint64_t whole = tree->items[CALL_TREE_ROOT].total;
    vec(struct path_end) ends = {0};
    for (uint32_t node = CALL_TREE_ROOT + 1; node < tree->count; node++)
        if (tree->items[node].self && tree->items[node].self >= least)
            *vec_push(&ends) = (struct path_end){tree->items[node].self, node};
    if (ends.count)
        qsort(ends.items, ends.count, sizeof(*ends.items), heavier_path_first);
    if (drawing->layout->tree_most && ends.count > drawing->layout->tree_most)
        ends.count = drawing->layout->tree_most;
    vec_for_each (&ends, end) {
        const struct call_node *node = &tree->items[end->node];
        if (folded) {
            add_value(drawing, node->self, node->samples_self, whole);
            text_add_char(drawing->out, ' ');
            add_path(drawing, end->node, "", ";");
            continue;
        }
        text_add(drawing->out, "           ");
        add_value(drawing, node->total, node->samples_total, whole);
        text_add_char(drawing->out, '\n');
        add_path(drawing, end->node, "                ", "\n");
        text_add_char(drawing->out, '\n');
    }
    vec_done(&ends);
}

void hotspot_tree_add(struct text *out, const struct table *table, const struct hotspot *row)
{
    const struct hotspots_layout *layout = table->layout;
    struct drawing drawing = {.out = out, .hotspots = table->hotspots, .layout = layout, .tree = row->tree};
    if (layout->tree_style == TREE_FLAT || layout->tree_style == TREE_FOLDED)
        draw_paths(&drawing, row->tree_least);
    else
        draw_tree(&drawing, row, layout->by_children);
    text_done(&drawing.margin);
}

/* What one event of the group finds hot is shown, whatever the others find. */
static double share_most(const struct hotspots *hotspots, const struct hotspot *row, bool by_children)
{
    double most = 0;
    for (uint32_t member = 0; member <= hotspots->other_count; member++) {
        struct hotspot_counts counts = hotspot_counts_of(hotspots, row, member);
        double share = by_children ? counts.children_share : counts.share;
        most = share > most ? share : most;
    }
    return most;
}

void hotspots_text(struct text *out, const struct hotspots *hotspots, const struct hotspots_layout *layout)
{
    struct table table = {.hotspots = hotspots, .layout = layout};
    table_measure(&table);
    if (layout->hierarchy) {
        hotspots_hierarchy_text(out, &table);
        return;
    }
    if (layout->heading)
        add_heading(out, &table);
    for (size_t at = 0; at < hotspots->count; at++) {
        const struct hotspot *row = &hotspots->items[at];
        if (100 * share_most(hotspots, row, layout->by_children) < layout->percent_least)
            continue;
        add_row(out, &table, row);
        if (row->tree && layout->tree_style != TREE_NONE)
            hotspot_tree_add(out, &table, row);
    }
}
