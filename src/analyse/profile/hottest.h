/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which symbols have the most samples, when only the top is wanted?
 *
 * Names are looked up by dso, the dso with most samples first, and only while one that was not looked at could
 * still win: a recording whose kernel part is small never reads the kernel's symbols.
 */
#ifndef PLUMB_ANALYSE_PROFILE_HOTTEST_H
#define PLUMB_ANALYSE_PROFILE_HOTTEST_H

#include "symbol/symboliser.h"

struct hot_symbol {
    uint32_t symbol_id; /* SYMBOL_NONE: one function without a name, or 8 KiB of such code, around `location` */
    uint32_t location;  /* the one with most samples */
    uint64_t samples;
    double weight;      /* sum of periods */
};

#define EVENT_ANY UINT32_MAX

/*
 * The one with the greatest weight of an event (EVENT_ANY: most samples of all), named or not; false without samples.
 */
MUST_CHECK bool hottest_symbol(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                               struct hot_symbol *ret_hot);
/*
 * The greatest that matches, found without naming what can't be in question: dsos are asked in the order of their
 * weight, and the first that has a match gives it. false without one.
 */
typedef bool hot_symbol_matches(void *context, const struct hot_symbol *hot);
MUST_CHECK bool hottest_matching(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                                 hot_symbol_matches *matches, void *context, struct hot_symbol *ret_hot);
/* All of them, greatest first; returns how many. Owner: the caller (free). */
size_t hot_symbols(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                   struct hot_symbol **ret_symbols);

#endif
