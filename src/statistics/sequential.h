/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure may one look be, when one looks again and again and stops at the first clear answer?
 *
 * Each look spends a part of the error that was allowed for all (Lan & DeMets 1983, Pocock-like spending), given what
 * the looks before could have found (recursive integration of Armitage, McPherson & Rowe 1969). Looks may come at any
 * pair counts as long as these don't depend on the differences. The intervals at these levels hold together (repeated
 * confidence intervals, Jennison & Turnbull 1989): whichever look is the last, its interval covers with 1 - alpha.
 */
#ifndef PLUMB_STATISTICS_SEQUENTIAL_H
#define PLUMB_STATISTICS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SEQUENTIAL_POINTS = 257 /* of the integration grid */
};

struct sequential {
    double alpha; /* two-sided, of all looks together */
    size_t pairs_most;
    size_t pairs; /* at the look before */
    double spent;
    double edge;                       /* the density below lives on -edge .. edge */
    double density[SEQUENTIAL_POINTS]; /* of the sum of unit-variance differences, when no look stopped so far */
};

void sequential_begin(struct sequential *sequential, double alpha, size_t pairs_most);
/*
 * The two-sided level alpha for an interval from `pairs` pairs, which are more than at the look before. The look at
 * pairs_most, and one that is_last for a reason outside the data (the time is up), spends what is left.
 */
double sequential_look(struct sequential *sequential, size_t pairs, bool is_last);

/* The pair count of the next look after one at `pairs`: about a quarter more, at least one. */
size_t sequential_next(size_t pairs);

#endif
