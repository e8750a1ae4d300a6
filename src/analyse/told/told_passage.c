/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_passage.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_label.h"
#include "analyse/told/told_outcome.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

/* ---- sentences ---- */

static const char TRIED[] = "tried:";

/* An item of a list: "- ", "+ ", "3. ", "3) ". */
static bool is_item(struct view line)
{
    size_t blanks = 0, digits = 0;
    while (blanks < line.length && line.text[blanks] == ' ')
        blanks++;
    line = view_skip(line, blanks);
    while (digits < line.length && digits < 3 && line.text[digits] >= '0' && line.text[digits] <= '9')
        digits++;
    if (digits)
        return line.length > digits + 1 && (line.text[digits] == '.' || line.text[digits] == ')') &&
               line.text[digits + 1] == ' ';
    return view_starts(line, "- ") || view_starts(line, "+ ") || view_starts(line, "\xe2\x80\xa2 ");
}

/* A line of a chat: "[10:40] ana: ", "10:40 <ana> ". */
static bool is_message(struct view line)
{
    size_t at = view_starts(line, "[") || view_starts(line, "(");
    size_t digits = 0;
    while (at + digits < line.length && isdigit((unsigned char)line.text[at + digits]))
        digits++;
    at += digits;
    return digits > 0 && digits <= 2 && at + 2 < line.length && line.text[at] == ':' &&
           isdigit((unsigned char)line.text[at + 1]) && isdigit((unsigned char)line.text[at + 2]);
}

/* "i.e.", "approx.": more of the sentence follows. */
static bool is_abbreviation(struct view before)
{
    static const char *const short_forms[] = {"i.e", "e.g", "vs", "approx", "ca", "resp", "cf", "incl", "excl", NULL};
    size_t begin = before.length;
    while (begin > 0 && !strchr(" \n\t(", before.text[begin - 1]))
        begin--;
    return word_is(view_skip(before, begin), short_forms);
}

static bool ends_sentence(struct view text, size_t at)
{
    char c = text.text[at], next = at + 1 < text.length ? text.text[at + 1] : '\n';
    bool blank = next == ' ' || next == '\n' || next == '\t' || next == '\r';
    if (c == '\n' && is_item(view_skip(text, at + 1)))
        return true;
    if (c == '\n' && is_message(view_skip(text, at + 1)))
        return true;
    if (c == '.' && is_abbreviation((struct view){text.text, at}))
        return false;
    if (c == '\n')
        return next == '\n' || next == '`' || next == '|' || next == '@' || next == '#' || next == '*' ||
               next == '\r' || view_starts(view_skip(text, at + 1), TRIED);
    /* a colon often stands between what was tried and what came of it */
    return (c == '.' || c == '!' || c == '?' || c == ';') && blank;
}

struct view told_sentence(struct view *text)
{
    struct view sentence = {0};
    while (!sentence.length && text->length) {
        size_t end = 0;
        *text = view_trim(*text);
        if (view_starts(*text, "```")) { /* a fence belongs to no sentence */
            struct view fence;
            (void)view_line(text, &fence);
            continue;
        }
        /* Markdown's headings, and trials in our own form */
        bool is_line = view_starts(*text, "#") || view_starts(*text, TRIED);
        while (end < text->length && !(is_line ? text->text[end] == '\n' : ends_sentence(*text, end)))
            end++;
        sentence = view_trim((struct view){text->text, end < text->length && text->text[end] != '\n' ? end + 1 : end});
        *text = view_skip(*text, end < text->length ? end + 1 : end);
    }
    return sentence;
}

/* ---- amounts of two sentences ---- */

/* "THP off: 4.2 s. THP on: 3.1 s.": each has one amount, and both together tell of one change. */
static bool is_other_half(struct view first, struct view second)
{
    struct plain_sentence one, other, both;
    struct told_pair pair;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    plain_sentence_of(&both, (struct view){first.text, (size_t)(second.text + second.length - first.text)});
    return told_has_amount(one.text) && told_has_amount(other.text) && !told_pair_of(one.text, &pair) &&
           !told_pair_of(other.text, &pair) && told_pair_of(both.text, &pair) && pair.change != TREATMENT_COUNT &&
           !told_names_state(both.text);
}

