/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What explains that B takes another time than A: which part of the difference lies in user or system time, in which
 * function, instruction, vector width, or follows from a count, a rate, the clock?
 *
 * Several views of one difference, ranked together by how much of it each accounts for; within one view shares add up,
 * across views they don't (a function's time is user time, too). A count that has no time of its own (page faults) has
 * no share: it differs as well, no more. What is called a difference holds a rate of false discoveries of 5 % within
 * its view. Does not support: causes; "accounts for" is where the time goes, and what went along with it.
 */
#ifndef PLUMB_ANALYSE_RUNS_EXPLANATION_H
#define PLUMB_ANALYSE_RUNS_EXPLANATION_H

#include "analyse/runs/comparison.h"
#include "analyse/runs/profile_difference.h"

/* Profiles of the two commands, in seconds a run: by function, by instruction, by the widest vectors of the loop. */
struct run_profiles {
    struct profile_difference functions, instructions, widths;
};

void run_profiles_init(struct run_profiles *profiles);
void run_profiles_done(struct run_profiles *profiles);

enum explanation_view {
    EXPLANATION_TIME, /* user, system, waiting for a CPU */
    EXPLANATION_FUNCTION,
    EXPLANATION_INSTRUCTION,
    EXPLANATION_WIDTH,
    EXPLANATION_RATE /* time = instructions / (instructions per cycle x clock) */
};

/* The item of what is no CPU time, which nobody measured: the rest of the wall time. */
#define EXPLANATION_REST "off the CPU: waiting, or ready without one"

struct explanation_item {
    enum explanation_view view;
    const char *what, *where; /* "memcpy", "libc.so.6"; where may be "" */
    enum run_unit unit;
    struct interval a, b;     /* medians with quartiles */
    struct interval share;    /* of the difference that decides; below 0: it works against it */
    double q;
};

struct explanation {
    struct explanation_item *items; /* greatest share first; owner: arena */
    size_t count;
    bool functions_known;   /* there are profiles of enough runs to judge */
};

/* profiles may be NULL. Only a decided difference of time is explained; else there are no items. */
void explanation_make(struct explanation *explanation, const struct comparison *comparison,
                      const struct run_profiles *profiles, struct arena *arena);

/* Called differing at a rate of false discoveries of 5 %, by its interval as well. */
bool effect_differs(const struct quantity_effect *effect);
/* A difference by itself, that among so many figures may be chance: with few pairs nothing can be more. */
bool effect_may_differ(const struct quantity_effect *effect);
/* Whether the effect stands in the explanation already. */
bool explanation_has(const struct explanation *explanation, const struct quantity_effect *effect);

#endif
