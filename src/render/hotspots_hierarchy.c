/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/hotspots_internal.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    LEVEL_INDENT = 3,
    NOTE_INDENT = 12, /* of what is said instead of rows */
};

/* Rows that the keys down to some level don't tell apart. */
struct branch {
    const struct hotspot *row; /* the first of them */
    vec(uint32_t) rows;
    struct hotspot_counts *counts; /* by member of the event's group */
};

struct branches {
    struct branch *items;
    size_t count, capacity;
};

struct hierarchy {
    struct text *out;
    const struct table *table;
    enum hotspot_column numbers[COLUMN_COMM];
    size_t number_count;
    size_t levels[HOTSPOT_COLUMNS_MOST]; /* indexes of the layout's columns, the outermost first */
    size_t level_count;
};

static uint32_t members_of(const struct hierarchy *hierarchy)
{
    return hierarchy->table->hotspots->other_count + 1;
}

static void branch_count(struct branch *branch, const struct hotspots *hotspots, uint32_t row)
{
    *vec_push(&branch->rows) = row;
    for (uint32_t member = 0; member <= hotspots->other_count; member++) {
        struct hotspot_counts counts = hotspot_counts_of(hotspots, &hotspots->items[row], member);
        branch->counts[member].samples += counts.samples;
        branch->counts[member].period += counts.period;
        branch->counts[member].share += counts.share;
    }
}

/* What else tells functions apart than their names: where they are. */
static void add_function(struct text *identity, const struct hotspots *hotspots, const struct hotspot *row)
{
    const struct place *place = row->place == PLACE_NONE ? NULL : &hotspots->places->items[row->place];
    if (place)
        text_printf(identity, "%c%" PRIx64 "%c%s", 0, place->addr, 0, place->dso_path);
}

/* Rows with the same cell at that level are one branch; functions of one name aren't the same. */
static void branches_find(const struct hierarchy *hierarchy, size_t level, const uint32_t *rows, size_t count,
                          struct branches *branches)
{
    const struct table *table = hierarchy->table;
    struct strings names;
    strings_init(&names);
    vec(uint32_t) branch_by_name = {0};
    scoped_text struct text cell = {0};
    for (size_t at = 0; at < count; at++) {
        const struct hotspot *row = &table->hotspots->items[rows[at]];
        text_clear(&cell);
        enum hotspot_column column = table->layout->columns[hierarchy->levels[level]];
        hotspot_cell_add(&cell, column, table->hotspots, row, table->layout);
        if (column == COLUMN_SYMBOL)
            add_function(&cell, table->hotspots, row);
        uint32_t name = strings_intern_n(&names, cell.bytes, cell.length);
        while (branch_by_name.count <= name)
            *vec_push(&branch_by_name) = UINT32_MAX;
        if (branch_by_name.items[name] == UINT32_MAX) {
            branch_by_name.items[name] = (uint32_t)branches->count;
            *vec_push(branches) = (struct branch){
                .row = row,
                .counts = memory_alloc(memory_product(members_of(hierarchy), sizeof(struct hotspot_counts)))};
        }
        branch_count(&branches->items[branch_by_name.items[name]], table->hotspots, rows[at]);
    }
    vec_done(&branch_by_name);
    strings_done(&names);
}

static void branches_done(struct branches *branches)
{
    vec_for_each (branches, branch) {
        vec_done(&branch->rows);
        free(branch->counts);
    }
    vec_done(branches);
}

/* Among equals in the order in which their rows came, which is the table's. */
static int heavier_first(const void *a, const void *b)
{
    const struct branch *left = a, *right = b;
    if (left->counts->period != right->counts->period)
        return left->counts->period < right->counts->period ? 1 : -1;
    return left->rows.items[0] < right->rows.items[0] ? -1 : left->rows.items[0] > right->rows.items[0];
}

static double share_most(const struct hierarchy *hierarchy, const struct branch *branch)
{
    double most = 0;
    for (uint32_t member = 0; member < members_of(hierarchy); member++)
        most = branch->counts[member].share > most ? branch->counts[member].share : most;
    return most;
}

static void add_blanks(const struct hierarchy *hierarchy, size_t count)
{
    text_add_repeated(hierarchy->out, " ", count);
}

static size_t number_width(const struct hierarchy *hierarchy, size_t number)
{
    return members_of(hierarchy) *
           hotspot_column_of(hierarchy->table->hotspots, hierarchy->numbers[number]).width_least;
}

/* A column's numbers for the group's events: each at the right of its place, or in one cell behind blanks. */
static void add_numbers(const struct hierarchy *hierarchy, size_t number, const struct branch *branch)
{
    bool separated = hierarchy->table->layout->separator;
    size_t width = number_width(hierarchy, number), before = hierarchy->out->length;
    for (uint32_t member = 0; member < members_of(hierarchy); member++) {
        text_add(hierarchy->out, separated ? " " : "");
        hotspot_number_add(hierarchy->out, hierarchy->numbers[number], &branch->counts[member],
                           separated ? 0 : width / members_of(hierarchy));
    }
    size_t length = hierarchy->out->length - before;
    add_blanks(hierarchy, length < width ? width - length : 0);
}

