/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams one JSON document into a text builder: commas, indentation, escaping and UTF-8 repair.
 *
 * A value that is not finite is written as null: JSON has no NaN, and "not measured" is never 0.
 * Why not a library: stat, record and doctor need libc only (the static core). Reading uses jansson.
 */
#ifndef PLUMB_BASE_JSON_JSON_WRITER_H
#define PLUMB_BASE_JSON_JSON_WRITER_H

#include "base/text.h"

struct json_writer {
    struct text *out;
    int depth;
    bool has_items[32]; /* by depth */
    bool compact; /* no line breaks */
    FILE *file; /* where what is ready may go already; NULL: nowhere */
};

void json_begin(struct json_writer *json, struct text *out);
/* key NULL inside arrays and at the top. */
void json_object_open(struct json_writer *json, const char *key);
void json_object_close(struct json_writer *json);
void json_array_open(struct json_writer *json, const char *key);
void json_array_close(struct json_writer *json);
void json_string(struct json_writer *json, const char *key, const char *value); /* NULL: null */
void json_string_n(struct json_writer *json, const char *key, const char *value, size_t length);
void json_u64(struct json_writer *json, const char *key, uint64_t value);
void json_i64(struct json_writer *json, const char *key, int64_t value);
void json_double(struct json_writer *json, const char *key, double value);
void json_bool(struct json_writer *json, const char *key, bool value);
void json_null(struct json_writer *json, const char *key);

#endif
