/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/event_set.h"

#include "metric/schedule/counter_match.h"

#include <limits.h>

enum { REGISTER_VALUES_MOST = 4 };

struct register_use {
    uint64_t values[REGISTER_VALUES_MOST];
    unsigned count;
};

struct load {
    const struct schedule_request *request;
    struct counter_wish wishes[COUNTER_MATCH_MOST];
    uint32_t events[COUNTER_MATCH_MOST];
    size_t count;
    struct register_use registers[SCHEDULE_REGISTER_COUNT];
    unsigned pmu;
    bool has_pmu, has_slots, has_topdown, has_alone;
};

uint32_t event_counters(const struct schedule_request *request, uint32_t event)
{
    const struct schedule_event *wanted = &request->events[event];
    const struct schedule_pmu *pmu = &request->pmus[wanted->pmu];
    return (wanted->counters & pmu->general) | (wanted->fixed & pmu->fixed) << COUNTER_MATCH_FIXED;
}

static bool register_take(struct load *load, const struct schedule_event *event)
{
    if (event->needs == SCHEDULE_NO_REGISTER)
        return true;
    struct register_use *use = &load->registers[event->needs];
    for (unsigned at = 0; at < use->count; at++)
        if (use->values[at] == event->register_value)
            return true;
    if (use->count == REGISTER_VALUES_MOST || use->count >= load->request->pmus[event->pmu].registers[event->needs])
        return false;
    use->values[use->count++] = event->register_value;
    return true;
}

static bool load_add_counter(struct load *load, uint32_t index)
{
    const struct schedule_event *event = &load->request->events[index];
    if (load->count == COUNTER_MATCH_MOST || !register_take(load, event))
        return false;
    if (event->alone && load->request->samples && load->has_alone)
        return false;
    load->has_alone |= event->alone;
    load->has_slots |= event->kind == SCHEDULE_SLOTS;
    load->events[load->count] = index;
    load->wishes[load->count++] = (struct counter_wish){event_counters(load->request, index), event->pair};
    return true;
}

static bool load_add(struct load *load, uint32_t index)
{
    const struct schedule_event *event = &load->request->events[index];
    if (event->kind == SCHEDULE_OUTSIDE)
        return true;
    if (load->has_pmu && load->pmu != event->pmu)
        return false;
    load->has_pmu = true;
    load->pmu = event->pmu;
    if (event->kind == SCHEDULE_TOPDOWN) {
        load->has_topdown = true;
        return event->field < load->request->pmus[event->pmu].topdown_fields;
    }
    return load_add_counter(load, index);
}

bool event_set_fits(const struct schedule_request *request, const struct event_set *set, unsigned *ret_counters)
{
    struct load load = {.request = request};
    unsigned counters[COUNTER_MATCH_MOST];
    event_set_each(set, event) {
        if (!load_add(&load, event))
            return false;
    }
    if ((load.has_topdown && !load.has_slots) ||
        !counter_match(load.wishes, load.count, ret_counters ? counters : NULL))
        return false;
    for (size_t at = 0; ret_counters && at < load.count; at++)
        ret_counters[load.events[at]] = counters[at];
    return true;
}

bool schedule_fits(const struct schedule_request *request, struct schedule_set events)
{
    struct event_set set = {{0}};
    for (size_t at = 0; at < events.count; at++)
        event_set_add(&set, events.events[at]);
    return event_set_fits(request, &set, NULL);
}
