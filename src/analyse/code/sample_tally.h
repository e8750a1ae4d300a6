/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often did each combination of event, thread name, place and stack occur? Samples added up before
 * anything is named, so that a recording of any length takes memory for what differs in it only.
 */
#ifndef PLUMB_ANALYSE_CODE_SAMPLE_TALLY_H
#define PLUMB_ANALYSE_CODE_SAMPLE_TALLY_H

#include "base/hashmap.h"
#include "model/recording.h"

#define TALLY_NONE UINT32_MAX

enum branch_outcome {
    BRANCH_OUTCOME_UNKNOWN,
    BRANCH_PREDICTED,
    BRANCH_MISPREDICTED
};

/* A taken branch as the processor recorded it. */
struct tally_branch {
    uint32_t from, to; /* locations */
    uint16_t cycles;   /* since the branch before it; 0: not recorded */
    uint16_t outcome;  /* enum branch_outcome */
};

struct tally_item {
    uint32_t event, comm;
    uint32_t thread; /* the first one, or the one when told apart */
    uint32_t cpu;    /* UINT32_MAX unless told apart */
    uint32_t location, stack;
    uint32_t branch; /* index of branches, whose target is the location; or TALLY_NONE */
    uint32_t next; /* item of the same branch, or stack, or (without either) location; or TALLY_NONE */
    uint64_t samples, period;
};

struct sample_tally {
    struct tally_item *items;
    size_t count, capacity;
    /* By stack, and by location for samples without one: the first of their items. */
    uint32_t *first_by_stack, *first_by_location;
    size_t stack_count, stack_capacity, location_count, location_capacity;
    struct tally_branch *branches;
    size_t branch_count, branch_capacity;
    struct hashmap branch_map;
    uint32_t *first_by_branch;
    size_t branch_list_count, branch_list_capacity;
    bool by_thread, by_cpu; /* set before the first sample: what to tell apart */
};

void sample_tally_add(struct sample_tally *tally, const struct sample *sample);
/* One taken branch of a sample, counted as one whatever the sample's period. */
void sample_tally_add_branch(struct sample_tally *tally, const struct sample *sample,
                             const struct tally_branch *branch);
/* All kept samples. */
void sample_tally_add_all(struct sample_tally *tally, const struct recording *recording);
void sample_tally_done(struct sample_tally *tally);

#endif
