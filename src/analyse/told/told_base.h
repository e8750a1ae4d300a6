/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was it before anything was changed, where a trial tells only what it came to: "16 threads: 3.87 s", and later
 * "16 threads: 0.134 s"; "410k packets/s", and later "it passes 1.62M packets/s"?
 *
 * A time is compared with what has the same label, a rate also with all of its unit where these are close to one
 * another. Of labels that don't agree, or of several that changed, none is taken. Does not support: sizes, percent,
 * rates of bytes or of what is counted without a label.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_BASE_H
#define PLUMB_ANALYSE_TOLD_TOLD_BASE_H

#include "statistics/interval.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct told_base {
    bool is_rate;             /* else a time */
    double value, half_digit; /* as a quantity's (analyse/told/told_quantity) */
    char unit[24];            /* of rates */
    char label[64];     /* what it is of, " 16 threads" ahead of a colon, " nnc" ahead of "takes"; empty: untold */
    bool label_is_open; /* what stands first in that may be of the amount ahead */
    bool is_closed;     /* another section begins behind it */
    char behind[32];    /* "for 400 m packets" */
};

enum { TOLD_BASES_MOST = 32 }; /* a bit each */

struct told_bases {
    struct told_base items[TOLD_BASES_MOST];
    size_t count;
};

/* Of a plain sentence that names no change. */
void told_bases_note(struct told_bases *bases, const char *plain);
/* A heading stands here, of something else. */
void told_bases_close(struct told_bases *bases);
/*
 * How much less time it takes (below 0: more) than what was told before. with_rates: those without a label are
 * compared, too. ret_used: the bases that bear on it, whether they agree or not. False: none tell.
 */
bool told_base_gain(const char *plain, const struct told_bases *bases, bool with_rates, struct interval *ret_gain,
                    uint32_t *ret_used);
/* It has an amount whose label one of them has, too. */
bool told_base_is_labelled(const char *plain, const struct told_bases *bases);

#endif
