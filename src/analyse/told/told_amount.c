/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_amount.h"

#include "analyse/told/told_outcome.h"
#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum quantity_kind { QUANTITY_BARE, QUANTITY_TIME, QUANTITY_RATE, QUANTITY_PERCENT };

struct quantity {
    enum quantity_kind kind;
    double value, half_digit; /* seconds, or in its unit; half of what its last digit counts */
    double scale;             /* seconds of a time's unit */
    struct view unit;         /* of rates: both must have the same */
    const char *begin, *end;
};

/* ---- one quantity ---- */

static bool starts(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

static bool ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

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
        const char *unit;
        double seconds;
    } units[] = {{"milliseconds", 1e-3}, {"msec", 1e-3}, {"ms", 1e-3}, {"microseconds", 1e-6}, {"usec", 1e-6}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6}, {"ns", 1e-9}, {"seconds", 1},
                 {"second", 1}, {"secs", 1}, {"sec", 1}, {"s", 1}, {"minutes", 60}, {"minute", 60}, {"mins", 60}, {"min", 60}, {"hours", 3600}, {"hour", 3600}, {"h", 3600}};
    for (size_t at = 0; at < array_count(units); at++) {
        size_t length = strlen(units[at].unit);
        if (!starts(text, units[at].unit) || !ends_word(text[length]) || text[length] == '/')
            continue;
        *ret_seconds = units[at].seconds;
        *ret_length = length;
        return true;
    }
    return false;
}

/* "req/s", "gb/s", "qps", "requests per second" */
static bool rate_unit(const char *text, size_t *ret_length)
{
    static const char *const rates[] = {"qps", "rps", "tps", "fps", "iops", "mflops", "gflops", "tflops", "mops"};
    static const char *const per[] = {"/second", "/sec", "/s", "/min", " per second", " per sec", " a second", " per minute", " a minute"};
    size_t word = 0;
    while (isalpha((unsigned char)text[word]))
        word++;
    for (size_t at = 0; at < array_count(rates); at++)
        if (word == strlen(rates[at]) && starts(text, rates[at])) {
            *ret_length = word;
            return true;
        }
    for (size_t at = 0; word && at < array_count(per); at++)
        if (starts(text + word, per[at]) && ends_word(text[word + strlen(per[at])])) {
            *ret_length = word + strlen(per[at]);
            return true;
        }
    return false;
}

static void unit_read(struct quantity *quantity)
{
    const char *text = quantity->end + (*quantity->end == ' ');
    double seconds;
    size_t length = 0;
    quantity->scale = 1;
    if (*text == '%' || (starts(text, "percent") && ends_word(text[7]))) {
        quantity->kind = QUANTITY_PERCENT;
        length = *text == '%' ? 1 : 7;
    } else if (rate_unit(text, &length)) {
        quantity->kind = QUANTITY_RATE;
        quantity->unit = (struct view){text, length};
    } else if (time_unit(text, &seconds, &length)) {
        quantity->kind = QUANTITY_TIME;
        quantity->scale = seconds;
    }
    quantity->end = length ? text + length : quantity->end;
}

/* The next one behind this place; false: there is none. */
static bool quantity_next(const char *text, const char *whole, struct quantity *ret_quantity)
{
    for (; *text; text++) {
        bool inside = text > whole && (!ends_word(text[-1]) || text[-1] == '.' || text[-1] == '-' || text[-1] == '=');
        if (!isdigit((unsigned char)*text) || inside)
            continue;
        size_t length = strspn(text, "0123456789.,");
        struct view number = {text, length};
        while (number.length && !isdigit((unsigned char)number.text[number.length - 1]))
            number.length--;
        *ret_quantity = (struct quantity){.kind = QUANTITY_BARE, .begin = text, .end = text + number.length};
        if (view_grouped(number, &ret_quantity->value)) {
            ret_quantity->half_digit = digit_of(number) / 2;
            unit_read(ret_quantity);
            return true;
        }
        text += length - 1;
    }
    return false;
}

/* ---- two of them ---- */

