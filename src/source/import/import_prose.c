/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_prose.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_text.h"

#include <ctype.h>

/* Longer ones first. Blanks stand for hyphens and "_", too. */
static const struct {
    const char *words, *published;
} names[] = {
    {"front end bound", "frontend_bound"},
    {"frontend bound", "frontend_bound"},
    {"back end bound", "backend_bound"},
    {"backend bound", "backend_bound"},
    {"bad speculation", "bad_speculation"},
    {"retiring", "retiring"},
    {"retires", "retiring"},
    {"retire", "retiring"},
    {"memory bound", "memory_bound"},
    {"core bound", "core_bound"},
    {"fetch latency", "fetch_latency"},
    {"fetch bandwidth", "fetch_bandwidth"},
    {"branch mispredicts", "branch_mispredicts"},
    {"machine clears", "machine_clears"},
    {"dram bound", "dram_bound"},
    {"l1 bound", "l1_bound"},
    {"l2 bound", "l2_bound"},
    {"l3 bound", "l3_bound"},
    {"store bound", "store_bound"},
    {"memory bandwidth", "mem_bandwidth"},
    {"memory latency", "mem_latency"},
    {"mem bandwidth", "mem_bandwidth"},
    {"mem latency", "mem_latency"},
};

enum { TOKENS_MOST = 48, PAIRS_LEAST = 2 };

struct token {
    const char *published; /* NULL: a share */
    double percent;
    size_t begin, end;
};

struct tokens {
    struct token items[TOKENS_MOST];
    size_t count;
};

/* Where the words end that stand here; 0: they don't. */
static size_t words_end(struct view text, size_t at, const char *words)
{
    for (; *words; words++, at++) {
        bool blank = *words == ' ';
        if (at >= text.length || (blank ? !strchr(" -_\n", text.text[at]) || !text.text[at]
                                        : tolower((unsigned char)text.text[at]) != *words))
            return 0;
    }
    return at < text.length && (isalnum((unsigned char)text.text[at]) || text.text[at] == '_') ? 0 : at;
}

/* Where a path of classes goes on: "Backend_Bound.Core_Bound.Divider"; its last one is told of. */
static size_t path_last(struct view text, size_t at)
{
    size_t last = at;
    for (; at < text.length && (isalnum((unsigned char)text.text[at]) || strchr("_.", text.text[at])) && text.text[at];
         at++)
        if (text.text[at] == '.' && at + 1 < text.length && isalpha((unsigned char)text.text[at + 1]))
            last = at + 1;
    return last;
}

/* Classes that are told of so by their paths alone. */
static const char *published_of(struct view text, size_t at, size_t *ret_end)
{
    static const char *const alone[] = {"divider",
                                        "ports_utilization",
                                        "serializing_operation",
                                        "icache_misses",
                                        "itlb_misses",
                                        "branch_resteers",
                                        "dsb",
                                        "mite",
                                        "light_operations",
                                        "heavy_operations",
                                        "fb_full",
                                        "dtlb_load",
                                        "dtlb_store"};
    for (size_t name = 0; name < array_count(names); name++)
        if ((*ret_end = words_end(text, at, names[name].words)))
            return names[name].published;
    for (size_t name = 0; name < array_count(alone); name++)
        if ((*ret_end = words_end(text, at, alone[name])))
            return alone[name];
    return NULL;
}

static bool name_read(struct view text, size_t at, struct token *token)
{
    size_t last = path_last(text, at), last_end = 0;
    for (size_t name = 0; name < array_count(names); name++) {
        size_t end = words_end(text, at, names[name].words);
        if (!end)
            continue;
        if (last > at) {
            *token = (struct token){.published = published_of(text, last, &last_end), .begin = at, .end = last_end};
            return token->published != NULL;
        }
        *token = (struct token){.published = names[name].published, .begin = at, .end = end};
        return true;
    }
    return false;
}

/* "88.8 %" */
static bool share_read(struct view text, size_t at, struct token *token)
{
    size_t end = at;
    while (end < text.length && (isdigit((unsigned char)text.text[end]) || strchr(".,", text.text[end])) &&
           text.text[end])
        end++;
    struct view number = {text.text + at, end - at};
    end += end < text.length && text.text[end] == ' ';
    *token = (struct token){.begin = at, .end = end + 1};
    return number.length && end < text.length && text.text[end] == '%' && view_grouped(number, &token->percent) &&
           token->percent >= 0 && token->percent <= 100;
}

/* "Backend_Bound.Core_Bound.Divider 55.1": such paths have the share behind them without its sign. */
static bool bare_share_read(struct view text, size_t at, const struct token *before, struct token *token)
{
    size_t end = at;
    bool is_path = before && before->published && before->end + 1 == at &&
                   memchr(text.text + before->begin, '.', before->end - before->begin);
    while (end < text.length && (isdigit((unsigned char)text.text[end]) || text.text[end] == '.'))
        end++;
    end -= end > at && text.text[end - 1] == '.';
    struct view number = {text.text + at, end - at};
    *token = (struct token){.begin = at, .end = end};
    return is_path && view_find(number, ".") > 0 && view_grouped(number, &token->percent) && token->percent <= 100;
}

static void tokens_of(struct view text, struct tokens *tokens)
{
    tokens->count = 0;
    for (size_t at = 0; at < text.length && tokens->count < TOKENS_MOST;) {
        bool inside = at && (isalnum((unsigned char)text.text[at - 1]) || strchr("_.,", text.text[at - 1]));
        struct token *token = &tokens->items[tokens->count];
        const struct token *before = tokens->count ? token - 1 : NULL;
        bool is_one = !inside && (isdigit((unsigned char)text.text[at])
                                      ? share_read(text, at, token) || bare_share_read(text, at, before, token)
                                      : name_read(text, at, token));
        tokens->count += is_one;
        at = is_one ? token->end : at + 1;
    }
}

