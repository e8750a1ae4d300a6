/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/hotspots_ahead.h"

#include "analyse/profile/hotspots_internal.h"
#include "base/arena.h"

#include <string.h>

/* Whether names ahead tell a dso's addresses, and all of a stack's. */
enum told {
    NOT_YET_ASKED,
    TOLD,
    UNTOLD
};

struct hotspots_ahead {
    struct tally_ahead *tally;
    struct names_follower follower;
    size_t gone_through;          /* items of the tally so far */
    struct building building;
    struct places places;         /* until they are taken */
    vec(uint8_t) dsos, stacks;    /* enum told */
    bool has_event, is_stopped, is_taken;
};

static bool dso_is_told(struct hotspots_ahead *ahead, const struct names_ahead *names, uint32_t dso)
{
    while (ahead->dsos.count <= dso)
        *vec_push(&ahead->dsos) = NOT_YET_ASKED;
    if (ahead->dsos.items[dso] == NOT_YET_ASKED)
        ahead->dsos.items[dso] = names_ahead_tells(names, dso) ? TOLD : UNTOLD;
    return ahead->dsos.items[dso] == TOLD;
}

static bool location_is_told(struct hotspots_ahead *ahead, const struct names_ahead *names, uint32_t location)
{
    return location == LOCATION_NONE ||
           dso_is_told(ahead, names, ahead->building.recording->samples.locations[location].dso);
}

static bool stack_is_told(struct hotspots_ahead *ahead, const struct names_ahead *names, uint32_t id)
{
    const struct samples *samples = &ahead->building.recording->samples;
    if (id == STACK_NONE)
        return true;
    while (ahead->stacks.count <= id)
        *vec_push(&ahead->stacks) = NOT_YET_ASKED;
    if (ahead->stacks.items[id] != NOT_YET_ASKED)
        return ahead->stacks.items[id] == TOLD;
    const struct stack *stack = &samples->stacks[id];
    bool is_told = true;
    for (uint32_t at = 0; is_told && at < stack->count; at++)
        is_told = location_is_told(ahead, names, samples->frames[stack->first + at]);
    ahead->stacks.items[id] = is_told ? TOLD : UNTOLD;
    return is_told;
}

/* Samples that the reader added up itself may be newer than what is known of the recording. */
static bool item_is_known(const struct hotspots_ahead *ahead, const struct tally_item *item)
{
    const struct samples *samples = &ahead->building.recording->samples;
    return (item->location == LOCATION_NONE || item->location < samples->location_count) &&
           (item->stack == STACK_NONE || item->stack < samples->stack_count);
}

static bool item_is_told(struct hotspots_ahead *ahead, const struct names_ahead *names, const struct tally_item *item)
{
    return item->event != ahead->building.event ||
           (location_is_told(ahead, names, item->location) && stack_is_told(ahead, names, item->stack));
}

/* Paths have the order of their items: behind the first one that must wait all others do. */
static size_t items_told(struct hotspots_ahead *ahead, const struct names_ahead *names, const struct tally_item *items,
                         size_t most)
{
    size_t count = 0;
    for (; count < most && item_is_known(ahead, &items[count]); count++) {
        ahead->is_stopped = !item_is_told(ahead, names, &items[count]);
        if (ahead->is_stopped)
            break;
    }
    return count;
}

static bool waits(void *context)
{
    const struct hotspots_ahead *ahead = context;
    return tally_ahead_waits(ahead->tally);
}

static void learn(void *context)
{
    const struct hotspots_ahead *ahead = context;
    tally_ahead_hand_over(ahead->tally);
}

static void paths_find(struct hotspots_ahead *ahead, const struct names_ahead *names, const struct sample_tally *tally)
{
    const struct tally_item *items = tally->items + ahead->gone_through;
    size_t count = tally->count - ahead->gone_through;
    if (ahead->is_stopped || !count)
        return;
    if (!ahead->has_event)
        ahead->building.event = items[0].event;
    ahead->has_event = true;
    count = items_told(ahead, names, items, count);
    paths_go_on(&ahead->building, items, count);
    ahead->gone_through += count;
}

static void work(void *context, const struct names_ahead *names, struct recording *known, struct symboliser *symboliser)
{
    struct hotspots_ahead *ahead = context;
    ahead->building.recording = ahead->places.recording = known;
    ahead->places.symboliser = symboliser;
    paths_find(ahead, names, tally_ahead_enter(ahead->tally));
    tally_ahead_leave(ahead->tally);
}

struct hotspots_ahead *hotspots_ahead_begin(struct tally_ahead *tally, const struct hotspots_options *options,
                                            struct places_options places)
{
    bool is_flat = !options->children && !options->trees;
    if (!(is_flat || (options->children && options->callers_first)) || options->keys & hotspot_key(COLUMN_PID))
        return NULL;
    struct hotspots_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct hotspots_ahead){
        .tally = tally, .follower = {ahead, waits, learn, work}, .building = {.options = options}};
    ahead->building.places = &ahead->places;
    places_init(&ahead->places, NULL, NULL, places);
    building_begin(&ahead->building);
    return ahead;
}

const struct names_follower *hotspots_ahead_follower(const struct hotspots_ahead *ahead)
{
    return ahead ? &ahead->follower : NULL;
}

bool hotspots_ahead_take(struct hotspots_ahead *ahead, uint32_t event, struct recording *recording,
                         struct symboliser *symboliser, struct places *ret_places)
{
    if (!ahead || !ahead->has_event || ahead->building.event != event || !symboliser ||
        ahead->places.symboliser != symboliser)
        return false;
    *ret_places = ahead->places;
    ret_places->recording = recording;
    ahead->building.recording = recording;
    ahead->building.places = ret_places;
    ahead->is_taken = true;
    for (size_t location = 0; location < ret_places->span_count; location++)
        if (ret_places->spans[location].count)
            symboliser_symbol_id(symboliser, (uint32_t)location); /* it was asked for: what has no name is to be said */
    return true;
}

void hotspots_ahead_build(struct hotspots_ahead *ahead, struct hotspots *hotspots, const struct sample_tally *tally)
{
    hotspots_build_on(&ahead->building, hotspots, tally);
}

void hotspots_ahead_free(struct hotspots_ahead *ahead)
{
    if (!ahead)
        return;
    if (!ahead->is_taken)
        places_done(&ahead->places);
    building_done(&ahead->building);
    vec_done(&ahead->dsos);
    vec_done(&ahead->stacks);
    free(ahead);
}
