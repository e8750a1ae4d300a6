/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure a verdict is: what a second look confirms, what is alike, what was too little. Internal to bottleneck. */
#ifndef PLUMB_ANALYSE_BOTTLENECK_CONFIDENCE_H
#define PLUMB_ANALYSE_BOTTLENECK_CONFIDENCE_H

#include "analyse/bottleneck/evidence.h"

/* Fills confidence and why_not; class, cause and share stand. */
void verdict_confidence_find(struct bottleneck_verdict *verdict, const struct leading *leading);

#endif
