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

/* Of a process, or of a thread (-t), whose row has a "-" for its process. */
static ptrdiff_t number_column(const struct words *heading)
{
    ptrdiff_t process = column_of(heading, "PID");
    return process > 0 ? process : column_of(heading, "TID");
}

/* "11:20:01  UID  PID  kB_rd/s  kB_wr/s  kB_ccwr/s  iodelay  Command", "… UID  TGID  TID  %usr …" */
static bool is_heading(const struct words *words)
{
    return number_column(words) > 0 && column_of(words, "Command") > 0 &&
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
    bool is_sum =
        number_in(row, column_of(heading, "TGID"), &number); /* of its threads, which have rows of their own */
    if ((!is_sum && !number_in(row, number_column(heading), &number)) || (size_t)command >= row->count)
        return false;
    if (is_sum || !(seconds > 0)) /* its averages */
        return true;
    bool of_process = column_of(heading, "PID") > 0;
    struct view name = row->items[command];
    name = view_skip(name, view_starts(name, "|__") ? strlen("|__") : 0); /* as a thread's has it */
    if (number_in(row, column_of(heading, "iodelay"), &delay))
        system_task_add(reading, name, (struct task){.io_ms = 1e3 * delay / TICKS_A_SECOND, .seen_ms = 1e3 * seconds});
    if (number_in(row, column_of(heading, "%CPU"), &busy) && number_in(row, column_of(heading, "%wait"), &wait))
        system_task_add(reading, name,
                        (struct task){.run_ms = 10 * busy * seconds,
                                      .delay_ms = 10 * wait * seconds,
                                      .watched_ms = of_process ? 1e3 * seconds : 0});
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

/* "100 % busy", "100% utilised", with or without a blank; 0: it isn't that. */
static bool is_all_busy(const struct words *words, size_t at)
{
    static const char *const busy[] = {"busy", "utilised", "utilized"};
    bool is_one_word = at < words->count && view_equal(words->items[at], "100%");
    bool is_two = at + 1 < words->count && view_equal(words->items[at], "100") && view_equal(words->items[at + 1], "%");
    size_t last = at + (is_one_word ? 1 : 2);
    if (!(is_one_word || is_two) || last >= words->count)
        return false;
    struct view word = words->items[last];
    word.length -= view_ends(word, ".") || view_ends(word, ",");
    return view_is_any_caseless(word, busy, array_count(busy));
}

/* "2 cores", "two of the CPUs", "some cores", unless all of them: "all 8 cores". */
static bool is_of_some(const struct words *words, size_t at)
{
    enum { WORDS_BEFORE = 3 };
    static const char *const some[] = {"of", "some", "most", "few", "both", "other"};
    bool is_some = false;
    double number;
    for (size_t back = 1; back <= WORDS_BEFORE && back <= at; back++) {
        struct view word = words->items[at - back];
        if (view_equal_caseless(word, "all"))
            return false;
        is_some |= view_is_any_caseless(word, some, array_count(some)) || (back == 1 && view_grouped(word, &number));
    }
    return is_some;
}

void system_busy_note(struct system_reading *reading, struct view line)
{
    static const char *const what[] = {"CPUs", "cores"}, *const are[] = {"are", "were", "stay", "stayed"},
                             *const beside[] = {"all", "always", "at"};
    struct words words;
    words_of(line, &words);
    for (size_t at = 0; at + 3 < words.count; at++) {
        size_t next = at + 2 + view_is_any_caseless(words.items[at + 2], beside, array_count(beside));
        if (view_is_any_caseless(words.items[at], what, array_count(what)) &&
            view_is_any_caseless(words.items[at + 1], are, array_count(are)) && is_all_busy(&words, next) &&
            !is_of_some(&words, at))
            system_meet(system_table_of(reading, TOOL_DOCUMENT), FACT_IDLE, 0);
    }
}
