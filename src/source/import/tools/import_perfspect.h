/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PerfSpect's top-down metrics in its CSV, under their published names. */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_PERFSPECT_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_PERFSPECT_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such lines as import_text_next() reads them ("52.9 % tma_dram_bound"); the text itself where there are
 * none.
 */
struct view import_perfspect_turned(struct view text, struct arena *arena);

#endif
