/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same tally, added up on another core while the recording is still being read.
 *
 * Who reads lays samples aside, and hands them over whenever the other core is idle. Where that one is busy for long
 * (it finds names, too), the reader adds up what it laid aside itself: samples get into the tally in their order
 * always, and what lies aside never takes more than some megabytes.
 */
#ifndef PLUMB_ANALYSE_PROFILE_TALLY_AHEAD_H
#define PLUMB_ANALYSE_PROFILE_TALLY_AHEAD_H

#include "analyse/profile/sample_tally.h"
#include "symbol/names_ahead.h"

struct tally_ahead;

/* The tally stays where it is, nobody else's until tally_ahead_settle(). Owner: the caller (tally_ahead_free). */
struct tally_ahead *tally_ahead_begin(struct sample_tally *tally);
/* What names_ahead_begin() wants where nothing else follows; as long-lived. */
const struct names_follower *tally_ahead_follower(const struct tally_ahead *ahead);
/* NULL is allowed. */
void tally_ahead_free(struct tally_ahead *ahead);

/* On the reader's core. */
void tally_ahead_add(struct tally_ahead *ahead, const struct sample *sample, uint32_t traits);
/* Whether enough lies aside to begin with. */
bool tally_ahead_waits(const struct tally_ahead *ahead);
/* While the other core is idle. */
void tally_ahead_hand_over(struct tally_ahead *ahead);
/* What lies aside, and all that was handed over, is added up. */
void tally_ahead_settle(struct tally_ahead *ahead);

/* On the other core: what was handed over is added up. Between the two the tally changes no more. */
const struct sample_tally *tally_ahead_enter(struct tally_ahead *ahead);
void tally_ahead_leave(struct tally_ahead *ahead);

#endif
