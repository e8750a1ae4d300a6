/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many counters were compared at once: which of the differences are more than the few that chance gives?
 *
 * Source: Benjamini & Hochberg 1995 (false discovery rate; holds for independent and positively dependent tests).
 */
#ifndef PLUMB_STATISTICS_MULTIPLICITY_H
#define PLUMB_STATISTICS_MULTIPLICITY_H

#include <stddef.h>

/* ret_q[i]: the smallest false discovery rate at which p[i] would still be called a difference; may be p itself. */
void false_discovery_rates(const double *p, size_t count, double *ret_q);

#endif
