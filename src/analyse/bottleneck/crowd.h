/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do an access's lines, few enough for a cache by their number, share so few of its sets that they can't stay? And what
 * did a probe of its pattern say of other pages? Internal to bottleneck.
 *
 * By the power of two that they lie apart by. Up to a page it tells the sets of either cache: beyond, those of the
 * second one are said by physical addresses, which no one here knows. Does not support: lines on huge pages, of which
 * the second cache's sets are fewer still.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_CROWD_H
#define PLUMB_ANALYSE_BOTTLENECK_CROWD_H

#include "analyse/bottleneck/reach.h"

/* Of steps, where their number of sets is what keeps them from staying; {0}: it isn't. */
struct bottleneck_crowd crowd_of(const struct reach *reach, const struct bottleneck_machine *machine);
/* "which the second cache would hold (48 KiB and 1 MiB), but …". Owner: arena. */
const char *crowd_text(const struct reach *reach, const struct bottleneck_machine *machine, const char *sizes,
                       struct arena *arena);

/*
 * What the pattern costs that stalls in the region, as it was measured on small and on huge pages, where huge ones
 * return nothing; NULL: they return something, or it was not measured.
 */
const struct access_cost *crowd_pages_refuted(const struct bottleneck_request *request, const struct region *region);

#endif
