/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions did a JIT compiler announce in /tmp/perf-PID.map? Lines of "START SIZE name", in hex.
 *
 * A line that breaks the format is skipped and counted. Addresses are runtime addresses; a later line
 * replaces earlier ones over the same addresses. Names are views into the text, which must outlive the index.
 */
#ifndef PLUMB_SYMBOL_NAMES_PERF_MAP_H
#define PLUMB_SYMBOL_NAMES_PERF_MAP_H

#include "base/text.h"
#include "symbol/symbol_index.h"
#include "system/sysroot.h"

/* Parse and sort; returns how many lines were not understood. */
size_t perf_map_parse(struct view text, struct symbol_index *index);

/*
 * Read the map of a process: in its own root and by its own pid where it runs in a container, else in /tmp.
 * Errors: naming every path tried. Owner of text: the caller.
 */
MUST_CHECK bool perf_map_read(const struct sysroot *root, uint32_t pid, struct text *text, struct error *err);

#endif
