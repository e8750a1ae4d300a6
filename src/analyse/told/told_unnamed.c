/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_unnamed.h"

#include "analyse/told/told_beside.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_order.h"
#include "analyse/told/told_passage.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_reading.h"
#include "analyse/told/told_sentence.h"
#include "analyse/told/told_words.h"

#include <math.h>
#include <string.h>

/* ---- one amount ---- */

static bool is_speed(const struct quantity *quantity)
{
    return (quantity->kind == QUANTITY_TIME || quantity->kind == QUANTITY_RATE) && quantity->value > 0;
}

/* Its only time or rate; false: it has none, or several. */
static bool only_speed(const char *plain, struct quantity *ret_only)
{
    struct quantities all;
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (is_speed(&all.items[at])) {
            *ret_only = all.items[at];
            count++;
        }
    return count == 1;
}

/* Of a rate the inverse is the time. */
static struct interval gain_of(const struct quantity *before, const struct quantity *after)
{
    bool is_rate = before->kind == QUANTITY_RATE;
    const struct quantity *longer = is_rate ? after : before, *shorter = is_rate ? before : after;
    return told_gain_between(shorter->value, shorter->half_digit, longer->value, longer->half_digit);
}

static bool are_alike(const struct quantity *one, const struct quantity *other)
{
    return one->kind == other->kind && (one->kind == QUANTITY_TIME || quantity_units_agree(one->unit, other->unit));
}

/* ---- what was changed ---- */

/* Behind the number of a list, and what numbers a trial: "Task 3: with -O3", "2) with", "trial 1: with". */
static const char *said_of(const char *plain)
{
    enum { HEAD_MOST = 3 };
    struct view rest = view_of(plain);
    for (size_t words = 0; words < HEAD_MOST; words++) {
        struct view word = view_word(&rest);
        if (word.length && (view_equal(word, ",") || word_is_number(word) || view_equal(word, "-") ||
                            word_is(word, WORDS_UNNAMED_HEAD)))
            continue;
        return words && word.length ? word.text - 1 : plain;
    }
    return rest.length ? rest.text : plain;
}

/* "With X , 203 s ,", "with X it takes 203 s": its amount is of whatever was told of ahead of it. */
static bool is_elliptic(const char *plain, const struct quantity *amount)
{
    const char *end = amount->begin;
    bool is_led = words_at(said_of(plain), WORDS_UNNAMED_LED);
    struct view lead = word_back(plain, &end);
    const char *verb = end;
    bool is_of_it =
        word_is(lead, WORDS_STATE_TOOK) || word_is(lead, WORDS_UNNAMED_BEING)
            ? words_end(plain, verb, WORDS_UNNAMED_WHOLE) || word_is(word_back(plain, &end), WORDS_UNNAMED_PRONOUN)
            : words_end(plain, amount->begin, WORDS_AMOUNT_LED) || word_is(lead, WORDS_UNNAMED_MEASURED);
    return is_led && is_of_it && strchr(",", amount->end[strspn(amount->end, " ")]);
}

/* The one change that was made; TREATMENT_COUNT: it has no name here, is several, or is how many threads there are. */
static enum treatment named_in(const struct reading *reading)
{
    bool is_named = reading->change == CHANGE_MADE && reading->treatment != TREATMENT_SET_THREADS;
    return is_named ? reading->treatment : TREATMENT_COUNT;
}

/* "With X it went from 41 s to 32 s", "we raised X: 41 s -> 32 s", "41 s -> 32 s with X" */
static bool tells_change(const struct reading *reading)
{
    struct quantities all;
    bool is_behind = false;
    quantities_of(reading->plain.text, &all);
    for (size_t at = 0; at < all.count; at++)
        is_behind |= is_speed(&all.items[at]) && words_at(all.items[at].end, WORDS_UNNAMED_LED);
    return is_behind || words_at(said_of(reading->plain.text), WORDS_UNNAMED_LED) ||
           plain_has(reading->plain.text, WORDS_UNNAMED_DID);
}

/* ---- what speaks against it ---- */

/* "With a larger input", but not "31k rows/s": other work than before. */
static bool is_of_other_work(const char *plain)
{
    bool found = false;
    for (struct match work = match_in(plain, WORDS_UNNAMED_WORK); match_next(&work);)
        found |= work.end[0] != '/';
    return found;
}

