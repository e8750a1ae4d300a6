/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What else a recording holds than samples: how many records of each kind; its tasks, by who began whom; what they
 * mapped.
 */
#ifndef PLUMB_COMMAND_REPORT_REPORT_RECORDS_H
#define PLUMB_COMMAND_REPORT_REPORT_RECORDS_H

#include "base/error.h"
#include "base/text.h"
#include "source/source.h"

/* All read the source to its end. Errors: what it says; what came before stands in out. */
MUST_CHECK bool report_stats_text(struct text *out, struct source *source, struct error *err);
/* mappings: with those that each has at the end. */
MUST_CHECK bool report_tasks_text(struct text *out, struct source *source, bool mappings, struct error *err);

#endif
