/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_share.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_outcome.h"
#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <string.h>
#include <strings.h>

enum token_kind { TOKEN_WORD, TOKEN_SHARE, TOKEN_FUNCTION };

struct token {
    enum token_kind kind;
    struct view text; /* without the signs around it; of a function its name */
    double percent;
    bool in_bracket; /* a bracket opens before it */
    bool ends_clause;
};

enum { TOKENS_MOST = 96 };

struct tokens {
    struct token items[TOKENS_MOST];
    size_t count;
};

/* ---- the sentence's words ---- */

static bool is_sign(char c, const char *signs)
{
    return c && strchr(signs, c);
}

static void signs_cut(struct token *token)
{
    struct view *text = &token->text;
    while (text->length && is_sign(text->text[0], "(*`~\"'")) {
        token->in_bracket |= text->text[0] == '(';
        *text = view_skip(*text, 1);
    }
    while (text->length && !view_ends(*text, "()") && is_sign(text->text[text->length - 1], ",.;:)*`\"'!?")) {
        token->ends_clause |= is_sign(text->text[text->length - 1], ",.;:!?");
        text->length--;
    }
}

/* A number with its sign: "62%", "62" and "%", "62" and "percent". */
static bool share_read(struct token *token, struct view *rest)
{
    struct view number = token->text, ahead = *rest, next = view_word(&ahead);
    bool own_sign = view_ends(number, "%"), next_sign = view_starts(next, "%") || view_starts(next, "percent");
    number.length -= own_sign;
    if (!(own_sign || next_sign) || !view_grouped(number, &token->percent) ||
        !(token->percent >= 0 && token->percent <= 100))
        return false;
    if (!own_sign) {
        struct token sign = {.text = next};
        signs_cut(&sign);
        token->ends_clause |= sign.ends_clause;
        *rest = ahead;
    }
    return true;
}

static bool is_name(struct view text)
{
    for (size_t at = 0; at < text.length; at++)
        if (!is_sign(text.text[at], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:~<>."))
            return false;
    return text.length > 1;
}

static void tokens_read(struct view rest, struct tokens *tokens)
{
    tokens->count = 0;
    for (struct view word; tokens->count < TOKENS_MOST && (word = view_word(&rest)).length;) {
        struct token token = {.text = word};
        signs_cut(&token);
        struct view name = {token.text.text, token.text.length - (view_ends(token.text, "()") ? 2 : 0)};
        if (name.length < token.text.length && is_name(name)) {
            token.kind = TOKEN_FUNCTION;
            token.text = name;
        } else if (share_read(&token, &rest)) {
            token.kind = TOKEN_SHARE;
        }
        tokens->items[tokens->count++] = token;
    }
}

/* ---- what they say ---- */

/* "of the time", "of all samples", or nothing more in this clause. */
static bool is_of_time(const struct tokens *tokens, size_t share)
{
    size_t at = share + 1;
    if (tokens->items[share].ends_clause || at == tokens->count || tokens->items[at].kind != TOKEN_WORD ||
        is_sign(tokens->items[at].text.length ? tokens->items[at].text.text[0] : ',', "-,"))
        return true;
    bool of = view_equal(tokens->items[at].text, "of");
    while (of && at < tokens->count && word_is(tokens->items[at].text, WORDS_SHARE_ARTICLES))
        at++;
    return of && at < tokens->count && word_is(tokens->items[at].text, WORDS_SHARE_OF_TIME);
}

/* "L3 misses: 40 %" is a share of these. */
static bool is_of_other(const struct tokens *tokens, const struct token *share)
{
    enum { NEAR = 4 };
    const struct token *from = share - tokens->items > NEAR ? share - NEAR : tokens->items;
    for (; from < share; from++)
        if (piece_has(from->text, WORDS_SHARE_OTHER))
            return true;
    return false;
}

/* The share that stands before a name. */
static const struct token *share_before(const struct tokens *tokens, size_t name)
{
    size_t at = name;
    while (at > 0 && tokens->items[at - 1].kind == TOKEN_WORD && !tokens->items[at - 1].ends_clause &&
           (word_is(tokens->items[at - 1].text, WORDS_SHARE_BEFORE) ||
            word_is(tokens->items[at - 1].text, WORDS_SHARE_OF_TIME)))
        at--;
    const struct token *share = at > 0 && at < name ? &tokens->items[at - 1] : NULL;
    return share && share->kind == TOKEN_SHARE && !share->ends_clause ? share : NULL;
}

static const struct token *share_behind(const struct tokens *tokens, size_t name)
{
    size_t at = name + 1;
    while (at < tokens->count && tokens->items[at].kind == TOKEN_WORD && !tokens->items[at].ends_clause &&
           word_is(tokens->items[at].text, WORDS_SHARE_BEHIND))
        at++;
    const struct token *share = at < tokens->count ? &tokens->items[at] : NULL;
    bool linked = share && (at > name + 1 || share->in_bracket) && !tokens->items[name].ends_clause;
    return linked && share->kind == TOKEN_SHARE && is_of_time(tokens, at) ? share : NULL;
}

size_t told_shares_in(struct view sentence, struct told_share ret_shares[TOLD_SHARES_MOST])
{
    struct plain_sentence plain;
    struct tokens tokens;
    size_t count = 0;
    plain_sentence_of(&plain, sentence);
    if (sentence.length > SENTENCE_MOST || told_is_supposed(plain.text) || outcome_is_denied(&plain))
        return 0;
    tokens_read(sentence, &tokens);
    for (size_t at = 0; at < tokens.count && count < TOLD_SHARES_MOST; at++) {
        const struct token *before = tokens.items[at].kind == TOKEN_FUNCTION ? share_before(&tokens, at) : NULL;
        const struct token *share =
            before || tokens.items[at].kind != TOKEN_FUNCTION ? before : share_behind(&tokens, at);
        if (share && !is_of_other(&tokens, share))
            ret_shares[count++] = (struct told_share){tokens.items[at].text, share->percent};
    }
    return count;
}
