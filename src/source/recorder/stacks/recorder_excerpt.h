/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A few of the samples, evenly over the recording, and what is needed to understand them: kept in memory, so that at
 * the end it can be told how many stack dumps reach their thread's root without reading the recording again.
 *
 * Keeps every sample at first; when there are too many, every second of those kept goes, and from then on so many
 * more are passed over. When the mappings grow beyond a bound no more samples are kept.
 */
#ifndef PLUMB_SOURCE_RECORDER_STACKS_RECORDER_EXCERPT_H
#define PLUMB_SOURCE_RECORDER_STACKS_RECORDER_EXCERPT_H

#include "base/text.h"
#include "base/vec.h"

enum { EXCERPT_SAMPLES_MOST = 256 };

struct recorder_excerpt {
    struct text side;      /* mappings, forks and names */
    vec(struct text) kept; /* samples */
    uint64_t seen, stride;
};

void recorder_excerpt_done(struct recorder_excerpt *excerpt);
/* Whole records, header included. */
void recorder_excerpt_add_side(struct recorder_excerpt *excerpt, const void *record, size_t size_bytes);
void recorder_excerpt_add_sample(struct recorder_excerpt *excerpt, const void *record, size_t size_bytes);

#endif
