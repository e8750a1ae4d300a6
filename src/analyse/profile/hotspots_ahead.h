/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same rows as hotspots_build(), whose paths were found on another core while the recording was still being read:
 * as soon as a sample's locations have names, its path is known.
 *
 * For reports with callers first or without callers, of one event, and where names need no more than dsos and
 * locations: from the first sample on that needs more the paths are left to hotspots_ahead_build().
 */
#ifndef PLUMB_ANALYSE_PROFILE_HOTSPOTS_AHEAD_H
#define PLUMB_ANALYSE_PROFILE_HOTSPOTS_AHEAD_H

#include "analyse/profile/hotspots.h"
#include "analyse/profile/tally_ahead.h"

struct hotspots_ahead;

/*
 * NULL when paths can't be found ahead with these options. tally and options stay where they are. Owner: the caller
 * (hotspots_ahead_free).
 */
struct hotspots_ahead *hotspots_ahead_begin(struct tally_ahead *tally, const struct hotspots_options *options,
                                            struct places_options places);
/* What names_ahead_begin() wants of it; as long-lived. */
const struct names_follower *hotspots_ahead_follower(const struct hotspots_ahead *ahead);
/*
 * Once the recording has been read: whether there are paths of that event, the first one that rows are asked for of.
 * Then places has the names found so far, and is the caller's. symboliser: the one that names_ahead_take() gave.
 */
bool hotspots_ahead_take(struct hotspots_ahead *ahead, uint32_t event, struct recording *recording,
                         struct symboliser *symboliser, struct places *ret_places);
/* hotspots_build() with what was taken, once, of the tally now complete. */
void hotspots_ahead_build(struct hotspots_ahead *ahead, struct hotspots *hotspots, const struct sample_tally *tally);
/* NULL is allowed. */
void hotspots_ahead_free(struct hotspots_ahead *ahead);

#endif
