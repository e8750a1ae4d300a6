/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who of the program's own code calls what is hot, where that is a library's: the sentence that a verdict needs beside
 * its function.
 */
#ifndef PLUMB_FINDING_VERDICT_CALLERS_H
#define PLUMB_FINDING_VERDICT_CALLERS_H

#include "finding/results.h"

/*
 * "memcpy is called by copy_rows (m.c:5).", or NULL: it is no library's, or too few stacks reached a caller. said: the
 * verdict so far; where it doesn't name the function, its share is said, too. Owner: arena.
 */
const char *callers_said(const struct results *results, const char *said, struct arena *arena);

#endif
