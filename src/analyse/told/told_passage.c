/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_passage.h"

#include "analyse/told/told_amount.h"
#include "analyse/told/told_beside.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_order.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_reading.h"
#include "analyse/told/told_sentence.h"
#include "analyse/told/told_setting.h"
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static struct view joined(struct view first, struct view second)
{
    return (struct view){first.text, (size_t)(second.text + second.length - first.text)};
}

static bool is_same_paragraph(struct view first, struct view second)
{
    const char *between = first.text + first.length;
    return view_find((struct view){between, (size_t)(second.text - between)}, "\n\n") < 0;
}

/* Its only amount beside the text's two states says how much of their gap came back. */
static bool state_told(const char *plain, const struct told_states *states, double *ret_of_gap)
{
    struct interval ignored;
    return states->slow > 0 && told_state_gain(plain, states, &ignored, ret_of_gap);
}

/* Its only amount is told beside the states, or beside what stood before. */
static bool amount_told(const char *plain, const struct told_context *context)
{
    struct interval ignored;
    double of_gap;
    uint32_t used;
    return state_told(plain, &context->states, &of_gap) ||
           told_base_gain(plain, &context->bases, !(context->states.fast > 0), &ignored, &used);
}

/* ---- amounts of two sentences ---- */

static bool names_state(const char *begin, const char *end)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, (struct view){begin, (size_t)(end - begin)});
    return told_names_state(plain.text);
}

/* It names a state, and not only since when it is so: "94 s since the reinstall". */
static bool is_of_state(const char *plain)
{
    struct quantity amount = {.kind = QUANTITY_BARE};
    for (const char *place = plain; amount.kind == QUANTITY_BARE && quantity_next(place, plain, &amount);)
        place = amount.end;
    const char *cause = amount.kind == QUANTITY_BARE ? NULL : plain_find(amount.end, WORDS_STATE_CAUSE);
    return names_state(plain, cause ? cause : plain + strlen(plain));
}

/* "THP off: 4.2 s. THP on: 3.1 s.", "… Earlier it was 4.2 s.": each has one amount, and both tell of one change. */
static bool is_other_half(const char *one, const char *other, const char *both)
{
    struct told_pair pair;
    return !told_pair_of(one, &pair) && !told_pair_of(other, &pair) && told_pair_of(both, &pair) &&
           (pair.change != TREATMENT_COUNT || words_at(other, WORDS_LABEL_BEFORE)) && !is_of_state(one) &&
           !told_names_state(other);
}

/* "41 s on bare metal. 52 s in the guest.": each has one state with its amount. */
static bool is_other_state(const char *one, const char *other, const char *both)
{
    struct told_states states;
    return told_names_state(one) && told_names_state(other) && !told_changes_in(both) && told_states_of(both, &states);
}

/* "We then set …": another trial begins. */
static bool begins_another_trial(const struct reading *reading)
{
    const char *behind = words_at(reading->plain.text, WORDS_SUBJECT_DID_THEN);
    return behind && words_at(behind, WORDS_SUBJECT_DID_CHANGE) && !plain_has(reading->plain.text, WORDS_SETTING_PUT);
}

static bool are_compared(const struct reading *one, const struct reading *other)
{
    struct plain_sentence both;
    enum outcome outcome;
    bool stayed = reading_outcome(one, &outcome) == OUTCOME_READ && outcome == OUTCOME_STAYED;
    if (stayed || begins_another_trial(other) || !told_has_amount(one->plain.text) ||
        !told_has_amount(other->plain.text))
        return false;
    plain_sentence_of(&both, joined(one->sentence, other->sentence));
    return is_other_half(one->plain.text, other->plain.text, both.text) ||
           is_other_state(one->plain.text, other->plain.text, both.text);
}

/* ---- a change, and in another sentence what came of it ---- */

