/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told.h"

#include "base/scope.h"
#include "base/vec.h"

#include <string.h>
#include <strings.h>

enum { SENTENCE_MOST = 600 };

static bool is_letter(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where the words stand, whatever their case, beginning a word; NULL: nowhere. */
static const char *place_of(struct view text, const char *words)
{
    size_t length = strlen(words);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.text + at, words, length) == 0 && (at == 0 || !is_letter(text.text[at - 1])))
            return text.text + at;
    return NULL;
}

static bool has_any(struct view text, const char *const *words)
{
    for (; *words; words++)
        if (place_of(text, *words))
            return true;
    return false;
}

/* ---- trials ---- */

/* What was changed, by the names that the kernel and processors give it. */
static const char *const treatment_words[TREATMENT_COUNT][6] = {
    [TREATMENT_TICK] = {"nohz_full"},
    [TREATMENT_PAGES] = {"huge page", "hugepage", "hugetlb", "THP", "2M pages"},
    [TREATMENT_NARROW] = {"without AVX-512", "no AVX-512"},
};

/*
 * How it came out. "tried: huge pages (host): stayed" says it in one word, which is for whoever writes for plumb; of prose only what can hardly mean
 * anything else is taken: both words of a row must stand in the sentence.
 */
static const struct {
    const char *word, *with; /* with NULL: the word alone says it */
    enum outcome outcome;
} outcome_words[] = {
    {"tried:", "stayed", OUTCOME_STAYED},       {"tried:", "gone", OUTCOME_GONE},
    {"still", "gap", OUTCOME_STAYED},           {"gap", "gone", OUTCOME_GONE},
    {"no change", NULL, OUTCOME_STAYED},        {"became the same", NULL, OUTCOME_GONE},
    {"no difference", NULL, OUTCOME_STAYED},    {"becomes the same", NULL, OUTCOME_GONE},
    {"did not help", NULL, OUTCOME_STAYED},     {"closed the gap", NULL, OUTCOME_GONE},
    {"didn't help", NULL, OUTCOME_STAYED},      {"closes the gap", NULL, OUTCOME_GONE},
    {"no effect", NULL, OUTCOME_STAYED},        {"tried:", "shrank", OUTCOME_SHRANK},
    {"without effect", NULL, OUTCOME_STAYED},   {"gap", "shrank", OUTCOME_SHRANK},
    {"gap", "smaller", OUTCOME_SHRANK},         {"to the same speed", NULL, OUTCOME_GONE},
    {"gap", "unchanged", OUTCOME_STAYED},       {"slowdown", "unchanged", OUTCOME_STAYED},
};

/* False: it says none, or more than one. */
static bool outcome_read(struct view sentence, enum outcome *ret_outcome)
{
    bool said[OUTCOME_COUNT] = {false};
    for (size_t at = 0; at < array_count(outcome_words); at++)
        if (place_of(sentence, outcome_words[at].word) && (!outcome_words[at].with || place_of(sentence, outcome_words[at].with)))
            said[outcome_words[at].outcome] = true;
    int count = 0;
    for (int at = 0; at < OUTCOME_COUNT; at++) {
        *ret_outcome = said[at] ? (enum outcome)at : *ret_outcome;
        count += said[at];
    }
    return count == 1;
}

/* ---- how large the gap was ---- */

/* The number that ends before this place: "18 %", "18%", "**18%". */
static bool number_before(struct view sentence, const char *place, double *ret_number)
{
    const char *end = place;
    while (end > sentence.text && (end[-1] == ' ' || end[-1] == '*'))
        end--;
    const char *begin = end;
    while (begin > sentence.text && ((begin[-1] >= '0' && begin[-1] <= '9') || begin[-1] == '.'))
        begin--;
    return begin < end && view_double((struct view){begin, (size_t)(end - begin)}, ret_number);
}

/*
 * "18% ~ 125% lower", "12 % slower". Whether a share is of the faster side or of the slower isn't known: the lower end takes it as so much more
 * time, the upper as so much less speed where that can be.
 */
static bool percentages_read(struct view sentence, struct interval *ret_gap)
{
    double first = 0, last = 0, number;
    for (size_t at = 0; at < sentence.length; at++)
        if (sentence.text[at] == '%' && number_before(sentence, sentence.text + at, &number) && number > 0) {
            first = first > 0 ? first : number / 100;
            last = number / 100;
        }
    if (first <= 0 || last <= 0)
        return false;
    double least = first < last ? first : last, most = first < last ? last : first;
    double low = 1 - 1 / (1 + least), high = most < 1 ? most : 1 - 1 / (1 + most);
    *ret_gap = interval_of(low, (low + high) / 2, high);
    return true;
}

static bool gap_read(struct view sentence, struct interval *ret_gap)
{
    static const char *const slower[] = {"slower", "lower than", NULL};
    return has_any(sentence, slower) && percentages_read(sentence, ret_gap);
}

/* ---- what was tried ---- */

static bool trial_read(struct view sentence, struct told_trial *trial)
{
    if (!outcome_read(sentence, &trial->outcome))
        return false;
    int treatments = 0;
    for (int at = 0; at < TREATMENT_COUNT; at++)
        if (has_any(sentence, treatment_words[at])) {
            trial->treatment = (enum treatment)at;
            treatments++;
        }
    trial->on_host = place_of(sentence, "host");
    trial->on_guest = place_of(sentence, "guest");
    percentages_read(sentence, &trial->left);
    return treatments == 1; /* of two at once neither is told */
}

