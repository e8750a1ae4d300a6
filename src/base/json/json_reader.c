/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_reader.h"

#include "base/arena.h"
#include "base/library.h"
#include "base/vec.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

struct jansson {
    typeof(json_loadb) *loadb;
    typeof(json_delete) *delete;
    typeof(json_object_get) *object_get;
    typeof(json_array_size) *array_size;
    typeof(json_array_get) *array_get;
    typeof(json_string_value) *string_value;
    typeof(json_number_value) *number_value;
    typeof(json_integer_value) *integer_value;
};

struct json_document {
    struct jansson jansson;
    json_t *root;
};

static const struct library jansson_library = {
    .names = {"libjansson.so.4", NULL},
    .package = "libjansson4",
    .purpose = "reading JSON",
};

static const struct library_symbol jansson_symbols[] = {
    LIBRARY_SYMBOL(struct jansson, loadb, "json_loadb"),
    LIBRARY_SYMBOL(struct jansson, delete, "json_delete"),
    LIBRARY_SYMBOL(struct jansson, object_get, "json_object_get"),
    LIBRARY_SYMBOL(struct jansson, array_size, "json_array_size"),
    LIBRARY_SYMBOL(struct jansson, array_get, "json_array_get"),
    LIBRARY_SYMBOL(struct jansson, string_value, "json_string_value"),
    LIBRARY_SYMBOL(struct jansson, number_value, "json_number_value"),
    LIBRARY_SYMBOL(struct jansson, integer_value, "json_integer_value"),
};

bool json_document_parse(struct json_document **ret_document, struct view text, struct error *err)
{
    struct jansson jansson;
    if (!library_load(&jansson_library, jansson_symbols, array_count(jansson_symbols), &jansson, err))
        return false;
    json_error_t wrong;
    json_t *root =
        jansson.loadb(text.text ? text.text : "", text.length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &wrong);
    if (!root)
        return error_set(err, ERROR_FORMAT, "not valid JSON: line %d, column %d: %s", wrong.line, wrong.column,
                         wrong.text);
    struct json_document *document = memory_alloc(sizeof(*document));
    *document = (struct json_document){jansson, root};
    *ret_document = document;
    return true;
}

void json_document_free(struct json_document *document)
{
    if (!document)
        return;
    /* json_decref is inline in the header and would need the library linked; this is its last step. */
    if (document->root->refcount != (size_t)-1)
        document->jansson.delete(document->root);
    free(document);
}

void scope_json_document(struct json_document **document)
{
    json_document_free(*document);
}

struct json_value json_root(const struct json_document *document)
{
    return (struct json_value){document, document ? document->root : NULL};
}

static const json_t *node_of(struct json_value value, json_type type)
{
    const json_t *node = value.node;
    return node && json_typeof(node) == type ? node : NULL;
}

struct json_value json_member(struct json_value object, const char *key)
{
    const json_t *node = node_of(object, JSON_OBJECT);
    return (struct json_value){object.document, node ? object.document->jansson.object_get(node, key) : NULL};
}

size_t json_count(struct json_value array)
{
    const json_t *node = node_of(array, JSON_ARRAY);
    return node ? array.document->jansson.array_size(node) : 0;
}

struct json_value json_item(struct json_value array, size_t index)
{
    const json_t *node = node_of(array, JSON_ARRAY);
    return (struct json_value){array.document, node ? array.document->jansson.array_get(node, index) : NULL};
}

bool json_present(struct json_value value)
{
    return value.node && json_typeof((const json_t *)value.node) != JSON_NULL;
}

bool json_is_list(struct json_value value)
{
    return node_of(value, JSON_ARRAY) != NULL;
}

bool json_is_record(struct json_value value)
{
    return node_of(value, JSON_OBJECT) != NULL;
}

const char *json_text_or(struct json_value value, const char *fallback)
{
    const json_t *node = node_of(value, JSON_STRING);
    return node ? value.document->jansson.string_value(node) : fallback;
}

bool json_number(struct json_value value, double *ret_number)
{
    const json_t *node = value.node;
    if (!node || !(json_typeof(node) == JSON_INTEGER || json_typeof(node) == JSON_REAL))
        return false;
    double number = value.document->jansson.number_value(node);
    if (!isfinite(number))
        return false;
    *ret_number = number;
    return true;
}

double json_number_or(struct json_value value, double fallback)
{
    (void)!json_number(value, &fallback);
    return fallback;
}

bool json_unsigned(struct json_value value, uint64_t *ret_number)
{
    const char *text = json_text_or(value, NULL);
    if (text)
        return view_u64(view_of(text), 0, ret_number);
    const json_t *node = node_of(value, JSON_INTEGER);
    if (!node || value.document->jansson.integer_value(node) < 0)
        return false;
    *ret_number = (uint64_t)value.document->jansson.integer_value(node);
    return true;
}

uint64_t json_unsigned_or(struct json_value value, uint64_t fallback)
{
    (void)!json_unsigned(value, &fallback);
    return fallback;
}

bool json_truth_or(struct json_value value, bool fallback)
{
    if (node_of(value, JSON_TRUE))
        return true;
    return node_of(value, JSON_FALSE) ? false : fallback;
}
