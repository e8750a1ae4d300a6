/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics to items that fit one group, items to groups (packing.c), groups back to metrics. */
#include "metric/schedule/schedule.h"

#include "base/vec.h"
#include "metric/schedule/counter_match.h"
#include "metric/schedule/packing.h"

#include <limits.h>

struct builder {
    const struct schedule_request *request;
    struct arena *arena;
    struct event_set *items;    /* parts of metrics, each fit for one group */
    size_t item_count, item_capacity;
    size_t *first_item;         /* of each metric; the next metric's is where they end */
    bool one_by_one;            /* what must be counted at different times is cut as small as it can be */
    struct packing packing;
};

/* ---- what can't be counted --------------------------------------------------------------------------------- */

static const char *event_problem(const struct schedule_request *request, uint32_t index, struct arena *arena)
{
    const struct schedule_event *event = &request->events[index];
    const struct schedule_pmu *pmu = &request->pmus[event->pmu];
    if (event->kind == SCHEDULE_OUTSIDE)
        return NULL;
    if (event->whole_core && pmu->shares_core && pmu->counts_tasks)
        return arena_printf(arena, "%s counts both threads of a core, and tasks are counted: count whole CPUs (-a), or "
                                   "leave the core's other thread idle", event->name);
    if (event->kind == SCHEDULE_TOPDOWN && !pmu->topdown_fields)
        return arena_printf(arena, "%s: PERF_METRICS isn't available here", event->name);
    if (event->kind == SCHEDULE_TOPDOWN && event->field >= pmu->topdown_fields)
        return arena_printf(arena, "%s: PERF_METRICS has %u fields here", event->name, pmu->topdown_fields);
    if (event->kind == SCHEDULE_SLOTS && !pmu->topdown_fields)
        return arena_printf(arena, "%s isn't offered here", event->name);
    if (event->kind != SCHEDULE_TOPDOWN && !event_counters(request, index))
        return arena_printf(arena, "no counter of this PMU that is free counts %s", event->name);
    if (event->needs != SCHEDULE_NO_REGISTER && !pmu->registers[event->needs])
        return arena_printf(arena, "the register that %s needs isn't available here", event->name);
    return NULL;
}

static const char *metric_problem(const struct schedule_request *request, const struct schedule_metric *metric,
                                  struct arena *arena)
{
    const struct schedule_event *first = NULL;
    for (size_t at = 0; at < metric->events.count; at++) {
        const struct schedule_event *event = &request->events[metric->events.events[at]];
        const char *problem = event_problem(request, metric->events.events[at], arena);
        if (problem)
            return problem;
        if (event->kind == SCHEDULE_OUTSIDE)
            continue;
        if (first && first->pmu != event->pmu)
            return arena_printf(arena, "%s and %s are counted by different PMUs", first->name, event->name);
        first = event;
    }
    return NULL;
}

/* ---- metrics to items -------------------------------------------------------------------------------------- */

/* The events of a set that take part in groups; topdown fields bring their slots. */
static struct event_set set_of(const struct schedule_request *request, struct schedule_set events)
{
    struct event_set set = {{0}};
    bool topdown = false, slots = false;
    unsigned pmu = 0;
    for (size_t at = 0; at < events.count; at++) {
        const struct schedule_event *event = &request->events[events.events[at]];
        if (event->kind == SCHEDULE_OUTSIDE)
            continue;
        pmu = event->pmu;
        topdown |= event->kind == SCHEDULE_TOPDOWN;
        slots |= event->kind == SCHEDULE_SLOTS;
        event_set_add(&set, events.events[at]);
    }
    for (uint32_t at = 0; topdown && !slots && at < request->event_count; at++)
        if (request->events[at].kind == SCHEDULE_SLOTS && request->events[at].pmu == pmu) {
            event_set_add(&set, at);
            slots = true;
        }
    return set;
}

static void item_put(struct builder *builder, const struct event_set *item)
{
    builder->items =
        vec_reserve_bytes(builder->items, &builder->item_capacity, builder->item_count + 1, sizeof(*builder->items));
    builder->items[builder->item_count++] = *item;
}

static bool terms_fit(const struct schedule_request *request, const struct schedule_metric *metric)
{
    for (size_t at = 0; at < metric->term_count; at++) {
        struct event_set term = set_of(request, metric->terms[at]);
        if (!event_set_fits(request, &term, NULL))
            return false;
    }
    return metric->term_count > 1;
}

/*
 * What a fixed counter counts is free, and goes with each part: a rate per cycle needs no other group. Of two events
 * for one fixed counter (a thread's cycles, its core's) one is free, the thread's.
 */
