/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_passage.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_label.h"
#include "analyse/told/told_outcome.h"
#include "analyse/told/told_quantity.h"
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
    enum { WORDS_MOST = 14 };
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
        if (view_equal(word, "the") && view_starts(view_trim(rest), "same ")) /* "with the same traffic" */
            continue;
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

/* The time of the whole: "the loop time", "runtime". */
static bool is_whole(struct view before_last, struct view last)
{
    static const char *const wholes[] = {"runtime", "job",     "batch",     "run", "throughput",
                                         "result",  "program", "benchmark", NULL};
    static const char *const times[] = {"loop", "run", "wall", "elapsed", "total", "execution", "the", "whole", NULL};
    return word_is(last, wholes) || (view_equal(last, "time") && (!before_last.length || word_is(before_last, times)));
}

/*
 * "TDX 9.9 s", "SNP guest: 41.000 tps", "the loop time in the instance was 246.1 s": the state that is asked about, or
 * the time of the whole in it, with its amount.
 */
static bool begins_with_state(const char *said, const struct told_states *states)
{
    static const char *const articles[] = {"the", "a", "our", "this", "that", "now", "then", "so", "and", ",", NULL};
    static const char *const places[] = {"in", "on", "inside", "within", "of", "under", NULL};
    enum { WORDS_MOST = 8 };
    struct quantity amount;
    struct plain_sentence head, subject;
    if (!quantity_next(said, said, &amount))
        return false;
    struct view ahead = {said, (size_t)(amount.begin - said)}, rest = ahead, word = {0}, before = {0};
    size_t words = 0;
    plain_sentence_of(&head, ahead);
    for (struct view all = ahead; view_word(&all).length;)
        words++;
    if (words > WORDS_MOST || !told_names_state(head.text) || told_names_state(amount.end) ||
        told_is_of_fast(ahead, states))
        return false;
    const char *begin = NULL;
    while ((word = view_word(&rest)).length && word_is(word, articles))
        ;
    for (begin = word.text; word.length && !word_is(word, places); word = view_word(&rest))
        if (view_equal(word, ","))
            break;
        else
            before = word;
    if (!begin || !before.length)
        return false;
    plain_sentence_of(&subject, (struct view){begin, (size_t)(before.text + before.length - begin)});
    struct view head_words = view_of(subject.text), last = {0}, last_but_one = {0};
    while ((word = view_word(&head_words)).length) {
        last_but_one = last;
        last = word;
    }
    return told_names_state(subject.text) || is_whole(last_but_one, last);
}

/* The amounts of the second one are of what the first one did. */
static bool tells_amount(const char *said, const struct told_states *states)
{
    static const char *const joining[] = {"and ", NULL};
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    bool is_subject = begins_with_state(said, states);
    bool of_state = told_names_state(said) && !plain_find(said, "now ") && !is_subject;
    if (of_state || is_of_another(said) || plain_has(said, joining))
        return false;
    if (told_pair_of(said, &pair))
        return pair.gain.low > 0 && pair.change == TREATMENT_COUNT;
    return states->slow > 0 && (is_subject || is_of_now(said)) && told_state_gain(said, states, &gain, &of_gap);
}

