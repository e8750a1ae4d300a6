/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <stdio.h>
#include <string.h>

enum { TICKS_A_SECOND = 100, DAY_S = 24 * 3600 };

/* "11:20:06" of a day, in seconds; false: it is none ("Average:"). */
static bool time_of_day(const struct words *words, double *ret_seconds)
{
    struct view text = words->count ? words->items[0] : (struct view){0};
    double seconds = 0, part;
    size_t parts = 0;
    for (; text.length; parts++) {
        if (!view_double(view_cut(&text, ':'), &part) || !(part >= 0 && part < 60))
            return false;
        seconds = 60 * seconds + part;
    }
    bool evening = words->count > 1 && view_equal(words->items[1], "PM") && seconds < DAY_S / 2;
    *ret_seconds = seconds + (evening ? DAY_S / 2 : 0);
    return parts == 3;
}

static ptrdiff_t column_of(const struct words *heading, const char *name)
{
    for (size_t at = 0; at < heading->count; at++)
        if (view_equal(heading->items[at], name))
            return (ptrdiff_t)at;
    return -1;
}

/* "11:20:01  UID  PID  kB_rd/s  kB_wr/s  kB_ccwr/s  iodelay  Command" */
static bool is_heading(const struct words *words)
{
    return column_of(words, "PID") > 0 && column_of(words, "Command") > 0 &&
           (column_of(words, "iodelay") > 0 || column_of(words, "%wait") > 0);
}

static bool number_in(const struct words *row, ptrdiff_t column, double *ret_number)
{
    return column >= 0 && (size_t)column < row->count && view_grouped(row->items[column], ret_number) &&
           *ret_number >= 0;
}

/* What one row says of a look that took so long; false: it is no row of this table. */
static bool row_read(struct system_reading *reading, const struct words *heading, const struct words *row,
                     double seconds)
{
    double delay, busy, wait, number;
    ptrdiff_t command = column_of(heading, "Command");
    if (!number_in(row, column_of(heading, "PID"), &number) || (size_t)command >= row->count)
        return false;
    if (!(seconds > 0)) /* its averages */
        return true;
    struct view name = row->items[command];
    if (number_in(row, column_of(heading, "iodelay"), &delay))
        system_task_add(reading, name, (struct task){.io_ms = 1e3 * delay / TICKS_A_SECOND, .seen_ms = 1e3 * seconds});
    if (number_in(row, column_of(heading, "%CPU"), &busy) && number_in(row, column_of(heading, "%wait"), &wait))
        system_task_add(
            reading, name,
            (struct task){.run_ms = 10 * busy * seconds, .delay_ms = 10 * wait * seconds, .watched_ms = 1e3 * seconds});
    return true;
}

/* "PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND", as top has it */
static bool is_top(const struct words *heading)
{
    return column_of(heading, "PID") == 0 && column_of(heading, "%CPU") > 0 && column_of(heading, "COMMAND") > 0;
}

static bool is_state(const struct words *heading, const struct words *row, const char *state)
{
    ptrdiff_t column = column_of(heading, "S");
    return column >= 0 && (size_t)column < row->count && view_equal(row->items[column], state);
}

static void top_read(struct system_reading *reading, const struct words *heading, struct view *rest)
{
    struct system_table *table = system_table_of(reading, TOOL_TOP);
    ptrdiff_t command = column_of(heading, "COMMAND");
    struct words row;
    double pid, percent;
    for (struct view after = *rest, line; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        if (!number_in(&row, 0, &pid) || !number_in(&row, column_of(heading, "%CPU"), &percent) ||
            (size_t)command >= row.count)
            break;
        table->any_waits |= is_state(heading, &row, "D");
        if (reading->of_threads || percent / 100 <= table->process_ratio)
            continue;
        table->process_ratio = percent / 100;
        table->process_runs = is_state(heading, &row, "R");
        struct view name = row.items[command]; /* "postgres: app app 10.0.0.4(50122) SELECT" */
        name.length -= view_ends(name, ":");
        (void)snprintf(table->busiest_process, sizeof(table->busiest_process), "%.*s", (int)name.length, name.text);
    }
}

bool system_processes_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct words heading, row;
    double before, now = 0, time;
    words_of(line, &heading);
    if (is_top(&heading)) {
        top_read(reading, &heading, rest);
        return true;
    }
    if (!is_heading(&heading))
        return false;
    bool timed = time_of_day(&heading, &now); /* as the look began */
    before = now;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        if (!row.count)
            continue;
        bool at_time = timed && time_of_day(&row, &time);
        if (at_time && (time > now || time < now)) {
            before = now;
            now = time;
        }
        double seconds = at_time ? now - before + (now < before ? DAY_S : 0) : 0;
        if (is_heading(&row) || !row_read(reading, &heading, &row, seconds))
            break;
    }
    return true;
}
