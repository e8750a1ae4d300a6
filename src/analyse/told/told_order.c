/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_order.h"

#include "analyse/told/told_words.h"

#include <stdint.h>
#include <string.h>

enum amount_order { ORDER_UNKNOWN, ORDER_FIRST_WAS_BEFORE, ORDER_LAST_WAS_BEFORE };

struct told_order {
    enum amount_order order;
    /*
     * the change that they name or refer to; TREATMENT_COUNT: words of time, which tell what was first and not of what
     */
    enum treatment treatment;
};

/* ---- one label ---- */

enum label_kind { LABEL_NONE, LABEL_BEFORE, LABEL_AFTER, LABEL_WITH, LABEL_WITHOUT, LABEL_UNCLEAR };

struct label {
    enum label_kind kind;
    bool is_time;             /* it has a word of time */
    bool tells_other;         /* "before", "now": so the other one wasn't */
    bool is_of_change;        /* its word of time is a change's: "before switching to jemalloc" */
    enum treatment treatment; /* TREATMENT_COUNT: it names none */
};

static const struct {
    enum words words;
    enum label_kind kind;
    bool tells_other;
} times[] = {{WORDS_LABEL_BEFORE, LABEL_BEFORE, true},
             {WORDS_SMALL_NOW, LABEL_AFTER, true},
             {WORDS_LABEL_FIRST, LABEL_BEFORE, false},
             {WORDS_LABEL_AFTER, LABEL_AFTER, false}};

static void time_read(const char *plain, struct label *label)
{
    for (size_t at = 0; at < array_count(times); at++) {
        if (!plain_has(plain, times[at].words))
            continue;
        label->kind = !label->is_time || label->kind == times[at].kind ? times[at].kind : LABEL_UNCLEAR;
        label->tells_other |= times[at].tells_other;
        label->is_time = true;
    }
}

static enum label_kind reference_of(const char *plain, struct view text)
{
    if (plain_has(plain, WORDS_LABEL_WITHOUT))
        return LABEL_WITHOUT;
    if (plain_has(plain, WORDS_LABEL_WITH) || word_is(text, WORDS_LABEL_ON))
        return LABEL_WITH;
    return word_is(text, WORDS_LABEL_OFF) ? LABEL_WITHOUT : LABEL_NONE;
}

static struct label label_of(struct view text)
{
    static const enum label_kind kinds[] = {[CHANGE_MADE] = LABEL_AFTER,
                                            [CHANGE_TAKEN_BACK] = LABEL_BEFORE,
                                            [CHANGE_NOT_MADE] = LABEL_BEFORE,
                                            [CHANGE_SEVERAL] = LABEL_UNCLEAR};
    struct plain_sentence plain;
    struct label label = {.treatment = TREATMENT_COUNT};
    plain_sentence_of(&plain, text);
    time_read(plain.text, &label);
    enum change_reading change = told_change_of(plain.text, &label.treatment);
    if (!label.is_time)
        label.kind = change == CHANGE_NONE ? reference_of(plain.text, text) : kinds[change];
    else if (change != CHANGE_NONE && change != CHANGE_TAKEN_BACK && words_at(plain.text, WORDS_LABEL_UNTIL))
        label.is_of_change = true;
    else if (change != CHANGE_NONE && change != CHANGE_TAKEN_BACK && label.kind != kinds[change])
        label.kind = LABEL_UNCLEAR; /* "after dropping huge pages" is after it, "before switching to X" before */
    return label;
}

/* ---- what else differed ---- */

bool told_names_state(const char *plain)
{
    return plain_has(plain, WORDS_STATE_NAMED);
}

static uint64_t states_in(struct view text)
{
    struct plain_sentence plain;
    uint64_t found = 0;
    plain_sentence_of(&plain, text);
    for (struct match state = match_in(plain.text, WORDS_STATE_NAMED); match_next(&state);)
        found |= UINT64_C(1) << state.index;
    return found;
}

/*
 * One of them is of something that the other isn't of, and the other way round: "with it on the old kernel, without it
 * on the new one".
 */