enum { QUANTITIES_MOST = 12 };

struct quantities {
    struct quantity items[QUANTITIES_MOST];
    size_t count;
};

static const char *const arrows[] = {"->", "=>", "to ->", NULL};

static bool is_between(const struct quantity *first, const struct quantity *last, const char *const *words)
{
    struct view between = view_trim((struct view){first->end, (size_t)(last->begin - first->end)});
    for (; *words; words++)
        if (view_equal(between, *words))
            return true;
    return false;
}

/* "from 4.2 to 3.1 s": the first has the unit of the second. */
static void units_share(struct quantities *all)
{
    static const char *const joints[] = {"to", "down to", "up to", "->", "=>", NULL};
    for (size_t at = 0; at + 1 < all->count; at++) {
        struct quantity *first = &all->items[at], *last = &all->items[at + 1];
        if (first->kind != QUANTITY_BARE || last->kind == QUANTITY_BARE || !is_between(first, last, joints))
            continue;
        first->kind = last->kind;
        first->unit = last->unit;
        first->scale = last->scale;
    }
}

/* The only two of a kind. */
static bool pair_of(const struct quantities *all, enum quantity_kind kind, struct quantity *first, struct quantity *last)
{
    size_t count = 0;
    for (size_t at = 0; at < all->count; at++)
        if (all->items[at].kind == kind) {
            *(count ? last : first) = all->items[at];
            count++;
        }
    bool same = kind != QUANTITY_RATE || (count == 2 && first->unit.length == last->unit.length && memcmp(first->unit.text, last->unit.text, first->unit.length) == 0);
    return count == 2 && same && first->value > 0;
}

static bool has_words(struct view text, const char *const *words)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, text);
    for (; *words; words++)
        if (plain_find(plain.text, *words))
            return true;
    return false;
}

enum order { ORDER_UNKNOWN, ORDER_FIRST_WAS_BEFORE, ORDER_LAST_WAS_BEFORE };

static enum order order_of(const char *plain, const struct quantity *first, const struct quantity *last)
{
    static const char *const falling[] = {"drop", "fell", "fall", "went", "goes", "sank", "brought", "brings", "reduc", "improv", "cut", "rose", "rise", "increas", "decreas", "down", "grew", NULL};
    static const char *const from[] = {"from ", NULL}, *const to[] = {"to ", NULL}, *const just_to[] = {"to", "down to", "up to", NULL};
    static const char *const later[] = {"after", "now ", "then ", "afterwards", NULL}, *const earlier[] = {"before ", "was ", "previously", "used to", NULL};
    static const char *const instead[] = {"instead of", "rather than", "down from", "up from", "was ", "were ", "used to be", NULL};
    struct view between = {first->end, (size_t)(last->begin - first->end)}, ahead = {plain, (size_t)(first->begin - plain)}, behind = view_of(last->end);
    struct view near = view_skip(ahead, ahead.length > 14 ? ahead.length - 14 : 0), next = {behind.text, behind.length < 12 ? behind.length : 12};
    if (is_between(first, last, arrows))
        return ORDER_FIRST_WAS_BEFORE;
    if (has_words(between, to) && (has_words(near, from) || (is_between(first, last, just_to) && has_words(ahead, falling))))
        return ORDER_FIRST_WAS_BEFORE;
    if (has_words(between, instead) || (has_words(near, to) && has_words(between, from)))
        return has_words(between, later) ? ORDER_UNKNOWN : ORDER_LAST_WAS_BEFORE;
    bool before_first = has_words(near, earlier) || view_starts(view_trim(between), "before");
    bool after_last = has_words(between, later) || view_starts(view_trim(next), "after") || view_starts(view_trim(next), "now") || view_starts(view_trim(next), "with ");
    bool before_last = view_starts(view_trim(next), "before");
    if (before_first && after_last)
        return ORDER_FIRST_WAS_BEFORE;
    return before_last && !before_first ? ORDER_LAST_WAS_BEFORE : ORDER_UNKNOWN;
}

