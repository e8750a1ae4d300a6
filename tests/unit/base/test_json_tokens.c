/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/json/json_tokens.h"

static const char document[] = "{ \"a\" : [1, -2.5e3, true, null, \"x\\n\\\"y\\\\\"], \"b\":{}, \"c\":[],\n \"d\":{\"e\":\"\\u0041\\u00e9\", \"f\":[[{\"g\":0}]]} }";

Test(json_tokens, members_items_and_texts)
{
    struct json_tokens tokens;
    struct arena arena = {0};
    struct error err = {0};
    cr_assert(json_tokens_parse(&tokens, VIEW(document), &err), "%s", err.message);
    uint32_t a = json_token_member(&tokens, 0, "a"), d = json_token_member(&tokens, 0, "d");
    static const char *const items[] = {"1", "-2.5e3", "true", "", "x\n\"y\\"};
    size_t count = 0;
    json_tokens_each(&tokens, a, item)
        cr_assert_str_eq(json_token_text(&tokens, item, &arena), items[count++]);
    cr_assert_eq(count, 5);
    cr_assert(json_token_is(&tokens, json_token_member(&tokens, 0, "b"), JSON_TOKEN_OBJECT));
    cr_assert(json_token_is(&tokens, json_token_member(&tokens, 0, "c"), JSON_TOKEN_ARRAY));
    cr_assert_str_eq(json_token_text(&tokens, json_token_member(&tokens, d, "e"), &arena), "A?");
    cr_assert_eq(json_token_member(&tokens, 0, "e"), JSON_TOKEN_ABSENT);
    cr_assert_eq(json_token_member(&tokens, a, "a"), JSON_TOKEN_ABSENT);
    cr_assert_eq(json_token_member(&tokens, JSON_TOKEN_ABSENT, "a"), JSON_TOKEN_ABSENT);
    cr_assert_str_eq(json_token_text(&tokens, JSON_TOKEN_ABSENT, &arena), "");
    cr_assert_eq(tokens.tokens.items[0].next, tokens.tokens.count);
    arena_done(&arena);
    json_tokens_done(&tokens);
}

Test(json_tokens, what_is_no_json_is_refused_with_its_line)
{
    static const char *const wrong[] = {"", "{", "[1,]", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "[1 2]", "nul", "\"open", "1 2",
                                        "{a:1}", "[}", "]", "\"a\\\"", "nan", "+1", "[inf]", "{1:2}"};
    for (size_t at = 0; at < sizeof(wrong) / sizeof(wrong[0]); at++) {
        struct json_tokens tokens;
        struct error err = {0};
        cr_assert_not(json_tokens_parse(&tokens, view_of(wrong[at]), &err), "%s", wrong[at]);
        cr_assert(err.kind == ERROR_FORMAT && strstr(err.message, "line 1"), "%s: %s", wrong[at], err.message);
    }
    struct json_tokens tokens;
    struct error err = {0};
    cr_assert_not(json_tokens_parse(&tokens, VIEW("[1,\n2,\n?]"), &err));
    cr_assert(strstr(err.message, "line 3"), "%s", err.message);
    struct text deep = {0};
    text_add_repeated(&deep, "[", 100000);
    cr_assert_not(json_tokens_parse(&tokens, (struct view){deep.bytes, deep.length}, &err));
    text_done(&deep);
}

static void text_try(const char *bytes, size_t size)
{
    struct edge edge = edge_copy(bytes, size);
    struct json_tokens tokens;
    struct arena arena = {0};
    struct error err = {0};
    if (json_tokens_parse(&tokens, (struct view){(const char *)edge.bytes, size}, &err)) {
        for (uint32_t at = 0; at < tokens.tokens.count; at++) {
            cr_assert(tokens.tokens.items[at].next > at && tokens.tokens.items[at].next <= tokens.tokens.count);
            json_token_text(&tokens, at, &arena);
            json_token_member(&tokens, at, "d");
        }
        json_tokens_done(&tokens);
    }
    arena_done(&arena);
    edge_free(&edge);
}

Test(json_tokens, survive_cuts_and_flips)
{
    char copy[sizeof(document)];
    for (size_t length = 0; length < sizeof(document); length++)
        text_try(document, length);
    for (size_t bit = 0; bit < 8 * (sizeof(document) - 1); bit++) {
        memcpy(copy, document, sizeof(document));
        copy[bit / 8] ^= (char)(1 << bit % 8);
        text_try(copy, sizeof(document) - 1);
    }
}
