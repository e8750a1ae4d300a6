/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeded noise of the kinds that run times have, for tests by simulation. */
#ifndef PLUMB_TESTS_UNIT_STATISTICS_DRAWS_H
#define PLUMB_TESTS_UNIT_STATISTICS_DRAWS_H

#include <math.h>
#include <stdlib.h>

struct draws {
    unsigned short state[3];
};

static inline double draw_uniform(struct draws *draws)
{
    return erand48(draws->state);
}

static inline double draw_normal(struct draws *draws)
{
    return sqrt(-2 * log(1 - draw_uniform(draws))) * cos(2 * M_PI * draw_uniform(draws));
}

enum noise {
    NOISE_GAUSSIAN,
    NOISE_SKEWED,   /* now and then much slower */
    NOISE_BIMODAL,  /* a neighbour is there or not */
    NOISE_DRIFTING, /* slower and slower, by far more than the noise; and in waves */
    NOISE_KINDS
};

/* log of the time of the run at place `at` of all: the scale of the noise is a few per cent. */
static inline double draw_log_time(struct draws *draws, enum noise noise, size_t at)
{
    double normal = draw_normal(draws);
    switch (noise) {
    case NOISE_SKEWED:
        return -0.02 * log(1 - draw_uniform(draws));
    case NOISE_BIMODAL:
        return 0.005 * normal + (draw_uniform(draws) < 0.3 ? 0.2 : 0);
    case NOISE_DRIFTING:
        return 0.01 * normal + 0.004 * (double)at + 0.05 * sin((double)at / 5);
    case NOISE_GAUSSIAN:
    case NOISE_KINDS:
        break;
    }
    return 0.02 * normal;
}

/* Differences B - A of the logs of `count` pairs, run in random order within each; effect is added to B. */
static inline void draw_differences(struct draws *draws, enum noise noise, double effect, size_t count, double *ret)
{
    for (size_t at = 0; at < count; at++) {
        double first = draw_log_time(draws, noise, 2 * at), second = draw_log_time(draws, noise, 2 * at + 1);
        ret[at] = (draw_uniform(draws) < 0.5 ? second - first : first - second) + effect;
    }
}

#endif
