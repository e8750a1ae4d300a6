/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What else would look so at first sight, and isn't excluded by a figure? Then HIGH isn't given, however much speaks
 * for the verdict.
 *
 * First sight is what the code alone says: a load that waits, addresses that are looked up, a multiplication that waits
 * for itself, a place that is loaded and stored, a jump through a table. Where that names another cause than the
 * verdict, one kind of evidence parts the two, and what has misled it once misleads it again. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_LOOK_ALIKE_H
#define PLUMB_ANALYSE_BOTTLENECK_LOOK_ALIKE_H

#include "analyse/bottleneck/evidence.h"

/* Why no more confidence than MEDIUM; NULL: nothing looks like it. */
const char *look_alike_of(const struct bottleneck_verdict *verdict, const struct leading *leading);

#endif
