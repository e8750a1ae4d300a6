/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_states.h"

#include "analyse/told/told_amount.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_order.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include <math.h>
#include <string.h>

/* As a time, or what one of a rate takes. */
static void time_of(const struct quantity *quantity, double *ret_value, double *ret_error)
{
    bool is_rate = quantity->kind == QUANTITY_RATE;
    *ret_value = is_rate ? 1 / quantity->value : quantity->value;
    *ret_error = is_rate ? quantity->half_digit / (quantity->value * quantity->value) : quantity->half_digit;
}

/* "It went from 31 min to 44 min after the move": whatever that changed, these are the two states. */
static bool grew(const char *plain, enum quantity_kind kind)
{
    struct quantity before, after;
    enum treatment ignored;
    return plain_has(plain, WORDS_STATE_CAUSE) && !told_is_supposed(plain) &&
           told_pair_in_order(plain, kind, &before, &after, &ignored) &&
           (kind == QUANTITY_TIME ? before.value < after.value : before.value > after.value);
}

/* What a state without the change that is asked about is called: "bare metal". */
static bool is_reference(struct view word)
{
    return word_is(word, WORDS_STATE_REFERENCE);
}

/* Up to the next clause. */
static struct view clause_of(const char *begin, const char *end)
{
    struct view text = {begin, (size_t)(end - begin)};
    for (struct match joint = match_in(begin, WORDS_JOINT_PLAIN); match_next(&joint);)
        if (joint.begin > begin + strspn(begin, " ") && joint.begin < text.text + text.length)
            text.length = (size_t)(joint.begin - begin);
    return text;
}

static bool names_state(struct view piece)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, piece);
    return told_names_state(plain.text);
}

/* Each amount is named ahead of it, or each behind it. */
static void fast_name(const char *plain, const struct quantity *first, const struct quantity *last, bool first_is_fast,
                      struct told_states *states)
{
    struct view before = {plain, (size_t)(first->begin - plain)},
                between = {first->end, (size_t)(last->begin - first->end)};
    bool ahead = names_state(before);
    struct view of_first = ahead ? before : clause_of(first->end, last->begin),
                of_last = ahead ? between : clause_of(last->end, last->end + strlen(last->end));
    struct view fast = first_is_fast ? of_first : of_last, slow = first_is_fast ? of_last : of_first;
    size_t length = 1;
    states->fast_name[0] = ' ';
    for (struct view word; (word = view_word(&fast)).length;)
        if (is_reference(word) && !has_word(slow, word) && length + word.length + 2 < sizeof(states->fast_name)) {
            memcpy(states->fast_name + length, word.text, word.length);
            length += word.length;
            states->fast_name[length++] = ' ';
        }
    states->fast_name[length > 1 ? length : 0] = '\0';
}

bool told_is_of_fast(struct view words, const struct told_states *states)
{
    bool found = false;
    for (struct view word; (word = view_word(&words)).length;) {
        if (word_is(word, WORDS_STATE_NEARING))
            return false;
        found |= is_reference(word) && (!(states->slow > 0) || has_word(view_of(states->fast_name), word));
    }
    return found;
}

bool told_states_of(const char *plain, struct told_states *ret_states)
{
    static const enum quantity_kind kinds[] = {QUANTITY_TIME, QUANTITY_RATE};
    struct quantities all;
    struct quantity first, last;
    quantities_of(plain, &all);
    for (size_t at = 0; at < array_count(kinds); at++) {
        if (!quantities_pair(&all, kinds[at], &first, &last) || !(last.value > 0) ||
            first.unit.length >= sizeof(ret_states->unit) || !(told_names_state(plain) || grew(plain, kinds[at])))
            continue;
        struct told_states two = {.are_rates = kinds[at] == QUANTITY_RATE};
        if (first.unit.length)
            memcpy(two.unit, first.unit.text, first.unit.length);
        bool first_is_fast = (first.value < last.value) != two.are_rates;
        time_of(first_is_fast ? &first : &last, &two.fast, &two.fast_error);
        time_of(first_is_fast ? &last : &first, &two.slow, &two.slow_error);
        if (!(two.fast + two.fast_error < two.slow - two.slow_error)) /* as exact as they are told, they may be equal */
            continue;
        fast_name(plain, &first, &last, first_is_fast, &two);
        *ret_states = two;
        return true;
    }
    return false;
}

struct interval told_states_gap(const struct told_states *states)
{
    return told_gain_between(states->fast, states->fast_error, states->slow, states->slow_error);
}

/* Of the states' kind and unit. */
static bool is_alike(const struct quantity *quantity, const struct told_states *states)
{
    return quantity->kind == (states->are_rates ? QUANTITY_RATE : QUANTITY_TIME) &&
           (!states->are_rates || quantity_units_agree(quantity->unit, view_of(states->unit)));
}

static bool only_alike(const char *plain, const struct told_states *states, struct quantity *ret_quantity)
{
    struct quantities all;
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (is_alike(&all.items[at], states)) {
            *ret_quantity = all.items[at];
            count++;
        }
    return count == 1 && ret_quantity->value > 0;
}

/* "it takes", "the same run", "the batch job took" */
static bool names_run(const char *plain)
{
    static const struct word_rule took = {WORDS_STATE_TOOK, .skip_ahead = WORDS_STATE_NOW, .ahead = WORDS_STATE_RUNNER};
    return plain_has(plain, WORDS_STATE_RUN) || rules_hold(plain, &took, 1);
}

