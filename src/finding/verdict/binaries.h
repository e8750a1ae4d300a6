/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where no function has much of the time: which binaries, generated code among them, hold how much. */
#ifndef PLUMB_FINDING_VERDICT_BINARIES_H
#define PLUMB_FINDING_VERDICT_BINARIES_H

#include "finding/results.h"

/*
 * "By binary, valgrind has 48 % of the samples and generated code 31 %.", or NULL: one function says it, or one has
 * nearly all. Owner: arena.
 */
const char *binaries_said(const struct results *results, struct arena *arena);

struct binary_share {
    const char *name; /* NULL: none is known */
    double share;     /* of the samples, 0..1 */
};

/* The one with most samples outside the kernel. stalls: may be NULL */
struct binary_share binary_largest(const struct stalls *stalls);

#endif
