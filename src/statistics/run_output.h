/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a run print? How much, and a digest of it: two runs that printed the same have the same one.
 *
 * Of runs that aren't counted alone, since a program whose output is read takes longer than one whose output nobody
 * reads.
 */
#ifndef PLUMB_STATISTICS_RUN_OUTPUT_H
#define PLUMB_STATISTICS_RUN_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct run_output {
    const char *arm; /* its label */
    uint64_t bytes, digest;
};

struct run_outputs {
    const struct run_output *items;
    size_t count;
};

#endif
