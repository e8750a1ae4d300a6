/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which distinct stacks were met, how often? What other tools read profiles as: one entry for each stack that is the same to a
 * reader (the same functions in the same order, of the same event and thread name), however many addresses were behind it.
 */
#ifndef PLUMB_ANALYSE_CODE_STACK_PROFILE_H
#define PLUMB_ANALYSE_CODE_STACK_PROFILE_H

#include "analyse/code/places.h"
#include "analyse/code/sample_tally.h"

struct profile_stack {
    uint32_t event, comm;  /* comm: a string id of the recording */
    uint32_t first, count; /* into stack_profile.places: leaf first, at least one */
    uint64_t samples, period;
};

struct stack_profile {
    struct profile_stack *items; /* in the order in which they were met first */
    size_t count, capacity;
    uint32_t *places; /* ids of the places given */
    size_t place_count, place_capacity;
    struct hashmap map;
};

/* Samples without a chain are stacks of one place. Owner: the caller (stack_profile_done); places must outlive it. */
void stack_profile_build(struct stack_profile *profile, const struct sample_tally *tally, const struct recording *recording,
                         struct places *places);
void stack_profile_done(struct stack_profile *profile);

#endif
