/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_base.h"

#include "analyse/told/told_amount.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- labels ---- */

static bool is_speed(const struct quantity *quantity)
{
    return (quantity->kind == QUANTITY_TIME || quantity->kind == QUANTITY_RATE) && quantity->value > 0;
}

/* Begins with its blank, so that what ends in it ends in whole words. */
static void words_copy(char *to, size_t size, struct view words)
{
    size_t length = words.length < size - 1 ? words.length : 0;
    if (length)
        memcpy(to, words.text, length);
    to[length] = '\0';
}

struct label {
    struct view words; /* in its clause, from the blank ahead of it; empty: none */
    struct view whole; /* the same with the clauses ahead of it */
    bool is_open;      /* what stands first in it may be of the amount ahead */
};

/* The word that leads to the amount: a mark, "takes"; empty: none does. */
static struct view lead_of(const char *plain, const char *place)
{
    struct view word = word_back(plain, &place);
    return word_is(word, WORDS_AMOUNT_LED) || word_is(word, WORDS_STATE_TOOK) ? word : (struct view){0};
}

/* Without blanks at its end, and small words where it begins. */
static struct view words_between(const char *begin, const char *end)
{
    struct view words = {begin, end > begin ? (size_t)(end - begin) : 0};
    while (words.length && words.text[words.length - 1] == ' ')
        words.length--;
    for (const char *small;
         words.length && (small = words_at(words.text, WORDS_LABEL_SMALL)) && small < words.text + words.length;)
        words = view_skip(words, (size_t)(small - words.text));
    return words;
}

/* " 16 threads" of "… , 16 threads , 3.87 s", " nnc" of "and nnc takes 0.23 s" */
static struct label label_of(const char *plain, const struct quantities *all, size_t index)
{
    const char *begin = plain, *clause = plain;
    struct label label = {.is_open = false};
    struct view lead = lead_of(plain, all->items[index].begin);
    if (!lead.length)
        return label;
    for (size_t at = 0; at < index; at++)
        begin = is_speed(&all->items[at]) ? all->items[at].end : begin;
    for (struct match comma = match_in(plain, WORDS_SMALL_COMMA); match_next(&comma) && comma.begin < lead.text;)
        clause = comma.end;
    label.is_open = begin > plain && clause <= begin;
    clause = clause > begin ? clause : begin;
    struct view words = words_between(clause, lead.text);
    bool has_word = false;
    for (size_t at = 0; at < words.length; at++)
        has_word |= isalpha((unsigned char)words.text[at]) != 0;
    if (!has_word || piece_has(words, WORDS_LABEL_GENERAL))
        return label;
    label.words = words;
    label.whole = words_between(begin, lead.text);
    return label;
}

/* "for 400 m packets" */
static struct view behind_of(const struct quantity *quantity)
{
    const char *behind = quantity->end + strspn(quantity->end, " ");
    size_t length = strcspn(behind, ",");
    return words_at(quantity->end, WORDS_LABEL_WORK) ? view_trim((struct view){behind, length}) : (struct view){0};
}

static bool ends_in(struct view text, struct view end)
{
    return end.length && end.length <= text.length &&
           memcmp(text.text + text.length - end.length, end.text, end.length) == 0;
}

static bool has_clauses(const struct told_base *base)
{
    return view_find(view_of(base->label), " , ") >= 0;
}

/* Their words are the same, or end so where something else may stand ahead. */
static bool is_of(const struct told_base *base, const struct label *label)
{
    struct view own = view_of(base->label), words = label->words;
    if (has_clauses(base))
        return ends_in(label->whole, own);
    if (own.length == words.length || (base->label_is_open && own.length > words.length))
        return ends_in(own, words);
    return label->is_open && ends_in(words, own);
}

/* "for 400 m packets", or nothing that says how much. */
static bool does_as_much(const struct told_base *base, struct view behind)
{
    struct view work = view_of(base->behind);
    return !behind.length || (work.length >= behind.length && memcmp(work.text, behind.text, behind.length) == 0);
}

