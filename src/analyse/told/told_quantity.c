/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_quantity.h"

#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- one quantity ---- */

/* What one of the last digit counts: 0.1 of "4.2", 1 of "1200". */
static double digit_of(struct view number)
{
    ptrdiff_t mark = -1;
    for (size_t at = 0; at < number.length; at++)
        if (number.text[at] == '.' || number.text[at] == ',')
            mark = (ptrdiff_t)at;
    size_t behind = mark < 0 ? 0 : number.length - (size_t)mark - 1;
    bool thousands = mark >= 0 && number.text[mark] == ',' && behind == 3;
    return thousands ? 1 : pow(10, -(double)behind);
}

static bool time_unit(const char *text, double *ret_seconds, size_t *ret_length)
{
    static const struct {
        const char *names;
        double seconds;
    } units[] = {{"seconds second secs sec s", 1}, {"milliseconds msec ms", 1e-3},
                 {"minutes minute mins min", 60},  {"microseconds usec us \xc2\xb5s \xce\xbcs", 1e-6},
                 {"hours hour h", 3600},           {"ns", 1e-9}};
    struct view name = {text, strncmp(text, "\xc2\xb5", 2) == 0 || strncmp(text, "\xce\xbc", 2) == 0 ? 2 : 0};
    while (isalpha((unsigned char)text[name.length]))
        name.length++;
    char behind = text[name.length];
    for (size_t at = 0; at < array_count(units) && name.length && !is_of_word(behind) && behind != '/'; at++)
        if (has_word(view_of(units[at].names), name)) {
            *ret_seconds = units[at].seconds;
            *ret_length = name.length;
            return true;
        }
    return false;
}

/* "req/s", "gb/s", "qps", "requests per second" */
static bool rate_unit(const char *text, size_t *ret_length)
{
    struct view name = {text, 0};
    while (isalpha((unsigned char)text[name.length]))
        name.length++;
    const char *behind = text + name.length;
    const char *end = word_is(name, WORDS_RATE_UNIT) ? behind
                      : name.length ? words_at(behind, *behind == ' ' ? WORDS_RATE_PER : WORDS_RATE_SLASH)
                                    : NULL;
    *ret_length = end ? (size_t)(end - text) : 0;
    return end && !is_of_word(*end);
}

/* "k", "m" and "g" before a rate's unit, or alone: "57k tps", "1.2 m ops/s", "44k". */
static double multiple_of(const char *text, size_t *ret_length)
{
    double scale = *text == 'k' ? 1e3 : *text == 'm' ? 1e6 : *text == 'g' ? 1e9 : 1;
    *ret_length = scale > 1 && !is_of_word(text[1]) && text[1] != '/' ? 1 : 0;
    return *ret_length ? scale : 1;
}

static void unit_read(struct quantity *quantity)
{
    const char *text = quantity->end + (*quantity->end == ' ');
    double seconds;
    size_t length = 0, multiple = 0, rate = 0;
    quantity->scale = multiple_of(text, &multiple);
    const char *behind = text + multiple + (multiple && text[multiple] == ' ');
    if (*text == '%' || (text_starts(text, "percent") && !is_of_word(text[7]))) {
        quantity->kind = QUANTITY_PERCENT;
        length = *text == '%' ? 1 : 7;
    } else if (rate_unit(behind, &rate)) {
        quantity->kind = QUANTITY_RATE;
        quantity->unit = (struct view){behind, rate};
        length = (size_t)(behind - text) + rate;
    } else if (time_unit(text, &seconds, &length)) {
        quantity->kind = QUANTITY_TIME;
        quantity->scale = seconds;
    } else if (quantity->half_digit < 0.5 && words_at(text, WORDS_TIME_OF_CORES)) { /* of processor time, a second */
        quantity->kind = QUANTITY_TIME;
        quantity->scale = 1;
        length = (size_t)(words_at(text, WORDS_TIME_OF_CORES) - text);
    } else {
        length = multiple;
    }
    quantity->end = length ? text + length : quantity->end;
}

