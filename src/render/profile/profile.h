/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles as other tools read them: which bytes stand for the stacks of a recording?
 *
 * Computes nothing but layout. Sources of the formats: FlameGraph's stackcollapse (a line for each stack: thread name
 * and frames from the root on, joined by ";", then a number); speedscope's file-format-schema.json; pprof's
 * profile.proto; the Firefox Profiler's processed format, version 48 (its src/types and CHANGELOG-formats).
 */
#ifndef PLUMB_RENDER_PROFILE_PROFILE_H
#define PLUMB_RENDER_PROFILE_PROFILE_H

#include "analyse/profile/stack_profile.h"
#include "analyse/profile/thread_series.h"
#include "base/text.h"

struct profile_request {
    const struct stack_profile *profile;
    const struct thread_series *series; /* firefox: the threads' samples; else NULL */
    uint32_t event;     /* only this one, or PROFILE_ALL_EVENTS */
    bool by_period;     /* folded: numbers are events (nanoseconds, cycles), not samples */
    const char *name;   /* of the recording's file */
    FILE *file;         /* where what is ready may go already: lines of folded, columns of firefox; NULL: nowhere */
};

void profile_folded(struct text *out, const struct profile_request *request);
void profile_speedscope(struct text *out, const struct profile_request *request);
void profile_pprof(struct text *out, const struct profile_request *request); /* not compressed: pprof takes either */
void profile_firefox(struct text *out, const struct profile_request *request); /* of one event */
void profile_json(struct text *out, const struct profile_request *request);
void profile_csv(struct text *out, const struct profile_request *request);

/* Whether this event's samples belong into the result. */
bool profile_wants(const struct profile_request *request, uint32_t event);

#endif
