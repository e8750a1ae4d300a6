/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What servers count of what they are asked: Redis' INFO commandstats ("cmdstat_keys:calls=1840,usec=757120400"), and
 * MySQL's log of slow queries ("# Query_time: 9.81  Lock_time: 9.80", the statement below it); how VTune parts the CPU
 * time of all threads; and which of its operations likwid counted as scalar.
 *
 * Does not support: digests of such logs (pt-query-digest), other servers.
 */
#include "base/vec.h"
#include "source/import/system/system_reading.h"

#include <stdio.h>

/* The number behind a name, "usec=757120400"; false: it isn't there. */
static bool number_behind(struct view line, const char *name, double *ret_number)
{
    ptrdiff_t at = view_find(line, name);
    struct view rest = at < 0 ? (struct view){0} : view_trim(view_skip(line, (size_t)at + strlen(name)));
    struct view word = view_cut(&rest, ' ');
    return at >= 0 && view_decimal(view_cut(&word, ','), ret_number) && *ret_number >= 0;
}

/* ---- Redis ---- */

static bool command_read(struct system_reading *reading, struct view line)
{
    static const char first[] = "cmdstat_";
    double calls, used_us;
    line = view_trim(line);
    if (!view_starts(line, first) || !number_behind(line, "calls=", &calls) ||
        !number_behind(line, ",usec=", &used_us) || !(calls > 0))
        return false;
    struct view rest = view_skip(line, sizeof(first) - 1), name = view_cut(&rest, ':');
    struct system_table *table = system_table_of(reading, TOOL_SERVER);
    if (!table->met[FACT_COMMANDS_US].count || used_us > table->met[FACT_COMMANDS_US].most)
        (void)snprintf(table->command_words, sizeof(table->command_words), "%.*s, %.0f calls of %.3g ms",
                       (int)name.length, name.text, calls, used_us / calls / 1000);
    system_meet(table, FACT_COMMANDS_US, used_us);
    return true;
}

/* ---- MySQL ---- */

/* The statement below its times; what sets the session for it is none. */
static struct view statement_below(struct view rest)
{
    static const char *const before[] = {"SET timestamp", "use ", "USE ", "#"};
    enum { LINES_MOST = 4 };
    struct view line;
    for (size_t at = 0; at < LINES_MOST && view_line(&rest, &line); at++) {
        bool is_before = false;
        for (size_t word = 0; word < array_count(before); word++)
            is_before |= view_starts(line, before[word]);
        if (!is_before)
            return view_trim(line);
    }
    return (struct view){0};
}

static bool query_read(struct system_reading *reading, struct view line, struct view rest)
{
    double took_s, locked_s;
    if (!view_starts(view_trim(line), "# Query_time:") || !number_behind(line, "Query_time:", &took_s) ||
        !number_behind(line, "Lock_time:", &locked_s) || locked_s > took_s)
        return false;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT); /* prose may stand between two queries */
    struct view statement = statement_below(rest);
    statement.length -= view_ends(statement, ";");
    if (!table->met[FACT_QUERIES_LOCKED_S].count || locked_s > table->met[FACT_QUERIES_LOCKED_S].most)
        (void)snprintf(table->query_words, sizeof(table->query_words), "%.*s", (int)statement.length,
                       statement.length ? statement.text : "");
    system_meet(table, FACT_QUERIES_S, took_s);
    system_meet(table, FACT_QUERIES_LOCKED_S, locked_s);
    return true;
}

bool system_spin_read(struct system_reading *reading, struct view line)
{
    double imbalance_s, locks_s, all_s;
    if (!view_starts(line, IMPORT_SPIN_TIME) || !number_behind(line, "imbalance=", &imbalance_s) ||
        !number_behind(line, "locks=", &locks_s) || !number_behind(line, "of=", &all_s))
        return false;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT);
    system_meet(table, FACT_SPIN_IMBALANCE_S, imbalance_s);
    system_meet(table, FACT_SPIN_LOCKS_S, locks_s);
    system_meet(table, FACT_SPIN_OF_S, all_s);
    return true;
}

bool system_scalar_read(struct system_reading *reading, struct view line)
{
    static const double FAR_MORE = 4;
    double ratio, scalar, packed;
    if (!view_starts(line, IMPORT_SCALAR_RATE) || !number_behind(line, "share=", &ratio) ||
        !number_behind(line, "scalar=", &scalar) || !number_behind(line, "packed=", &packed))
        return false;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT);
    if (scalar > 0 && scalar >= FAR_MORE * packed && ratio <= 1 && !table->met[FACT_SCALAR].count) {
        system_meet(table, FACT_SCALAR, ratio);
        (void)snprintf(table->scalar_words, sizeof(table->scalar_words), "%.4g million a second, %.4g packed", scalar,
                       packed);
    }
    return true;
}

bool system_servers_read(struct system_reading *reading, struct view line, struct view rest)
{
    return command_read(reading, line) || query_read(reading, line, rest);
}