static bool differ_otherwise(struct view first, struct view last)
{
    uint64_t of_first = states_in(first), of_last = states_in(last);
    return (of_first & ~of_last) && (of_last & ~of_first);
}

/* ---- where labels stand ---- */

/* "(baseline)" just behind the amount, before the limit: what is in it; empty: there is none. */
static struct view bracket_behind(const struct quantity *quantity, const char *limit)
{
    static const char open[] = " , ( ";
    struct view rest = {quantity->end, (size_t)(limit - quantity->end)};
    if (!view_starts(rest, open))
        return (struct view){0};
    rest = view_skip(rest, sizeof(open) - 1);
    ptrdiff_t close = view_find(rest, " ) ");
    return close > 0 ? (struct view){rest.text, (size_t)close} : (struct view){0};
}

/* The words behind it, in its clause or the next. */
static struct view words_behind(const struct quantity *quantity, const char *end)
{
    struct view rest = {quantity->end, (size_t)(end - quantity->end)}, words = {0};
    while (!words.length && rest.length)
        words = view_trim(view_cut(&rest, ','));
    return words;
}

static struct view words_ahead(const char *begin, const struct quantity *quantity)
{
    return view_trim((struct view){begin, (size_t)(quantity->begin - begin)});
}

/* "where it used to need": where that begins; -1: it doesn't. */
static ptrdiff_t where_in(struct view between)
{
    size_t words = 0;
    for (struct view rest = between, word; (word = view_word(&rest)).length; words++)
        if (word_is(word, WORDS_ORDER_WHERE))
            return word.text - between.text;
    return -1;
}

/*
 * What stands between two amounts: in a clause of its own it is the last one's ("97 s , before , 212 s"), else the
 * first one's up to a mark ("212 s before , 97 s after"), and without a mark of either.
 */
static void between_split(const char *begin, const struct quantity *last, struct view *ret_of_first,
                          struct view *ret_of_last)
{
    struct view between = words_ahead(begin, last);
    ptrdiff_t mark = view_find(between, ","), where = where_in(between);
    mark = where >= 0 && (mark < 0 || where < mark) ? where : mark;
    *ret_of_first = *ret_of_last = between;
    if (mark == 0)
        *ret_of_first = (struct view){0};
    if (mark > 0) {
        *ret_of_last = view_trim(view_skip(between, (size_t)mark + (mark != where)));
        ret_of_first->length = (size_t)mark;
    }
}

/* By the words of time in its clause ("huge pages , before 212 s"), else by all that stands there. */
static struct label label_ahead(struct view words)
{
    struct view clause = words;
    for (ptrdiff_t mark; (mark = view_find(clause, ",")) >= 0 && (size_t)mark + 1 < clause.length;)
        clause = view_skip(clause, (size_t)mark + 1);
    struct label near = label_of(clause);
    return near.is_time && near.treatment == TREATMENT_COUNT ? near : label_of(words);
}

struct labels {
    struct label first, last;
};

/* "and with huge pages": nothing but the change stands there, so that its amount is of what the one before is of. */
static bool is_elliptic(struct view label, enum treatment treatment, const char *behind)
{
    struct plain_sentence plain, shorter;
    enum treatment other = TREATMENT_COUNT;
    while (view_ends(label, ",")) /* "with huge pages: 52 s" */
        label = view_trim((struct view){label.text, label.length - 1});
    plain_sentence_of(&plain, view_starts(label, ",") ? view_skip(label, 1) : label);
    const char *place = plain.text + strlen(plain.text);
    struct view last = word_back(plain.text, &place);
    plain_sentence_of(&shorter, (struct view){plain.text, (size_t)(place - plain.text)});
    bool names_it = word_is(last, WORDS_LABEL_ON) || told_change_of(shorter.text, &other) != CHANGE_MADE ||
                    other != treatment; /* its last word is a part of its name */
    return words_at(plain.text, WORDS_LABEL_ELLIPTIC) && names_it && !words_at(behind, WORDS_OUTCOME_THAN_OTHER);
}

/*
 * "the job took 73 s , with huge pages it took 52 s", "… , with huge pages 52 s": the first was without them, unless it
 * names them.
 */
