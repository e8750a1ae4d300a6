/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of what is a share a share, and how much is it of something else?
 *
 * Samples see CPU time, or the part of it outside the kernel; a user waits for elapsed time; /proc counts the time of
 * all CPUs of the machine. The number alone says none of that, so a share carries its denominator until it is decided
 * on, and is converted here and nowhere else. Where the run's times leave open how much it is, the answer is an
 * interval; where nothing bounds it, unknown.
 * Does not support: elapsed time as CPU time (how many threads ran in that part isn't known).
 */
#ifndef PLUMB_FINDING_SHARE_H
#define PLUMB_FINDING_SHARE_H

#include "base/measured.h"
#include "statistics/interval.h"

/* The first two are what findings are given in, the others what measurements come in. */
enum denominator {
    OF_ELAPSED,  /* the run's elapsed time */
    OF_CPU_TIME, /* the CPU time used while it was watched */
    OF_SAMPLES,  /* the part of that time which samples could see */
    OF_MACHINE   /* the time of all CPUs that are online */
};

struct share {
    struct interval part; /* 0..1 */
    enum denominator of;
};

static inline struct share share_of(enum denominator of, struct interval part)
{
    return (struct share){part, of};
}

/* What there is to convert with; unknown members bound nothing. */
struct share_scale {
    struct measured elapsed_s, cpu_s;
    struct measured on_cpu_ratio; /* of the elapsed time: at least one of its threads ran */
    struct measured width;        /* threads that can have run at a time, at most */
    struct measured cpus;         /* of the machine */
    struct interval sampled;      /* share of its CPU time that samples could see; unknown: all of it */
};

struct results;
struct run_time;

struct share_scale share_scale_of(const struct results *results);
/* The same share of something else. */
struct interval share_as(struct share share, enum denominator of, const struct share_scale *scale);
/* What a gain of this run is best given in: what its user waits for, unless that doesn't follow from the CPU time. */
enum denominator share_denominator(const struct run_time *run);
/* How long the whole is. */
struct measured share_whole_s(enum denominator of, const struct share_scale *scale);
const char *denominator_name(enum denominator of);
/*
 * How much of its CPU time it was in the kernel: by samples where there are enough that see it, else by the kernel's
 * accounts. The one account of it, for all outputs.
 */
struct measured kernel_share_of_cpu(const struct results *results);

#endif