/* Of the run that was counted, not of a part of it: "with huge pages , 3.1 s". */
static bool is_of_the_run(const char *plain, const struct quantity *quantity)
{
    return names_run(plain) || quantity_is_real(plain, quantity) || words_end(plain, quantity->begin, WORDS_AMOUNT_LED);
}

/* By the first word that names a percentile or a latency; 0: none does. */
static unsigned measure_of(const char *plain)
{
    struct match latency = match_in(plain, WORDS_LATENCY_OF);
    return match_next(&latency) ? latency.index + 1 : 0;
}

bool told_lone_state_of(const char *plain, struct told_states *ret_state)
{
    struct told_states lone = {.measure = measure_of(plain)};
    struct quantities all;
    quantities_of(plain, &all);
    if (all.count != 1 || !(all.items[0].value > 0) || all.items[0].unit.length >= sizeof(lone.unit) ||
        (all.items[0].kind != QUANTITY_TIME && all.items[0].kind != QUANTITY_RATE) ||
        (!lone.measure && !names_run(plain) && !quantity_is_real(plain, &all.items[0])) ||
        told_is_of_fast(view_of(plain), &lone))
        return false;
    lone.are_rates = all.items[0].kind == QUANTITY_RATE;
    if (all.items[0].unit.length)
        memcpy(lone.unit, all.items[0].unit.text, all.items[0].unit.length);
    time_of(&all.items[0], &lone.slow, &lone.slow_error);
    *ret_state = lone;
    return true;
}

/* "nnc takes 0.162 s", where a run of that name is the slow one. */
static bool names_slow_run(const char *plain, const struct quantity *quantity, const struct told_states *states)
{
    const char *end = quantity->begin;
    struct view word = word_back(plain, &end);
    return states->run[0] && word_is(word, WORDS_STATE_TOOK) && view_equal(word_back(plain, &end), states->run);
}

/* A state alone is compared with what is of the same. */
static bool is_of_the_lone(const char *plain, const struct quantity *quantity, const struct told_states *states)
{
    if (quantity->kind == QUANTITY_RATE && plain_has(plain, WORDS_RATE_OF_SOME))
        return false;
    return states->measure ? measure_of(plain) == states->measure
                           : is_of_the_run(plain, quantity) || names_slow_run(plain, quantity, states);
}

/* "the TDX run then took 67.9 s", but not "in the guest the build took 67.9 s". */
static bool is_subject_state(const char *plain, const struct quantity *quantity)
{
    struct view clause = quantity_clause(plain, quantity);
    const char *end = NULL;
    for (struct match state = match_in(plain, WORDS_STATE_NAMED); match_next(&state);)
        if (state.begin >= clause.text && state.end <= quantity->begin)
            end = state.end;
    struct view between = {end, end ? (size_t)(quantity->begin - end) : 0}, word;
    bool is_subject = end;
    while ((word = view_word(&between)).length)
        is_subject &= !word_is(word, WORDS_OTHERS_ARTICLES);
    return is_subject;
}

bool told_state_gain(const char *plain, const struct told_states *states, struct interval *ret_gain, double *ret_of_gap)
{
    static const double BEYOND = 0.05;      /* of the difference */
    static const double ALONE_LEAST = 0.05; /* of the only time that there is to compare with */
    struct quantity quantity;
    double time, error, slack = BEYOND * (states->slow - states->fast);
    if (!only_alike(plain, states, &quantity) || (states->fast <= 0 && !is_of_the_lone(plain, &quantity, states)) ||
        told_is_of_fast(quantity_clause(plain, &quantity), states))
        return false;
    time_of(&quantity, &time, &error);
    bool alone = states->fast <= 0 || plain_has(plain, WORDS_STATE_SAME); /* it may become faster than it ever was */
    double least = alone ? states->slow * ALONE_LEAST : states->fast - slack;
    /* "the TD then took 67.9 s": it may become slower, too */
    bool is_of_slow = states->fast > 0 && is_subject_state(plain, &quantity);
    double most = states->slow + (is_of_slow ? states->slow - states->fast : slack);
    if (time < least || time > most) /* it is of something else */
        return false;
    *ret_gain = told_gain_between(time, error, states->slow, states->slow_error);
    *ret_of_gap = (states->slow - time) / (states->slow - states->fast);
    return true;
}

bool told_states_differ(const char *plain, const struct told_states *states)
{
    static const double APART = 0.5; /* of the gap */
    const struct quantity *before = NULL;
    struct quantities all;
    double of_gap_before = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count && states->slow > 0 && states->fast > 0; at++) {
        struct quantity *here = &all.items[at];
        double time, error;
        if (!is_alike(here, states) || !(here->value > 0))
            continue;
        time_of(here, &time, &error);
        double of_gap = (states->slow - time) / (states->slow - states->fast);
        if (of_gap < -APART || of_gap > 1 + APART)
            continue;
        struct view between = before ? (struct view){before->end, (size_t)(here->begin - before->end)} : view_of("");
        if (before && fabs(of_gap - of_gap_before) > APART && view_find(between, " , ") >= 0 &&
            view_find(between, " and ") < 0)
            return true;
        before = here;
        of_gap_before = of_gap;
    }
    return false;
}
