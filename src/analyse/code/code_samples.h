/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which samples lie in a stretch of code? Locations sorted by dso and address, and the samples of each, so that
 * looking at one function doesn't cost a pass over the recording.
 */
#ifndef PLUMB_ANALYSE_CODE_CODE_SAMPLES_H
#define PLUMB_ANALYSE_CODE_CODE_SAMPLES_H

#include "model/recording.h"

struct code_samples {
    uint32_t *locations; /* ids, by dso and dso_addr */
    size_t location_count;
    uint32_t *first;     /* by location id: into samples; location_count + 1 of them */
    uint32_t *samples;   /* indexes, by location, in time order within one */
};

void code_samples_init(struct code_samples *index, const struct recording *recording);
void code_samples_done(struct code_samples *index);
/* Positions in index->locations of those of dso in [start, end). */
void code_samples_range(const struct code_samples *index, const struct recording *recording, uint32_t dso,
                        uint64_t start, uint64_t end, size_t *ret_first, size_t *ret_end);

#endif
