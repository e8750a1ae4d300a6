/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much did a change return, by the numbers of a sentence: two times ("from 4.2 s to 3.1 s"), two rates ("1200 req/s
 * before, 3150 req/s after"), a part of the gap ("recovered 12 % of the 18 % gap", "half of the gap"), the gap before
 * and after ("from 31 % to 9 %"), "dropping it lost 12 %", or one time where another sentence gave two to compare it
 * with?
 *
 * Shares are of the time before the change, 0..1. Two numbers are a pair only where the words between them say which
 * was first. Numbers are as exact as their last digit. Does not support: a sentence with three times in it, units that
 * differ in kind.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_AMOUNT_H
#define PLUMB_ANALYSE_TOLD_TOLD_AMOUNT_H

#include "analyse/told/told_change.h"
#include "base/text.h"
#include "statistics/interval.h"

struct told_pair {
    struct interval gain;  /* both ends below 0: it grew slower. Of a change that was taken back what it had returned */
    /* whose two states the amounts are; TREATMENT_COUNT: they are told as before and after alone */
    enum treatment change;
};
/* Of plain sentences (analyse/told/told_outcome), as below. False: it has no two amounts in order. */
bool told_pair_of(const char *plain, struct told_pair *ret_pair);

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

/*
 * Two states of a program that somebody compared ("41.0 s on bare metal, 52.7 s in the guest"), as times or as rates of
 * one unit.
 */
struct told_states {
    double fast, slow; /* in seconds, or of rates how much one takes */
    double fast_error, slow_error; /* half of what its last digit counts */
    bool are_rates;
    bool are_of_runs; /* nobody told them: they stand beside counts */
    char unit[24]; /* of rates */
    /* words that name the fast one and not the other, blanks around each: " bare metal "; empty: none do */
    char fast_name[48];
};
/* The words are of the fast state: "bare metal", "the plain guest". */
bool told_is_of_fast(struct view words, const struct told_states *states);
/* False: the sentence doesn't compare two such states, or their last digits don't tell them apart. */
bool told_states_of(const char *plain, struct told_states *ret_states);
/* How much less the fast one takes. */
struct interval told_states_gap(const struct told_states *states);
/*
 * The sentence's only time (or rate) lies between those of the states: how much less than the slow one it is (below 0:
 * more), and which part of the difference that is.
 */
bool told_state_gain(const char *plain, const struct told_states *states, struct interval *ret_gain,
                     double *ret_of_gap);

/* Two amounts in clauses of their own, one of which is about the slow state's and one about the fast one's. */
bool told_states_differ(const char *plain, const struct told_states *states);

struct told_return {
    struct interval share;  /* of the time; unknown: it is told as a part of the gap alone */
    struct interval of_gap; /* of the gap; unknown: not told so */
};
/* False: the sentence tells of no part that came back. */
bool told_returned(const char *plain, struct told_return *ret_returned);

#endif
