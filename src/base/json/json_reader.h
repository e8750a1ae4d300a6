/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads one JSON document (jansson, loaded on first use) through values that are safe to follow: whatever is
 * absent or of another type answers "absent", so that a reader asks for what it needs and checks once.
 *
 * Does not support: comments, numbers beyond double, integers beyond 63 bits (write those as text), streams.
 */
#ifndef PLUMB_BASE_JSON_JSON_READER_H
#define PLUMB_BASE_JSON_JSON_READER_H

#include "base/error.h"
#include "base/scope.h"
#include "base/text.h"

struct json_document;

struct json_value {
    const struct json_document *document;
    const void *node; /* NULL: absent */
};

/* Errors: ERROR_FORMAT with line and column, ERROR_UNSUPPORTED without jansson. Owner: the caller. */
MUST_CHECK bool json_document_parse(struct json_document **ret_document, struct view text, struct error *err);
void json_document_free(struct json_document *document); /* NULL is fine */
void scope_json_document(struct json_document **document);
#define scoped_json scoped(scope_json_document)

struct json_value json_root(const struct json_document *document);
struct json_value json_member(struct json_value object, const char *key);
size_t json_count(struct json_value array); /* 0 when it isn't an array */
struct json_value json_item(struct json_value array, size_t index);

bool json_present(struct json_value value); /* there, and not null */
bool json_is_list(struct json_value value);
bool json_is_record(struct json_value value);
/* The string, or fallback. Owner: the document. */
const char *json_text_or(struct json_value value, const char *fallback);
/* Any finite number; false (ret untouched) otherwise. */
bool json_number(struct json_value value, double *ret_number);
double json_number_or(struct json_value value, double fallback);
/* A non-negative integer, or text such as "0x7f…" or "12"; false (ret untouched) otherwise. */
bool json_unsigned(struct json_value value, uint64_t *ret_number);
uint64_t json_unsigned_or(struct json_value value, uint64_t fallback);
bool json_truth_or(struct json_value value, bool fallback);

#endif
