/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_amount.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_order.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- two amounts ---- */

/* By how much the shorter time is less, as exact as their last digits. */
struct interval told_gain_between(double shorter, double shorter_error, double longer, double longer_error)
{
    return interval_of(1 - (shorter + shorter_error) / (longer - longer_error), 1 - shorter / longer,
                       1 - (shorter - shorter_error) / (longer + longer_error));
}

bool told_pair_of(const char *plain, struct told_pair *ret_pair)
{
    struct quantity before, after;
    enum treatment named;
    bool rate = false;
    if (!told_pair_in_order(plain, QUANTITY_TIME, &before, &after, &named)) {
        rate = true;
        if (!told_pair_in_order(plain, QUANTITY_RATE, &before, &after, &named))
            return false;
    }
    /* of a rate the inverse is the time */
    const struct quantity *longer = rate ? &after : &before, *shorter = rate ? &before : &after;
    if (!(longer->value > longer->half_digit))
        return false;
    *ret_pair = (struct told_pair){
        told_gain_between(shorter->value, shorter->half_digit, longer->value, longer->half_digit), named};
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

/* ---- one share ---- */

enum gain_kind { GAIN_NONE, GAIN_OF_TIME, GAIN_OF_SPEED, GAIN_OF_EITHER, GAIN_LOST };

/* "needs 7.9 s , that is 21 % less ,": of the time that the sentence tells, where nothing else follows. */
static bool is_of_time_told(const char *behind, const struct quantities *all)
{
    const char *less = words_at(behind, WORDS_GAIN_LESS_TIME);
    size_t times = 0;
    for (size_t at = 0; at < all->count; at++)
        times += all->items[at].kind == QUANTITY_TIME;
    return less && times == 1 && !less[strspn(less, " ,)")];
}

/* What the share of a clause is of. One of misses or exits is none of the time. */
static enum gain_kind gain_kind_of(struct view before, const char *behind, const struct quantities *all)
{
    static const struct {
        enum words verb, of;
        enum gain_kind kind;
    } kinds[] = {{WORDS_GAIN_LOST, WORDS_NONE, GAIN_LOST},
                 {WORDS_GAIN_BETTER, WORDS_SPEED_RATE, GAIN_OF_SPEED},
                 {WORDS_GAIN_LESS, WORDS_GAIN_TIME, GAIN_OF_TIME},
                 {WORDS_GAIN_SHAVED, WORDS_NONE, GAIN_OF_TIME},
                 {WORDS_GAIN_GAINED, WORDS_NONE, GAIN_OF_EITHER}};
    struct plain_sentence plain;
    plain_sentence_of(&plain, before);
    if (plain_has(plain.text, WORDS_GAIN_OF_COUNTS))
        return GAIN_NONE;
    if (words_at(behind, WORDS_GAIN_HIGHER))
        return GAIN_OF_SPEED;
    if (words_at(behind, WORDS_GAIN_SHORTER) || is_of_time_told(behind, all))
        return GAIN_OF_TIME;
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
    const struct quantity *number = NULL;
    for (size_t at = 0; at < all.count; at++) {
        const struct quantity *here = &all.items[at];
        bool is_multiple = here->kind == QUANTITY_BARE && here->end[0] == 'x';
        if (here->kind != QUANTITY_BARE || (is_multiple && number)) /* what else is told may be something else */
            return false;
        number = is_multiple ? here : number;
    }
    if (!number || !(number->value > 0) || number->value > TIMES_MOST)
        return false;
    const char *behind = number->end + 1, *speedup = words_at(behind, WORDS_GAIN_SPEEDUP);
    behind = speedup ? speedup : behind;
    *ret_times = number->value;
    return words_end(plain, number->begin, WORDS_AMOUNT_LED) && !behind[strspn(behind, " ,")];
}

/* The number in words that ends before this place: "three"; 0: none does. */
static double number_in_words(const char *plain, const char *place)
{
    for (struct match number = match_in(plain, WORDS_TIMES_NUMBER); match_next(&number);)
        if (number.end + strspn(number.end, " ") == place)
            return number.index + 2;
    return 0;
}

/* How many times, as told before this place: "2.8 times", "2.8x", "twice", "half"; 0: it isn't told. */
static double times_ahead(const char *plain, const char *place)
{
    static const struct {
        enum words words;
        double times;
    } fixed[] = {
        {WORDS_TIMES_TWICE, 2}, {WORDS_TIMES_HALF, 0.5}, {WORDS_TIMES_THIRD, 1.0 / 3}, {WORDS_TIMES_QUARTER, 0.25}};
    for (size_t at = 0; at < array_count(fixed); at++)
        if (words_end(plain, place, fixed[at].words))
            return fixed[at].times;
    double times = 0;
    const char *begin = place;
    struct view word = word_back(plain, &begin);
    bool counted = word_is(word, WORDS_TIMES_WORD);
    place = begin;
    word = counted                ? word_back(plain, &begin)
           : view_ends(word, "x") ? (struct view){word.text, word.length - 1}
                                  : (struct view){0};
    return word.length && view_double(word, &times) ? times : counted ? number_in_words(plain, place) : 0;
}

/* "2.8 times as fast", "twice the throughput": how many times as fast it became; less than once: slower. */
static bool multiple_of_speed(const char *plain, double *ret_times)
{
    static const double TIMES_MOST = 1000;
    static const struct word_rule better = {WORDS_GAIN_IMPROVED};
    struct quantity number;
    for (struct match factor = match_in(plain, WORDS_GAIN_FACTOR);
         match_next(&factor) && rules_hold(plain, &better, 1);)
        if (quantity_next(factor.end, plain, &number) && number.begin == factor.end + 1 &&
            number.kind == QUANTITY_BARE && number.value > 1 && number.value < TIMES_MOST) {
            *ret_times = number.value;
            return true;
        }
    for (struct match fast = match_in(plain, WORDS_GAIN_AS_FAST); match_next(&fast);) {
        *ret_times = times_ahead(plain, fast.begin);
        if (*ret_times > 0 && *ret_times < TIMES_MOST && !words_at(fast.end, WORDS_GAIN_AGAIN))
            return true;
    }
    return false;
}

/* "halved the run time", "doubled the throughput" */
static bool halved(const char *plain, struct interval *ret_gain)
{
    static const struct word_rule rules[] = {{WORDS_GAIN_HALVED, .behind = WORDS_GAIN_TIME, .within = 4},
                                             {WORDS_GAIN_DOUBLED, .behind = WORDS_SPEED_RATE, .within = 4}};
    *ret_gain = interval_of(0.45, 0.5, 0.55);
    return rules_hold(plain, rules, array_count(rules));
}

bool told_gain(const char *plain, struct interval *ret_gain)
{
    double times;
    if (halved(plain, ret_gain))
        return true;
    if (times_as_fast(plain, &times)) {
        *ret_gain = interval_exactly(1 - 1 / times);
        return true;
    }
    struct quantities all;
    struct quantity share = {0};
    enum treatment ignored;
    if (multiple_of_speed(plain, &times)) { /* without it half as fast: that is what it had returned */
        bool taken_back = told_change_of(plain, &ignored) == CHANGE_TAKEN_BACK;
        *ret_gain = interval_exactly(taken_back ? 1 - times : 1 - 1 / times);
        return true;
    }
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (all.items[at].kind == QUANTITY_PERCENT) {
            share = all.items[at];
            count++;
        }
    double part = share.value / 100, of_speed = part / (1 + part);
    enum gain_kind kind =
        count == 1 && part > 0 ? gain_kind_of(quantity_clause(plain, &share), share.end, &all) : GAIN_NONE;
    if (told_change_of(plain, &ignored) == CHANGE_TAKEN_BACK) /* what was lost then it had returned */
        kind = kind == GAIN_LOST ? GAIN_OF_EITHER : kind == GAIN_NONE ? GAIN_NONE : GAIN_LOST;
    const struct interval gains[] = {[GAIN_OF_TIME] = interval_exactly(fmin(part, 1)),
                                     [GAIN_OF_SPEED] = interval_exactly(of_speed),
                                     [GAIN_OF_EITHER] =
                                         interval_of(of_speed, fmin((of_speed + part) / 2, 1), fmin(part, 1)),
                                     [GAIN_LOST] = interval_exactly(-part)};
    if (kind != GAIN_NONE)
        *ret_gain = gains[kind];
    return kind != GAIN_NONE;
}

/* ---- a part of the gap ---- */

static bool fraction_of(const char *text, double *ret_share)
{
    static const struct {
        enum words words;
        double share;
    } fractions[] = {{WORDS_PART_TWO_THIRDS, 2.0 / 3}, {WORDS_PART_THREE_QUARTERS, 0.75},
                     {WORDS_PART_HALF, 0.5},           {WORDS_PART_THIRD, 1.0 / 3},
                     {WORDS_PART_QUARTER, 0.25},       {WORDS_PART_FIFTH, 0.2},
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

/* "exits went down to 3 % , and the gap shrank from 44 % to 19 %": what stands ahead of the gap is another's. */
static bool gap_pair(const char *plain, struct quantity *before, struct quantity *after)
{
    enum treatment ignored;
    const char *gap = plain_find(plain, WORDS_GAP_RETURNED);
    return told_pair_in_order(plain, QUANTITY_PERCENT, before, after, &ignored) ||
           (gap && told_pair_in_order(gap, QUANTITY_PERCENT, before, after, &ignored));
}

/* "9 % lower instead of 44 %": as much less time, or as much more speed, as the slower side needed or had. */
static bool gap_fell(const char *plain, struct told_return *ret)
{
    struct quantity before, after;
    bool is_lower = plain_has(plain, WORDS_GAP_PERCENT_LOWER);
    bool of_gap = plain_has(plain, WORDS_GAP_RETURNED) || plain_has(plain, WORDS_OUTCOME_SLOWER) || is_lower;
    if (!of_gap || !gap_pair(plain, &before, &after) || after.value >= before.value)
        return false;
    double whole = before.value / 100, rest = after.value / 100;
    double of_time = (whole - rest) / (1 + whole), of_speed = whole < 1 ? 1 - (1 - whole) / (1 - rest) : of_time;
    bool is_rate = is_lower && plain_has(plain, WORDS_GAP_RATE);
    double low = is_rate ? of_speed : of_time;
    *ret = (struct told_return){.share = interval_of(low, (low + of_speed) / 2, of_speed), .left = rest};
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