/* Other work than before, a part of it, or what isn't so. */
static bool is_of_something_else(const struct reading *reading, const struct told_context *context)
{
    const char *plain = reading->plain.text;
    enum outcome outcome;
    bool stayed = reading_outcome(reading, &outcome) == OUTCOME_READ && outcome == OUTCOME_STAYED;
    return stayed || reading_is_doubted(reading) || is_of_other_work(plain) || plain_has(plain, WORDS_UNNAMED_PART) ||
           plain_has(plain, WORDS_COUNT_NAMED) || told_is_weakening(plain) ||
           (reading->change != CHANGE_NONE && told_admits_another(plain)) || told_takes_back(plain) ||
           (told_phases_of(plain) & ~context->phases);
}

/* The sentence behind it takes its certainty away. */
static bool is_taken_back_behind(struct view behind)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, behind);
    return told_is_weakening(plain.text) || told_is_retraction(plain.text) || told_takes_back(plain.text) ||
           told_comes_back(plain.text) || told_admits_another(plain.text) ||
           plain_has(plain.text, WORDS_CHANGE_BACK_TO);
}

/* ---- how much it returned ---- */

/* "With X the elapsed time is 28.9 s (48.2 s with Y)": what stands in brackets was without it. */
static bool by_brackets(const char *plain, struct interval *ret_gain)
{
    struct quantities all;
    struct quantity first, last;
    quantities_of(plain, &all);
    if (!words_at(said_of(plain), WORDS_UNNAMED_LED) ||
        (!quantities_pair(&all, QUANTITY_TIME, &first, &last) && !quantities_pair(&all, QUANTITY_RATE, &first, &last)))
        return false;
    struct view between = {first.end, (size_t)(last.begin - first.end)}, behind = {last.end, strcspn(last.end, ")")};
    bool in_brackets = view_find(between, "(") >= 0 && view_find(between, ")") < 0 && last.end[behind.length] == ')';
    if (!in_brackets || !(piece_has(behind, WORDS_UNNAMED_BEFORE) || piece_has(between, WORDS_UNNAMED_BEFORE)))
        return false;
    *ret_gain = gain_of(&last, &first);
    return true;
}

/* "With THP on top: 149 s.", or a change just ahead: what was changed before may be there still. */
static bool may_add_up(const char *plain, struct view before)
{
    struct reading reading;
    reading_of(&reading, before);
    bool is_change = reading.change == CHANGE_MADE || reading.change == CHANGE_SEVERAL;
    bool is_circumstance = told_is_circumstance(reading.plain.text, told_changes_in(reading.plain.text)) ||
                           reading.treatment == TREATMENT_SET_THREADS;
    return plain_has(plain, WORDS_UNNAMED_STACKED) || (is_change && !is_circumstance) || tells_change(&reading);
}

/* "Ten runs take 44 s. With five: 22 s.": less work, by the number of what stands there, or of nothing else. */
static bool changes_count(const char *plain, struct view before)
{
    const char *behind = words_at(said_of(plain), WORDS_UNNAMED_LED);
    struct view rest = view_of(behind ? behind : ""), number = view_word(&rest), thing = view_word(&rest);
    struct plain_sentence ahead;
    plain_sentence_of(&ahead, before);
    bool is_count = word_is_number(number) || word_is(number, WORDS_TIMES_NUMBER);
    return is_count && (view_equal(thing, ",") || has_word(view_of(ahead.text), thing));
}

/* "It takes 812 s. With X: 203 s.": what the sentence ahead of it tells, of no change. */
static bool by_neighbour(struct view before, const struct quantity *after, bool is_named, struct interval *ret_gain)
{
    static const struct told_states any;
    struct reading reading;
    struct quantity first;
    reading_of(&reading, before);
    if (is_named && plain_has(reading.plain.text, WORDS_THERE_HOST)) /* the change may be of a guest's */
        return false;
    const char *plain = reading.plain.text;
    bool is_plain = reading.change == CHANGE_NONE || reading.change == CHANGE_NOT_MADE ||
                    reading.treatment == TREATMENT_SET_THREADS || told_is_circumstance(plain, told_changes_in(plain));
    if (!before.length || !is_plain || reading_is_doubted(&reading) || told_takes_back(plain) ||
        words_at(said_of(plain), WORDS_UNNAMED_LED) || plain_has(plain, WORDS_UNNAMED_PART) || told_phases_of(plain) ||
        !only_speed(plain, &first) || !are_alike(&first, after) || told_is_of_fast(view_of(plain), &any))
        return false;
    *ret_gain = gain_of(&first, after);
    return true;
}

/* One that says how it came out beside two states, or two runs that were timed. */
static bool by_states(const char *plain, const struct told_context *context, struct interval *ret_gain)
{
    double of_gap;
    return context->states.fast > 0 && told_state_gain(plain, &context->states, ret_gain, &of_gap);
}

