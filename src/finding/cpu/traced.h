/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stepped copy of the program did, as far as that bounds a cause. Internal to finding/cpu. */
#ifndef PLUMB_FINDING_CPU_TRACED_H
#define PLUMB_FINDING_CPU_TRACED_H

#include "finding/hypothesis.h"

enum {
    TRACED_WIDEST_CYCLES = 250, /* that 1000 instructions take at least, four a cycle */
    TRACED_USUAL_CYCLES = 500
};

/* NULL: there was none, or too little of it to bound anything. */
const struct trace_summary *traced_of(const struct results *results);
/* "4.1 (3.2 to 5)" */
const char *traced_rate_words(struct finding *finding, struct interval rate);
/* 0..1: what so many cycles are of these and the others. */
double traced_part(double cycles, double others);
/* Of the run: the kernel's part of the time was not traced. */
struct interval traced_share(const struct results *results, const struct finding *finding, struct interval share);

#endif
