/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is more code hot than its cache holds, and what does that cost?
 *
 * How much: by how many lines one sample met and how many two did (Chao's estimate of what no sample met). What it
 * costs: where code had to be waited for, samples fall on the first instruction that came, or the one behind it: at the
 * beginning of a line, where a jump or call leads, behind a call. What falls there beyond such instructions' number
 * around is the time that went so; only samples in lines that hold little each count, since what is met often stays in
 * the cache. Measured on code of known size and pace (4 KiB to 4 MiB; in a row, in functions called in turn or in no
 * order, with a jump every few instructions): such excess shows three quarters of the time that much code costs (0.4 to
 * 0.9), 0 to 0.06 where it costs nothing, and the number of bytes comes out within a factor of two up to 2 MiB with a
 * thousand samples.
 * Where branches go either way a wrong guess shows in the same places: what falls behind conditional branches is laid
 * at code only as densely as elsewhere and where they always go one way, the rest is `guessed`. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H
#define PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H

#include "analyse/bottleneck/bottleneck.h"

struct footprint {
    double samples;        /* of user code */
    double line_share;     /* of them: within 8 bytes of the beginning of a line of 64; 0.25 if evenly */
    double addresses;      /* distinct ones that hold 98 % of them */
    double least_bytes;    /* of the lines that hold 98 %, times 64: the least that is hot */
    double bytes;          /* estimated, lines that no sample met too */
    bool is_least;         /* … and too few lines were met twice to say how much more it is */
    double cache_bytes;    /* the nearest cache for code, of this machine or of most */
    double placed;         /* of samples: in code that is known */
    double spread;         /* of samples: placed in lines that hold little each */
    double starts, starts_expected; /* of the spread ones, 0..1: where code comes in; as many instructions are there */
    /*
     * Samples show only a part of the wait: so much of the code comes in everywhere and so little of it stays, or it
     * comes from beyond the second cache, slower than anything takes it in.
     */
    bool is_hidden;
    struct interval waited;  /* for code, of samples, 0..1; unknown: nothing to go by */
    /*
     * Of samples in known code, 0..1: at the ways of branches that go both, and where tables lead, more than waiting
     * for code explains.
     */
    double guessed, guessed_cases;
};

struct footprint footprint_of(const struct bottleneck_request *request);
/* Whether the wait for code is known, and not nothing. */
bool footprint_waits(const struct footprint *footprint);
/* The same without knowing the code, by addresses alone: nearly all waits for it. */
bool footprint_speaks(const struct footprint *footprint);

#endif
