/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a database's sessions wait for, by its own view of them: pg_stat_activity with wait_event_type, a session a row
 * or counted ("count | wait_event_type | wait_event | state"), as psql prints it.
 *
 * Does not support: other databases' views, and psql's expanded rows (\x).
 */
#include "base/vec.h"
#include "source/import/import_cells.h"
#include "source/import/system/system_reading.h"

#include <stdio.h>

struct columns {
    ptrdiff_t count, type, event, state; /* -1: there is none */
};

/* What sessions wait for, and the event of it that most of them do. */
struct waited {
    double count, most;
    struct view event;
};

struct sessions {
    double active, in_transaction; /* the latter: those that are active, and those whose client keeps one open */
    struct waited locks, log, storage, client;
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

/* Who waits for the log, or for another who writes it: their commits end once it has reached storage. */
static bool is_of_log(struct view type, struct view event)
{
    static const char *const events[] = {"WALSync",     "WALWrite",     "WalSync",     "WalWrite",    "WALWriteLock",
                                         "WALInitSync", "WALInitWrite", "WalInitSync", "WalInitWrite"};
    return (view_equal(type, "IO") || view_equal(type, "LWLock")) &&
           view_is_any_caseless(event, events, array_count(events));
}

/* Until its client sends or takes something. */
static bool is_of_client(struct view type, struct view event)
{
    return view_equal(type, "Client") && (view_equal(event, "ClientRead") || view_equal(event, "ClientWrite"));
}

/*
 * They wait for somebody to ask for something, or it is a process of the database's own that has nothing to do. Without
 * a column of states any that waits for its client may be at rest.
 */
static bool is_at_rest(struct view type, struct view event, struct view state)
{
    return view_equal(type, "Activity") || (is_of_client(type, event) && !state.length);
}

/* "idle in transaction", "idle in transaction (aborted)": its client holds a transaction open, and asks for nothing. */
static bool is_kept_open(struct view state)
{
    return view_starts(state, "idle in transaction");
}

static void waited_add(struct waited *waited, double count, struct view event)
{
    waited->count += count;
    if (count > waited->most) {
        waited->most = count;
        waited->event = event;
    }
}

/* Nothing waited for: it runs. False: it is no row. */
static bool row_read(const struct columns *columns, const struct cells *row, struct sessions *sessions)
{
    double count = 1;
    struct view type = cell_at(row, columns->type), event = cell_at(row, columns->event),
                state = cell_at(row, columns->state);
    if (row->count < 2 || (columns->count >= 0 && !view_grouped(cell_at(row, columns->count), &count)) || !(count >= 0))
        return false;
    bool is_open = is_kept_open(state);
    if ((state.length && !view_equal(state, "active") && !is_open) || is_at_rest(type, event, state))
        return true;
    sessions->in_transaction += count;
    if (is_open || is_of_client(type, event)) {
        waited_add(&sessions->client, count, event);
        return true;
    }
    sessions->active += count;
    bool is_lock = view_equal(type, "Lock") || view_equal(type, "LWLock");
    if (is_of_log(type, event))
        waited_add(&sessions->log, count, event);
    else if (is_lock)
        waited_add(&sessions->locks, count, event.length ? event : type);
    else if (view_equal(type, "IO"))
        waited_add(&sessions->storage, count, event.length ? event : type);
    return true;
}

/* A first '|' opens the line only where it does so in the heading: else its first cell is empty. */
static void cells_of(struct view line, bool is_open, struct cells *ret_cells)
{
    ret_cells->count = 0;
    line = view_trim(line);
    line = view_skip(line, is_open && view_starts(line, "|"));
    while (line.length && ret_cells->count < CELLS_MOST)
        ret_cells->items[ret_cells->count++] = view_trim(view_cut(&line, '|'));
}

static void waited_keep(struct system_table *table, enum fact fact, const struct waited *waited,
                        char ret_words[TASK_NAME_MOST])
{
    system_meet(table, fact, waited->count);
    (void)snprintf(ret_words, TASK_NAME_MOST, "%.*s", (int)waited->event.length,
                   waited->event.length ? waited->event.text : "");
}

bool system_sessions_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct cells cells;
    struct columns columns;
    struct sessions sessions = {0};
    bool is_open = view_starts(view_trim(line), "|");
    cells_of(line, is_open, &cells);
    if (view_find(line, "wait_event_type") < 0 || !heading_read(&cells, &columns))
        return false;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        cells_of(line, is_open, &cells);
        if (!is_rule(view_trim(line)) && !row_read(&columns, &cells, &sessions))
            break;
    }
    struct system_table *table = system_table_begin(reading, TOOL_SESSIONS);
    system_meet(table, FACT_SESSIONS, sessions.active);
    system_meet(table, FACT_SESSIONS_OPEN, sessions.in_transaction);
    waited_keep(table, FACT_SESSIONS_LOCKED, &sessions.locks, table->lock_words);
    waited_keep(table, FACT_SESSIONS_LOGGING, &sessions.log, table->log_words);
    waited_keep(table, FACT_SESSIONS_STORING, &sessions.storage, table->storage_words);
    waited_keep(table, FACT_SESSIONS_AT_CLIENT, &sessions.client, table->client_words);
    return true;
}
