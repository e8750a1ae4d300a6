/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples into the model and to who watches: one by one, as many as they have counters, or those alike together. */
#ifndef PLUMB_CAPTURE_FILLING_SAMPLES_H
#define PLUMB_CAPTURE_FILLING_SAMPLES_H

#include "capture/filling/stacks.h"

/* What is known of a sample before it is its turn. */
struct sample_ahead {
    const struct sample_head *head;
    struct chain_ahead chain;
    struct alike_key alike; /* until the state of threads and address spaces is mixed in */
    bool may_be_alike;
};

/*
 * Before a sample is its turn: what doesn't depend on the records before it. record: NULL where its head, which must
 * stay, is all there is.
 */
void capture_look_at_sample(struct capture_state *state, const struct record *record, const struct sample_head *head,
                            struct sample_ahead *ret_ahead);
/* false: who watches has seen enough. record: as before. */
bool capture_apply_sample(struct capture *capture, const struct record *record, const struct sample_ahead *ahead);
/* After the last record: samples alike that were held back. */
void capture_give_out_alike(struct capture *capture);
/* Another source: its counters and their numbers are its own. */
void capture_forget_counters(struct capture_state *state);

#endif
