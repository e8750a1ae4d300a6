/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much did a change return, by the numbers of a sentence: two times ("from 4.2 s to 3.1 s"), two rates ("1200 req/s
 * before, 3150 req/s after"), a part of the gap ("recovered 12 % of the 18 % gap", "half of the gap"), the gap before
 * and after ("from 31 % to 9 %"), "dropping it lost 12 %"?
 *
 * Shares are of the time before the change, 0..1. Two numbers are a pair only where the words between them say which
 * was first. Numbers are as exact as their last digit. Does not support: a sentence with three times in it, units that
 * differ in kind.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_AMOUNT_H
#define PLUMB_ANALYSE_TOLD_TOLD_AMOUNT_H

#include "analyse/told/told_change.h"
#include "statistics/interval.h"

struct told_pair {
    struct interval gain; /* both ends below 0: it grew slower. Of a change that was taken back what it had returned */
    /* whose two states the amounts are; TREATMENT_COUNT: they are told as before and after alone */
    enum treatment change;
};
/* Of plain sentences (analyse/told/told_plain), as below. False: it has no two amounts in order. */
bool told_pair_of(const char *plain, struct told_pair *ret_pair);

/* By how much the shorter time is less, as exact as their last digits. */
struct interval told_gain_between(double shorter, double shorter_error, double longer, double longer_error);

/*
 * "gained 3 %", "throughput improved by 40 %", "made it 12 % slower", "huge pages: 1.3x"; whether a share is of the
 * time or of the speed isn't told: both ends, as above.
 */
bool told_gain(const char *plain, struct interval *ret_gain);
/*
 * What its times are of is how long requests or other things take each ("p99", "latency", "response time"), rather than
 * the time of the whole. Of memory's latency it isn't, nor where the time itself is named.
 */
bool told_is_of_latency(const char *plain);
/* A time, a rate or a multiple of something ("1.2M") stands in it. */
bool told_has_amount(const char *plain);

struct told_return {
    struct interval share;  /* of the time; unknown: it is told as a part of the gap alone */
    struct interval of_gap; /* of the gap; unknown: not told so */
    double left;            /* of a gap that fell, as it is told: 0.19 of "from 44 % to 19 %"; 0: not told so */
};
/* False: the sentence tells of no part that came back. */
bool told_returned(const char *plain, struct told_return *ret_returned);

#endif
