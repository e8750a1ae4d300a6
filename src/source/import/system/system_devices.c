/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * iostat -x and sar -d: for how much of the time each device had requests (%util), and how long each of them took.
 *
 * Of several reports of iostat's the first is of the time since the machine was started: it counts where it is the
 * only one. sar's own average stands for all before it.
 */
#include "source/import/system/system_reading.h"

#include <string.h>

static ptrdiff_t column_of(const struct words *heading, const char *name)
{
    for (size_t at = 0; at < heading->count; at++)
        if (view_equal(heading->items[at], name))
            return (ptrdiff_t)at;
    return -1;
}

/* Where its devices are named; -1: it is no such heading. */
static ptrdiff_t names_in(const struct words *heading)
{
    static const char *const names[] = {"Device", "Device:", "DEV"};
    ptrdiff_t found = -1;
    for (size_t at = 0; at < array_count(names) && found < 0; at++)
        found = column_of(heading, names[at]);
    return column_of(heading, "%util") > found ? found : -1;
}

static const char *const awaits[] = {"r_await", "w_await", "f_await", "await"};
_Static_assert(array_count(awaits) == DEVICE_AWAITS, "how long requests of each kind took");
static const char *const rates[] = {"r/s", "w/s", "f/s", "tps"};
_Static_assert(array_count(rates) == DEVICE_AWAITS, "how many of them there were");

/* 0: it isn't there. */
static double number_under(const struct words *heading, const struct words *row, const char *name)
{
    static const double NUMBER_MOST = 1e9;
    double value;
    ptrdiff_t column = column_of(heading, name);
    return column >= 0 && view_grouped(row->items[column], &value) && value >= 0 && value <= NUMBER_MOST ? value : 0;
}

static struct device *device_named(struct system_table *table, struct view name)
{
    enum { DEVICES_MOST = 64 };
    for (size_t at = 0; at < table->devices.count; at++)
        if (view_equal(name, table->devices.items[at].name))
            return &table->devices.items[at];
    if (table->devices.count == DEVICES_MOST)
        return NULL;
    struct device *device = vec_push(&table->devices);
    *device = (struct device){.reports = 0};
    memcpy(device->name, name.text, name.length);
    return device;
}

/* "nvme0n1  0.00 …": as many words as the heading has, and numbers behind the name. */
static bool row_read(struct system_table *table, const struct words *heading, const struct words *row, ptrdiff_t named)
{
    double ignored;
    struct view name = row->count > (size_t)named ? row->items[named] : (struct view){0};
    if (row->count != heading->count || !name.length || name.length >= TASK_NAME_MOST)
        return false;
    for (size_t at = (size_t)named + 1; at < row->count; at++)
        if (!view_grouped(row->items[at], &ignored))
            return false;
    struct device *device = device_named(table, name);
    if (!device)
        return true;
    bool of_sar = view_equal(heading->items[named], "DEV"), average = view_starts(row->items[0], "Average");
    if (average || (!of_sar && device->reports == 1)) /* what came before is in it, or of the time since the start */
        memset(&device->util_sum, 0, sizeof(*device) - offsetof(struct device, util_sum));
    device->reports++;
    device->counted++;
    device->util_sum += number_under(heading, row, "%util");
    for (size_t kind = 0; kind < DEVICE_AWAITS; kind++) {
        double count = number_under(heading, row, rates[kind]);
        device->requests[kind] += count;
        device->took_ms[kind] += count * number_under(heading, row, awaits[kind]);
    }
    return true;
}

bool system_devices_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct words heading, row;
    words_of(line, &heading);
    ptrdiff_t named = names_in(&heading);
    if (named < 0)
        return false;
    struct system_table *table = system_table_of(reading, TOOL_DEVICES);
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        if (!row_read(table, &heading, &row, named))
            break;
    }
    return true;
}

/* "nvme0n1, 38.2 ms for each flush, 9.1 for each write": the longest of what it was asked for often comes first. */
void device_words(const struct device *device, struct text *out)
{
    static const char *const kinds[DEVICE_AWAITS] = {"read", "write", "flush", "request"};
    static const double OFTEN = 0.05;
    double all = 0;
    bool said[DEVICE_AWAITS] = {false};
    for (size_t kind = 0; kind < DEVICE_AWAITS; kind++)
        all += device->requests[kind];
    text_add(out, device->name);
    for (size_t turn = 0; turn < DEVICE_AWAITS; turn++) {
        size_t most = DEVICE_AWAITS;
        double most_ms = 0;
        for (size_t kind = 0; kind < DEVICE_AWAITS; kind++) {
            double each_ms = device->requests[kind] > 0 ? device->took_ms[kind] / device->requests[kind] : 0;
            if (said[kind] || each_ms <= most_ms || device->requests[kind] < OFTEN * all)
                continue;
            most = kind;
            most_ms = each_ms;
        }
        if (most == DEVICE_AWAITS)
            return;
        said[most] = true;
        text_printf(out, ", %.3g ms a %s", most_ms, kinds[most]);
    }
}
