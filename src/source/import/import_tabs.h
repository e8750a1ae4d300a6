/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables whose columns are parted by tabs, as spreadsheets copy them, turned into tables of Markdown. */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_TABS_H
#define PLUMB_SOURCE_IMPORT_IMPORT_TABS_H

#include "base/arena.h"
#include "base/text.h"

/* As it stands where there are none: a heading without numbers, and rows of as many cells below it. */
struct view import_tabs_turned(struct view text, struct arena *arena);

#endif
