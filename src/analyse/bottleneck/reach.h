/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far do the addresses of a stalled access reach: within the first cache, the second, or beyond; in which order?
 * Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_REACH_H
#define PLUMB_ANALYSE_BOTTLENECK_REACH_H

#include "analyse/bottleneck/region.h"
#include "analyse/loop/loop_bound.h"
#include "analyse/memory/touched_memory.h"

struct reach {
    bool known;              /* there were enough addresses to tell the first cache from what lies behind it */
    enum bottleneck_level level;
    /* beyond the first cache; whether within the second isn't known, and BEYOND stands for it */
    bool level_is_open;
    struct working_set set;          /* its stride */
    struct touched_memory touched;
    double lines_bytes;      /* known, or the least they can be */
    /* in use at a time, where that is far less and what the level was judged by; 0: it isn't */
    double window_bytes;
    double at_a_time_bytes;  /* beyond the second cache: in use at a time, as far as that is known; 0: it isn't */
    bool in_order;           /* goes through memory line by line */
    /* its lines would fit a nearer cache than `level`, but share few of its sets */
    bool is_crowded;
    double crowding;         /* so many times fewer than there are */
    double line_ns;          /* a walk in order takes so long from one line to the next; 0: not known */
    double own_line_ns;      /* the same without what samples themselves took, where that is known */
    double own_work_ns;      /* what the turns of one line take by this core's costs, memory apart; 0: not known */
    unsigned arrays;         /* places that its loop goes through side by side; 0: not known */
    double streams;          /* … and what these move: a line that is written comes and goes; 0: not known */
    /* not known to be in order, but so little memory that a walk comes round between samples */
    bool order_is_open;
    /* in order, and too slow for memory to be what it waits for, or as fast as its own work allows */
    bool is_fetched_ahead;
    bool is_own_pace;        /* the latter */
    bool is_wide_spread;     /* many more pages than lines, or from page to page: translations miss before data does */
};

/* Of the accesses that stalled at `row`, or UINT32_MAX: anywhere in the region. bound: of its loop, may be unknown. */
struct reach reach_of(const struct bottleneck_request *request, const struct region *region,
                      const struct loop_bound *bound, uint32_t row, struct arena *arena);
/*
 * Of an access that hardly a sample stalled at, beside one of the same turn that they did: where it goes in no order,
 * or steps over lines; unknown: it walks in order, or nothing is known of it.
 */
struct reach reach_beside(const struct bottleneck_request *request, const struct region *region,
                          const struct loop_bound *bound, uint32_t row, struct arena *arena);
/* Its walk takes longer a line than memory ever keeps one in order waiting. */
bool reach_is_too_slow(const struct reach *reach);
/* … moves so much less than one core was measured to read here that bandwidth isn't what it waits for. */
bool reach_is_below_ceiling(const struct reach *reach, const struct bottleneck_machine *machine);

/* Memory that all accesses of the region go over that stalled or that its code counts on. */
struct touched_memory reach_together(const struct bottleneck_request *request, const struct region *region,
                                     struct arena *arena);

#endif