/* "41 s on bare metal. 52 s in the guest.": each has one state with its amount. */
static bool is_other_state(struct view first, struct view second)
{
    struct plain_sentence one, other, both;
    struct told_states states;
    enum treatment ignored;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    plain_sentence_of(&both, (struct view){first.text, (size_t)(second.text + second.length - first.text)});
    return told_has_amount(one.text) && told_has_amount(other.text) && told_names_state(one.text) &&
           told_names_state(other.text) && told_change_of(both.text, &ignored) == CHANGE_NONE &&
           told_states_of(both.text, &states);
}

/* ---- a change, and in another sentence what came of it ---- */

/* "trial 1 ,", "test #2 ,": what follows is what was tried. */
static bool is_numbered(const char *plain)
{
    static const char *const names[] = {"trial", "test", "attempt", "experiment", "step", "try", "fix", "change", NULL};
    struct view rest = view_of(plain), word = view_word(&rest), number = view_word(&rest);
    while (word.length && strchr("#-+0123456789.)", word.text[0])) { /* of a list, or a heading */
        word = number;
        number = view_word(&rest);
    }
    return word_is(word, names) && number.length && (isdigit((unsigned char)number.text[0]) || number.text[0] == '#');
}

/* "The lab has it disabled", "it is enabled there": how it is, not what somebody did. */
static bool is_state(const char *plain, const char *place)
{
    static const char *const having[] = {"has", "have", "is", "are", "hasn't", "isn't", NULL};
    static const char *const doing[] = {"been", "now", NULL};
    enum { WORDS_BACK = 3 };
    bool having_it = false;
    struct view ahead = {plain, (size_t)(place - plain)};
    for (size_t back = 0; back < WORDS_BACK; back++) {
        ahead = view_trim(ahead);
        size_t begin = ahead.length;
        while (begin > 0 && ahead.text[begin - 1] != ' ')
            begin--;
        struct view word = view_skip(ahead, begin);
        if (word_is(word, doing) || view_equal(word, ","))
            return having_it && view_equal(word, ",");
        having_it |= word_is(word, having);
        ahead.length = begin;
    }
    return having_it;
}

bool told_is_done(const char *plain)
{
    static const char *const changing[] = {
        "tried",     "enabled",  "enabling", "booted",       "booting",    "boots ",   "switch",     "turned",
        "turning",   "moved",    "moving",   "rebuilt",      "recompiled", "changed",  "changing",   "applied",
        "applying",  "added",    "adding",   "reran",        "ran ",       "deployed", "configured", "disabled",
        "disabling", "removed",  "removing", "lifted",       "lifting",    "set ",     "put ",       "gave ",
        "got ",      "now ",     "replaced", "replacing",    "linked",     "linking",  "preloaded",  "compiled",
        "installed", "mounted",  "reserved", "raised",       "went ",      "forced",   "restarted",  "padded ",
        "aligned ",  "pinned ",  "bound ",   "interleaved ", "isolated ",  "flushed ", "dropped ",   "remapped",
        "remapping", "hugified", "backed ",  "reduced ",     "increased ", "capped ",  "swapped ",   "echoed ",
        "echo ",     "used tas", "used num", "rolled out",   NULL};
    bool done = is_numbered(plain);
    for (const char *const *words = changing; *words && !done; words++)
        for (const char *at = plain_find(plain, *words); at && !done; at = plain_find(at + 1, *words))
            done = (at == plain || at[-1] != '/') && !is_state(plain, at);
    return done && !told_is_supposed(plain) && !told_is_of_others(plain);
}

/* "SMT off.", "2M pages for guest and host.": nothing but the change, as lists of trials have it. */
static bool is_bare(const char *plain)
{
    static const char *const telling[] = {"is",      "are",    "was",    "were",  "has",   "have", "had",    "uses",
                                          "we",      "i",      "they",   "you",   "turn",  "use",  "pin",    "enable",
                                          "disable", "set",    "switch", "put",   "try",   "add",  "remove", "run",
                                          "boot",    "next",   "later",  "more",  "why",   "how",  "?",      "todo",
                                          "maybe",   "option", "idea",   "wants", "needs", "make", NULL};
    enum { WORDS_MOST = 8 };
    size_t words = 0;
    for (struct view rest = view_of(plain), word; (word = view_word(&rest)).length;
         words += isalnum((unsigned char)word.text[0]) != 0)
        if (word_is(word, telling))
            return false;
    return words <= WORDS_MOST;
}

