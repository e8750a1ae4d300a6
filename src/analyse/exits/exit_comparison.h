/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do VM exits explain why one of two guests (or hosts) is slower, and which?
 *
 * What exits take of the vCPUs' time is bounded: at least the handler times, at most those and a round trip for each
 * exit. The round trip is the caller's, or a ceiling beyond what is known of hardware; exits are ruled out only when
 * even that explains too little. Exits that weren't timed have their handler within the round trip: which the ceiling
 * can't bound when it may have been the monitor's.
 */
#ifndef PLUMB_ANALYSE_EXITS_EXIT_COMPARISON_H
#define PLUMB_ANALYSE_EXITS_EXIT_COMPARISON_H

#include "analyse/exits/exit_table.h"

enum exit_verdict { EXIT_VERDICT_UNDECIDED, EXIT_VERDICT_RULED_OUT, EXIT_VERDICT_SUPPORTED };

struct exit_pair {
    const char *name;
    const struct exit_line *a, *b; /* NULL: not there */
    struct measured rate_ratio, cost_ratio; /* b to a */
};

/* Exits without idle ones as a share of the vCPUs' time. */
struct exit_burden {
    struct measured low, high;
    double round_trip_us;
    bool round_trip_given;
    struct measured dear_enough_us; /* what each would have to cost to take `effect` of the time */
};

struct exit_comparison {
    const struct exit_table *a, *b;
    struct exit_pair *pairs; /* by the greater rate or, without rates, count */
    size_t pair_count;
    struct exit_burden burden_a, burden_b;
    struct measured gap_low, gap_high; /* b's burden less a's */
    double effect;
    enum exit_verdict verdict;
    const char *why; /* undecided, because */
};

/* round_trip_us 0: the ceiling. Strings and arrays: owner arena. */
void exit_compare(struct exit_comparison *comparison, const struct exit_table *a, const struct exit_table *b,
                  double effect, double round_trip_a_us, double round_trip_b_us, struct arena *arena);
const char *exit_verdict_name(enum exit_verdict verdict); /* "ruled_out" */

#endif