static bool is_of_first(struct view of_first, struct view of_last, const char *behind, const struct labels *labels)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, of_first);
    return labels->last.kind == LABEL_AFTER && labels->last.treatment != TREATMENT_COUNT &&
           labels->first.kind != LABEL_AFTER && !told_names_state(plain.text) &&
           (piece_has(of_last, WORDS_LABEL_OF_IT) || is_elliptic(of_last, labels->last.treatment, behind));
}

/* ---- two of them ---- */

/* "with it" is what a trial of an addition does, and how it was before a removal. */
static void reference_settle(struct label *label, enum treatment treatment)
{
    bool adds, with = label->kind == LABEL_WITH;
    if ((with || label->kind == LABEL_WITHOUT) && treatment != TREATMENT_COUNT && told_change_adds(treatment, &adds))
        label->kind = with == adds ? LABEL_AFTER : LABEL_BEFORE;
}

static bool is_known(const struct label *label)
{
    return label->kind == LABEL_BEFORE || label->kind == LABEL_AFTER;
}

static bool is_reference(const struct label *label)
{
    return label->kind == LABEL_WITH || label->kind == LABEL_WITHOUT;
}

/* "with -mprefer-vector-width=256 3.1 s, without it 4.0 s", "3.1 s, previously 4.0 s" */
static void opposite_settle(struct label *label, const struct label *other)
{
    if ((is_reference(label) || (label->kind == LABEL_NONE && other->tells_other)) && is_known(other))
        label->kind = other->kind == LABEL_BEFORE ? LABEL_AFTER : LABEL_BEFORE;
}

static bool is_same_change(enum treatment one, enum treatment other)
{
    return one == other || one == TREATMENT_COUNT || other == TREATMENT_COUNT || told_change_is_part(one, other) ||
           told_change_is_part(other, one);
}

static struct told_order order_of(struct labels labels, const char *plain, size_t *ret_times)
{
    struct label *first = &labels.first, *last = &labels.last;
    enum treatment treatment = first->treatment != TREATMENT_COUNT ? first->treatment : last->treatment,
                   in_all = TREATMENT_COUNT;
    struct told_order told = {.treatment = TREATMENT_COUNT};
    if (told_change_of(plain, &in_all) == CHANGE_SEVERAL || !is_same_change(first->treatment, last->treatment))
        return told;
    opposite_settle(first, last); /* "with it" is of the flag or of what it takes away, as the other one names it */
    opposite_settle(last, first);
    reference_settle(first, in_all);
    reference_settle(last, in_all);
    opposite_settle(first, last);
    opposite_settle(last, first);
    if (!is_known(first) || !is_known(last) || first->kind == last->kind)
        return told;
    *ret_times = (size_t)first->is_time + last->is_time;
    bool named = first->is_of_change || last->is_of_change;
    told.treatment = named                                                             ? in_all
                     : *ret_times == 2 || (treatment == TREATMENT_COUNT && *ret_times) ? TREATMENT_COUNT
                                                                                       : in_all;
    told.order = first->kind == LABEL_BEFORE ? ORDER_FIRST_WAS_BEFORE : ORDER_LAST_WAS_BEFORE;
    return told;
}

