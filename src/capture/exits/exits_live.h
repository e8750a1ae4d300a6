/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs in the kernel have added up so far, as exits; and the part of it since an earlier look. */
#ifndef PLUMB_CAPTURE_EXITS_EXITS_LIVE_H
#define PLUMB_CAPTURE_EXITS_EXITS_LIVE_H

#include "model/exits.h"
#include "source/exits/exit_watch.h"

/* exits must be new. */
void exits_take(struct exits *exits, const struct exit_watch *watch);
/* Take away what `before` has: least and greatest of the rest aren't known then, but by their buckets. */
void exits_subtract(struct exits *exits, const struct exits *before);
/* The words of this kernel's formats. */
void exits_words_here(struct exits *exits, const struct sysroot *root);

#endif
