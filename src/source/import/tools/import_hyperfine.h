/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What did hyperfine time? Its blocks as timed runs; which command was faster than another stays a sentence. */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_HYPERFINE_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_HYPERFINE_H

#include "base/arena.h"
#include "base/text.h"

/* ret_prose: the text without these blocks. Owner: arena; both are text where it has none. */
struct view import_hyperfine_turned(struct view text, struct arena *arena, struct view *ret_prose);

#endif