/* "of the slots are" between a share and its class. */
static bool is_of_slots(struct view between)
{
    static const char *const words[] = {"of",   "the", "all", "pipeline", "issue", "slots",
                                        "slot", "are", "is",  "were",     "was",   NULL};
    bool slots = false;
    for (struct view word; (word = view_word(&between)).length;) {
        bool known = false;
        for (const char *const *one = words; *one && !known; one++)
            known = view_equal(word, *one);
        if (!known)
            return false;
        slots |= view_starts(word, "slot");
    }
    return slots;
}

/* Each share next to its class, all in one order: whose a share is then isn't in doubt. */
static bool are_pairs(struct view text, const struct tokens *tokens)
{
    enum { BEFORE_NAME = 8, BEHIND_NAME = 24 };
    if (tokens->count % 2 || tokens->count / 2 < PAIRS_LEAST || tokens->count == TOKENS_MOST)
        return false;
    bool name_first = tokens->items[0].published;
    for (size_t at = 0; at < tokens->count; at += 2) {
        const struct token *first = &tokens->items[at], *last = &tokens->items[at + 1];
        bool in_order = name_first ? first->published && !last->published : !first->published && last->published;
        struct view between = {text.text + first->end, last->begin - first->end};
        if (!in_order || (between.length > (name_first ? BEHIND_NAME : BEFORE_NAME) && !is_of_slots(between)))
            return false;
    }
    return true;
}

static void pairs_put(struct text *out, const struct tokens *tokens)
{
    for (size_t at = 0; at < tokens->count; at += 2) {
        const struct token *name = &tokens->items[at + !tokens->items[at].published],
                           *share = &tokens->items[at + (tokens->items[at].published != NULL)];
        text_printf(out, "%.15g %% tma_%s\n", share->percent, name->published);
    }
}

/* Up to the full stop behind which a blank stands. */
static struct view sentence_cut(struct view *text)
{
    size_t end = 0;
    while (end < text->length && !(strchr(".;!?", text->text[end]) && text->text[end] &&
                                   (end + 1 == text->length || isspace((unsigned char)text->text[end + 1]))))
        end++;
    struct view sentence = {text->text, end};
    *text = view_skip(*text, end < text->length ? end + 1 : end);
    return sentence;
}

/* "The Intel example has 83 % …": of others. */
static bool is_quoted(struct view sentence)
{
    static const char *const words[] = {"example",      "Example",   "manual",  "documentation", "according to",
                                        "According to", "blog",      "article", "tutorial",      "white paper",
                                        "whitepaper",   "the paper", "vendor",  "for reference", "typical",
                                        "would be",     "should be", NULL};
    for (const char *const *one = words; *one; one++)
        if (view_find(sentence, *one) >= 0)
            return true;
    return false;
}

static struct view word_bare(struct view word)
{
    while (word.length && strchr("(`*\"'", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr(")`*\"',.;:", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

/* Of another state than the one that is asked about, or of none. */
static bool is_of_other_state(struct view sentence)
{
    static const char *const words[] = {"if ",   "If ",  "before", "after", "now",  "until", "with ",
                                        "once ", "when", "When",   "other", "then", "least", NULL};
    for (const char *const *one = words; *one; one++)
        if (view_find(sentence, *one) >= 0)
            return true;
    return false;
}

/* "(tma_dtlb_load was 1.1 %)": a class by its full name, a verb, and its share. */
static void named_put(struct text *out, struct view sentence)
{
    struct view name = {0}, verb = {0}, word, rest = sentence;
    while ((word = view_word(&rest)).length) {
        struct view share = word_bare(word), sign = rest;
        double percent;
        bool has_sign = view_ends(share, "%") || view_starts(word_bare(view_word(&sign)), "%");
        share.length -= view_ends(share, "%");
        bool is_said = view_equal(verb, "was") || view_equal(verb, "is");
        if (is_said && has_sign && view_starts(name, "tma_") && import_text_is_class(name) && share.length &&
            isdigit((unsigned char)share.text[0]) && view_decimal(share, &percent) && percent <= 100)
            text_printf(out, "%.15g %% %.*s\n", percent, (int)name.length, name.text);
        name = verb;
        verb = word_bare(word);
    }
}

static void paragraph_put(struct text *out, struct view paragraph)
{
    struct tokens tokens;
    scoped_text struct text table = {0};
    /* what a tool prints has its own reader */
    bool of_tool = view_find(paragraph, "tma_") >= 0 || view_find(paragraph, "% of Pipeline Slots") >= 0 ||
                   view_find(paragraph, "% of Clockticks") >= 0;
    while (of_tool && paragraph.length) {
        struct view sentence = sentence_cut(&paragraph);
        if (!is_quoted(sentence) && !is_of_other_state(sentence))
            named_put(&table, sentence);
    }
    while (!of_tool && paragraph.length) {
        struct view sentence = sentence_cut(&paragraph);
        tokens_of(sentence, &tokens);
        if (!is_quoted(sentence) && are_pairs(sentence, &tokens))
            pairs_put(&table, &tokens);
    }
    if (table.length)
        text_printf(out, "\n%s\n", text_string(&table));
}

struct view import_prose_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text, paragraph = {text.text, 0};
    scoped_text struct text out = {0};
    size_t plain = 0;
    while (view_line(&rest, &line)) {
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
        plain += line.length + 1;
        bool gap = import_text_is_gap(line);
        if (!gap)
            paragraph.length = (size_t)(line.text + line.length - paragraph.text);
        if (gap || !rest.length) {
            paragraph_put(&out, paragraph);
            paragraph = (struct view){rest.text, 0};
        }
    }
    return out.length > plain ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
