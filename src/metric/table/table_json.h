/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns the JSON of both publishers into a table: events at once, metrics when all files are in.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_JSON_H
#define PLUMB_METRIC_TABLE_TABLE_JSON_H

#include "base/json/json_tokens.h"
#include "metric/table/table_build.h"
#include "metric/table/table_folder.h"

/* A metric's record whose formulas are still to be resolved. */
struct table_record {
    uint32_t metric;
    size_t document;
    uint32_t token;    /* of the record */
    size_t standard;   /* index + 1 of the ArchStdEvent that it builds on; 0: none */
    bool perfmon;
};

struct table_standard {
    struct view name;
    size_t document;
    uint32_t token;
};

struct table_json {
    struct metric_table *table;
    enum table_form form;
    vec(struct json_tokens) documents; /* over texts, which must outlive this */
    vec(struct table_record) records;
    vec(struct table_standard) standards;
    struct hashmap standard_names;
};

/* One file. standard: its entries are only there to be built upon (ArchStdEvent). */
MUST_CHECK bool table_json_add(struct table_json *json, struct view text, bool standard, struct error *err);
/* Resolve every formula, threshold and locate-with event. */
void table_json_finish(struct table_json *json);
void table_json_done(struct table_json *json);

#endif
