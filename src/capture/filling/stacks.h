/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack of a sample: its recorded chain, or what the unwinder makes of its stack dump. Chains repeat, and are known by their bytes. */
#ifndef PLUMB_CAPTURE_FILLING_STACKS_H
#define PLUMB_CAPTURE_FILLING_STACKS_H

#include "capture/filling/filling_state.h"

/* Frames of a recorded chain, or those behind its first one. */
struct chain_part {
    struct u64_view words;
    enum cpu_mode mode; /* until a mark says otherwise */
    bool of_callers;    /* the sampled instruction was taken off */
};

/* What is known of a sample's chain before it is its turn. */
struct chain_ahead {
    struct chain_part part;
    uint64_t hash[2]; /* of the chain's bytes, and of whose they are */
    bool is_kernel;   /* no frame is a process' own */
};

/* Find out what of a sample's chain is wanted, and have the memory fetched that capture_stack(), soon to follow, begins with. */
void capture_look_at_chain(struct capture_state *state, const struct record *record, struct chain_ahead *ret_chain);
/* STACK_NONE: no stack, or one that isn't kept (frames_only). chain: what capture_look_at_chain() said of this record. */
uint32_t capture_stack(struct capture *capture, uint32_t space, const struct record *record, const struct chain_ahead *chain);

#endif
