/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which programs took the CPU time, and by how many processes each: of a build, a pipeline, a machine?
 *
 * By the name that a thread had as a sample was taken. The idle threads are none.
 * Does not support: what no sample met (processes of less than a sampling period).
 */
#ifndef PLUMB_ANALYSE_TIME_PROGRAM_SHARES_H
#define PLUMB_ANALYSE_TIME_PROGRAM_SHARES_H

#include "base/arena.h"
#include "model/recording.h"

struct program_share {
    const char *name;
    double share;       /* 0..1 of the samples that count time, the idle threads' left out */
    uint32_t processes; /* that samples met */
    uint32_t pid;       /* of the first of them */
};

struct program_shares {
    struct program_share *items; /* the largest first */
    size_t count;
    uint64_t samples;
};

/* Owner: arena. Names: the recording's. */
struct program_shares program_shares_of(const struct recording *recording, struct arena *arena);

#endif
