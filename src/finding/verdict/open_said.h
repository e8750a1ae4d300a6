/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verdict leaves open: what evidence points at undecided, and what tables of others bound. */
#ifndef PLUMB_FINDING_VERDICT_OPEN_SAID_H
#define PLUMB_FINDING_VERDICT_OPEN_SAID_H

#include "finding/verdict/overall.h"

/* The open cause that most of the evidence points at; NULL: none that holds a tenth. */
const struct finding *open_lead_of(const struct findings *findings, const struct results *results);
/* " The largest that stays open: …"; "": nothing is open. Owner: arena. */
const char *open_said(const struct findings *findings, const struct results *results, struct arena *arena);
/* Fills overall->open. Owner of its texts: arena, or the findings. */
void open_take(struct overall *overall, const struct findings *findings, const struct results *results,
               struct arena *arena);

#endif
