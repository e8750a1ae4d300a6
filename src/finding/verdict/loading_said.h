/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What loading the program and its libraries took, where that is much: of a short run it may be most. */
#ifndef PLUMB_FINDING_VERDICT_LOADING_SAID_H
#define PLUMB_FINDING_VERDICT_LOADING_SAID_H

#include "finding/results.h"

/* NULL: little, or not known. Owner: arena. */
const char *loading_said(const struct results *results, struct arena *arena);

#endif
