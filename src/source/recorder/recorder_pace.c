/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that may come a hundred thousand times a second, each with a copy of its stack: how many of them we take.
 *
 * As many as their rings hold between two times of emptying them. A ring that is nearly full before its time stops
 * the events until then: a stopped one costs its program nothing, while one whose ring is full has its chain walked for
 * nothing. Meanwhile a sparse twin goes on, at a frequency of each thread's own: who waits seldom is still seen. The
 * more rings, the seldomer: some thousand stacks a second in all.
 */
#include "source/recorder/recorder_internal.h"

#include "base/clock.h"

#define TURN_NS_A_RING UINT64_C(25000000)

/* Stopping is a call for each event and its children: of the time it may take this part. */
enum { STOPPING_SHARE = 100 };

void recorder_pace_begin(struct recorder *recorder)
{
    recorder->pace = (struct recorder_pace){.began_ns = clock_ns(CLOCK_MONOTONIC)};
    vec_for_each(&recorder->counters.rings, ring)
        recorder->pace.turn_ns += ring->is_paced && ring->poll_at != SIZE_MAX ? TURN_NS_A_RING : 0;
}

bool recorder_pace_is_due(const struct recorder *recorder, uint64_t now_ns)
{
    return now_ns - recorder->pace.began_ns >= recorder->pace.turn_ns;
}

static bool is_nearly_full(struct counter_ring *ring)
{
    return ring->is_paced && ring->poll_at != SIZE_MAX &&
           ring_buffer_unread(&ring->buffer) >= ring->buffer.data_bytes / 4 * 3;
}

static void pace_stop(struct recorder *recorder, uint64_t now_ns)
{
    struct error ignored;
    struct recorder_pace *pace = &recorder->pace;
    pace->is_stopped = recorder_counters_set_paced(&recorder->counters, false, &ignored);
    pace->stopped_ns = now_ns;
    recorder->result.paced_pauses += pace->is_stopped;
    uint64_t wanted_ns = 2 * STOPPING_SHARE * (clock_ns(CLOCK_MONOTONIC) - now_ns);
    if (wanted_ns > pace->turn_ns)
        pace->turn_ns = wanted_ns;
}

void recorder_pace_look(struct recorder *recorder, uint64_t now_ns)
{
    if (recorder->pace.is_stopped)
        return;
    vec_for_each(&recorder->counters.rings, ring)
        if (is_nearly_full(ring)) {
            pace_stop(recorder, now_ns);
            return;
        }
}

void recorder_pace_turn(struct recorder *recorder, uint64_t now_ns)
{
    struct error ignored;
    struct recorder_pace *pace = &recorder->pace;
    pace->began_ns = now_ns;
    if (!pace->is_stopped)
        return;
    recorder->result.paced_paused_ns += now_ns - pace->stopped_ns;
    pace->is_stopped = !recorder_counters_set_paced(&recorder->counters, true, &ignored);
}