/* "SMT off.", "2M pages for guest and host.": nothing but the change, as lists of trials have it. */
static bool is_bare(const char *plain)
{
    enum { SPAN_MOST = 14 };
    size_t words = 0;
    for (struct view rest = view_of(plain), word; (word = view_word(&rest)).length;
         words += isalnum((unsigned char)word.text[0]) != 0)
        if (word_is(word, WORDS_SENTENCE_TELLING))
            return false;
    return words <= SPAN_MOST;
}

/* What is said, without who said it: " [10 , 40] ana , limit removed ". */
static const char *said_words(const char *plain)
{
    const char *close = text_starts(plain, " [") ? strchr(plain, ']') : NULL;
    if (!close || close[1] != ' ')
        return plain;
    const char *name = close + 2 + strcspn(close + 2, " ");
    return text_starts(name, " , ") ? name + 2 : close + 1;
}

/* Another event is told of, or another time. */
static bool is_of_another(const char *plain)
{
    /* "with eight threads", "with it", "on par with": no other thing was changed */
    static const struct word_rule with = {WORDS_SMALL_WITH, .not_ahead = WORDS_ANOTHER_PAR,
                                          .not_behind = WORDS_ANOTHER_SAME};
    return rules_hold(plain, &with, 1) ||
           (plain_has(plain, WORDS_ANOTHER_EVENT) && !plain_has(plain, WORDS_ANOTHER_REFERRING));
}

/* "Now it takes 4.1 s", "p50 is 5.6 ms now", "Runtime 41.2 s": of the whole, as it is. */
static bool is_of_now(const char *said)
{
    return words_at(said, WORDS_SUBJECT_NOW) || plain_has(said, WORDS_SMALL_NOW);
}

/* The time of the whole: "the loop time", "runtime". */
static bool is_whole(struct view before_last, struct view last)
{
    return word_is(last, WORDS_SUBJECT_WHOLE) ||
           (view_equal(last, "time") && (!before_last.length || word_is(before_last, WORDS_SUBJECT_TIME)));
}

/* Ahead of an amount, up to where that is said to be: "the loop time" of "the loop time in the instance was". */
static bool is_subject(struct view ahead)
{
    struct plain_sentence plain;
    struct view subject = {0}, last = {0}, before_last = {0};
    for (struct view word; (word = view_word(&ahead)).length;) {
        if (!subject.length && word_is(word, WORDS_SUBJECT_ARTICLES))
            continue;
        if (view_equal(word, ",") || word_is(word, WORDS_SUBJECT_PLACE))
            break;
        subject = joined(subject.length ? subject : word, word);
        before_last = last;
        last = word;
    }
    plain_sentence_of(&plain, subject);
    return subject.length && (told_names_state(plain.text) || is_whole(before_last, last));
}

/*
 * "TDX 9.9 s", "SNP guest: 41.000 tps", "the loop time in the instance was 246.1 s": the state that is asked about, or
 * the time of the whole in it, with its amount.
 */
static bool begins_with_state(const char *said, const struct told_states *states)
{
    enum { SPAN_MOST = 8 };
    struct quantity amount;
    struct plain_sentence head;
    if (!quantity_next(said, said, &amount))
        return false;
    struct view ahead = {said, (size_t)(amount.begin - said)};
    size_t words = 0;
    for (struct view rest = ahead; view_word(&rest).length;)
        words++;
    plain_sentence_of(&head, ahead);
    return words <= SPAN_MOST && told_names_state(head.text) && !told_names_state(amount.end) &&
           !told_is_of_fast(ahead, states) && is_subject(ahead);
}

/* "52.2 s.": nothing but an amount. */
static bool is_amount_alone(const char *said)
{
    struct quantity amount;
    const char *begin = said + strspn(said, " ~");
    return quantity_next(said, said, &amount) && amount.begin == begin && amount.kind != QUANTITY_BARE &&
           !amount.end[strspn(amount.end, " ,")];
}