/* "rewritten, load" beside "load": which of them was before isn't told. */
static bool is_rival(const struct told_base *base, const struct label *label)
{
    return has_clauses(base) && !base->is_closed && ends_in(view_of(base->label), label->words) &&
           !ends_in(label->whole, view_of(base->label));
}

/* ---- what was told ---- */

void told_bases_note(struct told_bases *bases, const char *plain)
{
    struct quantities all;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count && bases->count < TOLD_BASES_MOST; at++) {
        const struct quantity *quantity = &all.items[at];
        struct told_base *base = &bases->items[bases->count];
        struct label label = label_of(plain, &all, at);
        if (!is_speed(quantity) || (quantity->kind == QUANTITY_TIME && !label.words.length) ||
            quantity->unit.length >= sizeof(base->unit) || label.whole.length >= sizeof(base->label))
            continue;
        *base = (struct told_base){
            .is_rate = quantity->kind == QUANTITY_RATE, .value = quantity->value, .half_digit = quantity->half_digit};
        words_copy(base->unit, sizeof(base->unit), quantity->unit);
        words_copy(base->label, sizeof(base->label), label.is_open ? label.words : label.whole);
        base->label_is_open = label.is_open;
        words_copy(base->behind, sizeof(base->behind), behind_of(quantity));
        bases->count++;
    }
}

void told_bases_close(struct told_bases *bases)
{
    for (size_t at = 0; at < bases->count; at++)
        bases->items[at].is_closed = true;
}

/* ---- what came of it ---- */

static bool is_alike(const struct told_base *base, const struct quantity *quantity)
{
    return !base->is_closed && base->is_rate == (quantity->kind == QUANTITY_RATE) &&
           (!base->is_rate || quantity_units_agree(view_of(base->unit), quantity->unit));
}

/* Of a rate the inverse is the time. */
static struct interval gain_of(const struct told_base *base, const struct quantity *quantity)
{
    return base->is_rate ? told_gain_between(base->value, base->half_digit, quantity->value, quantity->half_digit)
                         : told_gain_between(quantity->value, quantity->half_digit, base->value, base->half_digit);
}

/* Those of a set that are compared, at least and at most. */
struct compared {
    struct interval gain;
    double least, most; /* of the bases */
    uint32_t used;
};

static void base_compare(struct compared *compared, const struct told_bases *bases, size_t at,
                         const struct quantity *quantity)
{
    const struct told_base *base = &bases->items[at];
    struct interval gain = gain_of(base, quantity);
    bool first = !compared->used;
    compared->least = first ? base->value : fmin(compared->least, base->value);
    compared->most = first ? base->value : fmax(compared->most, base->value);
    compared->gain = first ? gain
                           : interval_of(fmin(compared->gain.low, gain.low), (compared->gain.mid + gain.mid) / 2,
                                         fmax(compared->gain.high, gain.high));
    compared->used |= UINT32_C(1) << at;
}

/* Of all that have a label of before, the only one that changed; of one alone that. */
static bool by_labels(const char *plain, const struct quantities *all, const struct told_bases *bases,
                      struct interval *ret_gain, uint32_t *ret_used)
{
    static const double ALIKE = 1.02, CHANGED = 0.02;
    size_t labelled = 0, changed = 0, others = 0;
    bool agree = true;
    for (size_t index = 0; index < all->count; index++) {
        const struct quantity *quantity = &all->items[index];
        struct label label = label_of(plain, all, index);
        struct compared compared = {.used = 0};
        bool is_whole = false, has_rival = false;
        for (size_t at = 0; is_speed(quantity) && label.words.length && at < bases->count; at++) {
            const struct told_base *base = &bases->items[at];
            has_rival |= is_rival(base, &label);
            if (!is_alike(base, quantity) || !is_of(base, &label))
                continue;
            agree &= does_as_much(base, behind_of(quantity));
            is_whole |= has_clauses(base);
            base_compare(&compared, bases, at, quantity);
        }
        others += is_speed(quantity) && !compared.used;
        if (!compared.used)
            continue;
        *ret_used |= compared.used;
        agree &= compared.most <= ALIKE * compared.least && (is_whole || !has_rival);
        bool is_changed = fabs(compared.gain.mid) > CHANGED;
        if (is_changed || !labelled)
            *ret_gain = compared.gain;
        changed += is_changed;
        labelled++;
    }
    return agree && labelled && (changed == 1 || (!changed && !others)); /* another one may have changed */
}