/* "gets/s , 1.21m", "requests per second = 44120": the unit of a rate that stands just before a bare number. */
static void unit_ahead(struct quantity *quantity, const char *whole)
{
    enum { UNIT_MOST = 24 };
    const char *end = quantity->begin;
    while (end > whole && strchr(" ,=", end[-1]))
        end--;
    if (end == quantity->begin || quantity->kind != QUANTITY_BARE)
        return;
    for (const char *at = end; at > whole && end - at < UNIT_MOST; at--) {
        size_t length = 0;
        if (at[-1] == ' ' && rate_unit(at, &length) && at + length == end) {
            quantity->kind = QUANTITY_RATE;
            quantity->unit = (struct view){at, length};
            return;
        }
    }
}

/* "4:41", "1:02:11": minutes and seconds, or hours, too; 0: it is none. */
static size_t clock_read(const char *text, double *ret_seconds)
{
    enum { PARTS_MOST = 3, DIGITS = 2 };
    const char *at = text;
    double seconds = 0;
    size_t parts = 0;
    for (; parts < PARTS_MOST && isdigit((unsigned char)*at); parts++) {
        size_t digits = strspn(at, "0123456789");
        double value = 0;
        if (parts ? digits != DIGITS : digits > PARTS_MOST)
            return 0;
        for (size_t digit = 0; digit < digits; digit++)
            value = value * 10 + (at[digit] - '0');
        seconds = seconds * 60 + value;
        at += digits;
        if (*at != ':')
            break;
        at++;
    }
    bool whole = parts && at[-1] != ':' && *at != ':' && !is_of_word(*at);
    *ret_seconds = seconds;
    return whole ? (size_t)(at - text) : 0;
}

/* "29m40s", "1h02m", "19m04": of two units at least; 0: it is none. */
static size_t units_read(const char *text, double *ret_seconds)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
    const char *at = text;
    size_t parts = 0;
    *ret_seconds = 0;
    for (size_t unit = 0; unit < array_count(units); unit++) {
        size_t digits = strspn(at, units[unit].unit == 's' ? "0123456789." : "0123456789");
        double value;
        bool is_rest = units[unit].unit == 's' && parts && at[-1] == 'm' && digits == 2 && !is_of_word(at[digits]);
        if (!digits || (at[digits] != units[unit].unit && !is_rest) || !view_double((struct view){at, digits}, &value))
            continue;
        *ret_seconds += value * units[unit].seconds;
        at += digits + !is_rest;
        parts++;
    }
    return parts > 1 && !is_of_word(*at) ? (size_t)(at - text) : 0;
}

static bool clock_next(const char *text, const char *whole, struct quantity *ret_quantity)
{
    const char *ahead = text;
    double seconds;
    size_t length = clock_read(text, &seconds);
    if (!length || !memchr(text, ':', length) || !word_is(word_back(whole, &ahead), WORDS_TIME_TAKEN))
        length = units_read(text, &seconds);
    if (!length)
        return false;
    *ret_quantity = (struct quantity){
        .kind = QUANTITY_TIME, .begin = text, .end = text + length, .value = seconds, .half_digit = 0.5, .scale = 1};
    return true;
}

bool quantity_next(const char *text, const char *whole, struct quantity *ret_quantity)
{
    for (; *text; text++) {
        bool inside = text > whole && (is_of_word(text[-1]) || text[-1] == '.' || text[-1] == '-' || text[-1] == '=');
        if (!isdigit((unsigned char)*text) || inside)
            continue;
        if (clock_next(text, whole, ret_quantity))
            return true;
        size_t length = strspn(text, "0123456789.,");
        struct view number = {text, length};
        while (number.length && !isdigit((unsigned char)number.text[number.length - 1]))
            number.length--;
        *ret_quantity = (struct quantity){.kind = QUANTITY_BARE, .begin = text, .end = text + number.length};
        if (view_grouped(number, &ret_quantity->value)) {
            ret_quantity->half_digit = digit_of(number) / 2;
            unit_read(ret_quantity);
            unit_ahead(ret_quantity, whole);
            return true;
        }
        text += length - 1;
    }
    return false;
}

/* ---- all of a sentence ---- */

/* "spread 0.1 s": how far another amount may be off. */
static bool is_of_spread(const char *plain, const struct quantity *quantity)
{
    return words_end(plain, quantity->begin, WORDS_AMOUNT_SPREAD);
}

