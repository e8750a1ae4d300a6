/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where several programs ran, as in a pipeline: which of them took the CPU time. */
#ifndef PLUMB_FINDING_VERDICT_PROGRAMS_H
#define PLUMB_FINDING_VERDICT_PROGRAMS_H

#include "finding/results.h"

/* "By program, troff takes 60 % of the CPU time and grotty 33 %.", or NULL: one has nearly all of it. Owner: arena. */
const char *programs_said(const struct results *results, struct arena *arena);

#endif
