/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divisions that wait for one another: one cause, which is the divider's as well as a chain of results. */
#ifndef PLUMB_FINDING_CPU_DIVISIONS_H
#define PLUMB_FINDING_CPU_DIVISIONS_H

#include "finding/finding.h"
#include "finding/results.h"

/*
 * Decides a finding by divisions that need their own last result. false: they hold too little for that, or not most of
 * it and of `chained`, the samples of other chains.
 */
bool divisions_chain_found(const struct results *results, struct finding *finding, double chained);

#endif
