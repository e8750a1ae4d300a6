/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which distinct stacks were met, how often? What other tools read profiles as: one entry for each stack that is the
 * same to a reader (the same functions in the same order, of the same event and thread name), however many addresses
 * were behind it.
 */
#ifndef PLUMB_ANALYSE_PROFILE_STACK_PROFILE_H
#define PLUMB_ANALYSE_PROFILE_STACK_PROFILE_H

#include "analyse/profile/places.h"
#include "analyse/profile/sample_tally.h"

#define PROFILE_ALL_EVENTS UINT32_MAX /* in place of the number of one */

struct profile_event {
    const char *name;
    bool counts_ns;           /* periods are nanoseconds of CPU time */
    uint64_t samples, period; /* of all its stacks */
};

struct profile_stack {
    uint32_t event;        /* index of events */
    const char *comm;      /* the thread's name; equal names are one text */
    uint32_t first, count; /* into frames: leaf first, at least one */
    uint64_t samples, period;
};

struct stack_profile {
    struct profile_stack *items; /* in the order in which they were met first */
    size_t count, capacity;
    struct profile_event *events; /* those of the recording */
    size_t event_count, event_capacity;
    uint32_t *frames; /* ids of places */
    size_t frame_count, frame_capacity;
    const struct places *places;
};

/*
 * Samples without a chain are stacks of one place. Owner: the caller (stack_profile_done); recording and places must
 * outlive it.
 */
void stack_profile_build(struct stack_profile *profile, const struct sample_tally *tally,
                         const struct recording *recording, struct places *places);
void stack_profile_done(struct stack_profile *profile);

#endif
