/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many turns a second does a loop run, by how far its counting registers moved between two samples of a thread?
 *
 * A loop that is left and entered again between two samples fools this: its registers begin anew, and the rate comes
 * out as many times too low as it was entered, with little spread. So a rate is accepted only when two agree within 15
 * %: how turns grow with the distance of samples that two timers took at uneven distances (what a sample takes of the
 * time falls out of that), and what pairs at least twice as far apart say without it. Pairs don't count when a register
 * that the loop keeps had changed: then it was left in between. Those that are left are of the slow moments, in which a
 * run lasts longer: most have to be left, and the mean speed of all, for which they stand, has to be the same, and the
 * same as the nearest samples show it, to which that happens least. That mean is the rate: a median would be the speed
 * of the usual moments.
 * Best input: two cpu-clock events at once whose periods aren't multiples of each other, some four apart: one's samples
 * come at all distances from the other's. One event that changes between two periods has no uneven distances: then
 * only a loop that was never seen to begin anew has a rate. Does not support: loops whose registers are counted on some
 * ways through them only.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_RATE_H
#define PLUMB_ANALYSE_LOOP_LOOP_RATE_H

#include "analyse/code/loop_chain.h"

enum {
    LOOP_INDUCTIONS_MOST = 6,
    LOOP_SCALES = 8,
    LOOP_PAIRS_LEAST = 20, /* at a distance */
};

struct loop_induction {
    uint8_t number; /* of the register */
    uint8_t by;     /* register that is added; REGISTER_NONE: step is */
    int64_t step;   /* a turn */
    uint8_t bits;   /* it wraps at: 32 or 64 */
};

struct loop_inductions {
    struct loop_induction items[LOOP_INDUCTIONS_MOST];
    uint32_t count;
    uint64_t kept;       /* registers that the loop doesn't write */
    bool calls;          /* a sample elsewhere may be within a turn */
    const char *why_not; /* when there are none */
};

/* rows: count of them, of the function around the loop. */
void loop_inductions_find(struct loop_inductions *ret_inductions, const struct instruction *rows, size_t count,
                          struct loop_rows loop);

/* Every sample of the threads that come into question, within the loop and elsewhere, by time. */
struct loop_sample {
    uint64_t time_ns; /* CPU time of the thread, or time of day where it ran throughout */
    uint32_t thread;
    uint32_t event;   /* which of the events, or which period */
    uint32_t stretch; /* between samples of two stretches it may have been anywhere */
    uint32_t row;     /* the sampled instruction; ROW_OUTSIDE */
    uint64_t mask;    /* registers at values, lowest first */
    const uint64_t *values;
};

#define LOOP_ROW_OUTSIDE UINT32_MAX

struct loop_scale { /* pairs of samples whose distance is about the same */
    double distance_ns; /* median */
    double spread;      /* quartile distance / median */
    uint32_t pairs;     /* both samples in the loop, kept registers the same */
    uint32_t backward;  /* the registers had moved the wrong way: entered anew */
    uint32_t contrary;  /* by no whole number of turns, or two registers by different ones */
    uint32_t left;      /* such distances at whose other end the loop had been left: not among the pairs */
    uint32_t agreeing;  /* with this scale's rate, within 35 % */
    double samples;     /* taken in such a distance, mean */
    double rate_per_s;  /* median; 0: too few pairs */
};

struct loop_rate {
    bool accepted;
    const char *why_not;  /* when it isn't */
    double rate_per_s;    /* of CPU time, without what samples take of it */
    double short_rate_per_s, long_rate_per_s; /* the two that agree; medians */
    double short_distance_ns, long_distance_ns;
    uint32_t pairs;       /* that the rate is from */
    double sample_cost_ns; /* time that a sample took from the loop, as the two distances show it */
    uint32_t entered;     /* pairs that a kept register showed to be of two runs of the loop */
    uint8_t number;       /* the register */
    int64_t step;
    struct loop_scale scales[LOOP_SCALES];
};

struct loop_rate_request {
    const struct instruction *rows;
    size_t row_count;
    struct loop_rows loop;
    const struct loop_sample *samples;
    size_t sample_count;
    double most_per_s; /* no turn can be faster: clock / bound; 0: not known */
};

void loop_rate_find(struct loop_rate *ret_rate, const struct loop_rate_request *request);

#endif
