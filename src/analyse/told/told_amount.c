/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_amount.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_label.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include <math.h>
#include <string.h>

/* ---- two amounts ---- */

static enum amount_order order_of(const char *plain, const struct quantity *first, const struct quantity *last)
{
    enum { NEAR = 14 };
    struct view between = {first->end, (size_t)(last->begin - first->end)},
                ahead = {plain, (size_t)(first->begin - plain)};
    struct view near = view_skip(ahead, ahead.length > NEAR ? ahead.length - NEAR : 0);
    if (quantities_joined(first, last, WORDS_ORDER_ARROW))
        return ORDER_FIRST_WAS_BEFORE;
    bool is_from = piece_has(near, WORDS_ORDER_FROM), falls = piece_has(ahead, WORDS_ORDER_FALLING);
    if (piece_has(between, WORDS_SMALL_TO) &&
        (is_from || (quantities_joined(first, last, WORDS_ORDER_JUST_TO) && falls)))
        return ORDER_FIRST_WAS_BEFORE;
    bool replaced = piece_has(between, WORDS_ORDER_INSTEAD) ||
                    (piece_has(between, WORDS_ORDER_WAS) && !piece_has(between, WORDS_ORDER_WITH)) ||
                    (piece_has(near, WORDS_SMALL_TO) && piece_has(between, WORDS_ORDER_FROM));
    bool once_more = words_at(last->end, WORDS_ORDER_AGAIN); /* "and then it was 52 s again" */
    return replaced && !once_more && !piece_has(between, WORDS_ORDER_LATER) ? ORDER_LAST_WAS_BEFORE : ORDER_UNKNOWN;
}

/* Before and after a change, in this order. */
static bool pair_in_order(const char *plain, enum quantity_kind kind, struct quantity *before, struct quantity *after,
                          enum treatment *ret_named)
{
    struct quantities all;
    struct quantity first = {0}, last = {0};
    enum treatment ignored;
    quantities_of(plain, &all);
    if (!quantities_pair(&all, kind, &first, &last))
        return false;
    struct told_order told = {order_of(plain, &first, &last), TREATMENT_COUNT};
    if (told.order == ORDER_UNKNOWN)
        told = told_order_by_labels(plain, &first, &last);
    /* the later one is without it */
    bool taken_back = told.treatment == TREATMENT_COUNT && told_change_of(plain, &ignored) == CHANGE_TAKEN_BACK;
    bool first_is_before = (told.order == ORDER_FIRST_WAS_BEFORE) != taken_back;
    *before = first_is_before ? first : last;
    *after = first_is_before ? last : first;
    *ret_named = told.treatment;
    return told.order != ORDER_UNKNOWN;
}

/* By how much the shorter time is less, as exact as their last digits. */
static struct interval gain_between(double shorter, double shorter_error, double longer, double longer_error)
{
    return interval_of(1 - (shorter + shorter_error) / (longer - longer_error), 1 - shorter / longer,
                       1 - (shorter - shorter_error) / (longer + longer_error));
}

bool told_pair_of(const char *plain, struct told_pair *ret_pair)
{
    struct quantity before, after;
    enum treatment named;
    bool rate = false;
    if (!pair_in_order(plain, QUANTITY_TIME, &before, &after, &named)) {
        rate = true;
        if (!pair_in_order(plain, QUANTITY_RATE, &before, &after, &named))
            return false;
    }
    /* of a rate the inverse is the time */
    const struct quantity *longer = rate ? &after : &before, *shorter = rate ? &before : &after;
    if (!(longer->value > longer->half_digit))
        return false;
    *ret_pair =
        (struct told_pair){gain_between(shorter->value, shorter->half_digit, longer->value, longer->half_digit), named};
    return true;
}

bool told_is_of_latency(const char *plain)
{
    return plain_has(plain, WORDS_LATENCY_OF) && !plain_has(plain, WORDS_LATENCY_OTHER) &&
           !plain_has(plain, WORDS_LATENCY_WHOLE);
}

bool told_has_amount(const char *plain)
{
    struct quantities all;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        /* "1.2M" of something */
        if (all.items[at].kind == QUANTITY_TIME || all.items[at].kind == QUANTITY_RATE ||
            (all.items[at].kind == QUANTITY_BARE && all.items[at].scale > 1))
            return true;
    return false;
}

/* ---- one of them, where two others were told ---- */

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
           pair_in_order(plain, kind, &before, &after, &ignored) &&
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
    return gain_between(states->fast, states->fast_error, states->slow, states->slow_error);
}

