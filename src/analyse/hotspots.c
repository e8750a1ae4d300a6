/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/hotspots.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What makes a row, as ids. */
struct row_key {
    uint32_t place, comm, thread, cpu;
};

struct building {
    struct hotspots *hotspots;
    const struct sample_tally *tally;
    const struct recording *recording;
    struct places *places;
    const struct hotspots_options *options;
    uint32_t event;
    vec(struct row_key) keys; /* of each row */
    vec(uint32_t) stamps;     /* by row: the tally item that counted it last */
    struct hashmap map;
    vec(uint32_t) frames; /* places of the stack at hand, leaf first */
    vec(uint32_t) row_of_place;
};

static bool key_equal(const void *context, uint32_t id, const void *key)
{
    const struct building *building = context;
    return memcmp(&building->keys.items[id], key, sizeof(struct row_key)) == 0;
}

static bool places_matter(const struct hotspots_options *options)
{
    return options->keys & (hotspot_key(COLUMN_DSO) | hotspot_key(COLUMN_SYMBOL) | hotspot_key(COLUMN_LINE));
}

/* The place that stands for all places that the keys don't tell apart. */
static uint32_t key_place(struct building *building, uint32_t place)
{
    unsigned keys = building->options->keys;
    if (!places_matter(building->options))
        return PLACE_NONE;
    if (keys & hotspot_key(COLUMN_SYMBOL) && (keys & hotspot_key(COLUMN_DSO) || building->places->options.lines))
        return place;
    return building->row_of_place.items[place];
}

/* Fold places together by the keys' own names: dso alone, symbol name alone, line alone. */
static void places_fold(struct building *building)
{
    struct strings names;
    strings_init(&names);
    vec(uint32_t) first_by_name = {0};
    unsigned keys = building->options->keys;
    scoped_text struct text name = {0};
    for (size_t at = building->row_of_place.count; at < building->places->count; at++) {
        const struct place *place = &building->places->items[at];
        text_clear(&name);
        if (keys & hotspot_key(COLUMN_DSO))
            text_add(&name, place->dso);
        text_add_char(&name, '\n');
        if (keys & hotspot_key(COLUMN_SYMBOL) && place->symbol)
            text_add(&name, place->symbol);
        else if (keys & hotspot_key(COLUMN_SYMBOL))
            text_printf(&name, "%" PRIx64 " %s", place->addr, place->dso);
        text_add_char(&name, '\n');
        if (keys & hotspot_key(COLUMN_LINE) && place->line)
            text_add(&name, place->line);
        uint32_t id = strings_intern_n(&names, name.bytes, name.length);
        while (first_by_name.count <= id)
            *vec_push(&first_by_name) = PLACE_NONE;
        if (first_by_name.items[id] == PLACE_NONE)
            first_by_name.items[id] = (uint32_t)at;
        *vec_push(&building->row_of_place) = first_by_name.items[id];
    }
    vec_done(&first_by_name);
    strings_done(&names);
}

static struct hotspot row_begin(const struct building *building, const struct row_key *key, uint32_t thread_id)
{
    const struct recording *recording = building->recording;
    unsigned keys = building->options->keys;
    const struct thread *thread = &recording->threads.items[thread_id];
    struct hotspot row = {.place = key->place,
                          .comm = strings_text(&recording->strings, keys & hotspot_key(COLUMN_COMM) ? key->comm
                                                                                                    : thread->comm),
                          .pid = thread->pid,
                          .tid = thread->tid,
                          .cpu = key->cpu,
                          .thread = thread_id,
                          .level = '.'};
    if (key->place == PLACE_NONE)
        return row;
    const struct place *place = &building->places->items[key->place];
    row.dso = keys & hotspot_key(COLUMN_DSO) ? place->dso : NULL;
    row.symbol = place->symbol;
    row.line = place->line;
    row.addr = place->addr;
    row.level = place->level;
    row.is_inlined = place->is_inlined;
    return row;
}

