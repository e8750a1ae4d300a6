/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict in one sentence, from all findings: the culprit, or that it waits, or that there is not enough
 * evidence, or that nothing tested explains it.
 */
#ifndef PLUMB_FINDING_VERDICT_OVERALL_H
#define PLUMB_FINDING_VERDICT_OVERALL_H

#include "finding/hypothesis.h"

enum overall_kind {
    OVERALL_CULPRIT,
    OVERALL_WAITS,      /* not a CPU problem */
    OVERALL_TOO_SHORT,  /* less than 0.1 s of CPU time or 50 samples */
    OVERALL_NOTHING,    /* nothing is supported: what remains is named */
    OVERALL_BLIND,      /* no samples at all */
    OVERALL_ESTIMATED   /* nothing is supported, and the estimate lays most of the time at one cause: that is named */
};

struct overall {
    enum overall_kind kind;
    const char *sentence;           /* whole: the lead, and the rest */
    const char *lead, *rest;        /* what stands out, and what explains it; rest is "": nothing does */
    const char *loops;              /* what its hottest loops do, in sentences; NULL: told by its cause, or not known */
    /* larger, or of like weight: the sentence says it beside the culprit; may be NULL */
    const struct finding *larger;
    const struct finding *disturbance; /* somebody else's doing that the sentence already says; may be NULL */
    const struct finding *culprit;  /* NULL: none */
    /* it is sure of that cause, and most of the time is elsewhere: the sentence says so first */
    bool culprit_is_small;
    bool culprit_is_less;           /* … small beside what the estimate lays most of the time at, not by itself */
    /* names tell what most of its time is for, and what to try: who calls it needn't be asked first */
    bool is_work_advised;
    const char *before_all;         /* first of all: what the culprit's advice needs, or is less than; NULL */
    const char *advice[4];          /* what to look at next: of what leads, where no cause does */
    size_t advice_count;
    const char *after_all;          /* a small cause's advice, by its name; NULL: none, or it leads */
    const char *confirm;            /* how to see whether it is what leads, where no cause does; NULL: by the cause's */
    const char *confidence;         /* how sure what leads is, before a small cause's; NULL: the cause leads */
    /* what the verdict leaves open: unexplained, not separated, or pointed at and undecided */
    const char *open[6];
    size_t open_count;
    const char *ruled_out;          /* "memory on another node, …: each below 5 %"; NULL: none */
};

/* Owner: arena. */
struct overall overall_of(const struct findings *findings, const struct results *results, struct arena *arena);
const char *overall_kind_name(enum overall_kind kind);

enum { OVERALL_TRIES_MOST = ADVICE_MOST + 6 };
/*
 * What to try, in order, the same on every page: the culprit's advice, and how to go on; where the culprit is small,
 * what is for the rest comes first, and of its own one line. Returns how many. Owner: the findings' and the verdict's.
 */
size_t overall_tries(const struct overall *overall, const char *ret_tries[OVERALL_TRIES_MOST]);

/* The experiment that would overturn what leads. NULL: none is known. */
const char *overall_check(const struct overall *overall);

/* In words: "HIGH: 2 independent kinds of evidence agree"; NULL: there is nothing to be sure of. Owner: arena. */
const char *overall_confidence(const struct overall *overall, struct arena *arena);

enum { OVERALL_ALSO_MOST = 3 };
/* Causes that stand beside what the sentence says, the same on every page. Returns how many. Owner: the findings. */
size_t overall_also(const struct overall *overall, const struct findings *findings,
                    const struct finding *ret_also[OVERALL_ALSO_MOST]);

#endif
