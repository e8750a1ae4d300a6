/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does an access walk through memory in order, and how fast? Its address is computed at every sample of its loop, from
 * both timers; two that are near in time are near in memory when it walks, and agree on a speed. Internal to
 * bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_WALK_H
#define PLUMB_ANALYSE_BOTTLENECK_WALK_H

#include "analyse/bottleneck/region.h"
#include "base/vec.h"

typedef vec(struct timed_address) address_list;

struct walk {
    size_t pairs;          /* near enough to tell */
    double agreeing;       /* of them: on one speed, 0..1 */
    double drifting;       /* of them: a small part of the whole way apart, in the direction that most go; 0..1 */
    double pair_ns;        /* from one sample of a pair to the other, median */
    double bytes_per_ns;   /* 0: not known; the time of the samples' own interrupts is in it */
    double free_bytes_per_ns; /* without that: by how much farther it gets in a longer time; 0: not known */
    uint64_t offsets_met;  /* distinct places in a line, by 4 bytes: of 16 */
};

/*
 * Where an access goes at every sample of its loop, whatever stalled: its registers say it. Adds; by thread, then time.
 */
void addresses_met(address_list *list, const struct bottleneck_request *request, const struct region *region,
                   uint32_t row);
/*
 * A register by which the loop moves the row's place on in every turn, and nothing else does; REGISTER_NONE: it isn't
 * so.
 */
uint8_t walk_step_register(const struct region *region, uint32_t row);
struct walk walk_of(const struct bottleneck_request *request, const struct region *region, uint32_t row);


/*
 * Which share of neighbouring samples, 0..1, is some whole steps of `stride` apart. A walk line by line that is sampled
 * as evenly as it goes looks like steps, too, but not at the second timer's samples between. 0: too few pairs.
 */
double walk_steps_by(const struct bottleneck_request *request, const struct region *region, uint32_t row,
                     uint64_t stride_bytes);

#endif
