/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes that somebody lists in a sentence, turned into rows of a table: "tma_icache_misses 38 %, tma_lcp 1 %." */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_LISTED_H
#define PLUMB_SOURCE_IMPORT_IMPORT_LISTED_H

#include "base/arena.h"
#include "base/text.h"

/* As it stands where none are: two of them at least in one line, none of them twice. */
struct view import_listed_turned(struct view text, struct arena *arena);

#endif