/* Rates of a program's work: not of bytes, which all kinds of parts move, nor of what is counted. */
static bool is_of_work(const struct quantity *quantity)
{
    return quantity->kind == QUANTITY_RATE && quantity->value > 0 && !piece_has(quantity->unit, WORDS_RATE_OF_PARTS);
}

/* "64 shards , 151k ,": the only one, of what all rates before are of. */
static struct quantity bare_rate(const char *plain, const struct quantities *all, const struct told_bases *bases)
{
    struct quantity rate = {.kind = QUANTITY_BARE};
    struct view unit = {0};
    for (size_t at = 0; at < all->count; at++) {
        const struct quantity *here = &all->items[at];
        bool is_alone =
            words_end(plain, here->begin, WORDS_AMOUNT_LED) && strchr(",", here->end[strspn(here->end, " ")]);
        if (is_speed(here) || (here->scale > 1 && rate.scale > 1))
            return (struct quantity){.kind = QUANTITY_BARE};
        rate = here->scale > 1 && is_alone ? *here : rate;
    }
    for (size_t at = 0; at < bases->count && rate.scale > 1; at++) {
        struct view own = view_of(bases->items[at].unit);
        if (!bases->items[at].is_rate || bases->items[at].is_closed)
            continue;
        if (unit.length && !quantity_units_agree(unit, own))
            return (struct quantity){.kind = QUANTITY_BARE};
        unit = own;
    }
    rate.kind = unit.length ? QUANTITY_RATE : QUANTITY_BARE;
    rate.unit = unit;
    return rate;
}

/* "with jemalloc it does", "the proxy does" of what the proxy did before: not "the fast path does". */
static bool is_of_subject(const struct told_base *base, const char *plain, const struct quantity *quantity)
{
    const char *end = quantity->begin;
    if (!word_is(word_back(plain, &end), WORDS_STATE_TOOK))
        return true;
    struct view clause = words_between(plain, end), subject = view_of(base->label);
    return word_is(word_back(plain, &end), WORDS_LABEL_PRONOUN) || (!base->label_is_open && ends_in(clause, subject));
}

static bool by_rates(const char *plain, const struct quantities *all, const struct told_bases *bases,
                     struct interval *ret_gain, uint32_t *ret_used)
{
    static const double NEAR = 1.5; /* times */
    struct quantity only = {.kind = QUANTITY_BARE};
    struct compared compared = {.used = 0};
    for (size_t at = 0; at < all->count; at++) {
        if (all->items[at].kind == QUANTITY_RATE && only.kind == QUANTITY_RATE)
            return false;
        only = all->items[at].kind == QUANTITY_RATE ? all->items[at] : only;
    }
    only = only.kind == QUANTITY_RATE ? only : bare_rate(plain, all, bases);
    bool is_whole = is_of_work(&only) && !plain_has(plain, WORDS_RATE_OF_SOME);
    for (size_t at = 0; is_whole && at < bases->count; at++)
        if (is_alike(&bases->items[at], &only) && is_of_subject(&bases->items[at], plain, &only))
            base_compare(&compared, bases, at, &only);
    *ret_used |= compared.used;
    *ret_gain = compared.gain;
    return compared.used && compared.most <= NEAR * compared.least;
}

bool told_base_gain(const char *plain, const struct told_bases *bases, bool with_rates, struct interval *ret_gain,
                    uint32_t *ret_used)
{
    struct quantities all;
    uint32_t used = 0;
    *ret_used = 0;
    if (!bases->count)
        return false;
    quantities_of(plain, &all);
    bool told = by_labels(plain, &all, bases, ret_gain, &used);
    if (!used && with_rates)
        told = by_rates(plain, &all, bases, ret_gain, &used);
    *ret_used = used;
    return told;
}

bool told_base_is_labelled(const char *plain, const struct told_bases *bases)
{
    struct interval ignored;
    uint32_t used;
    (void)told_base_gain(plain, bases, false, &ignored, &used);
    return used != 0;
}