/* ret_passage: with the sentence that tells what it was before, where that is the one ahead. */
static bool gain_read(const struct reading *reading, struct view before, const struct told_context *context,
                      struct interval *ret_gain, struct view *ret_passage)
{
    const char *plain = reading->plain.text;
    struct told_pair pair;
    struct told_states two;
    struct quantity only;
    *ret_passage = reading->sentence;
    bool is_named = named_in(reading) != TREATMENT_COUNT;
    if (!is_named && told_pair_of(plain, &pair)) {
        *ret_gain = pair.gain;
        return !told_compares_states(reading, &two);
    }
    if (!is_named && by_brackets(plain, ret_gain))
        return true;
    if (!only_speed(plain, &only) || !is_elliptic(plain, &only) || told_names_state(plain))
        return false;
    if (changes_count(plain, before) || may_add_up(plain, before))
        return false;
    if (!is_named && by_states(plain, context, ret_gain))
        return true;
    if (!by_neighbour(before, &only, is_named, ret_gain))
        return false;
    *ret_passage =
        (struct view){before.text, (size_t)(reading->sentence.text + reading->sentence.length - before.text)};
    return true;
}

/* A rate beside a latency is of the whole. */
static bool is_of_latency(struct view passage)
{
    struct plain_sentence plain;
    struct quantities all;
    struct quantity first, last;
    plain_sentence_of(&plain, passage);
    quantities_of(plain.text, &all);
    return told_is_of_latency(plain.text) && !quantities_pair(&all, QUANTITY_RATE, &first, &last);
}

/* ---- together ---- */

/* before, behind: the sentences next to it in its paragraph; empty: none. */
static bool unnamed_of(struct view before, struct view sentence, struct view behind, const struct told_context *context,
                       struct told_unnamed *ret_unnamed)
{
    struct reading reading;
    struct told_trial trial = {0};
    if (sentence.length > SENTENCE_MOST || before.length > SENTENCE_MOST || view_starts(sentence, "#") ||
        view_ends(sentence, ":") || view_starts(sentence, "tried:") || view_find(sentence, "|") >= 0) /* of a table */
        return false;
    reading_of(&reading, sentence);
    bool is_made = reading.change != CHANGE_NOT_MADE && reading.change != CHANGE_TAKEN_BACK;
    if (!is_made || !tells_change(&reading) || is_of_something_else(&reading, context) ||
        told_trial_of(&reading, context, &trial) == TRIAL_READ || is_taken_back_behind(behind))
        return false;
    ret_unnamed->sentence = sentence;
    ret_unnamed->treatment = named_in(&reading);
    ret_unnamed->is_of_several = reading.change != CHANGE_NONE && ret_unnamed->treatment == TREATMENT_COUNT;
    if (!gain_read(&reading, before, context, &ret_unnamed->gain, &ret_unnamed->passage))
        return false;
    ret_unnamed->is_of_latency = is_of_latency(ret_unnamed->passage);
    return ret_unnamed->gain.low > 0;
}

/* In one paragraph. */
static bool is_next(struct view first, struct view second)
{
    if (!first.length || !second.length)
        return false;
    const char *end = first.text + first.length;
    return view_find((struct view){end, (size_t)(second.text - end)}, "\n\n") < 0;
}

/* "Reading takes 12 s. Sorting takes 94 s.": of which of them what follows is isn't told. */
static bool is_one_of_two(struct view first, struct view second)
{
    struct reading reading;
    struct quantity one, other;
    struct plain_sentence plain;
    reading_of(&reading, first);
    plain_sentence_of(&plain, second);
    return reading.change == CHANGE_NONE && !words_at(said_of(reading.plain.text), WORDS_UNNAMED_LED) &&
           only_speed(reading.plain.text, &one) && only_speed(plain.text, &other) && are_alike(&one, &other);
}

bool told_unnamed_next(struct view *text, const struct told_context *context, struct told_unnamed *ret_unnamed)
{
    static const struct view none;
    struct view before = none, ahead = none;
    for (struct view sentence; (sentence = told_passage(text, context)).length; ahead = before, before = sentence) {
        struct view rest = *text, behind = told_passage(&rest, context);
        bool is_told = is_next(before, sentence) && !(is_next(ahead, before) && is_one_of_two(ahead, before));
        if (unnamed_of(is_told ? before : none, sentence, is_next(sentence, behind) ? behind : none, context,
                       ret_unnamed))
            return true;
    }
    return false;
}