/* What is said, without who said it: " [10 , 40] ana , limit removed ". */
static const char *said_words(const char *plain)
{
    const char *close = plain_starts(plain, " [") ? strchr(plain, ']') : NULL;
    if (!close || close[1] != ' ')
        return plain;
    const char *name = close + 2 + strcspn(close + 2, " ");
    return plain_starts(name, " , ") ? name + 2 : close + 1;
}

/* "with eight threads", "with it": no other thing was changed. */
static bool is_with_another(const char *plain)
{
    static const char *const same[] = {"it",    "that", "this",     "them",   "these",   "one",   "two",
                                       "three", "four", "five",     "six",    "seven",   "eight", "ten",
                                       "all",   "both", "the same", "twelve", "sixteen", NULL};
    for (const char *place = plain_find(plain, "with "); place; place = plain_find(place + 1, "with ")) {
        struct view rest = view_of(place + 5), word = view_word(&rest);
        bool on_par = place - plain >= 7 && strncmp(place - 7, "on par ", 7) == 0;
        if (!on_par && !word_is(word, same) && !(word.length && isdigit((unsigned char)word.text[0])))
            return true;
    }
    return false;
}

/* Another event is told of, or another time. */
static bool is_of_another(const char *plain)
{
    static const char *const others[] = {
        "since ",    "thanks to",  "because",    "due to ", "when ",     "once ",          "using ",
        "without ",  "yesterday",  "before ",    "earlier", "last week", "previously",     "originally",
        "initially", "used to ",   "after ",     "until ",  "on monday", "on tuesday",     "meanwhile",
        "unrelated", "separately", "by the way", "btw ",    "another ",  "something else", "other ",
        "upgrade",   "instead ",   NULL};
    static const char *const referring[] = {"after that", "after this",       "after it",   "than before",
                                            "as before",  "before and after", "since then", NULL};
    return is_with_another(plain) || (plain_has(plain, others) && !plain_has(plain, referring));
}

/* "Now it takes 4.1 s", "p50 is 5.6 ms now", "Runtime 41.2 s": of the whole, as it is. */
static bool is_of_now(const char *said)
{
    static const char *const subjects[] = {
        " runtime",    " run time", " run ",    " it ",   " now ",      " the run", " the same", " same ", " latency",
        " throughput", " elapsed",  " result",  " wall",  " the batch", " the job", " the time", " total", " time ",
        " p50",        " p90",      " p95",     " p99",   " median",    " mean",    " new ",     " -> ",   " we get",
        " we got",     " we're at", " down to", " that ", " this ",     NULL};
    bool starts = false;
    for (const char *const *subject = subjects; *subject; subject++)
        starts |= plain_starts(said, *subject);
    return starts || isdigit((unsigned char)said[said[0] == ' ']) || plain_find(said, "now ");
}

/* The amounts of the second one are of what the first one did. */
static bool tells_amount(const char *said, const struct told_states *states)
{
    static const char *const joining[] = {"and ", NULL};
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    bool of_state = told_names_state(said) && !plain_find(said, "now ");
    if (of_state || is_of_another(said) || plain_has(said, joining))
        return false;
    if (told_pair_of(said, &pair))
        return pair.gain.low > 0 && pair.change == TREATMENT_COUNT;
    return states->slow > 0 && is_of_now(said) && told_state_gain(said, states, &gain, &of_gap);
}

/* "Nothing, it is still slower": what came of it, in words. */
static bool tells_outcome(const char *said)
{
    static const char *const referring[] = {" it ",          " this ",  " that ",      " there ",     " no ",
                                            " nothing ",     " result", " afterwards", " after that", " the gap",
                                            " the slowdown", " still",  NULL};
    bool refers = false;
    for (const char *const *words = referring; *words; words++)
        refers |= plain_starts(said, *words);
    /* whoever is named: as before what the first one tells of */
    return refers || plain_find(said, "still ") || (plain_find(said, "now ") && !is_of_another(said));
}