static void quantities_of(const char *plain, struct quantities *all)
{
    all->count = 0;
    for (const char *at = plain; all->count < QUANTITIES_MOST && quantity_next(at, plain, &all->items[all->count]); all->count++)
        at = all->items[all->count].end;
    units_share(all);
    for (size_t at = 0; at < all->count; at++) {
        all->items[at].value *= all->items[at].scale;
        all->items[at].half_digit *= all->items[at].scale;
    }
}

/* Before and after, in this order. */
static bool pair_in_order(const char *plain, enum quantity_kind kind, struct quantity *before, struct quantity *after)
{
    struct quantities all;
    struct quantity first = {0}, last = {0};
    quantities_of(plain, &all);
    enum order order = pair_of(&all, kind, &first, &last) ? order_of(plain, &first, &last) : ORDER_UNKNOWN;
    *before = order == ORDER_LAST_WAS_BEFORE ? last : first;
    *after = order == ORDER_LAST_WAS_BEFORE ? first : last;
    return order != ORDER_UNKNOWN;
}

/* By how much the shorter time is less, as exact as their last digits. */
static struct interval gain_between(double shorter, double shorter_error, double longer, double longer_error)
{
    return interval_of(1 - (shorter + shorter_error) / (longer - longer_error), 1 - shorter / longer, 1 - (shorter - shorter_error) / (longer + longer_error));
}

bool told_pair_gain(const char *plain, struct interval *ret_gain)
{
    struct quantity before, after;
    bool rate = false;
    if (!pair_in_order(plain, QUANTITY_TIME, &before, &after)) {
        rate = true;
        if (!pair_in_order(plain, QUANTITY_RATE, &before, &after))
            return false;
    }
    const struct quantity *longer = rate ? &after : &before, *shorter = rate ? &before : &after; /* of a rate the inverse is the time */
    if (!(longer->value > longer->half_digit))
        return false;
    *ret_gain = gain_between(shorter->value, shorter->half_digit, longer->value, longer->half_digit);
    return true;
}

bool told_has_pair(const char *plain)
{
    struct quantities all;
    struct quantity first, last;
    quantities_of(plain, &all);
    return pair_of(&all, QUANTITY_TIME, &first, &last) || pair_of(&all, QUANTITY_RATE, &first, &last);
}

/* ---- one of them, where two others were told ---- */

/* As a time, or what one of a rate takes. */
static void time_of(const struct quantity *quantity, double *ret_value, double *ret_error)
{
    bool is_rate = quantity->kind == QUANTITY_RATE;
    *ret_value = is_rate ? 1 / quantity->value : quantity->value;
    *ret_error = is_rate ? quantity->half_digit / (quantity->value * quantity->value) : quantity->half_digit;
}

bool told_states_of(const char *plain, struct told_states *ret_states)
{
    static const char *const states[] = {"guest", "vm ", "vms ", "virtual machine", "virtualised", "virtualized", "bare metal", "bare-metal", "baremetal", "native", "container", "docker", "host", "td ", "tdx", "sev ", "sev-",
                                         "confidential", "old ", "new ", "instance", "release", "version", "upgrade", "migrat", "since ", NULL};
    static const enum quantity_kind kinds[] = {QUANTITY_TIME, QUANTITY_RATE};
    struct quantities all;
    struct quantity first, last;
    quantities_of(plain, &all);
    for (size_t at = 0; at < array_count(kinds); at++) {
        if (!pair_of(&all, kinds[at], &first, &last) || !(last.value > 0) || first.unit.length >= sizeof(ret_states->unit) || !has_words(view_of(plain), states))
            continue;
        struct told_states two = {.are_rates = kinds[at] == QUANTITY_RATE};
        if (first.unit.length)
            memcpy(two.unit, first.unit.text, first.unit.length);
        bool first_is_fast = (first.value < last.value) != two.are_rates;
        time_of(first_is_fast ? &first : &last, &two.fast, &two.fast_error);
        time_of(first_is_fast ? &last : &first, &two.slow, &two.slow_error);
        if (!(two.fast + two.fast_error < two.slow - two.slow_error)) /* as exact as they are told, they may be equal */
            continue;
        *ret_states = two;
        return true;
    }
    return false;
}