static void add_branch(const struct hierarchy *hierarchy, size_t level, const struct branch *branch)
{
    const struct table *table = hierarchy->table;
    const char *separator = table->layout->separator;
    size_t column = hierarchy->levels[level];
    scoped_text struct text cell = {0};
    add_blanks(hierarchy, LEVEL_INDENT * level);
    for (size_t at = 0; at < hierarchy->number_count; at++) {
        text_add(hierarchy->out, !separator ? "  " : at ? separator : "");
        add_numbers(hierarchy, at, branch);
    }
    hotspot_cell_add(&cell, table->layout->columns[column], table->hotspots, branch->row, table->layout);
    text_add(hierarchy->out, separator ? separator : "  ");
    if (separator)
        hotspot_cell_separate(&cell, 0, separator);
    else
        add_blanks(hierarchy, LEVEL_INDENT * (hierarchy->level_count - 1));
    text_append(hierarchy->out, cell.bytes, cell.length);
    size_t length = text_columns(text_string(&cell));
    add_blanks(hierarchy, separator && table->layout->columns[column] != COLUMN_SYMBOL && length < table->widths[column]
                              ? table->widths[column] - length
                              : 0);
    text_add_char(hierarchy->out, '\n');
}

static void branches_add(const struct hierarchy *hierarchy, size_t level, const uint32_t *rows, size_t count);

static void branch_add(const struct hierarchy *hierarchy, size_t level, const struct branch *branch)
{
    const struct hotspots_layout *layout = hierarchy->table->layout;
    add_branch(hierarchy, level, branch);
    if (level + 1 < hierarchy->level_count)
        branches_add(hierarchy, level + 1, branch->rows.items, branch->rows.count);
    else if (branch->rows.count == 1 && branch->row->tree && layout->tree_style != TREE_NONE)
        hotspot_tree_add(hierarchy->out, hierarchy->table, branch->row);
}

static void branches_add(const struct hierarchy *hierarchy, size_t level, const uint32_t *rows, size_t count)
{
    const struct hotspots_layout *layout = hierarchy->table->layout;
    struct branches branches = {0};
    bool any = false;
    branches_find(hierarchy, level, rows, count, &branches);
    if (branches.count)
        qsort(branches.items, branches.count, sizeof(*branches.items), heavier_first);
    vec_for_each (&branches, branch) {
        if (100 * share_most(hierarchy, branch) < layout->percent_least)
            continue;
        any = true;
        branch_add(hierarchy, level, branch);
    }
    if (!any && level) {
        add_blanks(hierarchy, LEVEL_INDENT * (hierarchy->level_count + level - 1) + NOTE_INDENT);
        text_printf(hierarchy->out, "no entry >= %.2f%%\n", layout->percent_least);
    }
    branches_done(&branches);
}

static size_t numbers_width(const struct hierarchy *hierarchy)
{
    size_t width = LEVEL_INDENT * (hierarchy->level_count - 1);
    for (size_t at = 0; at < hierarchy->number_count; at++)
        width += (at ? 2 : 0) + number_width(hierarchy, at);
    return width;
}

static size_t names_width(const struct hierarchy *hierarchy, size_t least)
{
    for (size_t level = 0; level < hierarchy->level_count; level++) {
        size_t width = LEVEL_INDENT * level + hierarchy->table->widths[hierarchy->levels[level]];
        least = width > least ? width : least;
    }
    return least;
}

static void add_heading(const struct hierarchy *hierarchy)
{
    const struct table *table = hierarchy->table;
    scoped_text struct text names = {0}, numbers = {0};
    for (size_t level = 0; level < hierarchy->level_count; level++)
        text_printf(&names, "%s%s", level ? " / " : "",
                    hotspot_column_of(table->hotspots, table->layout->columns[hierarchy->levels[level]]).heading);
    for (size_t at = 0; at < hierarchy->number_count; at++) {
        struct column column = hotspot_column_of(table->hotspots, hierarchy->numbers[at]);
        const char *gap = table->layout->separator ? table->layout->separator : "  ";
        text_printf(&numbers, "%s%*s", at ? gap : "", (int)number_width(hierarchy, at), column.heading);
    }
    if (table->layout->separator) {
        text_printf(hierarchy->out, "# %s%s%s\n", text_string(&numbers), table->layout->separator, text_string(&names));
        return;
    }
    size_t width = numbers_width(hierarchy);
    text_printf(hierarchy->out, "# %*s%s  %s\n# ", (int)(width - numbers.length), "", text_string(&numbers),
                text_string(&names));
    text_add_repeated(hierarchy->out, ".", width);
    text_add(hierarchy->out, "  ");
    text_add_repeated(hierarchy->out, ".", names_width(hierarchy, names.length));
    text_add(hierarchy->out, "\n#\n");
}

void hotspots_hierarchy_text(struct text *out, const struct table *table)
{
    struct hierarchy hierarchy = {.out = out, .table = table};
    for (size_t at = 0; at < table->layout->column_count; at++)
        if (hotspot_column_is_number(table->layout->columns[at]))
            hierarchy.numbers[hierarchy.number_count++] = table->layout->columns[at];
        else
            hierarchy.levels[hierarchy.level_count++] = at;
    if (!hierarchy.level_count)
        return;
    vec(uint32_t) rows = {0};
    for (size_t at = 0; at < table->hotspots->count; at++)
        *vec_push(&rows) = (uint32_t)at;
    if (table->layout->heading)
        add_heading(&hierarchy);
    branches_add(&hierarchy, 0, rows.items, rows.count);
    vec_done(&rows);
}