static struct event_set free_events(const struct schedule_request *request, const struct event_set *set)
{
    struct event_set free_of_cost = {{0}};
    uint32_t taken = 0;
    for (int whole_core = 0; whole_core <= 1; whole_core++)
        event_set_each(set, event) {
            uint32_t fixed = event_counters(request, event) & ~taken & ~((UINT32_C(1) << COUNTER_MATCH_FIXED) - 1);
            if (request->events[event].whole_core != whole_core ||
                (!fixed && request->events[event].kind != SCHEDULE_TOPDOWN))
                continue;
            taken |= fixed & -fixed;
            event_set_add(&free_of_cost, event);
        }
    return free_of_cost;
}

static void chain_put(struct builder *builder, const struct event_set *set, bool apart)
{
    bool one_by_one = apart || builder->one_by_one;
    struct event_set common = free_events(builder->request, set), part = common;
    bool empty = true;
    event_set_each(set, event) {
        if (event_set_has(&common, event))
            continue;
        struct event_set with = part;
        event_set_add(&with, event);
        if (!empty && (one_by_one || !event_set_fits(builder->request, &with, NULL))) {
            item_put(builder, &part);
            with = common;
            event_set_add(&with, event);
        }
        part = with;
        empty = false;
    }
    item_put(builder, &part);
}

