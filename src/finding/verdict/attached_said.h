/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of what ran already there is no command: what looks at it takes its process, and what runs it again needs the command
 * that starts it.
 */
#ifndef PLUMB_FINDING_VERDICT_ATTACHED_SAID_H
#define PLUMB_FINDING_VERDICT_ATTACHED_SAID_H

#include "finding/hypothesis.h"

/* "plumb record -g -- CMD" as "plumb record -g -p PID", where it was attached to. text: may be NULL. Owner: arena. */
const char *attached_said(const char *text, const struct results *results, struct arena *arena);

void attached_findings(struct findings *findings, const struct results *results, struct arena *arena);

#endif
