/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a control group may have of the CPUs: cpu.max ("200000 100000", "max 100000"), or cpu.cfs_quota_us and
 * cpu.cfs_period_us of the first version, behind the file's name or in the line below it. Its counts stand one a line
 * (system_lines), or all in one ("t=0s: nr_periods 100 nr_throttled 2 throttled_usec 21000").
 *
 * Does not support: limits of the groups above it, and of several groups in one document (then none is told).
 */
#include "source/import/system/system_reading.h"

#include <stdio.h>
#include <ctype.h>
#include <string.h>

static void quota_meet(struct group_limit *limit, double us)
{
    limit->differs |= limit->quota_us > 0 && (us < limit->quota_us || us > limit->quota_us);
    limit->quota_us = us;
}

/* "max" and -1 are no limit: nothing is kept of them. */
static bool quota_take(struct group_limit *limit, struct view word)
{
    double us;
    if (view_equal(word, "max") || view_equal(word, "-1"))
        return true;
    if (!word.length || !isdigit((unsigned char)word.text[0]) || !view_double(word, &us) || !(us > 0))
        return false;
    quota_meet(limit, us);
    return true;
}

/* What stands behind a file's name, or below it; false: it is none of its. */
static bool content_read(struct group_limit *limit, enum group_file file, struct view text)
{
    struct view first = view_word(&text), second = view_word(&text);
    double us;
    bool is_end = !view_word(&text).length,
         has_period = second.length && isdigit((unsigned char)second.text[0]) && view_double(second, &us) && us > 0;
    if (!is_end || !first.length)
        return false;
    if (file == GROUP_MAX && has_period && quota_take(limit, first)) {
        limit->period_us = us;
        return true;
    }
    if (file == GROUP_QUOTA && !second.length)
        return quota_take(limit, first);
    bool is_period = file == GROUP_PERIOD && !second.length && isdigit((unsigned char)first.text[0]) &&
                     view_double(first, &us) && us > 0;
    limit->period_us = is_period ? us : limit->period_us;
    return is_period;
}

static bool counts_read(struct system_reading *reading, struct view line)
{
    static const struct {
        const char *name;
        enum fact fact;
    } counts[] = {{"nr_periods", FACT_PERIODS},
                  {"nr_throttled", FACT_THROTTLED},
                  {"throttled_usec", FACT_THROTTLED_US},
                  {"throttled_time", FACT_THROTTLED_NS},
                  {"usage_usec", FACT_GROUP_USED_US}};
    double values[array_count(counts)];
    for (size_t at = 0; at < array_count(counts); at++) {
        ptrdiff_t place = view_find(line, counts[at].name);
        struct view rest = place < 0 ? (struct view){0} : view_skip(line, (size_t)place + strlen(counts[at].name)),
                    word;
        while (rest.length && strchr(" \t=:", rest.text[0]) && rest.text[0])
            rest = view_skip(rest, 1);
        word = view_word(&rest);
        word.length -= view_ends(word, ",") || view_ends(word, ";");
        if (!word.length || !isdigit((unsigned char)word.text[0]) || !view_double(word, &values[at]))
            values[at] = -1;
    }
    if (values[0] < 0 || values[1] < 0)
        return false;
    system_group_look(reading);
    for (size_t at = 0; at < array_count(counts); at++)
        if (values[at] >= 0)
            system_meet(system_table_of(reading, TOOL_DOCUMENT), counts[at].fact, values[at]);
    return true;
}

void system_group_look(struct system_reading *reading)
{
    bool is_first = !system_table_of(reading, TOOL_DOCUMENT)->met[FACT_PERIODS].count;
    reading->group_first = is_first ? reading->heading : reading->group_first;
    reading->group_last = reading->heading;
}

static bool count_of(struct view line, const char *name, double *ret_count)
{
    struct view word = view_word(&line), number = view_word(&line);
    return view_equal(word, name) && view_double(number, ret_count) && !view_word(&line).length;
}

/* memory.events: how often the group came up to a limit of its memory; "low", "high" and "max", a line each. */
bool system_group_events_read(struct system_reading *reading, struct view line, struct view *rest)
{
    double low, high, most;
    struct view after = *rest, high_line, most_line;
    if (!count_of(line, "low", &low) || !view_line(&after, &high_line) || !count_of(high_line, "high", &high) ||
        !view_line(&after, &most_line) || !count_of(most_line, "max", &most))
        return false;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT);
    system_meet(table, FACT_MEMORY_HIGH, high);
    system_meet(table, FACT_MEMORY_MOST, most);
    (void)snprintf(table->group_words, sizeof(table->group_words), "%s, %.0f times",
                   most > high ? "memory.max" : "memory.high", most > high ? most : high);
    *rest = after;
    return true;
}

bool system_group_read(struct system_reading *reading, struct view line)
{
    static const char *const names[] = {
        [GROUP_MAX] = "cpu.max", [GROUP_QUOTA] = "cpu.cfs_quota_us", [GROUP_PERIOD] = "cpu.cfs_period_us"};
    struct group_limit *limit = &reading->limit;
    enum group_file named = limit->named;
    line = view_trim(line);
    if (!line.length)
        return false;
    if (counts_read(reading, line))
        return true;
    limit->named = GROUP_NONE;
    for (size_t at = GROUP_MAX; at < array_count(names); at++) {
        ptrdiff_t place = view_find(line, names[at]);
        struct view behind = place < 0 ? (struct view){0} : view_skip(line, (size_t)place + strlen(names[at]));
        if (place < 0 || view_starts(behind, "."))
            continue;
        limit->named = (enum group_file)at;
        behind = view_trim(behind);
        behind = view_skip(behind, view_starts(behind, ":") || view_starts(behind, "="));
        return content_read(limit, limit->named, behind);
    }
    return named && content_read(limit, named, line);
}
