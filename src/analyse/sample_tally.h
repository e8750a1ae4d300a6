/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often did each combination of event, thread name, place and stack occur? Samples added up before
 * anything is named, so that a recording of any length takes memory for what differs in it only.
 */
#ifndef PLUMB_ANALYSE_SAMPLE_TALLY_H
#define PLUMB_ANALYSE_SAMPLE_TALLY_H

#include "base/hashmap.h"
#include "model/recording.h"

struct tally_item {
    uint32_t event, comm;
    uint32_t thread; /* the first one, or the one when told apart */
    uint32_t cpu;    /* UINT32_MAX unless told apart */
    uint32_t location, stack;
    uint64_t samples, period;
};

struct sample_tally {
    struct tally_item *items;
    size_t count, capacity;
    struct hashmap map;
    bool by_thread, by_cpu; /* set before the first sample: what to tell apart */
    uint32_t last;          /* index of the item added to last */
};

void sample_tally_add(struct sample_tally *tally, const struct sample *sample);
/* All kept samples. */
void sample_tally_add_all(struct sample_tally *tally, const struct recording *recording);
void sample_tally_done(struct sample_tally *tally);

#endif