struct interval told_states_gap(const struct told_states *states)
{
    return gain_between(states->fast, states->fast_error, states->slow, states->slow_error);
}

/* The only quantity of the states' kind and unit. */
static bool only_alike(const char *plain, const struct told_states *states, struct quantity *ret_quantity)
{
    struct quantities all;
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (all.items[at].kind == (states->are_rates ? QUANTITY_RATE : QUANTITY_TIME) && (!states->are_rates || view_equal(all.items[at].unit, states->unit))) {
            *ret_quantity = all.items[at];
            count++;
        }
    return count == 1 && ret_quantity->value > 0;
}

bool told_state_gain(const char *plain, const struct told_states *states, struct interval *ret_gain, double *ret_of_gap)
{
    static const double BEYOND = 0.05; /* of the difference */
    struct quantity quantity;
    double time, error, slack = BEYOND * (states->slow - states->fast);
    if (!only_alike(plain, states, &quantity))
        return false;
    time_of(&quantity, &time, &error);
    if (time < states->fast - slack || time > states->slow + slack) /* it is of something else */
        return false;
    *ret_gain = gain_between(time, error, states->slow, states->slow_error);
    *ret_of_gap = (states->slow - time) / (states->slow - states->fast);
    return true;
}

/* ---- one share ---- */

/* The clause that the quantity stands in, up to it. */
static struct view clause_before(const char *plain, const struct quantity *quantity)
{
    const char *begin = plain;
    for (const char *at = strstr(plain, " , "); at && at < quantity->begin; at = strstr(at + 1, " , "))
        begin = at + 2;
    return (struct view){begin, (size_t)(quantity->begin - begin)};
}

enum gain_kind { GAIN_NONE, GAIN_OF_TIME, GAIN_OF_SPEED, GAIN_OF_EITHER, GAIN_SLOWER };

/* What the share of a clause is of. One of misses or exits is none of the time. */
static enum gain_kind gain_kind_of(struct view before, const char *behind)
{
    static const char *const gained[] = {"gained", "gains ", "a gain of", "sped", "speedup", "speed-up", "speeds", NULL};
    static const char *const better[] = {"improv", "increas", "rais", "boost", "rose", "higher", NULL}, *const less[] = {"reduc", "cut ", "cuts ", "saved", "saves", "shav", "lower", "decreas", "fell", "drop", NULL};
    static const char *const speed[] = {"throughput", "performance", "speed", "req/s", "qps", NULL}, *const time[] = {"time", "latency", "runtime", "duration", NULL};
    static const char *const made[] = {"made ", "makes ", "became", "got ", "gets ", NULL}, *const other[] = {"miss", "exit", "fault", "rate", "hit", "cycles", "instructions", NULL};
    if (has_words(before, other))
        return GAIN_NONE;
    if (starts(behind, " slower"))
        return has_words(before, made) ? GAIN_SLOWER : GAIN_NONE;
    if (has_words(before, better) && has_words(before, speed))
        return GAIN_OF_SPEED;
    if (has_words(before, less) && has_words(before, time))
        return GAIN_OF_TIME;
    return has_words(before, gained) ? GAIN_OF_EITHER : GAIN_NONE;
}

bool told_gain(const char *plain, struct interval *ret_gain)
{
    struct quantities all;
    struct quantity share = {0};
    size_t count = 0;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++)
        if (all.items[at].kind == QUANTITY_PERCENT) {
            share = all.items[at];
            count++;
        }
    double part = share.value / 100, of_speed = part / (1 + part);
    switch (count == 1 && part > 0 ? gain_kind_of(clause_before(plain, &share), share.end) : GAIN_NONE) {
    case GAIN_OF_TIME:
        *ret_gain = interval_exactly(fmin(part, 1));
        return true;
    case GAIN_OF_SPEED:
        *ret_gain = interval_exactly(of_speed);
        return true;
    case GAIN_OF_EITHER:
        *ret_gain = interval_of(of_speed, fmin((of_speed + part) / 2, 1), fmin(part, 1));
        return true;
    case GAIN_SLOWER:
        *ret_gain = interval_exactly(-part);
        return true;
    default:
        return false;
    }
}

