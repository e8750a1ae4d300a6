/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does perf report say of its columns that the first is of a function with all that it called ("Children  Self")? Its
 * rows then become those of the function's own share: main has nearly all with what it calls, and is hot in nothing.
 *
 * Does not support: two columns without their heading, of which the first is taken, as it was printed.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CHILDREN_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CHILDREN_H

#include "base/arena.h"
#include "base/text.h"

/* The text itself where there is no such table in it. */
struct view import_children_turned(struct view text, struct arena *arena);

#endif
