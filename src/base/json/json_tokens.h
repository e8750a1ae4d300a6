/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a large JSON document into one array of tokens over its own text: no tree, no copies, libc only. It takes
 * published event tables (2 MB) in a few milliseconds, where json_reader.h takes 60, and works in the static core.
 *
 * The text must outlive the tokens. Strings are views of it, escapes still in place: json_token_text undoes them.
 * Does not support: finding duplicate keys (the first is found), numbers as anything but text, depth over 64.
 */
#ifndef PLUMB_BASE_JSON_JSON_TOKENS_H
#define PLUMB_BASE_JSON_JSON_TOKENS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vec.h"

enum json_token_kind {
    JSON_TOKEN_OBJECT, /* its members follow: key, value, key, value… */
    JSON_TOKEN_ARRAY,  /* its items follow */
    JSON_TOKEN_STRING,
    JSON_TOKEN_OTHER /* number, true, false, null */
};

struct json_token {
    uint32_t start, length; /* of the text; a string's without its quotes */
    uint32_t next;          /* index of the token behind this one and all that it holds */
    uint8_t kind;           /* enum json_token_kind */
};

struct json_tokens {
    struct view text;
    vec(struct json_token) tokens;
};

#define JSON_TOKEN_ABSENT UINT32_MAX

/* Errors: ERROR_FORMAT with the line. Token 0 is the document. Owner of tokens: the caller (json_tokens_done). */
MUST_CHECK bool json_tokens_parse(struct json_tokens *tokens, struct view text, struct error *err);
void json_tokens_done(struct json_tokens *tokens);

bool json_token_is(const struct json_tokens *tokens, uint32_t token, enum json_token_kind kind);
/* The value of an object's member, or JSON_TOKEN_ABSENT (also when token is absent or no object). */
uint32_t json_token_member(const struct json_tokens *tokens, uint32_t token, const char *key);
/* Walk an array: first is token + 1, then ->next, until the array's own next. */
#define json_tokens_each(document, array, item)                                                                  \
    for (uint32_t item = (array) + 1, item##_end = (document)->tokens.items[array].next; item < item##_end;        \
         item = (document)->tokens.items[item].next)

/* A member's string with escapes undone, or a number as it is written; "" when absent or null. Owner: arena. */
const char *json_token_text(const struct json_tokens *tokens, uint32_t token, struct arena *arena);
/* The same as a view of the document, escapes still in place. */
struct view json_token_view(const struct json_tokens *tokens, uint32_t token);

#endif