static struct told_order order_by_labels(const char *plain, const struct quantity *first, const struct quantity *last)
{
    const char *end = last->end + strlen(last->end);
    struct view in_first = bracket_behind(first, last->begin), in_last = bracket_behind(last, end);
    const char *behind_first = in_first.length ? in_first.text + in_first.length + 2 : first->end;
    struct view of_first, of_last;
    between_split(behind_first, last, &of_first, &of_last);
    struct labels behind = {.last = label_of(words_behind(last, end))};
    if (behind.last.kind != LABEL_NONE) /* each in a clause behind its amount */
        of_first = words_behind(first, last->begin);
    behind.first = label_of(of_first);
    struct labels ahead = {label_ahead(words_ahead(plain, first)), label_of(of_last)};
    size_t ahead_times = 0, behind_times = 0;
    if (differ_otherwise(words_ahead(plain, first), words_ahead(behind_first, last)) ||
        differ_otherwise(words_behind(first, last->begin), words_behind(last, end)))
        return (struct told_order){.treatment = TREATMENT_COUNT};
    if (in_first.length || in_last.length) {
        struct labels mixed = {in_first.length ? label_of(in_first) : ahead.first,
                               in_last.length ? label_of(in_last) : ahead.last};
        return order_of(mixed, plain, &ahead_times);
    }
    ahead.last.tells_other |= is_of_first(words_ahead(plain, first), of_last, last->end, &ahead);
    struct told_order by_ahead = order_of(ahead, plain, &ahead_times),
                      by_behind = order_of(behind, plain, &behind_times);
    if (by_ahead.order == ORDER_UNKNOWN && by_behind.order == ORDER_UNKNOWN) /* "212 s with it , without it 97 s" */
        return order_of((struct labels){behind.first, ahead.last}, plain, &ahead_times);
    bool clash =
        by_ahead.order != ORDER_UNKNOWN && by_behind.order != ORDER_UNKNOWN && by_ahead.order != by_behind.order;
    if (clash && ahead.first.treatment != TREATMENT_COUNT) /* "after raising it: 41 s before, 32 s after" */
        return by_behind;
    if (clash && ahead_times == behind_times)
        return (struct told_order){.treatment = TREATMENT_COUNT};
    return by_ahead.order == ORDER_UNKNOWN || (clash && behind_times > ahead_times) ? by_behind : by_ahead;
}

/* ---- by what stands between them ---- */

static enum amount_order order_by_words(const char *plain, const struct quantity *first, const struct quantity *last)
{
    enum { NEAR = 14 };
    struct view between = {first->end, (size_t)(last->begin - first->end)},
                ahead = {plain, (size_t)(first->begin - plain)};
    struct view near = view_skip(ahead, ahead.length > NEAR ? ahead.length - NEAR : 0);
    if (quantities_joined(first, last, WORDS_ORDER_ARROW))
        return ORDER_FIRST_WAS_BEFORE;
    bool is_from = piece_has(near, WORDS_SMALL_FROM),
         falls = piece_has(ahead, WORDS_ORDER_FALLING) || first->value > last->value; /* a range rises */
    if (piece_has(between, WORDS_SMALL_TO) &&
        (is_from || (quantities_joined(first, last, WORDS_ORDER_JUST_TO) && falls)))
        return ORDER_FIRST_WAS_BEFORE;
    bool replaced = piece_has(between, WORDS_ORDER_INSTEAD) ||
                    (piece_has(between, WORDS_ORDER_WAS) && !piece_has(between, WORDS_ORDER_WITH)) ||
                    (piece_has(near, WORDS_SMALL_TO) && piece_has(between, WORDS_SMALL_FROM));
    bool once_more = words_at(last->end, WORDS_ORDER_AGAIN); /* "and then it was 52 s again" */
    return replaced && !once_more && !piece_has(between, WORDS_ORDER_LATER) ? ORDER_LAST_WAS_BEFORE : ORDER_UNKNOWN;
}

/* ---- together ---- */

bool told_pair_in_order(const char *plain, enum quantity_kind kind, struct quantity *before, struct quantity *after,
                        enum treatment *ret_named)
{
    struct quantities all;
    struct quantity first = {0}, last = {0};
    enum treatment ignored;
    quantities_of(plain, &all);
    if (!quantities_pair(&all, kind, &first, &last))
        return false;
    struct told_order told = {order_by_words(plain, &first, &last), TREATMENT_COUNT};
    if (told.order == ORDER_UNKNOWN)
        told = order_by_labels(plain, &first, &last);
    /* the later one is without it */
    bool taken_back = told.treatment == TREATMENT_COUNT && told_change_of(plain, &ignored) == CHANGE_TAKEN_BACK;
    bool first_is_before = (told.order == ORDER_FIRST_WAS_BEFORE) != taken_back;
    *before = first_is_before ? first : last;
    *after = first_is_before ? last : first;
    *ret_named = told.treatment;
    return told.order != ORDER_UNKNOWN;
}
