/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/hotspots_ahead.h"

#include "analyse/profile/hotspots_internal.h"
#include "base/arena.h"

#include <string.h>

enum { ITEMS_AT_ONCE = 1 << 10 }; /* worth a thread */

/* Whether names ahead tell a dso's addresses, and all of a stack's. */
enum told {
    NOT_YET_ASKED,
    TOLD,
    UNTOLD
};

struct hotspots_ahead {
    const struct sample_tally *tally; /* the reader's */
    struct names_follower follower;
    size_t learnt;                /* items of the tally so far */
    vec(struct tally_item) items; /* the newest of these */
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

/* Paths have the order of their items: behind the first one that must wait all others do. */
static size_t items_told(struct hotspots_ahead *ahead, const struct names_ahead *names)
{
    size_t count = 0;
    for (; count < ahead->items.count; count++) {
        const struct tally_item *item = &ahead->items.items[count];
        if (item->event == ahead->building.event &&
            !(location_is_told(ahead, names, item->location) && stack_is_told(ahead, names, item->stack)))
            break;
    }
    return count;
}

static bool waits(void *context)
{
    const struct hotspots_ahead *ahead = context;
    return !ahead->is_stopped && ahead->tally->count - ahead->learnt >= ITEMS_AT_ONCE;
}

static void learn(void *context)
{
    struct hotspots_ahead *ahead = context;
    size_t count = ahead->is_stopped ? 0 : ahead->tally->count - ahead->learnt;
    ahead->items.count = 0;
    if (!count)
        return;
    vec_reserve(&ahead->items, count);
    memcpy(ahead->items.items, ahead->tally->items + ahead->learnt, count * sizeof(*ahead->items.items));
    ahead->items.count = count;
    ahead->learnt += count;
    if (!ahead->has_event)
        ahead->building.event = ahead->items.items[0].event;
    ahead->has_event = true;
}

static void work(void *context, const struct names_ahead *names, struct recording *known, struct symboliser *symboliser)
{
    struct hotspots_ahead *ahead = context;
    ahead->building.recording = ahead->places.recording = known;
    ahead->places.symboliser = symboliser;
    size_t count = items_told(ahead, names);
    paths_go_on(&ahead->building, ahead->items.items, count);
    ahead->is_stopped |= count < ahead->items.count;
}

struct hotspots_ahead *hotspots_ahead_begin(const struct sample_tally *tally, const struct hotspots_options *options,
                                            struct places_options places)
{
    if (!options->children || !options->callers_first || options->keys & hotspot_key(COLUMN_PID))
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

void hotspots_ahead_build(struct hotspots_ahead *ahead, struct hotspots *hotspots)
{
    hotspots_build_on(&ahead->building, hotspots, ahead->tally);
}

void hotspots_ahead_free(struct hotspots_ahead *ahead)
{
    if (!ahead)
        return;
    if (!ahead->is_taken)
        places_done(&ahead->places);
    building_done(&ahead->building);
    vec_done(&ahead->items);
    vec_done(&ahead->dsos);
    vec_done(&ahead->stacks);
    free(ahead);
}
