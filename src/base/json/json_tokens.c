/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_tokens.h"

enum { DEPTH_MOST = 64 };

struct scanner {
    struct json_tokens *tokens;
    const char *at, *end;
    uint32_t open[DEPTH_MOST]; /* containers that aren't closed yet */
    size_t depth;
};

static bool fail(const struct scanner *scanner, const char *what, struct error *err)
{
    size_t line = 1;
    for (const char *at = scanner->tokens->text.text; at < scanner->at; at++)
        line += *at == '\n';
    return error_set(err, ERROR_FORMAT, "not valid JSON: line %zu: %s", line, what);
}

static void blanks_skip(struct scanner *scanner)
{
    while (scanner->at < scanner->end &&
           (*scanner->at == ' ' || *scanner->at == '\n' || *scanner->at == '\r' || *scanner->at == '\t'))
        scanner->at++;
}

static bool take(struct scanner *scanner, char c)
{
    if (scanner->at >= scanner->end || *scanner->at != c)
        return false;
    scanner->at++;
    return true;
}

static uint32_t token_add(struct scanner *scanner, enum json_token_kind kind, const char *start, const char *end)
{
    uint32_t index = (uint32_t)scanner->tokens->tokens.count;
    *vec_push(&scanner->tokens->tokens) = (struct json_token){
        .start = (uint32_t)(start - scanner->tokens->text.text),
        .length = (uint32_t)(end - start),
        .next = index + 1,
        .kind = kind,
    };
    return index;
}

static bool string_take(struct scanner *scanner, struct error *err)
{
    if (!take(scanner, '"'))
        return fail(scanner, "a string was expected", err);
    const char *start = scanner->at;
    for (;; scanner->at++) {
        scanner->at =
            scanner->at < scanner->end ? memchr(scanner->at, '"', (size_t)(scanner->end - scanner->at)) : NULL;
        if (!scanner->at) {
            scanner->at = start;
            return fail(scanner, "a string without its end", err);
        }
        const char *slash = scanner->at;
        while (slash > start && slash[-1] == '\\')
            slash--;
        if ((scanner->at - slash) % 2 == 0)
            break;
    }
    token_add(scanner, JSON_TOKEN_STRING, start, scanner->at);
    scanner->at++;
    return true;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
           c == '.';
}

static bool other_take(struct scanner *scanner, struct error *err)
{
    const char *start = scanner->at;
    while (scanner->at < scanner->end && is_word(*scanner->at))
        scanner->at++;
    struct view word = {start, (size_t)(scanner->at - start)};
    double number;
    if (!view_equal(word, "true") && !view_equal(word, "false") && !view_equal(word, "null") &&
        !(word.length && strchr("-0123456789", word.text[0]) && view_double(word, &number))) {
        scanner->at = start;
        return fail(scanner, "a value was expected", err);
    }
    token_add(scanner, JSON_TOKEN_OTHER, start, scanner->at);
    return true;
}

static bool container_open(struct scanner *scanner, enum json_token_kind kind, struct error *err)
{
    if (scanner->depth == DEPTH_MOST)
        return fail(scanner, "nested too deeply", err);
    scanner->open[scanner->depth++] = token_add(scanner, kind, scanner->at, scanner->at + 1);
    scanner->at++;
    return true;
}

/* A value's first token; *ret_opened when it is a container whose contents are still to come. */
static bool value_take(struct scanner *scanner, bool *ret_opened, struct error *err)
{
    blanks_skip(scanner);
    char c = scanner->at < scanner->end ? *scanner->at : '\0';
    *ret_opened = c == '{' || c == '[';
    if (*ret_opened)
        return container_open(scanner, c == '{' ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY, err);
    return c == '"' ? string_take(scanner, err) : other_take(scanner, err);
}

static struct json_token *innermost(const struct scanner *scanner)
{
    return &scanner->tokens->tokens.items[scanner->open[scanner->depth - 1]];
}

/* Close whatever ends here; *ret_done when the document is complete. */
static bool containers_close(struct scanner *scanner, bool *ret_done, struct error *err)
{
    for (*ret_done = false; scanner->depth; scanner->depth--) {
        blanks_skip(scanner);
        bool is_object = innermost(scanner)->kind == JSON_TOKEN_OBJECT;
        if (take(scanner, ','))
            return true;
        if (!take(scanner, is_object ? '}' : ']'))
            return fail(scanner, is_object ? "',' or '}' was expected" : "',' or ']' was expected", err);
        innermost(scanner)->next = (uint32_t)scanner->tokens->tokens.count;
    }
    *ret_done = true;
    return true;
}

