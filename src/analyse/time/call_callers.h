/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Below which functions of the program was a system call made?
 *
 * Chains by frame pointers count where they reach a beginning; else the stacks taken as a thread left its CPU within
 * that call do, which are unwound. Every function named is one of those that the call was made below; one between two
 * of them may be missing, since library code keeps no frame pointers. Does not support: code without names.
 */
#ifndef PLUMB_ANALYSE_TIME_CALL_CALLERS_H
#define PLUMB_ANALYSE_TIME_CALL_CALLERS_H

#include "model/recording.h"
#include "symbol/code_bundle.h"

struct call_stack { /* a stack of the recording, beneath a system call */
    uint32_t stack;
    uint64_t sampled;  /* samples that count time */
    uint64_t switched; /* times that a thread left its CPU there */
};

enum { CALL_CHAINS_MOST = 2 };

struct call_callers {
    struct call_chain_words {
        const char *words;      /* "main.main, fmt.Fprintf, os.(*File).Write": outermost first */
        double share;           /* of the stacks that were looked at */
    } chains[CALL_CHAINS_MOST]; /* most stacks first */
    size_t count;               /* 0: not known */
    bool by_switches;
};

/* Of the stacks of one call. sampled: how many samples that call has in all. Owner of the words: arena. */
struct call_callers call_callers_of(const struct recording *recording, const struct code_bundle *bundle,
                                    const struct call_stack *stacks, size_t count, uint64_t sampled,
                                    struct arena *arena);

#endif
