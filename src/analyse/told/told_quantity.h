/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which amounts does a sentence name: times ("3.1 s", "14 min 10 s"), rates ("1200 req/s", "57k tps"), percent?
 *
 * A number without a unit takes that of its neighbour where the words between them say that both are of one kind ("from
 * 4.2 to 3.1 s", "57k tps instead of 44k"), or where it ends its clause as exact as the one before ("3.1 s without,
 * with it 4.0"). Does not support: numbers in words, several units for one rate.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_QUANTITY_H
#define PLUMB_ANALYSE_TOLD_TOLD_QUANTITY_H

#include "analyse/told/told_words.h"
#include "base/text.h"

enum quantity_kind { QUANTITY_BARE, QUANTITY_TIME, QUANTITY_RATE, QUANTITY_PERCENT };

struct quantity {
    enum quantity_kind kind;
    double value, half_digit; /* seconds of a time, else in its unit; half of what its last digit counts */
    double scale;             /* what one of its unit is: 1e-3 of "ms", 1e3 of "k" */
    struct view unit;         /* of rates */
    const char *begin, *end;  /* in the sentence */
};

enum { QUANTITIES_MOST = 12 };

struct quantities {
    struct quantity items[QUANTITIES_MOST];
    size_t count;
};

/* Of a plain sentence (analyse/told/told_plain), in their order. */
void quantities_of(const char *plain, struct quantities *ret_all);
/* The next one behind this place, as it is written (its value times its scale is in seconds); false: there is none. */
bool quantity_next(const char *place, const char *plain, struct quantity *ret_quantity);
/* The only two of a kind, rates of one unit; the first is above 0. */
bool quantities_pair(const struct quantities *all, enum quantity_kind kind, struct quantity *ret_first,
                     struct quantity *ret_last);
/* Units of rates of the same: "req/s", "requests/s". */
bool quantity_units_agree(struct view one, struct view other);
/* Nothing but one of this group stands between them. */
bool quantities_joined(const struct quantity *first, const struct quantity *last, enum words group);
/* The clause that it stands in, up to it. */
struct view quantity_clause(const char *plain, const struct quantity *quantity);

/* "real 12m11s": of the whole, as a shell's time has it. */
bool quantity_is_real(const char *plain, const struct quantity *quantity);
/* "98211 exits in 10 s", "down to 98211 in 10 s": for how long something was counted. */
bool quantity_is_of_window(const char *plain, const struct quantity *quantity);

#endif