/* "Nothing, it is still slower": what came of it, in words. */
static bool tells_outcome(const char *said, const struct told_states *states)
{
    static const char *const referring[] = {" it ",          " this ",  " that ",      " there ",     " no ",
                                            " nothing ",     " result", " afterwards", " after that", " the gap",
                                            " the slowdown", " still",  NULL};
    bool refers = false;
    for (const char *const *words = referring; *words; words++)
        refers |= plain_starts(said, *words);
    /* whoever is named: as before what the first one tells of */
    /* "SNP guest: 41000 tps, that is, the gap is gone" */
    bool is_amount = isdigit((unsigned char)said[said[0] == ' ']) && told_has_amount(said);
    return refers || is_amount || begins_with_state(said, states) || plain_find(said, "still ") ||
           (plain_find(said, "now ") && !is_of_another(said));
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

static bool is_same_paragraph(struct view first, struct view second)
{
    const char *between = first.text + first.length;
    return view_find((struct view){between, (size_t)(second.text - between)}, "\n\n") < 0;
}

/* "The gap is gone." behind an amount. */
static bool is_outcome_of_gap(struct view first, struct view second)
{
    static const char *const gaps[] = {" the gap ",        " gap ",
                                       " so the gap ",     " so no ",
                                       " no gap ",         " no difference",
                                       " no change",       " that is ",
                                       " the slowdown ",   " same as ",
                                       " the same gap ",   " that closes ",
                                       " there is still ", " there was still ",
                                       " still a gap ",    NULL};
    struct plain_sentence plain;
    enum treatment ignored;
    enum outcome outcome;
    bool begins = false;
    plain_sentence_of(&plain, second);
    for (const char *const *words = gaps; *words; words++)
        begins |= plain_starts(plain.text, *words);
    return begins && is_same_paragraph(first, second) && told_change_of(plain.text, &ignored) == CHANGE_NONE &&
           outcome_of(second, &plain, &outcome) == OUTCOME_READ;
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
    bool is_part = view_ends(first, ";");
    bool by_words = change == CHANGE_MADE && (is_part || tells_outcome(said, states)) &&
                    outcome_of(second, &other, &outcome) == OUTCOME_READ;
    return by_words || (is_same_paragraph(first, second) && !told_is_supposed(other.text) &&
                        !told_is_of_others(other.text) && tells_amount(said, states));
}

/* ---- what is told behind a trial ---- */

/* The amount of a sentence that names no change says otherwise than the trial before it: "a week later it was 52 s". */
static bool is_contrary_amount(const struct plain_sentence *trial, const struct plain_sentence *next,
                               const struct told_states *states)
{
    static const char *const before[] = {"without",    "before",     "baseline",    "originally",
                                         "initially",  "previously", "it had been", "used to",
                                         "instead of", "reference",  "compared",    NULL};
    static const double APART = 0.5; /* of the gap */
    struct interval ignored;
    double of_gap, other_of_gap;
    enum treatment named;
    if (!(states->slow > 0) || !(states->fast > 0) || told_change_of(next->text, &named) != CHANGE_NONE ||
        plain_has(next->text, before) || !told_state_gain(trial->text, states, &ignored, &of_gap) ||
        !told_state_gain(next->text, states, &ignored, &other_of_gap))
        return false;
    return of_gap - other_of_gap > APART || other_of_gap - of_gap > APART;
}

/* It tells how a trial came out, in words or by an amount. */
static bool is_told_through(struct view passage, const struct plain_sentence *plain, const struct told_states *states)
{
    enum treatment treatment;
    enum outcome outcome;
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    return told_change_of(plain->text, &treatment) == CHANGE_MADE &&
           (outcome_of(passage, plain, &outcome) == OUTCOME_READ || told_pair_of(plain->text, &pair) ||
            told_gain(plain->text, &gain) ||
            (states->slow > 0 && told_state_gain(plain->text, states, &gain, &of_gap)));
}

/*
 * "After reverting it …": what came of taking it back goes with the trial, or says otherwise; and so does what takes
 * the trial's certainty away ("that was with half of the input, though").
 */
static bool is_taken_back(struct view passage, struct view next, const struct told_states *states)
{
    struct plain_sentence one, other;
    enum treatment treatment;
    enum outcome outcome;
    plain_sentence_of(&one, passage);
    plain_sentence_of(&other, next);
    if (!is_told_through(passage, &one, states))
        return false;
    bool names_change = told_change_of(other.text, &treatment) != CHANGE_NONE;
    if (told_is_retraction(other.text) || (!names_change && told_is_weakening(other.text) && !view_ends(next, "?")) ||
        is_contrary_amount(&one, &other, states))
        return true;
    static const char *const of_it[] = {"it ", "the gap", "the slowdown", NULL};
    bool by_words = outcome_of(passage, &one, &outcome) == OUTCOME_READ && !names_change;
    return by_words && ((told_comes_back(other.text) && plain_has(other.text, of_it)) ||
                        (told_takes_back(other.text) &&
                         (outcome_of(next, &other, &outcome) != OUTCOME_UNTOLD || plain_find(other.text, "still "))));
}

static struct view joined(struct view first, struct view second)
{
    return (struct view){first.text, (size_t)(second.text + second.length - first.text)};
}

/* The passage grows by the next sentence. */
static void passage_grow(struct view *passage, struct view *text, struct view *next)
{
    struct view rest = *text;
    (void)told_sentence(&rest);
    *passage = joined(*passage, *next);
    *text = rest;
    *next = told_sentence(&rest);
}

/* "MSR exits dropped to a handful.": what the change did to a count, and nothing of how fast anything became. */
static bool is_of_counts(struct view sentence)
{
    static const char *const counts[] = {"exits",    "interrupts", "misses",        "faults",  "walks",       "ticks",
                                         "wakeups",  "switches",   "anonhugepages", "meminfo", "smaps",       "counts",
                                         "counters", "migrations", "violations",    "snoops",  "transitions", NULL};
    static const char *const speeds[] = {"fast", "slow", "gap", "runtime", "run time", "throughput", "latency", NULL};
    struct plain_sentence plain;
    enum treatment ignored;
    enum outcome outcome;
    plain_sentence_of(&plain, sentence);
    return plain_has(plain.text, counts) && !plain_has(plain.text, speeds) && !told_has_amount(plain.text) &&
           told_change_of(plain.text, &ignored) == CHANGE_NONE && !is_of_another(plain.text) &&
           !told_is_supposed(plain.text) && !told_is_of_others(plain.text) && !view_ends(sentence, "?") &&
           outcome_of(sentence, &plain, &outcome) == OUTCOME_UNTOLD;
}

/* Behind what it did to a count stands what came of it. */
static bool is_continued_behind(struct view first, struct view counts, struct view rest,
                                const struct told_states *states)
{
    (void)told_sentence(&rest); /* that of counts */
    struct view outcome = told_sentence(&rest);
    return outcome.length && first.length + counts.length + outcome.length <= SENTENCE_MOST / 2 &&
           is_same_paragraph(first, counts) && is_same_paragraph(counts, outcome) && is_of_counts(counts) &&
           is_continued(first, outcome, states);
}

struct view told_passage(struct view *text, const struct told_states *states)
{
    struct view first = told_sentence(text), rest = *text, next = told_sentence(&rest);
    if (!first.length || !next.length || first.length + next.length > SENTENCE_MOST / 2)
        return first;
    bool continued = is_continued(first, next, states);
    if (!continued && is_continued_behind(first, next, *text, states)) {
        passage_grow(&first, text, &next);
        continued = true;
    }
    if (continued || is_other_half(first, next) || is_other_state(first, next))
        passage_grow(&first, text, &next);
    if (continued && next.length && first.length + next.length <= SENTENCE_MOST && is_outcome_of_gap(first, next))
        passage_grow(&first, text, &next);
    if (next.length && first.length + next.length <= SENTENCE_MOST && is_taken_back(first, next, states))
        passage_grow(&first, text, &next);
    return first;
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
