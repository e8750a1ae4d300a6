/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which share of the time does a sentence give to a function: "62 % in match_rules()", "match_rules() takes 62 % of the
 * time"?
 *
 * Between the share and the name, which has () behind it, stand only words that say so; shares of misses, or by how
 * much something is slower, are none.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_SHARE_H
#define PLUMB_ANALYSE_TOLD_TOLD_SHARE_H

#include "base/text.h"

struct told_share {
    struct view function; /* without the (); in the sentence */
    double percent;       /* 0..100 */
};

enum { TOLD_SHARES_MOST = 8 };

/* Returns how many were written. None of a sentence that tells of what may be, or what isn't. */
size_t told_shares_in(struct view sentence, struct told_share ret_shares[TOLD_SHARES_MOST]);

#endif