static uint32_t row_of(struct building *building, const struct tally_item *item, uint32_t place)
{
    unsigned keys = building->options->keys;
    struct row_key key = {
        .place = key_place(building, place),
        .comm = keys & hotspot_key(COLUMN_COMM) ? item->comm : 0,
        .thread = keys & hotspot_key(COLUMN_TID) ? item->thread : 0,
        .cpu = keys & hotspot_key(COLUMN_CPU) ? item->cpu : 0,
    };
    if (keys & hotspot_key(COLUMN_PID) && !(keys & hotspot_key(COLUMN_TID)))
        key.thread = building->recording->threads.items[item->thread].pid;
    uint64_t hash = hash_combine(hash_u64((uint64_t)key.place << 32 | key.comm), (uint64_t)key.thread << 32 | key.cpu);
    uint32_t id = hashmap_find(&building->map, hash, key_equal, building, &key);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)building->hotspots->count;
    *vec_push(&building->keys) = key;
    *vec_push(&building->stamps) = UINT32_MAX;
    struct row_key named = key;
    named.comm = item->comm;
    *vec_push(building->hotspots) = row_begin(building, &named, item->thread);
    hashmap_add(&building->map, hash, id);
    return id;
}

/* The stack's places into frames, leaf first; the leaf alone without a stack. */
static void frames_of(struct building *building, const struct tally_item *item)
{
    building->frames.count = 0;
    if (item->stack == STACK_NONE)
        return;
    const struct samples *samples = &building->recording->samples;
    const struct stack *stack = &samples->stacks[item->stack];
    uint32_t most = building->options->stack_most;
    for (uint32_t at = 0; at < stack->count && (!most || at < most); at++) {
        const uint32_t *frames;
        size_t count = places_frames(building->places, samples->frames[stack->first + at], &frames);
        for (size_t inner = 0; inner < count; inner++)
            *vec_push(&building->frames) = frames[inner];
    }
}

static void count_item(struct building *building, uint32_t index)
{
    const struct tally_item *item = &building->tally->items[index];
    struct hotspots *hotspots = building->hotspots;
    uint32_t own = row_of(building, item, places_of(building->places, item->location));
    hotspots->items[own].samples += item->samples;
    hotspots->items[own].period += item->period;
    hotspots->items[own].children_samples += item->samples;
    hotspots->items[own].children_period += item->period;
    building->stamps.items[own] = index;
    if (building->options->children || building->options->trees) {
        frames_of(building, item);
        hotspots->has_stacks |= building->frames.count > 0;
        if (building->frames.count > hotspots->items[own].stack_depth_most)
            hotspots->items[own].stack_depth_most = building->frames.count;
    }
    size_t count = building->frames.count;
    bool down = building->options->callers_first;
    for (size_t step = 0; building->options->children && step < count; step++) {
        size_t at = down ? count - 1 - step : step;
        uint32_t row = row_of(building, item, building->frames.items[at]);
        size_t depth = down ? at + 1 : count - at;
        if (building->stamps.items[row] == index)
            continue; /* its own, or a recursion: a sample counts once */
        building->stamps.items[row] = index;
        hotspots->items[row].children_samples += item->samples;
        hotspots->items[row].children_period += item->period;
        if (depth > hotspots->items[row].stack_depth_most)
            hotspots->items[row].stack_depth_most = depth;
    }
}

/* ---- trees ---- */

static void tree_add(struct building *building, struct hotspot *row, size_t leaf_end, size_t root_end,
                     const struct tally_item *item, uint32_t *chain)
{
    size_t count = 0;
    if (building->options->callers_first)
        for (size_t at = root_end; at-- > leaf_end;)
            chain[count++] = building->frames.items[at];
    else
        for (size_t at = leaf_end; at < root_end; at++)
            chain[count++] = building->frames.items[at];
    call_tree_add(row->tree, chain, count, item->period, item->samples);
}

/*
 * A row's own samples bring their whole stack. Samples it is an ancestor of bring the part from the row on: down
 * to the leaf when callers come first, up to the root otherwise.
 */