/* "real 12m11s , user 41m50s": what CPUs had of a run is not how long it took. */
static bool is_of_cpus(const char *plain, const struct quantity *quantity)
{
    return quantity->kind == QUANTITY_TIME && words_end(plain, quantity->begin, WORDS_AMOUNT_OF_CPUS) &&
           plain_has(plain, WORDS_AMOUNT_REAL);
}

bool quantity_is_real(const char *plain, const struct quantity *quantity)
{
    return quantity->kind == QUANTITY_TIME && words_end(plain, quantity->begin, WORDS_AMOUNT_REAL);
}

bool quantity_is_of_window(const char *plain, const struct quantity *quantity)
{
    const char *ahead = quantity->begin;
    if (quantity->kind != QUANTITY_TIME || !word_is(word_back(plain, &ahead), WORDS_AMOUNT_WINDOW))
        return false;
    struct view before = word_back(plain, &ahead), further = word_back(plain, &ahead);
    return word_is_number(before) || (word_is(before, WORDS_COUNT_NAMED) && word_is_number(further));
}

bool quantities_joined(const struct quantity *first, const struct quantity *last, enum words group)
{
    return word_is(view_trim((struct view){first->end, (size_t)(last->begin - first->end)}), group);
}

static void unit_take(struct quantity *bare, const struct quantity *from)
{
    bare->kind = from->kind;
    bare->unit = from->unit;
    bare->scale = bare->scale > 1 ? bare->scale : from->scale;
}

/* "31,840 transactions per second , plain glibc 21,907 ,": a rate's other number, written as it is. */
static bool is_grouped_alike(const struct quantity *before, const struct quantity *bare)
{
    const char *behind = bare->end + strspn(bare->end, " ");
    bool grouped = memchr(before->begin, ',', (size_t)(before->end - before->begin)) &&
                   memchr(bare->begin, ',', (size_t)(bare->end - bare->begin));
    return before->kind == QUANTITY_RATE && grouped && (*behind == ',' || !*behind);
}

/* "3.1 s , with x 4.0 ,": written as exactly as the one before, with a point, at the end of a clause of its own. */
static bool is_alike(const struct quantity *before, const struct quantity *bare)
{
    const char *behind = bare->end + strspn(bare->end, " ");
    struct view between = {before->end, (size_t)(bare->begin - before->end)};
    if (view_equal(view_trim(between), ", (")) /* "152.3 s (244.1 before)" */
        return before->kind != QUANTITY_PERCENT && words_at(bare->end, WORDS_QUANTITY_BEFORE);
    bool own_clause = view_find(between, " , ") >= 0 && view_find(between, " with") >= 0;
    if (own_clause && before->kind == QUANTITY_RATE && bare->scale > 1) /* "61k queries/s , without it 37k" */
        return bare->scale <= before->scale && before->scale <= bare->scale;
    return own_clause && before->kind != QUANTITY_PERCENT && bare->half_digit < 0.5 &&
           fabs(bare->half_digit - before->half_digit) <= 0 && (*behind == ',' || !*behind);
}

/* "8 threads now do 402m": of whatever it does. */
static void rate_by_verb(const char *plain, struct quantity *quantity)
{
    const char *ahead = quantity->begin;
    if (quantity->kind == QUANTITY_BARE && quantity->scale > 1 && word_is(word_back(plain, &ahead), WORDS_RATE_VERB)) {
        quantity->kind = QUANTITY_RATE;
        quantity->unit = (struct view){quantity->end, 0};
    }
}

static void units_share(struct quantities *all)
{
    for (size_t at = 0; at + 1 < all->count; at++) {
        struct quantity *first = &all->items[at], *last = &all->items[at + 1];
        if (first->kind == QUANTITY_BARE && last->kind != QUANTITY_BARE &&
            quantities_joined(first, last, WORDS_ORDER_JOINT))
            unit_take(first, last);
        else if (last->kind == QUANTITY_BARE && last->scale > 1 && first->kind == QUANTITY_RATE &&
                 first->unit.text < first->begin && first->scale >= last->scale && last->scale >= first->scale)
            unit_take(last, first); /* "gets/s , 1.21m ( default ) , 1.74m": the unit ahead is of all */
        else if (last->kind == QUANTITY_BARE && first->kind != QUANTITY_BARE &&
                 (quantities_joined(first, last, WORDS_ORDER_AGAINST) || is_alike(first, last) ||
                  is_grouped_alike(first, last)))
            unit_take(last, first);
    }
}