/* ---- a part of the gap ---- */

static const char *const gap_words[] = {"gap", "slowdown", "slow-down", "penalty", "difference", "regression", "overhead", NULL};

static const char *verb_of_return(const char *plain)
{
    static const char *const verbs[] = {"recover", "won back", "wins back", "win back", "gave back", "gives back", "brought back", "brings back", "regain", "closed ", "closes ", "bought back"};
    const char *found = NULL;
    for (size_t at = 0; at < array_count(verbs) && !found; at++)
        found = plain_find(plain, verbs[at]);
    return found;
}

static bool fraction_of(const char *text, double *ret_share)
{
    static const struct {
        const char *words;
        double share;
    } fractions[] = {{"two thirds", 2.0 / 3}, {"two-thirds", 2.0 / 3}, {"three quarters", 0.75}, {"three-quarters", 0.75}, {"half ", 0.5}, {"a third", 1.0 / 3}, {"one third", 1.0 / 3},
                     {"a quarter", 0.25}, {"one quarter", 0.25}, {"a fifth", 0.2}, {"a tenth", 0.1}, {"the whole", 1}, {"all of", 1}, {"all the", 1}, {"the entire", 1}};
    for (size_t at = 0; at < array_count(fractions); at++)
        if (plain_find(text, fractions[at].words)) {
            *ret_share = fractions[at].share;
            return true;
        }
    return false;
}

static bool is_of_gap(const char *behind)
{
    return starts(behind, " of it ") || starts(behind, " of that ") || starts(behind, " of this ") || starts(behind, " of the gap") || starts(behind, " of the slow") || starts(behind, " of the differ") ||
           starts(behind, " of the loss") || starts(behind, " of the penalty") || starts(behind, " of the overhead") || starts(behind, " of the regress");
}

/* "12 % of the 18 % gap" are points of it; more than it has can only be a share of it. Percent of the faster side are fewer of the slower. */
static struct interval points_of(double part, double whole)
{
    double low = part <= whole ? part / (1 + whole) : part * whole / (1 + whole), high = part <= whole ? part : part * whole;
    return interval_of(fmin(low, 1), fmin((low + high) / 2, 1), fmin(high, 1));
}

static bool gap_fell(const char *plain, struct told_return *ret)
{
    struct quantity before, after;
    bool of_gap = has_words(view_of(plain), gap_words) || plain_find(plain, "slower");
    if (!of_gap || !pair_in_order(plain, QUANTITY_PERCENT, &before, &after) || after.value >= before.value)
        return false;
    double fell = (before.value - after.value) / 100;
    *ret = (struct told_return){.share = points_of(fell, fmax(before.value / 100, fell))};
    return true;
}

bool told_returned(const char *plain, struct told_return *ret_returned)
{
    const char *verb = verb_of_return(plain);
    struct quantity part, whole;
    double fraction;
    if (gap_fell(plain, ret_returned))
        return true;
    if (!verb)
        return false;
    if (quantity_next(verb, plain, &part) && part.kind == QUANTITY_PERCENT && part.value > 0 && part.value <= 100) {
        double share = part.value / 100;
        bool of_other = starts(part.end, " of ") && quantity_next(part.end, plain, &whole) && whole.kind == QUANTITY_PERCENT && whole.value > 0;
        *ret_returned = (struct told_return){0};
        if (of_other)
            ret_returned->share = points_of(share, whole.value / 100);
        else if (is_of_gap(part.end))
            ret_returned->of_gap = interval_exactly(share);
        else
            ret_returned->share = interval_of(0, share / 2, share);
        return true;
    }
    if (!has_words(view_of(plain), gap_words) || !fraction_of(verb, &fraction))
        return false;
    *ret_returned = (struct told_return){.of_gap = interval_exactly(fraction)};
    return true;
}
