/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often did each combination of event, thread name, place and stack occur? Samples added up before
 * anything is named, so that a recording of any length takes memory for what differs in it only.
 */
#ifndef PLUMB_ANALYSE_PROFILE_SAMPLE_TALLY_H
#define PLUMB_ANALYSE_PROFILE_SAMPLE_TALLY_H

#include "analyse/profile/sample_traits.h"
#include "base/cache_line.h"
#include "base/hashmap.h"
#include "model/recording.h"

#define TALLY_NONE UINT32_MAX

enum branch_outcome {
    BRANCH_OUTCOME_UNKNOWN,
    BRANCH_PREDICTED,
    BRANCH_MISPREDICTED
};

enum branch_mark {
    BRANCH_IN_TRANSACTION = 1,
    BRANCH_ABORTS = 2
};

/* A taken branch as the processor recorded it. */
struct tally_branch {
    uint32_t from, to; /* locations */
    uint16_t cycles;   /* since the branch before it; 0: not recorded */
    uint8_t outcome;   /* enum branch_outcome */
    uint8_t marks;     /* enum branch_mark */
};

struct tally_item {
    uint32_t event, comm;
    uint32_t thread; /* the first one, or the one when told apart */
    uint32_t cpu;    /* UINT32_MAX unless told apart */
    uint32_t location, stack;
    uint32_t branch; /* index of branches, whose target is the location; or TALLY_NONE */
    uint32_t traits; /* a set of sample_traits; or TRAITS_NONE */
    uint64_t samples, period;
};

struct sample_tally {
    bool by_thread, by_cpu; /* set before the first sample: what to tell apart */
    /* what follows may be another core's */
    _Alignas(CACHE_LINE_BYTES) struct tally_item *items;
    size_t count, capacity;
    struct tally_slot *slots; /* items by what tells them apart */
    size_t slot_capacity;
    struct tally_waiting *waiting; /* samples whose slot and item are being fetched; NULL before the first */
    uint32_t added, settled;       /* how many samples were, modulo 2^32 */
    struct tally_branch *branches;
    size_t branch_count, branch_capacity;
    struct hashmap branch_map;
};

/* Items are complete after sample_tally_settle() alone. */
void sample_tally_add(struct sample_tally *tally, const struct sample *sample);
/* One that a set of sample_traits tells apart, too. */
void sample_tally_add_with(struct sample_tally *tally, const struct sample *sample, uint32_t traits);
/* The same in two steps, of which the first one reads no more of the tally than what to tell apart. */
struct tally_item sample_tally_item(const struct sample_tally *tally, const struct sample *sample, uint32_t traits);
void sample_tally_add_items(struct sample_tally *tally, const struct tally_item *items, size_t count);
void sample_tally_settle(struct sample_tally *tally);
/* One taken branch of a sample, counted as one whatever the sample's period. */
void sample_tally_add_branch(struct sample_tally *tally, const struct sample *sample,
                             const struct tally_branch *branch);
void sample_tally_done(struct sample_tally *tally);

#endif
