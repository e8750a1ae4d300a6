/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics and hot functions that VTune's command line prints in its summary and reports. */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_VTUNE_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_VTUNE_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such lines as import_text_next() reads them ("58.9 % tma_dram_bound", "88.2%  libx.so  [.] f"); the
 * text itself where there are none.
 */
struct view import_vtune_turned(struct view text, struct arena *arena);

#endif
