/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the components of a gap are found: shared by the files of finding/gap, for nobody else. */
#ifndef PLUMB_FINDING_GAP_GAP_PARTS_H
#define PLUMB_FINDING_GAP_GAP_PARTS_H

#include "finding/gap/host_gap.h"

struct gap_splitting {
    const struct gap_side *host, *guest; /* host NULL: none */
    enum denominator of;
    struct arena *arena;
};

/* What one side pays, in seconds of one run of its own. */
struct gap_burden {
    struct interval seconds; /* unknown: why_not */
    enum gap_origin origin;
    const char *why_not;
};

__attribute__((format(printf, 3, 4))) void gap_say(struct gap_texts *texts, struct arena *arena, const char *format,
                                                   ...);

/* Intervals of any sign. */
struct interval gap_sum(struct interval a, struct interval b);
struct interval gap_less(struct interval a, struct interval b);
struct interval gap_times(struct interval a, struct interval b);

bool gap_is_guest(const struct gap_side *side);
/* A share of one side's samples or CPU time as seconds of one run of it; unknown where nothing bounds it. */
struct interval gap_seconds(const struct gap_splitting *splitting, const struct gap_side *side, struct share share);
/* Of all its samples, 95 %. */
struct interval gap_share_of_samples(const struct gap_side *side, double hits);
/* Fill the component from what both sides pay. Without a host: what the guest pays, from nothing on. */
void gap_take(const struct gap_splitting *splitting, struct gap_component *component, struct gap_burden host,
              struct gap_burden guest);
static inline struct gap_burden gap_unknown(const char *why_not)
{
    return (struct gap_burden){.why_not = why_not};
}
static inline struct gap_burden gap_known(struct interval seconds, enum gap_origin origin)
{
    return (struct gap_burden){.seconds = seconds, .origin = origin};
}
void gap_exits(const struct gap_splitting *splitting, struct gap_component *component);
void gap_steal(const struct gap_splitting *splitting, struct gap_component *component);
void gap_walks(const struct gap_splitting *splitting, struct gap_component *component);
void gap_clock(const struct gap_splitting *splitting, struct gap_component *component);
void gap_vectors(const struct gap_splitting *splitting, struct gap_component *component);
/* Raise its lower end by what the other components, already found, leave unexplained of what vector code took more. */
void gap_vectors_settle(const struct gap_splitting *splitting, struct gap_component *components, size_t count);
void gap_clocksource(const struct gap_splitting *splitting, struct gap_component *component);
void gap_waiting(const struct gap_splitting *splitting, struct gap_component *component);

#endif