/* "Set it to always", where the first one names the file of a setting. */
static bool is_put(const char *said)
{
    static const char *const putting[] = {"set it to ",
                                          "set that to ",
                                          "set this to ",
                                          "changed it to ",
                                          "changed that to ",
                                          "switched it to ",
                                          "turned it to ",
                                          "flipped it to ",
                                          "put it to ",
                                          "changing it to ",
                                          "setting it to ",
                                          "switching it to ",
                                          NULL};
    return plain_has(said, putting);
}

static bool is_continued(struct view first, struct view second, const struct told_states *states)
{
    struct plain_sentence one, other;
    enum treatment treatment;
    enum outcome outcome;
    plain_sentence_of(&one, first);
    plain_sentence_of(&other, second);
    const char *said = said_words(other.text);
    if (told_names_setting(one.text) && is_put(said) && told_change_of(other.text, &treatment) == CHANGE_NONE)
        return outcome_of(first, &one, &outcome) == OUTCOME_UNTOLD;
    enum change_reading change = told_change_of(one.text, &treatment);
    if ((change != CHANGE_MADE && change != CHANGE_TAKEN_BACK) || !(told_is_done(one.text) || is_bare(one.text)) ||
        outcome_is_doubtful(&one) || outcome_of(first, &one, &outcome) != OUTCOME_UNTOLD ||
        told_change_of(other.text, &treatment) != CHANGE_NONE)
        return false;
    const char *between = first.text + first.length;
    bool same_paragraph = view_find((struct view){between, (size_t)(second.text - between)}, "\n\n") < 0;
    bool is_part = view_ends(first, ";");
    bool by_words = change == CHANGE_MADE && (is_part || tells_outcome(said)) &&
                    outcome_of(second, &other, &outcome) == OUTCOME_READ;
    return by_words || (same_paragraph && !told_is_supposed(other.text) && !told_is_of_others(other.text) &&
                        tells_amount(said, states));
}

/* "After reverting it …": what came of taking it back goes with the trial, or says otherwise. */
static bool is_taken_back(struct view passage, struct view next)
{
    struct plain_sentence one, other;
    enum treatment treatment;
    enum outcome outcome;
    plain_sentence_of(&one, passage);
    plain_sentence_of(&other, next);
    if (told_change_of(one.text, &treatment) != CHANGE_MADE || outcome_of(passage, &one, &outcome) != OUTCOME_READ)
        return false;
    static const char *const of_it[] = {"it ", "the gap", "the slowdown", NULL};
    bool returns = told_comes_back(other.text) && plain_has(other.text, of_it) &&
                   told_change_of(other.text, &treatment) == CHANGE_NONE;
    return returns || told_is_retraction(other.text) ||
           (told_takes_back(other.text) && told_change_of(other.text, &treatment) == CHANGE_NONE &&
            (outcome_of(next, &other, &outcome) != OUTCOME_UNTOLD || plain_find(other.text, "still ")));
}

static struct view joined(struct view first, struct view second)
{
    return (struct view){first.text, (size_t)(second.text + second.length - first.text)};
}

struct view told_passage(struct view *text, const struct told_states *states)
{
    struct view first = told_sentence(text), rest = *text, second = told_sentence(&rest);
    if (!first.length || !second.length || first.length + second.length > SENTENCE_MOST / 2)
        return first;
    if (is_continued(first, second, states) || is_other_half(first, second) || is_other_state(first, second)) {
        first = joined(first, second);
        *text = rest;
        second = told_sentence(&rest);
    }
    if (!second.length || first.length + second.length > SENTENCE_MOST || !is_taken_back(first, second))
        return first;
    *text = rest;
    return joined(first, second);
}

bool told_mentions_setting(struct view sentence)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    return told_names_setting(plain.text);
}

bool told_puts_setting(struct view sentence)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, sentence);
    return is_put(said_words(plain.text));
}