static bool key_take(struct scanner *scanner, struct error *err)
{
    blanks_skip(scanner);
    if (!string_take(scanner, err))
        return false;
    blanks_skip(scanner);
    return take(scanner, ':') || fail(scanner, "':' was expected", err);
}

static bool empty_close(struct scanner *scanner)
{
    bool is_object = innermost(scanner)->kind == JSON_TOKEN_OBJECT;
    blanks_skip(scanner);
    if (!take(scanner, is_object ? '}' : ']'))
        return false;
    innermost(scanner)->next = (uint32_t)scanner->tokens->tokens.count;
    scanner->depth--;
    return true;
}

static bool document_scan(struct scanner *scanner, struct error *err)
{
    bool opened, done = false;
    while (!done) {
        if (scanner->depth && innermost(scanner)->kind == JSON_TOKEN_OBJECT && !key_take(scanner, err))
            return false;
        if (!value_take(scanner, &opened, err))
            return false;
        if (opened && !empty_close(scanner))
            continue;
        if (!containers_close(scanner, &done, err))
            return false;
    }
    blanks_skip(scanner);
    return scanner->at == scanner->end || fail(scanner, "something follows the document", err);
}

bool json_tokens_parse(struct json_tokens *tokens, struct view text, struct error *err)
{
    struct scanner scanner = {.tokens = tokens, .at = text.text, .end = text.text + text.length};
    *tokens = (struct json_tokens){.text = text};
    if (text.length >= UINT32_MAX / 2)
        return error_set(err, ERROR_LIMIT, "JSON of %zu bytes is more than plumb reads", text.length);
    if (document_scan(&scanner, err))
        return true;
    json_tokens_done(tokens);
    return false;
}

void json_tokens_done(struct json_tokens *tokens)
{
    vec_done(&tokens->tokens);
}

bool json_token_is(const struct json_tokens *tokens, uint32_t token, enum json_token_kind kind)
{
    return token < tokens->tokens.count && tokens->tokens.items[token].kind == kind;
}

uint32_t json_token_member(const struct json_tokens *tokens, uint32_t token, const char *key)
{
    if (!json_token_is(tokens, token, JSON_TOKEN_OBJECT))
        return JSON_TOKEN_ABSENT;
    for (uint32_t at = token + 1; at < tokens->tokens.items[token].next; at = tokens->tokens.items[at + 1].next)
        if (view_equal(json_token_view(tokens, at), key))
            return at + 1;
    return JSON_TOKEN_ABSENT;
}

struct view json_token_view(const struct json_tokens *tokens, uint32_t token)
{
    if (token >= tokens->tokens.count || tokens->tokens.items[token].kind < JSON_TOKEN_STRING)
        return VIEW("");
    const struct json_token *found = &tokens->tokens.items[token];
    struct view view = {tokens->text.text + found->start, found->length};
    return found->kind == JSON_TOKEN_OTHER && view_equal(view, "null") ? VIEW("") : view;
}

/* One of the characters that an escape stands for; those beyond ASCII become '?' (names and formulas have none). */
static char escape_undo(const char **at, const char *end)
{
    static const char escapes[] = "n\nt\tr\rb\bf\f";
    uint64_t code;
    char c = *(*at)++;
    for (size_t pair = 0; pair + 1 < sizeof(escapes); pair += 2)
        if (escapes[pair] == c)
            return escapes[pair + 1];
    if (c != 'u')
        return c;
    if (end - *at < 4 || !view_u64((struct view){*at, 4}, 16, &code))
        return '?';
    *at += 4;
    return code >= ' ' && code < 0x7f ? (char)code : code == '\n' || code == '\t' ? ' ' : '?';
}

const char *json_token_text(const struct json_tokens *tokens, uint32_t token, struct arena *arena)
{
    struct view view = json_token_view(tokens, token);
    const char *at = view.text, *end = view.text + view.length;
    char *text = arena_string_n(arena, view.text, view.length), *to = text;
    if (!memchr(view.text, '\\', view.length))
        return text;
    while (at < end)
        if (*at == '\\' && at + 1 < end) {
            at++;
            *to++ = escape_undo(&at, end);
        } else {
            *to++ = *at++;
        }
    *to = '\0';
    return text;
}
