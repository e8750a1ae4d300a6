/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a line have a number beside the name of a metric or an event, so that it's to be read or to be said that it
 * wasn't? Sentences, too, where the name is none that people use as a word.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_KNOWN_H
#define PLUMB_SOURCE_IMPORT_IMPORT_KNOWN_H

#include "base/text.h"

/* Such a name, whatever stands beside it; what is a word of English, too, where it is an event's name. */
bool import_known_is_name(struct view word);
/* "cycles: 1.2e9", "- `instructions` = 3,000,000": an event that processors or perf count, and nothing else. */
bool import_known_count(struct view line, struct view *ret_name, double *ret_count);
bool import_known_counted(struct view line);
/* "tma_dram_bound 0.66": a class, and nothing that tells a ratio from a percentage. */
bool import_known_may_be_ratio(struct view line);
/* "> **mina** 10:35 we see …": somebody's words with their time, whatever marks stand in them. */
bool import_known_is_chat(struct view line);

#endif
