/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which two states of a program are compared ("41.0 s on bare metal, 52.7 s in the guest"), and how much of their
 * difference came back where another sentence tells what one time became?
 *
 * Does not support: more than two states, states that are told as times here and as rates there.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_STATES_H
#define PLUMB_ANALYSE_TOLD_TOLD_STATES_H

#include "base/text.h"
#include "statistics/interval.h"

/* As times or as rates of one unit. */
struct told_states {
    double fast, slow;             /* in seconds, or of rates how much one takes */
    double fast_error, slow_error; /* half of what its last digit counts */
    bool are_rates;
    unsigned measure; /* which percentile or latency they are of, one state alone; 0: of the whole */
    bool are_of_runs; /* nobody told them: they stand beside counts */
    char unit[24];    /* of rates */
    /* words that name the fast one and not the other, blanks around each: " bare metal "; empty: none do */
    char fast_name[48];
    char run[48]; /* of runs' states: how the slow one is named, "nnc"; empty: it isn't */
};
/* The words are of the fast state: "bare metal", "the plain guest". */
bool told_is_of_fast(struct view words, const struct told_states *states);
/* False: the sentence doesn't compare two such states, or their last digits don't tell them apart. */
bool told_states_of(const char *plain, struct told_states *ret_states);
/*
 * "p99 is 38 ms", "it takes 52 s": one alone, as the slow one, with which fast is 0. False: there is none, or it isn't
 * told of what.
 */
bool told_lone_state_of(const char *plain, struct told_states *ret_state);
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

#endif