static void metric_put(struct builder *builder, const struct schedule_metric *metric, struct schedule_place *place)
{
    const struct schedule_request *request = builder->request;
    place->why = metric_problem(request, metric, builder->arena);
    if (place->why) {
        place->fit = SCHEDULE_REFUSED;
        return;
    }
    struct event_set set = set_of(request, metric->events);
    if (!event_set_count(&set))
        return;
    if (metric->apart || !event_set_fits(request, &set, NULL)) {
        bool split = !metric->apart && terms_fit(request, metric);
        place->fit = split ? SCHEDULE_SPLIT : SCHEDULE_ACROSS;
        place->why = metric->apart ? "its tables forbid to count its events together"
                     : split       ? "its events don't fit one group: its terms are counted apart"
                                   : "its events don't fit one group: they are counted at different times";
        for (size_t term = 0; split && term < metric->term_count; term++) {
            struct event_set part = set_of(request, metric->terms[term]);
            item_put(builder, &part);
        }
        if (!split)
            chain_put(builder, &set, metric->apart);
        return;
    }
    item_put(builder, &set);
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static unsigned set_pmu(const struct schedule_request *request, const struct event_set *set)
{
    uint32_t first = event_set_next(set, 0);
    return first == UINT32_MAX ? 0 : request->events[first].pmu;
}

/* Companions in their order, as long as there is room; topdown fields bring slots, or stay away. */
static void companions_add(const struct schedule_request *request, struct event_set *group)
{
    unsigned pmu = set_pmu(request, group);
    for (size_t at = 0; at < request->companions.count; at++) {
        uint32_t event = request->companions.events[at];
        struct event_set with = *group;
        if (request->events[event].pmu != pmu || request->events[event].kind == SCHEDULE_OUTSIDE)
            continue;
        struct event_set brought = set_of(request, (struct schedule_set){&event, 1});
        with = event_set_join(&with, &brought);
        if (event_counters(request, event) || request->events[event].kind == SCHEDULE_TOPDOWN)
            if (event_set_fits(request, &with, NULL))
                *group = with;
    }
}

static unsigned opening_rank(const struct schedule_event *event)
{
    return event->kind == SCHEDULE_SLOTS ? 0 : event->kind == SCHEDULE_TOPDOWN ? 1 + event->field : UINT_MAX;
}

/* By rank, and as the events stand in the request. */
static void group_order(const struct schedule_request *request, struct schedule_group *group)
{
    for (size_t at = 1; at < group->count; at++) {
        uint32_t event = group->events[at];
        size_t place = at;
        for (; place > 0 &&
               opening_rank(&request->events[group->events[place - 1]]) > opening_rank(&request->events[event]);
             place--)
            group->events[place] = group->events[place - 1];
        group->events[place] = event;
    }
}

static void group_make(struct builder *builder, const struct event_set *set, struct schedule_group *group)
{
    const struct schedule_request *request = builder->request;
    unsigned counters[SCHEDULE_EVENTS_MOST];
    *group = (struct schedule_group){
        .pmu = set_pmu(request, set),
        .events = arena_array(builder->arena, uint32_t, event_set_count(set) + 1),
        .counters = arena_array(builder->arena, unsigned, event_set_count(set) + 1),
    };
    bool fits = event_set_fits(request, set, counters);
    event_set_each(set, event)
        group->events[group->count++] = event;
    group_order(request, group);
    for (size_t at = 0; at < group->count; at++) {
        bool counted = fits && request->events[group->events[at]].kind != SCHEDULE_TOPDOWN;
        group->counters[at] = counted ? counters[group->events[at]] : UINT_MAX;
    }
}

/* ---- back to the metrics ----------------------------------------------------------------------------------- */

static uint32_t home_of(const struct builder *builder, const struct event_set *item)
{
    for (uint32_t group = 0; group < builder->packing.group_count; group++)
        if (event_set_within(item, &builder->packing.groups[group]))
            return group;
    return UINT32_MAX;
}

static void place_fill(struct builder *builder, size_t metric, struct schedule_place *place)
{
    size_t first = builder->first_item[metric], end = builder->first_item[metric + 1];
    place->groups = arena_array(builder->arena, uint32_t, end - first + 1);
    for (size_t item = first; item < end; item++) {
        uint32_t home = home_of(builder, &builder->items[item]);
        bool named = false;
        for (size_t at = 0; at < place->group_count && place->fit == SCHEDULE_ACROSS; at++)
            named |= place->groups[at] == home;
        if (!named)
            place->groups[place->group_count++] = home;
    }
}

/* Groups in the order of the first metric that needs them: what was asked first is counted first. */
static void groups_sort(struct builder *builder)
{
    struct event_set *sorted = arena_array(builder->arena, struct event_set, builder->packing.group_count + 1);
    bool *taken = arena_array(builder->arena, bool, builder->packing.group_count + 1);
    size_t count = 0;
    for (size_t item = 0; item < builder->item_count; item++) {
        uint32_t home = home_of(builder, &builder->items[item]);
        if (home == UINT32_MAX || taken[home])
            continue;
        taken[home] = true;
        sorted[count++] = builder->packing.groups[home];
    }
    builder->packing.groups = sorted;
    builder->packing.group_count = count;
}

/* Places without their groups, and the items. Whether some metric's events are counted at different times. */
static bool items_make(struct builder *builder, struct schedule_place *places)
{
    const struct schedule_request *request = builder->request;
    bool across = false;
    builder->item_count = 0;
    for (size_t metric = 0; metric < request->metric_count; metric++) {
        builder->first_item[metric] = builder->item_count;
        places[metric] = (struct schedule_place){0};
        metric_put(builder, &request->metrics[metric], &places[metric]);
        across |= places[metric].fit == SCHEDULE_ACROSS;
    }
    builder->first_item[request->metric_count] = builder->item_count;
    packing_find(&builder->packing, request, builder->items, builder->item_count, builder->arena);
    return across;
}

/* Large parts keep a metric's events in few groups; small ones fill what room others leave. The fewer groups win. */
static void items_choose(struct builder *builder, struct schedule_place *places)
{
    if (!items_make(builder, places))
        return;
    size_t with_large_parts = builder->packing.group_count;
    builder->one_by_one = true;
    items_make(builder, places);
    if (builder->packing.group_count < with_large_parts)
        return;
    builder->one_by_one = false;
    items_make(builder, places);
}

static void schedule_fill(struct schedule *schedule, struct builder *builder)
{
    items_choose(builder, schedule->places);
    groups_sort(builder);
    schedule->group_count = builder->packing.group_count;
    schedule->fewest = builder->packing.fewest;
    schedule->groups = arena_array(builder->arena, struct schedule_group, schedule->group_count + 1);
    for (size_t metric = 0; metric < builder->request->metric_count; metric++)
        place_fill(builder, metric, &schedule->places[metric]);
    for (size_t group = 0; group < schedule->group_count; group++) {
        companions_add(builder->request, &builder->packing.groups[group]);
        group_make(builder, &builder->packing.groups[group], &schedule->groups[group]);
    }
}

bool schedule_build(struct schedule *schedule, const struct schedule_request *request, struct arena *arena,
                    struct error *err)
{
    if (request->event_count > SCHEDULE_EVENTS_MOST)
        return error_set(err, ERROR_LIMIT, "%zu events are more than the %d that are scheduled at once",
                         request->event_count, SCHEDULE_EVENTS_MOST);
    struct builder builder = {.request = request, .arena = arena};
    builder.first_item = arena_array(arena, size_t, request->metric_count + 1);
    *schedule = (struct schedule){.places = arena_array(arena, struct schedule_place, request->metric_count + 1)};
    schedule_fill(schedule, &builder);
    free(builder.items);
    return true;
}
