/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many bytes does a turn of a loop move to and from memory when its data doesn't stay in a cache, and how few would
 * do?
 *
 * Memory operands that walk by the same step beside each other are one stream, counted once, in whole lines where
 * the step skips some. A plain store of a line that the loop doesn't read costs two trips, since the line is read
 * before it is owned; a non-temporal store costs one. The least is one trip for each stream that is read and one for
 * each that is written. Times the accepted rate (loop_rate.h) it is bytes a second.
 * Does not support: telling from where the bytes come (working sets do); stores of whole lines that some cores turn
 * into ones that don't read first (Intel from Ice Lake on, under load): then there are fewer trips.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_TRAFFIC_H
#define PLUMB_ANALYSE_LOOP_LOOP_TRAFFIC_H

#include "analyse/loop/loop_path.h"
#include "analyse/loop/loop_rate.h"

enum { LOOP_STREAMS_MOST = 24 };

struct loop_stream {
    uint32_t row;      /* the first operand of it */
    uint32_t operands;
    int64_t step;      /* bytes a turn */
    bool reads, writes, non_temporal;
    uint32_t used_bytes;  /* accessed in a turn, each byte once */
    uint32_t moved_bytes; /* of a turn, one way: lines where the step is a line or more */
    uint32_t trips, least_trips;
};

struct loop_traffic {
    bool known;
    const char *why_not;
    struct loop_stream streams[LOOP_STREAMS_MOST];
    uint32_t stream_count;
    uint32_t fixed_count;   /* operands that stay where they are: they stay in the cache, too */
    uint32_t unknown_loads, unknown_stores; /* operands whose address isn't followed: looked up, gathered */
    double bytes, least_bytes; /* a turn, of the streams */
    uint32_t trips, least_trips, extra_trips; /* "3 where 2 would do": 1 extra */
    double extra_ratio;     /* bytes / least bytes - 1: what the extra trips add */
};

/*
 * sample: registers at one sample in the loop, which tell whether two pointers walk through the same memory; NULL.
 */
void loop_traffic_of(struct loop_traffic *ret_traffic, const struct loop_path *path, const struct loop_sample *sample);

#endif
