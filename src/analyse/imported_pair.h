/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By what do two imported runs differ: how much they execute, how fast, at which clock, or how long they were away?
 *
 * time = instructions * cycles an instruction / clock / CPUs in use. Logarithms of these factors' ratios add up to that
 * of the times, so each has a part of the difference. Whether the runs are of one program on one machine isn't known
 * here.
 *
 * Of two windows of a set length (imported_window.h) the slower one is that with less work in each second. Their time
 * is that for each instruction, so that the work is no part of the difference; whether their pieces of work are of as
 * many instructions each isn't known here. Where sentences say that as much is done in both they are as runs are.
 */
#ifndef PLUMB_ANALYSE_IMPORTED_PAIR_H
#define PLUMB_ANALYSE_IMPORTED_PAIR_H

#include "analyse/imported.h"

enum imported_factor {
    FACTOR_WORK,  /* instructions */
    FACTOR_RATE,  /* cycles an instruction */
    FACTOR_CLOCK, /* Hz while it ran */
    FACTOR_BUSY,  /* CPUs in use: task-clock over the elapsed time */
    FACTOR_COUNT
};

struct imported_part {
    struct measured slow, fast;
    double part; /* of the difference: 1 is all of it, below 0 works against it; 0 where one isn't known */
};

struct imported_pair {
    struct imported_arm slow, fast;
    bool is_only;           /* there are no other runs */
    bool is_of_user; /* cycles of user mode alone: a lower clock, or more time in the kernel */
    bool is_window;  /* both are windows of a set length; else runs */
    bool by_time;           /* else, where no times stand beside them, */
    bool by_cpu_time;       /* by their task-clock, */
                            /* else by their cycles */
    struct measured gap;    /* 0..1 of the slow one's time, or cycles; 0: too little to speak of */
    struct measured cycles; /* 0..1: how many fewer the fast one took, of the slow one's; below 0: it took more */
    struct imported_part parts[FACTOR_COUNT];
    double fast_scale; /* what the fast one's counts are of as much work as the slow one's; 1: of all of theirs */
};

/* Its cycles are of user mode alone ("cycles:u"): what the kernel took isn't among them. */
bool imported_arm_is_of_user(const struct imported_arm *arm);
/* The fast one's count for as much work as the slow one's. */
struct measured imported_pair_fast(const struct imported_pair *pair, const char *event);
/* How much less time (0..1) the fastest of comparable runs took than the slowest; unknown: there aren't two. */
struct measured imported_gap_of(const struct imported *imported);
/* Two windows' instructions don't differ as what is told of them: they are no measure of the work, and make no pair. */
bool imported_windows_are_of_other_work(const struct imported *imported);
/* The slowest and the fastest of all runs with counts; false: there aren't two. */
bool imported_pair_of(const struct imported *imported, struct imported_pair *ret);
/* The window with less work was busy for less: whether it had less to do, or is the slower one, isn't told. */
bool imported_pair_is_open(const struct imported *imported, const struct imported_pair *pair);
/* What most of their difference is; FACTOR_COUNT: none, or what would tell wasn't counted. */
enum imported_factor imported_pair_most(const struct imported_pair *pair);

#endif
