/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void json_begin(struct json_writer *json, struct text *out)
{
    *json = (struct json_writer){.out = out};
}

static void add_quoted(struct text *out, const char *value, size_t length)
{
    text_add_char(out, '"');
    for (size_t at = 0; at < length;) {
        unsigned char c = (unsigned char)value[at];
        size_t bytes = utf8_length(value + at, length - at);
        if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c == '\t')
            text_add(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            text_printf(out, "\\u%04x", c);
        else if (!bytes)
            text_add(out, "\\ufffd");
        else
            text_append(out, value + at, bytes);
        at += bytes ? bytes : 1;
    }
    text_add_char(out, '"');
}

static void new_line(struct json_writer *json)
{
    if (json->compact)
        return;
    text_add_char(json->out, '\n');
    text_add_repeated(json->out, "  ", (size_t)json->depth);
}

static void begin_item(struct json_writer *json, const char *key)
{
    text_spill(json->out, json->file);
    if (json->depth > 0) {
        if (json->has_items[json->depth])
            text_add_char(json->out, ',');
        json->has_items[json->depth] = true;
        new_line(json);
    }
    if (key) {
        add_quoted(json->out, key, strlen(key));
        text_add(json->out, ": ");
    }
}

static void open_with(struct json_writer *json, const char *key, char bracket)
{
    begin_item(json, key);
    text_add_char(json->out, bracket);
    json->depth++;
    assert((size_t)json->depth < sizeof(json->has_items));
    json->has_items[json->depth] = false;
}

static void close_with(struct json_writer *json, char bracket)
{
    assert(json->depth > 0);
    bool had_items = json->has_items[json->depth];
    json->depth--;
    if (had_items)
        new_line(json);
    text_add_char(json->out, bracket);
    if (json->depth == 0)
        text_add_char(json->out, '\n');
}

void json_object_open(struct json_writer *json, const char *key)
{
    open_with(json, key, '{');
}

void json_object_close(struct json_writer *json)
{
    close_with(json, '}');
}

void json_array_open(struct json_writer *json, const char *key)
{
    open_with(json, key, '[');
}

void json_array_close(struct json_writer *json)
{
    close_with(json, ']');
}

void json_string_n(struct json_writer *json, const char *key, const char *value, size_t length)
{
    begin_item(json, key);
    add_quoted(json->out, value, length);
}

void json_string(struct json_writer *json, const char *key, const char *value)
{
    if (value)
        json_string_n(json, key, value, strlen(value));
    else
        json_null(json, key);
}

void json_u64(struct json_writer *json, const char *key, uint64_t value)
{
    begin_item(json, key);
    text_add_u64(json->out, value);
}

void json_i64(struct json_writer *json, const char *key, int64_t value)
{
    begin_item(json, key);
    text_printf(json->out, "%" PRIi64, value);
}

void json_double(struct json_writer *json, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    begin_item(json, key);
    char digits[40];
    snprintf(digits, sizeof(digits), "%.15g", value);
    if (strtod(digits, NULL) != value)
        snprintf(digits, sizeof(digits), "%.17g", value);
    text_add(json->out, digits);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
    begin_item(json, key);
    text_add(json->out, value ? "true" : "false");
}

void json_null(struct json_writer *json, const char *key)
{
    begin_item(json, key);
    text_add(json->out, "null");
}
