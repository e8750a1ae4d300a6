/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is measured in a pass, and how does its time go by?
 *
 * A program that is started anew for each pass, or something that goes on and is watched for a while. Counters are
 * opened between start and release, so that they miss nothing. Tests put a simulation here.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_PASS_SUBJECT_H
#define PLUMB_CAPTURE_COUNTERS_PASS_SUBJECT_H

#include "source/live/target.h"

struct workload_surroundings;

struct pass_subject {
    void *context;
    /* Hold it before its exec, or find it; what is to be counted. */
    bool (*start)(void *context, struct target *ret_target, struct arena *arena, struct error *err);
    bool (*release)(void *context, struct error *err);
    bool (*wait)(void *context, uint64_t most_ns); /* let at most so much time go by; true: it has ended, or shall */
    uint64_t (*now_ns)(void *context);
    int (*finish)(void *context); /* its exit code; 0 of something that goes on. Also after a start that failed */
};

struct pass_subject_request {
    char *const *argv;                   /* the program; NULL: none */
    const struct target_request *target; /* who is counted instead of the program; NULL: the program */
    uint64_t duration_ns;                /* without a program: how long one watch lasts */
    bool silent;                         /* the program's standard input and output are /dev/null */
    const struct sysroot *root;
};

struct pass_subject_live;

/* The strings of the request must outlive it. Owner: the caller (pass_subject_live_free). */
struct pass_subject_live *pass_subject_live_new(const struct pass_subject_request *request);
void pass_subject_live_free(struct pass_subject_live *live);
struct pass_subject pass_subject_live_interface(struct pass_subject_live *live);
/* From now on: passes after the first shouldn't write the program's output again. */
void pass_subject_live_silence(struct pass_subject_live *live, bool silent);
/* How long a watch lasts from now on. */
void pass_subject_live_lasts(struct pass_subject_live *live, uint64_t duration_ns);

#endif
