/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs that stand beside one another in a line, turned into rows of timed runs: several of one name as their mean and
 * how far they differ ("jit: 0.161 0.164 0.159 s"), and, in a sentence, one of each of several names that other rows of
 * the text have ("Without it: jit 8.11 ms, hand 8.20 ms.").
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_RUN_LIST_H
#define PLUMB_SOURCE_IMPORT_IMPORT_RUN_LIST_H

#include "base/arena.h"
#include "base/text.h"

/* As it stands where there are none. Behind what turns tables of Markdown, whose names of runs count, too. */
struct view import_run_list_turned(struct view text, struct arena *arena);

#endif
