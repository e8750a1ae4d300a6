/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can a program's user change without its code? Of well-known ones by name ([tools] of data/advice.txt). */
#ifndef PLUMB_FINDING_TOOL_ADVICE_H
#define PLUMB_FINDING_TOOL_ADVICE_H

#include "finding/results.h"

/* Of the program that has most samples, or else that was started. NULL: it is none of these. Owner: static */
const char *tool_advice(const struct results *results);

/* That, or what is true of any program that is installed. Owner: static */
const char *foreign_advice(const struct results *results);

#endif