/* Of the states' kind and unit. */
static bool is_alike(const struct quantity *quantity, const struct told_states *states)
{
    return quantity->kind == (states->are_rates ? QUANTITY_RATE : QUANTITY_TIME) &&
           (!states->are_rates || view_equal(quantity->unit, states->unit));
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

/* Of the run that was counted, not of a part of it: "it takes", "the same run", "with huge pages , 3.1 s". */
static bool is_of_the_run(const char *plain, const struct quantity *quantity)
{
    return plain_has(plain, WORDS_STATE_RUN) || words_end(plain, quantity->begin, WORDS_AMOUNT_LED);
}

/* The clause that the quantity stands in, up to it. */
static struct view clause_before(const char *plain, const struct quantity *quantity)
{
    const char *begin = plain;
    for (struct match comma = match_in(plain, WORDS_SMALL_COMMA); match_next(&comma) && comma.begin < quantity->begin;)
        begin = comma.end;
    return (struct view){begin, (size_t)(quantity->begin - begin)};
}

bool told_state_gain(const char *plain, const struct told_states *states, struct interval *ret_gain, double *ret_of_gap)
{
    static const double BEYOND = 0.05;      /* of the difference */
    static const double ALONE_LEAST = 0.05; /* of the only time that there is to compare with */
    struct quantity quantity;
    double time, error, slack = BEYOND * (states->slow - states->fast);
    if (!only_alike(plain, states, &quantity) || (states->fast <= 0 && !is_of_the_run(plain, &quantity)) ||
        told_is_of_fast(clause_before(plain, &quantity), states))
        return false;
    time_of(&quantity, &time, &error);
    double least = states->fast > 0 ? states->fast - slack : states->slow * ALONE_LEAST;
    if (time < least || time > states->slow + slack) /* it is of something else */
        return false;
    *ret_gain = gain_between(time, error, states->slow, states->slow_error);
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

/* ---- one share ---- */

enum gain_kind { GAIN_NONE, GAIN_OF_TIME, GAIN_OF_SPEED, GAIN_OF_EITHER, GAIN_LOST };

/* What the share of a clause is of. One of misses or exits is none of the time. */
static enum gain_kind gain_kind_of(struct view before, const char *behind)
{
    static const struct {
        enum words verb, of;
        enum gain_kind kind;
    } kinds[] = {{WORDS_GAIN_LOST, WORDS_NONE, GAIN_LOST},
                 {WORDS_GAIN_BETTER, WORDS_GAIN_SPEED, GAIN_OF_SPEED},
                 {WORDS_GAIN_LESS, WORDS_GAIN_TIME, GAIN_OF_TIME},
                 {WORDS_GAIN_GAINED, WORDS_NONE, GAIN_OF_EITHER}};
    struct plain_sentence plain;
    plain_sentence_of(&plain, before);
    if (plain_has(plain.text, WORDS_GAIN_OF_COUNTS))
        return GAIN_NONE;
    if (words_at(behind, WORDS_GAIN_SLOWER))
        return plain_has(plain.text, WORDS_GAIN_MADE) ? GAIN_LOST : GAIN_NONE;
    for (size_t at = 0; at < array_count(kinds); at++)
        if (plain_has(plain.text, kinds[at].verb) && (!kinds[at].of || plain_has(plain.text, kinds[at].of)))
            return kinds[at].kind;
    return GAIN_NONE;
}

/*
 * "huge pages , 1.3x ,": the only number, in a clause of its own behind what was changed: how many times as fast it
 * became, as tables of speedups have it.
 */
static bool times_as_fast(const char *plain, double *ret_times)
{
    static const double TIMES_MOST = 1000;
    struct quantities all;
    quantities_of(plain, &all);
    if (all.count != 1 || all.items[0].kind != QUANTITY_BARE || !(all.items[0].value > 0) ||
        all.items[0].value > TIMES_MOST || all.items[0].end[0] != 'x')
        return false;
    const struct quantity *number = &all.items[0];
    const char *behind = number->end + 1, *speedup = words_at(behind, WORDS_GAIN_SPEEDUP);
    behind = speedup ? speedup : behind;
    *ret_times = number->value;
    return words_end(plain, number->begin, WORDS_AMOUNT_LED) && !behind[strspn(behind, " ,")];
}

bool told_gain(const char *plain, struct interval *ret_gain)
{
    double times;
    if (times_as_fast(plain, &times)) {
        *ret_gain = interval_exactly(1 - 1 / times);
        return true;
    }
    struct quantities all;
    struct quantity share = {0};
    enum treatment ignored;
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (all.items[at].kind == QUANTITY_PERCENT) {
            share = all.items[at];
            count++;
        }
    double part = share.value / 100, of_speed = part / (1 + part);
    enum gain_kind kind = count == 1 && part > 0 ? gain_kind_of(clause_before(plain, &share), share.end) : GAIN_NONE;
    if (told_change_of(plain, &ignored) == CHANGE_TAKEN_BACK) /* what was lost then it had returned */
        kind = kind == GAIN_LOST ? GAIN_OF_EITHER : kind == GAIN_NONE ? GAIN_NONE : GAIN_LOST;
    switch (kind) {
    case GAIN_OF_TIME:
        *ret_gain = interval_exactly(fmin(part, 1));
        return true;
    case GAIN_OF_SPEED:
        *ret_gain = interval_exactly(of_speed);
        return true;
    case GAIN_OF_EITHER:
        *ret_gain = interval_of(of_speed, fmin((of_speed + part) / 2, 1), fmin(part, 1));
        return true;
    case GAIN_LOST:
        *ret_gain = interval_exactly(-part);
        return true;
    default:
        return false;
    }
}

/* ---- a part of the gap ---- */

static bool fraction_of(const char *text, double *ret_share)
{
    static const struct {
        enum words words;
        double share;
    } fractions[] = {{WORDS_PART_TWO_THIRDS, 2.0 / 3}, {WORDS_PART_THREE_QUARTERS, 0.75}, {WORDS_PART_HALF, 0.5},
                     {WORDS_PART_THIRD, 1.0 / 3},      {WORDS_PART_QUARTER, 0.25},        {WORDS_PART_FIFTH, 0.2},
                     {WORDS_PART_TENTH, 0.1},          {WORDS_PART_ALL, 1}};
    for (size_t at = 0; at < array_count(fractions); at++)
        if (plain_has(text, fractions[at].words)) {
            *ret_share = fractions[at].share;
            return true;
        }
    return false;
}

/*
 * "12 % of the 18 % gap" are points of it; more than it has can only be a share of it. Percent of the faster side are
 * fewer of the slower.
 */
static struct interval points_of(double part, double whole)
{
    double low = part <= whole ? part / (1 + whole) : part * whole / (1 + whole),
           high = part <= whole ? part : part * whole;
    return interval_of(fmin(low, 1), fmin((low + high) / 2, 1), fmin(high, 1));
}

static bool gap_fell(const char *plain, struct told_return *ret)
{
    struct quantity before, after;
    enum treatment ignored;
    bool of_gap = plain_has(plain, WORDS_GAP_RETURNED) || plain_has(plain, WORDS_GAP_SLOWER);
    if (!of_gap || !pair_in_order(plain, QUANTITY_PERCENT, &before, &after, &ignored) || after.value >= before.value)
        return false;
    double fell = (before.value - after.value) / 100;
    *ret = (struct told_return){.share = points_of(fell, fmax(before.value / 100, fell))};
    return true;
}

bool told_returned(const char *plain, struct told_return *ret_returned)
{
    const char *verb = plain_find(plain, WORDS_GAIN_RETURN);
    struct quantity part, whole;
    double fraction;
    if (gap_fell(plain, ret_returned))
        return true;
    if (!verb)
        return false;
    if (quantity_next(verb, plain, &part) && part.kind == QUANTITY_PERCENT && part.value > 0 && part.value <= 100) {
        double share = part.value / 100;
        bool of_other = words_at(part.end, WORDS_SMALL_OF) && quantity_next(part.end, plain, &whole) &&
                        whole.kind == QUANTITY_PERCENT && whole.value > 0;
        *ret_returned = (struct told_return){0};
        if (of_other)
            ret_returned->share = points_of(share, whole.value / 100);
        else if (words_at(part.end, WORDS_GAP_OF))
            ret_returned->of_gap = interval_exactly(share);
        else
            ret_returned->share = interval_of(0, share / 2, share);
        return true;
    }
    if (!plain_has(plain, WORDS_GAP_RETURNED) || !fraction_of(verb, &fraction))
        return false;
    *ret_returned = (struct told_return){.of_gap = interval_exactly(fraction)};
    return true;
}
