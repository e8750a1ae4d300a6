/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

/* "Node 0  Node 1  Total", of several processes behind "PID" */
static bool nodes_begin(struct system_reading *reading, const struct words *words)
{
    size_t nodes = 0, first = words->count && view_equal(words->items[0], "PID");
    while (first + 2 * nodes + 1 < words->count && view_equal(words->items[first + 2 * nodes], "Node"))
        nodes++;
    if (nodes < 2 || words->count != first + 2 * nodes + 1 || !view_equal(words->items[first + 2 * nodes], "Total"))
        return false;
    reading->nodes = nodes;
    return true;
}

/* "4120 (postgres)  1.20  40871.22  40872.42": one of several, whose sum follows. */
static bool is_process(const struct words *words, size_t nodes)
{
    uint64_t pid;
    return nodes && words->count >= nodes + 3 && view_u64(words->items[0], 10, &pid) &&
           view_starts(words->items[1], "(") && view_ends(words->items[words->count - nodes - 2], ")");
}

/*
 * "Private  1.20  40871.22  40872.42": of each node and of all, below that heading. The last row is the sum of the
 * others.
 */
static bool process_read(struct system_reading *reading, struct view line)
{
    static const char *const parts[] = {"Huge", "Heap", "Stack", "Private", "Total"};
    struct words words;
    double most = 0, sum = 0, value = 0;
    size_t fullest = 0;
    bool is_part = false;
    words_of(line, &words);
    if (nodes_begin(reading, &words) || is_process(&words, reading->nodes))
        return true;
    for (size_t at = 0; at < array_count(parts) && words.count; at++)
        is_part |= view_equal(words.items[0], parts[at]);
    if (!reading->nodes || !is_part || words.count != reading->nodes + 2)
        return false;
    for (size_t at = 1; at < words.count; at++) {
        if (!view_grouped(words.items[at], &value))
            return false;
        bool is_node = at + 1 < words.count;
        fullest = is_node && value > most ? at - 1 : fullest;
        most = is_node && value > most ? value : most;
        sum += is_node ? value : 0;
    }
    if (!view_equal(words.items[0], "Total"))
        return true;
    if (!(value > 0) || sum < 0.99 * value || sum > 1.01 * value) /* the last is what all have together */
        return false;
    struct system_table *table = system_table_begin(reading, TOOL_NODES);
    system_meet(table, FACT_FULLEST_NODE, most);
    table->fullest_node = fullest;
    for (size_t node = 0; node < reading->nodes; node++)
        if (view_grouped(words.items[node + 1], &value))
            table->node_mb[node < NODES_MOST ? node : NODES_MOST - 1] = value;
    system_meet(table, FACT_ALL_NODES, sum);
    reading->nodes = 0;
    return true;
}

/* "|-- NODE 0 Memory (MB/s):  131320.32 --||-- NODE 1 Memory (MB/s):       97.01 --|" */
static bool traffic_read(struct system_reading *reading, struct view line)
{
    static const char each[] = "Memory (MB/s):";
    double most = 0, sum = 0, value;
    size_t nodes = 0;
    if (view_find(line, "NODE ") < 0)
        return false;
    for (ptrdiff_t at; (at = view_find(line, each)) >= 0; nodes++) {
        line = view_skip(line, (size_t)at + sizeof(each) - 1);
        struct view rest = line;
        if (!view_grouped(view_word(&rest), &value))
            return false;
        most = value > most ? value : most;
        sum += value;
    }
    if (!nodes)
        return false;
    struct system_table *table = system_table_of(reading, TOOL_TRAFFIC);
    if (nodes > 1)
        system_meet(table, FACT_BUSIEST_NODE, most);
    system_meet(table, FACT_NODES_TRAFFIC, sum);
    return true;
}

/* "node 1 free: 126901 MB", as numactl --hardware has it below its size: what is in use there. */
static bool hardware_read(struct system_reading *reading, struct view line)
{
    struct words words;
    double node, value;
    words_of(line, &words);
    if (words.count < 4 || !view_equal(words.items[0], "node") || !view_grouped(words.items[1], &node))
        return false;
    bool size = view_equal(words.items[2], "size:"), left = view_equal(words.items[2], "free:");
    if (view_equal(words.items[2], "cpus:"))
        return true;
    if (!(size || left) || !view_grouped(words.items[3], &value) || !(value >= 0))
        return false;
    if (size) {
        reading->node_size_mb = value;
        return true;
    }
    if (value <= reading->node_size_mb) {
        struct system_table *table = system_table_of(reading, TOOL_HARDWARE);
        double used = reading->node_size_mb - value;
        if (!table->met[FACT_NODE_USED_MOST].count || used > table->met[FACT_NODE_USED_MOST].last)
            system_meet(table, FACT_NODE_USED_MOST, used);
        system_meet(table, FACT_NODES_USED, used);
    }
    reading->node_size_mb = 0;
    return true;
}

/* "node distances:", "node   0   1", "  0:  10  20": how far nodes are from each other takes no time by itself. */
static bool distances_read(struct system_reading *reading, struct view line)
{
    struct words words;
    uint64_t number;
    words_of(line, &words);
    if (words.count == 2 && view_equal(words.items[0], "node") && view_equal(words.items[1], "distances:")) {
        reading->in_distances = true;
        return true;
    }
    if (!reading->in_distances || !words.count)
        return false;
    struct view first = words.items[0];
    bool numbers = view_equal(first, "node") ||
                   (view_ends(first, ":") && view_u64((struct view){first.text, first.length - 1}, 10, &number));
    for (size_t at = 1; at < words.count; at++)
        numbers &= view_u64(words.items[at], 10, &number);
    reading->in_distances = numbers && words.count > 1;
    return reading->in_distances;
}

/* "node0  node1", above numastat's counters. */
static bool is_heading(struct view line)
{
    struct words words;
    uint64_t node;
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++)
        if (!view_starts(words.items[at], "node") || !view_u64(view_skip(words.items[at], 4), 10, &node) || node != at)
            return false;
    return words.count > 1;
}

bool system_nodes_read(struct system_reading *reading, struct view line)
{
    return is_heading(line) || process_read(reading, line) || traffic_read(reading, line) ||
           hardware_read(reading, line) || distances_read(reading, line);
}
