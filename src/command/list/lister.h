/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of plumb list share: what was asked for, and where entries go.
 */
#ifndef PLUMB_COMMAND_LIST_LISTER_H
#define PLUMB_COMMAND_LIST_LISTER_H

#include "base/json/json_writer.h"
#include "command/command.h"
#include "metric/table/table.h"

enum list_kind {
    LIST_HARDWARE,
    LIST_SOFTWARE,
    LIST_CACHE,
    LIST_PMU,
    LIST_TABLE,
    LIST_METRIC,
    LIST_METRIC_GROUP, /* when it is asked for by name of its kind */
    LIST_RAW,
    LIST_PROBE,
    LIST_TRACEPOINT,
    LIST_KIND_COUNT
};

struct list_options {
    bool countable, json, metrics, events;
    int verbose;
    const char *cpu, *tables;
};

struct lister {
    struct context *context;
    struct list_options options;
    char *const *patterns; /* operands; none: everything */
    int pattern_count;
    struct text out;
    struct json_writer json;
    enum list_kind kind;
    size_t shown;
    size_t tracepoints_tried;
    bool kind_tried; /* for kinds of which one is opened */
    char kind_verdict[500];
};

/* One thing to list. */
struct list_entry {
    const char *name;
    const char *alias;  /* or NULL */
    const char *about;  /* or NULL */
    const char *groups; /* searched, too; or NULL */
    const char *also;   /* a name that it had in other versions: searched, too; or NULL */
    const char *spelling; /* what to open to see whether it counts; NULL: the name */
    const struct table_event *event; /* what -v tells of, or NULL */
    const struct table_metric *metric;
    const struct metric_table *table;
};

/* Print the entry, if it is wanted. */
void list_show(struct lister *lister, const struct list_entry *entry);
/* Whether the operands, --metrics and --events ask for it. */
bool list_wants(const struct lister *lister, const struct list_entry *entry);
/* Whether a word that chooses a whole kind names this one. */
bool list_wants_kind(const struct lister *lister, enum list_kind kind);
/* Text of JSON is begun and ended by these. */
void list_begin(struct lister *lister);
void list_end(struct lister *lister);

/* "countable", or why not; NULL when it wasn't asked. Owner: the lister, until the next call. */
const char *list_verdict(struct lister *lister, const struct list_entry *entry);

/* The CPU's own events and metrics. Errors: no table for the CPU that was named, or that can't be read. */
MUST_CHECK bool list_tables_show(struct lister *lister, struct error *err);
/* Names in those tables that are near to word, behind what names holds already. */
void list_tables_nearest(const struct lister *lister, const char *word, char *names, size_t size);

#endif
