/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cause that could explain the slowness: one const object each, listed in hypothesis_table, a folder for each
 * question: cpu/ (what its code does to the core), memory/, system/ (the kernel, others, limits), guest/, imported/
 * (what tables of other tools say).
 *
 * A test receives only the results that it declares in needs (without one of those it isn't run: not
 * testable, because …) and uses (NULL when absent).
 */
#ifndef PLUMB_FINDING_HYPOTHESIS_H
#define PLUMB_FINDING_HYPOTHESIS_H

#include "base/error.h"
#include "finding/finding.h"
#include "finding/results.h"

struct stall_function;

struct hypothesis {
    const char *id; /* "small-pages": the section in data/advice.txt, stable in JSON */
    const char *family;
    const char *title; /* "4 KiB pages behind hot data" */
    const char *rule;     /* when it is supported, when ruled out: what the test does, in words (doc/HYPOTHESES.md) */
    const char *gain;     /* how the recoverable time comes about */
    /*
     * the cheapest experiment that could prove the verdict wrong; a finding that names none of its own gives this one
     */
    const char *overturn;
    bool is_disturbance;  /* somebody else's doing: ranks behind the program's own causes, and is said beside them */
    bool changes_code;    /* its remedies do: nothing for whoever has the program from a distribution */
    /* no lead, open or not: what the machine could give beside, or a bound too loose; last among the open ones */
    bool is_capacity;
    bool by_the_clock;    /* of the elapsed time, whatever CPU time it used: little of that is no reason to be silent */
    unsigned causes;      /* CAUSE_BIT(…) of the estimated bottleneck that are this one; 0: it knows none */
    unsigned needs, uses; /* RESULT_BIT(…) */
    void (*test)(const struct results *results, struct finding *finding);
    /* By its name all time in it is this cause's, for certain. NULL: names tell nothing of it */
    bool (*has_function)(const struct stall_function *function);
    /* Where that is the hottest of them: the key of what to do, {function} and {dso}. NULL: what it always advises */
    const char *(*advice_for)(const struct stall_function *function);
};

/* All hypotheses in the order of families; NULL-terminated. Owner: static. */
extern const struct hypothesis *const hypothesis_table[];

struct findings {
    struct finding *items; /* in the order of rank: supported by recoverable time, then undecided, … */
    size_t count;
};

/* The finding of that hypothesis; NULL: it isn't among them. Owner: the findings. */
const struct finding *findings_find(const struct findings *findings, const char *id);
/* Test every hypothesis. Owner: arena. */
void findings_test(struct findings *ret_findings, const struct results *results, struct arena *arena);

#endif
