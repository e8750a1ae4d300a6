/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the program ended, where that has to be known to read the rest: killed, with a status, or with processes left. */
#ifndef PLUMB_FINDING_VERDICT_ENDED_SAID_H
#define PLUMB_FINDING_VERDICT_ENDED_SAID_H

#include "finding/results.h"

bool ended_by_signal(const struct results *results);
/* How to find out who or what killed it. */
const char *ended_next(const struct results *results);
/* "It ended with status 3."; "It was killed by SIGSEGV (…)". Owner: arena. */
const char *status_said(int status, struct arena *arena);
/* Processes that a program left running when it ended; NULL: none. */
const struct process_starts *left_behind(const struct results *results);
/* Owner: arena. */
const char *left_said(const struct process_starts *left, struct arena *arena);

#endif
