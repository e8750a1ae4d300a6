/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <string.h>

/* "CPU0  CPU1  …": at least two, and nothing else. */
static size_t cpus_in(const struct words *heading)
{
    for (size_t at = 0; at < heading->count; at++) {
        double number;
        if (!view_starts(heading->items[at], "CPU") || !view_grouped(view_skip(heading->items[at], 3), &number))
            return 0;
    }
    return heading->count > 1 ? heading->count : 0;
}

/* "NET_RX:  812  10022144  …" */
static bool row_read(struct system_reading *reading, const struct words *heading, const struct words *row)
{
    static const char *const kinds[] = {
        "HI:", "TIMER:", "NET_TX:", "NET_RX:", "BLOCK:", "IRQ_POLL:", "TASKLET:", "SCHED:", "HRTIMER:", "RCU:"};
    double counts[SYSTEM_WORDS_MOST];
    bool known = false;
    for (size_t at = 0; at < sizeof(kinds) / sizeof(*kinds) && row->count; at++)
        known |= view_equal(row->items[0], kinds[at]);
    if (!known || row->count != heading->count + 1)
        return false;
    for (size_t at = 0; at < heading->count; at++)
        if (!view_grouped(row->items[at + 1], &counts[at]) || !(counts[at] >= 0))
            return false;
    if (!view_equal(row->items[0], "NET_RX:"))
        return true;
    struct system_table *table = system_table_of(reading, TOOL_SOFT_INTERRUPTS);
    for (size_t at = 0; at < heading->count; at++) {
        if (table->received.count <= at) {
            struct cpu_count *cpu = vec_push(&table->received);
            *cpu = (struct cpu_count){.first = counts[at], .last = counts[at], .looks = 1};
            size_t length = heading->items[at].length;
            if (length < sizeof(cpu->name))
                memcpy(cpu->name, heading->items[at].text, length);
        } else {
            table->received.items[at].last = counts[at];
            table->received.items[at].looks++;
        }
    }
    return true;
}

bool system_softirqs_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct words heading, row;
    size_t rows = 0;
    words_of(line, &heading);
    if (!cpus_in(&heading))
        return false;
    struct view begin = *rest;
    for (struct view after = *rest; view_line(&after, &line); *rest = after, rows++) {
        words_of(line, &row);
        if (!row_read(reading, &heading, &row))
            break;
    }
    if (!rows)
        *rest = begin;
    return rows > 0;
}
