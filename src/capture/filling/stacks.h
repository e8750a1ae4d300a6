/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of a sample: its recorded chain, or what the unwinder makes of its stack dump. Chains repeat, and are known
 * by their bytes.
 */
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
    bool is_wanted;   /* false: nothing of it */
};

/*
 * Find out what of a sample's chain is wanted, and have the memory fetched that capture_chain_stack(), soon to follow,
 * begins with.
 */
void capture_look_at_chain(struct capture_state *state, const struct sample_head *head, struct chain_ahead *ret_chain);
/*
 * STACK_NONE: no stack, or one that isn't kept (frames_only). chain: what capture_look_at_chain() said of this sample.
 */
uint32_t capture_chain_stack(struct capture *capture, uint32_t space, const struct chain_ahead *chain);
/* Whether a recorded chain has frames outside the kernel. */
bool capture_chain_leaves_kernel(const struct u64_view *chain);
/* Whether the sample's stack is to be unwound: then its chain isn't looked at. */
bool capture_has_dump(const struct capture_options *options, const struct record_sample *sample);
/* Its frames in the kernel as recorded, and then what the unwinder makes of its registers and stack dump. */
uint32_t capture_unwound_stack(struct capture *capture, uint32_t space, const struct record_sample *sample);

#endif