/* ---- code ---- */

/* "the hot loop is only ~1000 bytes", "loop: 1.5 KiB of code" */
static double loop_bytes_of(struct view sentence)
{
    const char *loop = place_of(sentence, "loop");
    struct view rest = loop ? view_skip(sentence, (size_t)(loop - sentence.text)) : (struct view){0}, word;
    double number = 0;
    for (size_t words = 0; words < 10 && (word = view_word(&rest)).length; words++) {
        double read;
        while (word.length && (word.text[0] == '~' || word.text[0] == '('))
            word = view_skip(word, 1);
        bool unit = number > 0 && (place_of(word, "bytes") == word.text || view_equal(word, "B"));
        bool kilo = number > 0 && (place_of(word, "KiB") == word.text || place_of(word, "KB") == word.text);
        if (unit || kilo)
            return number * (kilo ? 1024 : 1);
        number = view_grouped(word, &read) ? read : 0;
    }
    return 0;
}

/* "compute_ref_matmul()" in a sentence, which a line of code isn't. */
static struct view function_in(struct view sentence, size_t from)
{
    for (size_t at = 0; at < sentence.length; at++)
        if (strchr("{};=", sentence.text[at]) && sentence.text[at])
            return (struct view){0};
    for (size_t at = from; at + 1 < sentence.length; at++) {
        size_t begin = at;
        while (sentence.text[at] == '(' && sentence.text[at + 1] == ')' && begin > from && is_letter(sentence.text[begin - 1]))
            begin--;
        if (at - begin > 3)
            return (struct view){sentence.text + begin, at - begin};
    }
    return (struct view){0};
}

/* ---- together ---- */

bool told_is_useful(struct view sentence)
{
    struct told_trial trial = {0};
    struct interval gap;
    return sentence.length <= SENTENCE_MOST && (trial_read(sentence, &trial) || gap_read(sentence, &gap) || loop_bytes_of(sentence) > 0 ||
                                                function_in(sentence, 0).length > 0);
}

static const char TRIED[] = "tried:";

static bool ends_sentence(struct view text, size_t at)
{
    char c = text.text[at], next = at + 1 < text.length ? text.text[at + 1] : '\n';
    bool blank = next == ' ' || next == '\n' || next == '\t' || next == '\r';
    if (c == '\n')
        return next == '\n' || next == '`' || next == '|' || next == '@' || next == '#' || next == '*' || next == '\r' || view_starts(view_skip(text, at + 1), TRIED);
    return (c == '.' || c == '!' || c == '?' || c == ';') && blank; /* a colon often stands between what was tried and what came of it */
}

struct view told_sentence(struct view *text)
{
    struct view sentence = {0};
    while (!sentence.length && text->length) {
        size_t end = 0;
        *text = view_trim(*text);
        bool is_line = view_starts(*text, "#") || view_starts(*text, TRIED); /* Markdown's headings, and trials in our own form */
        while (end < text->length && !(is_line ? text->text[end] == '\n' : ends_sentence(*text, end)))
            end++;
        sentence = view_trim((struct view){text->text, end < text->length && text->text[end] != '\n' ? end + 1 : end});
        *text = view_skip(*text, end < text->length ? end + 1 : end);
    }
    return sentence;
}

static void sentence_take(struct told *told, struct view sentence, struct arena *arena)
{
    struct told_trial trial = {0};
    const char *kept = arena_string_n(arena, sentence.text, sentence.length);
    if (told->trial_count < TOLD_TRIALS_MOST && trial_read(sentence, &trial)) {
        trial.sentence = kept;
        told->trials[told->trial_count++] = trial;
    }
    struct interval gap;
    if (!told->gap.known && gap_read(sentence, &gap)) {
        told->gap = gap;
        told->gap_sentence = kept;
    }
    double bytes = loop_bytes_of(sentence);
    if (told->loop_bytes <= 0 && bytes > 0) {
        told->loop_bytes = bytes;
        told->loop_sentence = kept;
    }
    struct view name = function_in(sentence, 0);
    while (name.length && told->function_count < TOLD_FUNCTIONS_MOST) {
        told->functions[told->function_count++] = arena_string_n(arena, name.text, name.length);
        name = function_in(sentence, (size_t)(name.text - sentence.text) + name.length + 2);
    }
}

void told_of(struct told *ret_told, const struct statements *statements, struct arena *arena)
{
    *ret_told = (struct told){0};
    for (size_t at = 0; statements && at < statements->count; at++) {
        const struct statement *statement = &statements->items[at];
        if (!strstr(statement->origin, TOLD_ORIGIN) && strcmp(statement->origin, "said by a person") != 0)
            continue;
        struct view text = view_of(statement->text), sentence;
        while ((sentence = told_sentence(&text)).length)
            if (sentence.length <= SENTENCE_MOST)
                sentence_take(ret_told, sentence, arena);
    }
}

const struct told_trial *told_trial_of(const struct told *told, enum treatment treatment)
{
    for (size_t at = 0; at < told->trial_count; at++)
        if (told->trials[at].treatment == treatment)
            return &told->trials[at];
    return NULL;
}
