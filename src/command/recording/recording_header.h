/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording says about itself: the "# ========" block of perf's --header, and what got lost. */
#ifndef PLUMB_COMMAND_RECORDING_RECORDING_HEADER_H
#define PLUMB_COMMAND_RECORDING_RECORDING_HEADER_H

#include "base/text.h"
#include "source/source.h"

#include <stdio.h>

/* whole: with the machine's CPUs, caches and memory. */
void recording_header_text(struct text *out, const struct source *source, bool whole);
/* Warn on talk about losses, throttling, what was skipped; nothing when all is well. */
void recording_losses_report(FILE *talk, const struct source_losses *losses);

#endif