/* The amounts of the second one are of what the first one did. */
static bool tells_amount(const char *said, const struct told_context *context)
{
    struct told_pair pair;
    struct told_return returned;
    bool is_subject = begins_with_state(said, &context->states);
    bool of_state = told_names_state(said) && !plain_has(said, WORDS_SMALL_NOW) && !is_subject;
    bool did = words_at(said, WORDS_SUBJECT_THAT_DID);
    if ((of_state && !did) || is_of_another(said) || plain_has(said, WORDS_SMALL_AND))
        return false;
    if (words_at(said, WORDS_SUBJECT_GAP) && told_returned(said, &returned))
        return true;
    if (told_pair_of(said, &pair))
        return pair.gain.low > 0 && pair.change == TREATMENT_COUNT;
    bool is_of_it = is_subject || is_of_now(said) || is_amount_alone(said);
    return told_base_is_labelled(said, &context->bases) || (is_of_it && amount_told(said, context));
}

/* "Nothing, it is still slower", "SNP guest: 41000 tps, that is, the gap is gone": what came of it, in words. */
static bool refers(const char *said, const struct told_states *states)
{
    bool is_amount = word_is_number(word_at(said)) && told_has_amount(said);
    const char *with_it = words_at(said, WORDS_SUBJECT_WITH_IT);
    return words_at(said, WORDS_SUBJECT_REFERRING) || (with_it && !words_at(with_it, WORDS_CHANGE_OFF)) || is_amount ||
           begins_with_state(said, states) || plain_has(said, WORDS_SMALL_STILL) ||
           (plain_has(said, WORDS_SMALL_NOW) && !is_of_another(said));
}

/* "Set it to always", where the first one names the file of a setting. */
static bool is_put(const char *said)
{
    return plain_has(said, WORDS_SETTING_PUT);
}

/* "The gap is gone." behind an amount. */
static bool is_outcome_of_gap(struct view first, const struct reading *second)
{
    return words_at(second->plain.text, WORDS_SUBJECT_GAP) && is_same_paragraph(first, second->sentence) &&
           second->change == CHANGE_NONE && reading_tells_outcome(second, OUTCOME_READ);
}

static bool is_continued(const struct reading *one, const struct reading *other, const struct told_context *context)
{
    if (other->change != CHANGE_NONE || begins_another_trial(other) ||
        (told_is_item(one->sentence) && told_is_item(other->sentence)))
        return false;
    const char *said = said_words(other->plain.text);
    if (told_names_setting(one->plain.text) && is_put(said))
        return reading_tells_outcome(one, OUTCOME_UNTOLD);
    bool made = one->change == CHANGE_MADE || one->change == CHANGE_TAKEN_BACK || one->change == CHANGE_SEVERAL;
    bool is_label = view_ends(one->sentence, ":") && !words_at(one->plain.text, WORDS_LABEL_ELLIPTIC); /* of a table */
    if (!made || !(reading_is_done(one) || (is_bare(one->plain.text) && !is_label)) ||
        outcome_is_doubtful(&one->plain) || !reading_tells_outcome(one, OUTCOME_UNTOLD))
        return false;
    bool is_part = view_ends(one->sentence, ";");
    enum outcome outcome;
    bool stayed = reading_outcome(other, &outcome) == OUTCOME_READ && outcome == OUTCOME_STAYED;
    bool by_words = (one->change == CHANGE_MADE || stayed) && (is_part || refers(said, &context->states)) &&
                    reading_tells_outcome(other, OUTCOME_READ);
    /* across a paragraph, too, where it is what had the same label before */
    bool is_told_of = is_same_paragraph(one->sentence, other->sentence) || told_base_is_labelled(said, &context->bases);
    return by_words || (is_told_of && !reading_is_doubted(other) && tells_amount(said, context));
}

/* ---- what is told behind a trial ---- */

