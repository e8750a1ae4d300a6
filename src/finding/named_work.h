/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code is at, by the names of functions and binaries: rows of data/named_work.txt, the first that fits counts. */
#ifndef PLUMB_FINDING_NAMED_WORK_H
#define PLUMB_FINDING_NAMED_WORK_H

#include "finding/called.h"
#include "finding/family.h"

/* A name_pattern whose texts are places in named_work_texts; 0: any. No pointers: a start relocates none of them. */
struct packed_pattern {
    uint16_t name, prefix, suffix, word, tells, dso;
};

struct name_patterns {
    uint16_t first; /* in named_work_patterns */
    uint16_t count; /* 0: none */
};

struct named_work {
    const char *words;            /* "compressing", behind "its work is" */
    struct name_patterns names;   /* who does it */
    struct name_patterns library; /* whose code it is, where neither a function's name nor its callers tell */
    struct name_patterns script;  /* a part of what these binaries of an interpreter do; none: anybody's work */
    const char *advice, *check;   /* keys in [verdict] of data/advice.txt; NULL: none */
    bool is_for_code;             /* the advice: for whoever may change the code */
    unsigned called;              /* what it calls tells it (enum called); 0: of no such class */
    const char *threads;          /* so do threads that do nothing else, "a|b"; "": none */
};

extern const char named_work_texts[];
extern const struct packed_pattern named_work_patterns[];
extern const struct named_work named_work_rows[];
extern const size_t named_work_count;

/* Whether one of them is the function's. */
bool name_patterns_have(const struct name_patterns *patterns, const struct stall_function *function);

/* The binary that the first of them names. patterns: has one that does. Owner: static */
const char *name_patterns_binary(const struct name_patterns *patterns);

/* The first that a function's name tells; NULL: none. Parts of scripts are not asked. */
const struct named_work *named_work_of(const struct stall_function *function);

/* The first that a function's binary alone tells; NULL: none. */
const struct named_work *named_work_of_library(const struct stall_function *function);

#endif
