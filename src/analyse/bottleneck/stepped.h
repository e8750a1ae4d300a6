/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may the estimate lay at wrong guesses and at late code, by instructions as they ran (plumb diagnose --probe
 * step)?
 *
 * A trace counts, and knows no time: at least, a wrong guess costs the fewest cycles seen and all else is slow; at
 * most, it costs the most and all else runs at full width. Its branches are those of a good predictor, its misses those
 * of a first-level cache, both as a rate per 1000 instructions. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_STEPPED_H
#define PLUMB_ANALYSE_BOTTLENECK_STEPPED_H

#include "analyse/bottleneck/bottleneck.h"

struct stepped {
    bool known;
    struct interval guessed; /* share of the CPU time that wrong guesses take */
    struct interval fetched; /* … and that misses of code take; unknown: they weren't met often enough to tell */
    bool is_indirect;        /* most wrong guesses are of targets */
};

struct stepped stepped_of(const struct trace_summary *trace);

#endif
