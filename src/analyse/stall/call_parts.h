/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which calls do a program's paths part into? Where its time is spread over many small functions, what they are called
 * for is what names it: below the last function that most paths go through, the largest of those that it calls, each
 * with all that it calls.
 *
 * Chains of frame pointers are taken where they reach a beginning, else the few stacks that were copied; a path that
 * breaks off on its way stands nowhere. Does not support: tail calls, which leave no frame.
 */
#ifndef PLUMB_ANALYSE_STALL_CALL_PARTS_H
#define PLUMB_ANALYSE_STALL_CALL_PARTS_H

#include "model/recording.h"
#include "statistics/interval.h"
#include "symbol/code_bundle.h"

enum { CALL_PARTS_MOST = 6, CALL_LEADS_MOST = 2 };

struct call_part {
    const char *name;
    bool is_named;         /* else name is made of its place */
    bool is_told;          /* and of what it tells of itself */
    uint64_t stacks;
    struct interval share; /* of all stacks */
    struct call_lead {
        const char *name;
        double share;      /* of the part */
    /*
     * of a part without a name, or with half of the time: the first functions below it, or where it parts, that have
     * one; most stacks first
     */
    } leads[CALL_LEADS_MOST];
    size_t lead_count;
};

struct call_parts {
    const char *below; /* what they part in; NULL: threads begin in different functions */
    struct call_part items[CALL_PARTS_MOST]; /* most stacks first */
    size_t count;      /* 0: they don't part, or too few stacks are whole */
    uint64_t stacks;   /* whole ones that were looked at */
    bool user_only;    /* shares are of the time outside the kernel */
};

/* Names belong to the bundle. */
void call_parts_find(struct call_parts *parts, const struct recording *recording, const struct code_bundle *bundle);

#endif