static void trees_add_item(struct building *building, uint32_t index, uint32_t **chain, size_t *chain_capacity)
{
    const struct tally_item *item = &building->tally->items[index];
    struct hotspots *hotspots = building->hotspots;
    frames_of(building, item);
    size_t count = building->frames.count;
    if (!count)
        return;
    *chain = vec_reserve_bytes(*chain, chain_capacity, count, sizeof(**chain));
    uint32_t own = row_of(building, item, places_of(building->places, item->location));
    building->stamps.items[own] = index;
    if (hotspots->items[own].tree)
        tree_add(building, &hotspots->items[own], 0, count, item, *chain);
    bool down = building->options->callers_first;
    for (size_t step = 0; building->options->children && step < count; step++) {
        /* The outermost of recursive frames is the one that counts when read from the root. */
        size_t at = down ? count - 1 - step : step;
        uint32_t row = row_of(building, item, building->frames.items[at]);
        if (building->stamps.items[row] == index)
            continue;
        building->stamps.items[row] = index;
        if (hotspots->items[row].tree)
            tree_add(building, &hotspots->items[row], down ? 0 : at, down ? at + 1 : count, item, *chain);
    }
}

static uint64_t period_floor(double share, uint64_t total)
{
    double least = share * (double)total;
    return least <= 0 ? 0 : (uint64_t)least;
}

static void trees_build(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    const struct hotspots_options *options = building->options;
    uint64_t least = period_floor(options->tree_share_least, hotspots->total_period);
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        uint64_t period = options->children ? row->children_period : row->period;
        if (!options->tree_relative && period < least)
            continue; /* every branch would be left out */
        row->tree = memory_alloc(sizeof(*row->tree));
        call_tree_init(row->tree);
    }
    for (size_t at = 0; at < building->stamps.count; at++)
        building->stamps.items[at] = UINT32_MAX;
    uint32_t *chain = NULL;
    size_t chain_capacity = 0;
    for (uint32_t at = 0; at < building->tally->count; at++)
        if (building->tally->items[at].event == building->event)
            trees_add_item(building, at, &chain, &chain_capacity);
    free(chain);
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        uint64_t period = options->children ? row->children_period : row->period;
        if (!row->tree)
            continue;
        row->tree_least = options->tree_relative ? period_floor(options->tree_share_least, period) : least;
        call_tree_sort(row->tree, options->tree_relative ? 0 : row->tree_least,
                       options->tree_relative ? options->tree_share_least : 0);
    }
}

/* ---- names, shares, order ---- */

static bool name_listed(const char *list, const char *name)
{
    if (!list)
        return true;
    struct view rest = view_of(list);
    while (rest.length)
        if (view_equal(view_cut(&rest, ','), name ? name : ""))
            return true;
    return false;
}

static bool row_passes(const struct building *building, const struct hotspot *row)
{
    const struct hotspots_options *options = building->options;
    const struct place *place = row->place == PLACE_NONE ? NULL : &building->places->items[row->place];
    if (options->named_only && place && !place->symbol)
        return false;
    return name_listed(options->comms, row->comm) && (!place || name_listed(options->dsos, place->dso)) &&
           (!place || name_listed(options->symbols, place->symbol));
}

static void hotspot_release(struct hotspot *row)
{
    if (row->tree) {
        call_tree_done(row->tree);
        free(row->tree);
        row->tree = NULL;
    }
}

static void rows_filter(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    size_t kept = 0;
    uint64_t period = 0, samples = 0;
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        if (!row_passes(building, row)) {
            hotspot_release(row);
            continue;
        }
        period += row->period;
        samples += row->samples;
        hotspots->items[kept++] = *row;
    }
    hotspots->count = kept;
    if (building->options->relative) {
        hotspots->total_period = period;
        hotspots->total_samples = samples;
    }
}