/* The amount of a sentence that names no change says otherwise than the trial before it: "a week later it was 52 s". */
static bool is_contrary_amount(const char *trial, const char *next, const struct told_states *states)
{
    static const double APART = 0.5; /* of the gap */
    double of_gap, other_of_gap;
    return states->fast > 0 && !plain_has(next, WORDS_SUBJECT_BEFORE) && state_told(trial, states, &of_gap) &&
           state_told(next, states, &other_of_gap) && fabs(of_gap - other_of_gap) > APART;
}

/* It tells how a trial came out, in words or by an amount. */
static bool is_told_through(const struct reading *passage, bool by_words, const struct told_context *context)
{
    const char *plain = passage->plain.text;
    struct told_pair pair;
    struct interval gain;
    return passage->change == CHANGE_MADE &&
           (by_words || told_pair_of(plain, &pair) || told_gain(plain, &gain) || amount_told(plain, context));
}

/* "Only after we also pinned the vCPUs was the gap gone.": what the trial before did not do alone. */
static bool is_joined_behind(const struct reading *trial, const struct reading *next)
{
    enum outcome outcome;
    return words_at(next->plain.text, WORDS_OUTCOME_ONLY) && plain_has(next->plain.text, WORDS_OUTCOME_JOINED) &&
           next->change != CHANGE_NONE && trial->change == CHANGE_MADE &&
           reading_outcome(trial, &outcome) == OUTCOME_READ && outcome == OUTCOME_STAYED;
}

/* What takes the certainty of a trial before it away, and names no change. */
static bool is_weakened(const struct reading *trial, const char *plain)
{
    bool adds = true;
    (void)told_change_adds(trial->treatment, &adds);
    return told_is_weakening(plain) || told_admits_another(plain) || told_outlasts(plain, adds);
}

/*
 * "After reverting it …": what came of taking it back goes with the trial, or says otherwise; and so does what takes
 * the trial's certainty away ("that was with half of the input, though").
 */
static bool is_taken_back(struct view passage, const struct reading *next, const struct told_context *context)
{
    struct reading trial;
    const char *plain = next->plain.text;
    reading_of(&trial, passage);
    if (is_joined_behind(&trial, next))
        return true;
    if (trial.change != CHANGE_MADE)
        return false;
    bool names_change = next->change != CHANGE_NONE, by_words = reading_tells_outcome(&trial, OUTCOME_READ);
    if (!is_told_through(&trial, by_words, context))
        return false;
    if (told_is_retraction(plain))
        return true;
    if (names_change || begins_another_trial(next))
        return false;
    if (told_is_item(next->sentence)) /* of something else */
        return false;
    if ((is_weakened(&trial, plain) && !view_ends(next->sentence, "?")) ||
        is_contrary_amount(trial.plain.text, plain, &context->states))
        return true;
    bool tells_outcome = !reading_tells_outcome(next, OUTCOME_UNTOLD) || plain_has(plain, WORDS_SMALL_STILL);
    return by_words && ((told_comes_back(plain) && plain_has(plain, WORDS_SUBJECT_IT)) ||
                        (told_takes_back(plain) && tells_outcome));
}

/* ---- the passage ---- */

/* What of a text is one passage, and the sentence behind it. */
struct growing {
    struct view passage, rest; /* rest: behind the passage */
    struct reading next;
};

static void next_read(struct growing *growing)
{
    struct view rest = growing->rest;
    reading_of(&growing->next, told_sentence(&rest));
}

static void passage_grow(struct growing *growing)
{
    (void)told_sentence(&growing->rest);
    growing->passage = joined(growing->passage, growing->next.sentence);
    next_read(growing);
}

/* There is a next one, and both together are no longer than that. */
static bool has_room(const struct growing *growing, size_t most)
{
    return growing->next.sentence.length && growing->passage.length + growing->next.sentence.length <= most;
}

static bool has_speed(const char *plain)
{
    struct quantities all;
    bool has = false;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        has |= all.items[at].kind == QUANTITY_TIME || all.items[at].kind == QUANTITY_RATE;
    return has;
}

