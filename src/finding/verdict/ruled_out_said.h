/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which causes the verdict names as ruled out: by bounds, and by trials without them. */
#ifndef PLUMB_FINDING_VERDICT_RULED_OUT_SAID_H
#define PLUMB_FINDING_VERDICT_RULED_OUT_SAID_H

#include "finding/hypothesis.h"

/* "memory on another node, …, each bounded below 5 %"; NULL: none. effect: the bound. Owner: arena. */
const char *ruled_out_said(const struct findings *findings, double effect, struct arena *arena);

#endif