/* "14 min 10 s" is one time. */
static void times_join(struct quantities *all)
{
    size_t kept = 0;
    for (size_t at = 0; at < all->count; at++) {
        struct quantity *here = &all->items[at], *before = kept ? &all->items[kept - 1] : NULL;
        bool is_part = before && before->kind == QUANTITY_TIME && here->kind == QUANTITY_TIME &&
                       here->scale < before->scale && strspn(before->end, " ") == (size_t)(here->begin - before->end);
        if (is_part) {
            before->value += here->value;
            before->half_digit = here->half_digit;
            before->scale = here->scale;
            before->end = here->end;
        } else {
            all->items[kept++] = *here;
        }
    }
    all->count = kept;
}

void quantities_of(const char *plain, struct quantities *ret_all)
{
    ret_all->count = 0;
    for (const char *at = plain;
         ret_all->count < QUANTITIES_MOST && quantity_next(at, plain, &ret_all->items[ret_all->count]);
         ret_all->count += !is_of_spread(plain, &ret_all->items[ret_all->count]) &&
                           !is_of_cpus(plain, &ret_all->items[ret_all->count]) &&
                           !quantity_is_of_window(plain, &ret_all->items[ret_all->count]))
        at = ret_all->items[ret_all->count].end;
    for (size_t at = 0; at < ret_all->count; at++)
        rate_by_verb(plain, &ret_all->items[at]);
    units_share(ret_all);
    for (size_t at = 0; at < ret_all->count; at++) {
        ret_all->items[at].value *= ret_all->items[at].scale;
        ret_all->items[at].half_digit *= ret_all->items[at].scale;
    }
    times_join(ret_all);
}

/* Of several, the only two that are joined: "the batch 22.1 s -> 13.0 s , p99 of the wait 0.1 ms". */
static bool pair_of_several(const struct quantities *all, enum quantity_kind kind, struct quantity *ret_first,
                            struct quantity *ret_last)
{
    size_t count = 0;
    for (size_t at = 0; at + 1 < all->count; at++) {
        const struct quantity *first = &all->items[at], *last = &all->items[at + 1];
        if (first->kind != kind || last->kind != kind || !(first->value > 0) ||
            !quantities_joined(first, last, WORDS_ORDER_ARROW))
            continue;
        *ret_first = *first;
        *ret_last = *last;
        count++;
    }
    return count == 1;
}

bool quantity_units_agree(struct view one, struct view other)
{
    return views_equal_caseless(one, other) ||
           (word_is(one, WORDS_RATE_OF_REQUESTS) && word_is(other, WORDS_RATE_OF_REQUESTS)) ||
           (word_is(one, WORDS_RATE_OF_PACKETS) && word_is(other, WORDS_RATE_OF_PACKETS));
}

bool quantities_pair(const struct quantities *all, enum quantity_kind kind, struct quantity *ret_first,
                     struct quantity *ret_last)
{
    size_t count = 0;
    for (size_t at = 0; at < all->count; at++)
        if (all->items[at].kind == kind) {
            *(count ? ret_last : ret_first) = all->items[at];
            count++;
        }
    if (count > 2)
        return pair_of_several(all, kind, ret_first, ret_last);
    bool same = kind != QUANTITY_RATE || (count == 2 && quantity_units_agree(ret_first->unit, ret_last->unit));
    return count == 2 && same && ret_first->value > 0;
}

struct view quantity_clause(const char *plain, const struct quantity *quantity)
{
    const char *begin = plain;
    for (struct match comma = match_in(plain, WORDS_SMALL_COMMA); match_next(&comma) && comma.begin < quantity->begin;)
        begin = comma.end;
    return (struct view){begin, (size_t)(quantity->begin - begin)};
}