static void rows_share(struct hotspots *hotspots)
{
    double total = (double)hotspots->total_period;
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        row->share = total > 0 ? (double)row->period / total : 0;
        row->children_share = total > 0 ? (double)row->children_period / total : 0;
        row->share_interval = wilson_interval(row->share * (double)hotspots->total_samples,
                                              (double)hotspots->total_samples, (double)hotspots->total_samples);
    }
}

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int u64_descending(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int symbol_order(const struct hotspot *a, const struct hotspot *b)
{
    if (a->symbol && b->symbol)
        return strcmp(a->symbol, b->symbol);
    if (a->symbol || b->symbol)
        return a->symbol ? -1 : 1; /* names stand before bare addresses */
    return -u64_descending(a->addr, b->addr);
}

/* Among equal shares the one whose tree is told from further away comes first: callers, or callees. */
static int children_order(const struct hotspot *a, const struct hotspot *b, const struct hotspots_options *options)
{
    int order = u64_descending(a->children_period, b->children_period);
    if (!order && options->trees && a->thread == b->thread)
        order = u64_descending(a->stack_depth_most, b->stack_depth_most) * (options->callers_first ? 1 : -1);
    return order;
}

static int column_order(enum hotspot_column column, const struct hotspot *a, const struct hotspot *b,
                        const struct hotspots_options *options)
{
    switch (column) {
    case COLUMN_CHILDREN:
        return children_order(a, b, options);
    case COLUMN_OVERHEAD:
    case COLUMN_PERIOD:
        return u64_descending(a->period, b->period);
    case COLUMN_SAMPLES:
        return u64_descending(a->samples, b->samples);
    case COLUMN_COMM:
        return text_order(a->comm, b->comm);
    case COLUMN_PID:
        return -u64_descending(a->pid, b->pid);
    case COLUMN_TID:
        return -u64_descending(a->tid, b->tid);
    case COLUMN_DSO:
        return text_order(a->dso, b->dso);
    case COLUMN_SYMBOL:
        return symbol_order(a, b);
    case COLUMN_LINE:
        return text_order(a->line, b->line);
    case COLUMN_CPU:
        return -u64_descending(a->cpu, b->cpu);
    case COLUMN_COUNT:
        break;
    }
    return 0;
}

static int row_order(const void *left, const void *right, void *context)
{
    const struct hotspot *a = left, *b = right;
    const struct hotspots_options *options = context;
    int order = 0;
    for (size_t at = 0; !order && at < options->order_count; at++)
        order = column_order(options->order[at], a, b, options);
    /* What the columns don't tell apart still has one order. */
    order = order ? order : u64_descending(a->period, b->period);
    order = order ? order : -u64_descending(a->addr, b->addr);
    return order ? order : -u64_descending(a->tid, b->tid);
}

static void rows_sort(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    if (hotspots->count)
        qsort_r(hotspots->items, hotspots->count, sizeof(*hotspots->items), row_order, (void *)building->options);
}

static void name_everything(struct building *building)
{
    for (size_t at = 0; at < building->tally->count; at++) {
        const struct tally_item *item = &building->tally->items[at];
        if (item->event != building->event)
            continue;
        places_of(building->places, item->location);
        if (building->options->children || building->options->trees)
            frames_of(building, item);
        building->hotspots->total_period += item->period;
        building->hotspots->total_samples += item->samples;
    }
    if (places_matter(building->options))
        places_fold(building);
}

static void building_done(struct building *building)
{
    vec_done(&building->keys);
    vec_done(&building->stamps);
    vec_done(&building->frames);
    vec_done(&building->row_of_place);
    hashmap_done(&building->map);
}

void hotspots_build(struct hotspots *hotspots, const struct sample_tally *tally, uint32_t event,
                    const struct recording *recording, struct places *places, const struct hotspots_options *options)
{
    *hotspots = (struct hotspots){.places = places};
    struct building building = {.hotspots = hotspots,
                                .tally = tally,
                                .recording = recording,
                                .places = places,
                                .options = options,
                                .event = event};
    name_everything(&building);
    for (uint32_t at = 0; at < tally->count; at++)
        if (tally->items[at].event == event)
            count_item(&building, at);
    if (options->trees)
        trees_build(&building);
    rows_filter(&building);
    rows_share(hotspots);
    rows_sort(&building);
    const char *name = event < recording->event_count ? recording->events[event].name : "the event";
    snprintf(hotspots->denominator, sizeof(hotspots->denominator), "all %" PRIu64 " %ssamples of %s",
             hotspots->total_samples, options->relative ? "shown " : "", name);
    building_done(&building);
}

void hotspots_done(struct hotspots *hotspots)
{
    for (size_t at = 0; at < hotspots->count; at++)
        hotspot_release(&hotspots->items[at]);
    vec_done(hotspots);
}