/* "MSR exits dropped to a handful.": what the change did to a count, and nothing of how fast anything became. */
static bool is_of_counts(const struct reading *reading)
{
    const char *plain = reading->plain.text;
    return plain_has(plain, WORDS_COUNT_NAMED) && !plain_has(plain, WORDS_COUNT_SPEED) && !has_speed(plain) &&
           reading->change == CHANGE_NONE && !is_of_another(plain) && !reading_is_doubted(reading) &&
           !view_ends(reading->sentence, "?") && reading_tells_outcome(reading, OUTCOME_UNTOLD);
}

/* Behind what it did to a count stands what came of it. */
static bool is_continued_behind(const struct reading *first, const struct growing *growing,
                                const struct told_context *context)
{
    struct growing behind = {.passage = first->sentence, .rest = growing->rest, .next = growing->next};
    if (!is_of_counts(&growing->next) || !is_same_paragraph(first->sentence, growing->next.sentence))
        return false;
    passage_grow(&behind);
    return has_room(&behind, SENTENCE_MOST / 2) &&
           (is_same_paragraph(growing->next.sentence, behind.next.sentence) ||
            told_base_is_labelled(behind.next.plain.text, &context->bases)) &&
           is_continued(first, &behind.next, context);
}

/* What stands before the joint is of counts alone: "Exits went down" */
static bool is_counted(struct view head)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, head);
    return plain_has(plain.text, WORDS_COUNT_NAMED) && !plain_has(plain.text, WORDS_COUNT_SPEED) &&
           !has_speed(plain.text) && !told_changes_in(plain.text);
}

/* "Exits went down, and the throughput became the same": what a count did stands before how fast it became. */
static bool is_continued_in(const struct reading *first, struct view sentence, const struct told_context *context)
{
    static const char joint[] = " and ";
    struct reading rest;
    struct view tail = sentence;
    for (ptrdiff_t at; (at = view_find(tail, joint)) >= 0;) {
        tail = view_skip(tail, (size_t)at + sizeof(joint) - 1);
        struct view head = {sentence.text, (size_t)(tail.text - sentence.text) - (sizeof(joint) - 1)};
        reading_of(&rest, tail);
        if (is_counted(head) && is_continued(first, &rest, context))
            return true;
    }
    return false;
}

/* "No difference.", behind the amount that the change came to. */
static bool is_outcome_behind(struct view passage, const struct reading *next)
{
    return is_outcome_of_gap(passage, next) ||
           (is_same_paragraph(passage, next->sentence) && next->change == CHANGE_NONE &&
            words_at(next->plain.text, WORDS_SUBJECT_SAME) && reading_tells_outcome(next, OUTCOME_READ));
}

struct view told_passage(struct view *text, const struct told_context *context)
{
    struct reading first;
    struct growing growing = {.passage = told_sentence(text)};
    growing.rest = *text;
    next_read(&growing);
    if (!growing.passage.length || !has_room(&growing, SENTENCE_MOST / 2))
        return growing.passage;
    reading_of(&first, growing.passage);
    bool continued = is_continued(&first, &growing.next, context) ||
                     (first.change == CHANGE_MADE && growing.next.change == CHANGE_NONE &&
                      is_same_paragraph(first.sentence, growing.next.sentence) &&
                      is_continued_in(&first, growing.next.sentence, context));
    if (!continued && is_continued_behind(&first, &growing, context)) {
        passage_grow(&growing);
        continued = true;
    }
    if (continued || are_compared(&first, &growing.next))
        passage_grow(&growing);
    if (continued && has_room(&growing, SENTENCE_MOST) && is_outcome_behind(growing.passage, &growing.next))
        passage_grow(&growing);
    if (has_room(&growing, SENTENCE_MOST) && is_taken_back(growing.passage, &growing.next, context))
        passage_grow(&growing);
    *text = growing.rest;
    return growing.passage;
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
