/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/turn_counters.h"

#include "metric/schedule/pass_plan.h"

#include <stdlib.h>

/*
 * A slice is so much of the time that has gone by, within these: fifty of them a second at first, ten a second in the
 * end. A phase lasts for three hundredths of the time at least: some of them fall into it.
 */
enum { SLICE_PART = 100, SLICE_LEAST_NS = 20000000, SLICE_MOST_NS = 100000000 };

struct turn_counters {
    struct arena arena;
    struct turn_request request;
    struct scheduled_counters_request groups;
    struct scheduled_counters *set;
    uint32_t *order; /* of this round */
    size_t count;    /* of a round's turns; the last one by number is the others' */
    size_t round, at;
    uint64_t start_ns, until_ns;
    bool counts;
};

bool turn_counters_open(struct turn_counters **ret_turns, const struct turn_request *request,
                        const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    struct turn_counters *turns = memory_alloc(sizeof(*turns));
    *turns = (struct turn_counters){.request = *request, .groups = *request->groups};
    arena_init(&turns->arena);
    turns->count = request->groups->group_count + (request->others != NULL);
    turns->groups.turns = turns->count;
    turns->order = arena_array(&turns->arena, uint32_t, turns->count + 1);
    if (!scheduled_counters_open(&turns->set, &turns->groups, kernel, root, err)) {
        turn_counters_free(turns);
        return false;
    }
    *ret_turns = turns;
    return true;
}

void turn_counters_free(struct turn_counters *turns)
{
    if (!turns)
        return;
    scheduled_counters_free(turns->set);
    arena_done(&turns->arena);
    free(turns);
}

static bool is_others(const struct turn_counters *turns)
{
    return turns->order[turns->at] == turns->groups.group_count;
}

static void turn_begin(struct turn_counters *turns, uint64_t now_ns)
{
    uint64_t gone = now_ns - turns->start_ns, slice = gone / SLICE_PART;
    if (is_others(turns))
        counter_set_turn(turns->request.others, true);
    else
        scheduled_counters_start(turns->set, (int)turns->order[turns->at], now_ns);
    turns->until_ns = now_ns + (slice < SLICE_LEAST_NS  ? SLICE_LEAST_NS
                                : slice > SLICE_MOST_NS ? SLICE_MOST_NS
                                                        : slice);
    turns->counts = true;
}

static void turn_end(struct turn_counters *turns, uint64_t now_ns)
{
    int group = (int)turns->order[turns->at];
    turns->counts = false;
    if (is_others(turns)) {
        counter_set_turn(turns->request.others, false);
        return;
    }
    scheduled_counters_stop(turns->set, group);
    scheduled_counters_read(turns->set, group, now_ns);
}

static void round_begin(struct turn_counters *turns)
{
    pass_slice_order(turns->request.seed, turns->round++, turns->count, turns->order);
    turns->at = 0;
}

void turn_counters_start(struct turn_counters *turns, uint64_t now_ns)
{
    turns->start_ns = now_ns;
    round_begin(turns);
    turn_begin(turns, now_ns);
}

uint64_t turn_counters_left_ns(const struct turn_counters *turns, uint64_t now_ns)
{
    return turns->until_ns > now_ns ? turns->until_ns - now_ns : 0;
}

void turn_counters_tick(struct turn_counters *turns, uint64_t now_ns)
{
    if (!turns->counts || now_ns < turns->until_ns)
        return;
    turn_end(turns, now_ns);
    if (++turns->at == turns->count)
        round_begin(turns);
    turn_begin(turns, now_ns);
}

void turn_counters_finish(struct turn_counters *turns, uint64_t now_ns, const struct sysroot *root, struct arena *arena,
                          struct pass_record *ret_record)
{
    if (turns->counts)
        turn_end(turns, now_ns);
    pass_groups_keep(ret_record, turns->set, &turns->groups, root, arena);
    ret_record->elapsed_ns = now_ns - turns->start_ns;
}
