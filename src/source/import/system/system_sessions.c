/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a database's sessions wait for, by its own view of them: pg_stat_activity with wait_event_type, a session a row
 * or counted ("count | wait_event_type | wait_event | state"), as psql prints it.
 *
 * Does not support: other databases' views, and psql's expanded rows (\x).
 */
#include "source/import/import_cells.h"
#include "source/import/system/system_reading.h"

#include <stdio.h>

struct columns {
    ptrdiff_t count, type, event, state; /* -1: there is none */
};

struct sessions {
    double active, locked, most; /* most: of one kind of lock */
    struct view lock;
};

static bool heading_read(const struct cells *heading, struct columns *ret)
{
    *ret = (struct columns){.count = cell_named(heading, "count"),
                            .type = cell_named(heading, "wait_event_type"),
                            .event = cell_named(heading, "wait_event"),
                            .state = cell_named(heading, "state")};
    return ret->type >= 0 && heading->count > 1;
}

/* "-----+------" */
static bool is_rule(struct view line)
{
    bool is_one = line.length > 0;
    for (size_t at = 0; at < line.length && is_one; at++)
        is_one = strchr("-+|: ", line.text[at]) != NULL;
    return is_one;
}

/* False: it is no row. */
static bool row_read(const struct columns *columns, const struct cells *row, struct sessions *sessions)
{
    double count = 1;
    struct view type = cell_at(row, columns->type), event = cell_at(row, columns->event),
                state = cell_at(row, columns->state);
    if (row->count < 2 || (columns->count >= 0 && !view_grouped(cell_at(row, columns->count), &count)) || !(count >= 0))
        return false;
    if (state.length && !view_equal(state, "active"))
        return true;
    sessions->active += count;
    if (!view_equal(type, "Lock") && !view_equal(type, "LWLock"))
        return true;
    sessions->locked += count;
    if (count > sessions->most) {
        sessions->most = count;
        sessions->lock = event.length ? event : type;
    }
    return true;
}

bool system_sessions_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct cells cells;
    struct columns columns;
    struct sessions sessions = {0};
    cells_at(line, '|', &cells);
    if (view_find(line, "wait_event_type") < 0 || !heading_read(&cells, &columns))
        return false;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        cells_at(line, '|', &cells);
        if (!is_rule(view_trim(line)) && !row_read(&columns, &cells, &sessions))
            break;
    }
    struct system_table *table = system_table_begin(reading, TOOL_SESSIONS);
    system_meet(table, FACT_SESSIONS, sessions.active);
    system_meet(table, FACT_SESSIONS_LOCKED, sessions.locked);
    (void)snprintf(table->lock_words, sizeof(table->lock_words), "%.*s", (int)sessions.lock.length,
                   sessions.lock.length ? sessions.lock.text : "");
    return true;
}
