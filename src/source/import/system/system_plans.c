/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PostgreSQL's EXPLAIN ANALYZE: which scan of a whole table takes the query's time, and drops nearly all that it reads.
 *
 * Does not support: plans in JSON and the like, several plans in one document (none of them counts then), nodes of a
 * plan that was never run.
 */
#include "base/share_names.h"
#include "source/import/system/system_reading.h"

#include <math.h>

/* The number behind a mark; false: it isn't there. */
static bool number_behind(struct view line, const char *mark, double *ret_number)
{
    ptrdiff_t at = view_find(line, mark);
    if (at < 0)
        return false;
    struct view rest = view_skip(line, (size_t)at + strlen(mark));
    size_t length = 0;
    while (length < rest.length && (rest.text[length] == '.' || (rest.text[length] >= '0' && rest.text[length] <= '9')))
        length++;
    return length && view_double((struct view){rest.text, length}, ret_number);
}

/* "->  Seq Scan on events  (cost=0.00..18150.14 rows=2077 width=14) (actual time=2.11..911.90 rows=48 loops=1)" */
static bool node_read(struct plan *plan, struct view line)
{
    static const char actual[] = "(actual time=";
    ptrdiff_t cost = view_find(line, "(cost="), at = view_find(line, actual);
    if (cost <= 0 || at < cost)
        return false;
    struct view name = view_trim((struct view){line.text, (size_t)cost}), times = view_skip(line, (size_t)at);
    bool is_root = !view_starts(name, "->");
    struct plan_node node = {.name = view_trim(view_skip(name, is_root ? 0 : strlen("->")))};
    if (!number_behind(times, "..", &node.ms) || !number_behind(times, " rows=", &node.rows) ||
        !number_behind(times, " loops=", &node.loops))
        return true;
    plan->roots += is_root;
    plan->total_ms = is_root ? node.ms : plan->total_ms;
    plan->node = node;
    return true;
}

/* All rows of a table, one after the other. */
static bool is_whole_scan(struct view name)
{
    return view_starts(name, "Seq Scan on ") || view_starts(name, "Parallel Seq Scan on ");
}

/* Workers side by side, each of which is a loop, take the time once. */
static double node_ms(const struct plan_node *node)
{
    return node->ms * (view_starts(node->name, "Parallel ") ? 1 : node->loops);
}

/* What stands below a node is of it. */
static bool property_read(struct plan *plan, struct view line)
{
    static const char *const others[] = {"Buffers: ", "Sort Key: ", "Sort Method: ", "I/O Timings: ", "Heap Fetches: "};
    struct view rest = view_trim(line);
    bool is_one = false;
    for (size_t at = 0; at < sizeof(others) / sizeof(*others); at++)
        is_one |= view_starts(rest, others[at]);
    if (view_starts(rest, "Filter: ")) {
        plan->node.filter = view_trim(view_skip(rest, strlen("Filter: ")));
        return true;
    }
    if (!number_behind(rest, "Rows Removed by Filter: ", &plan->node.removed))
        return is_one;
    if (is_whole_scan(plan->node.name) && plan->node.filter.length && node_ms(&plan->node) > node_ms(&plan->scan))
        plan->scan = plan->node;
    return true;
}

bool system_plans_read(struct system_reading *reading, struct view line)
{
    bool read = node_read(&reading->plan, line) || (reading->plan.roots && property_read(&reading->plan, line));
    if (read && reading->plan.scan.name.length)
        (void)system_table_of(reading, TOOL_DOCUMENT);
    return read;
}

double system_plan_dropped(const struct plan *plan, struct text *out)
{
    static const double NEARLY_ALL = 0.9;
    const struct plan_node *scan = &plan->scan;
    if (plan->roots != 1 || !scan->name.length || !(plan->total_ms > 0) ||
        scan->removed < NEARLY_ALL * (scan->removed + scan->rows))
        return 0;
    text_printf(out, "%.*s, filter %.*s: %.0f rows removed, %.0f kept", (int)scan->name.length, scan->name.text,
                (int)scan->filter.length, scan->filter.text, scan->removed * scan->loops, scan->rows * scan->loops);
    return fmin(node_ms(scan) / plan->total_ms, 1);
}
