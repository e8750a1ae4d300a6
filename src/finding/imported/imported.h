/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What do imported tables say about a hypothesis that was left open? Internal to finding. */
#ifndef PLUMB_FINDING_IMPORTED_IMPORTED_H
#define PLUMB_FINDING_IMPORTED_IMPORTED_H

#include "finding/hypothesis.h"

/* Decides or bounds an undecided or untestable finding by what was imported; false: it says nothing about it. */
bool imported_test(const struct results *results, struct finding *finding);

#endif
