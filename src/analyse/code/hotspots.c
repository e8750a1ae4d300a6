/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/hotspots.h"

#include "base/arena.h"
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

/* Samples whose stacks are the same to a reader: the same places in the same order. */
struct path {
    struct row_key own; /* with the place where the sample was taken */
    uint32_t thread;    /* the first one's */
    uint32_t first, count; /* into path_places: its frames, as trees are read */
    uint64_t samples, period;
};

/* The row that a place led to last: the next path most often leads there again. */
struct row_memo {
    uint32_t comm, thread, cpu, row;
    bool known;
};

struct building {
    struct hotspots *hotspots;
    const struct sample_tally *tally;
    const struct recording *recording;
    struct places *places;
    const struct hotspots_options *options;
    uint32_t event;
    vec(struct row_key) keys; /* of each row */
    vec(uint32_t) stamps;     /* by row: the path that counted it last */
    struct hashmap map;
    vec(uint32_t) frames; /* places of the stack at hand */
    vec(uint32_t) row_of_place;
    vec(struct row_memo) memos; /* by place */
    vec(struct path) paths;
    vec(uint32_t) path_places;
    struct hashmap path_map;
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

static uint32_t row_find(struct building *building, const struct row_key *key, const struct path *path)
{
    uint64_t hash =
        hash_combine(hash_u64((uint64_t)key->place << 32 | key->comm), (uint64_t)key->thread << 32 | key->cpu);
    uint32_t id = hashmap_find(&building->map, hash, key_equal, building, key);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)building->hotspots->count;
    *vec_push(&building->keys) = *key;
    *vec_push(&building->stamps) = UINT32_MAX;
    *vec_push(building->hotspots) = row_begin(building, key, path->thread);
    hashmap_add(&building->map, hash, id);
    return id;
}

static uint32_t row_of(struct building *building, const struct path *path, uint32_t place)
{
    struct row_memo *memo = &building->memos.items[place];
    if (memo->known && memo->comm == path->own.comm && memo->thread == path->own.thread && memo->cpu == path->own.cpu)
        return memo->row;
    struct row_key key = path->own;
    key.place = key_place(building, place);
    *memo = (struct row_memo){
        .comm = key.comm, .thread = key.thread, .cpu = key.cpu, .row = row_find(building, &key, path), .known = true};
    return memo->row;
}

/* The stack's places into frames, in the order in which trees are read; none without a stack. */
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
    for (size_t at = 0; building->options->callers_first && at < building->frames.count / 2; at++) {
        uint32_t *frames = building->frames.items, *mirror = &frames[building->frames.count - 1 - at];
        uint32_t swapped = frames[at];
        frames[at] = *mirror;
        *mirror = swapped;
    }
}

/* ---- paths ---- */

struct path_key {
    const struct row_key *own;
    const uint32_t *places;
    size_t count;
};

static bool path_equal(const void *context, uint32_t id, const void *key)
{
    const struct building *building = context;
    const struct path *path = &building->paths.items[id];
    const struct path_key *sought = key;
    return path->count == sought->count && memcmp(&path->own, sought->own, sizeof(path->own)) == 0 &&
           (!path->count || memcmp(building->path_places.items + path->first, sought->places,
                                   path->count * sizeof(uint32_t)) == 0);
}

/* What of the item tells rows apart. */
static struct row_key own_key(const struct building *building, const struct tally_item *item, uint32_t place)
{
    unsigned keys = building->options->keys;
    struct row_key key = {
        .place = place,
        .comm = keys & hotspot_key(COLUMN_COMM) ? item->comm : 0,
        .thread = keys & hotspot_key(COLUMN_TID) ? item->thread : 0,
        .cpu = keys & hotspot_key(COLUMN_CPU) ? item->cpu : 0,
    };
    if (keys & hotspot_key(COLUMN_PID) && !(keys & hotspot_key(COLUMN_TID)))
        key.thread = building->recording->threads.items[item->thread].pid;
    return key;
}

static uint32_t path_add(struct building *building, const struct path_key *key, uint64_t hash, uint32_t thread)
{
    uint32_t id = (uint32_t)building->paths.count;
    uint32_t first = (uint32_t)building->path_places.count;
    vec_reserve(&building->path_places, building->path_places.count + key->count);
    if (key->count)
        memcpy(building->path_places.items + first, key->places, key->count * sizeof(uint32_t));
    building->path_places.count += key->count;
    *vec_push(&building->paths) =
        (struct path){.own = *key->own, .thread = thread, .first = first, .count = (uint32_t)key->count};
    hashmap_add(&building->path_map, hash, id);
    return id;
}

static void path_count(struct building *building, const struct tally_item *item)
{
    building->frames.count = 0;
    if (building->options->children || building->options->trees)
        frames_of(building, item);
    struct row_key own = own_key(building, item, places_of(building->places, item->location));
    struct path_key key = {&own, building->frames.items, building->frames.count};
    uint64_t hash = hash_combine(hash_bytes(&own, sizeof(own)),
                                 key.count ? hash_bytes(key.places, key.count * sizeof(*key.places)) : 0);
    uint32_t id = hashmap_find(&building->path_map, hash, path_equal, building, &key);
    if (id == HASHMAP_ABSENT)
        id = path_add(building, &key, hash, item->thread);
    building->paths.items[id].samples += item->samples;
    building->paths.items[id].period += item->period;
    building->hotspots->total_period += item->period;
    building->hotspots->total_samples += item->samples;
    building->hotspots->has_stacks |= building->frames.count > 0;
}

static void paths_build(struct building *building)
{
    for (size_t at = 0; at < building->tally->count; at++)
        if (building->tally->items[at].event == building->event)
            path_count(building, &building->tally->items[at]);
    if (places_matter(building->options))
        places_fold(building);
    for (size_t at = 0; at < building->places->count; at++)
        *vec_push(&building->memos) = (struct row_memo){0};
}

/* ---- counting ---- */

static void deepen(struct hotspot *row, size_t depth)
{
    if (depth > row->stack_depth_most)
        row->stack_depth_most = depth;
}

/* NULL when no path has places. */
static const uint32_t *path_places_of(const struct building *building, const struct path *path)
{
    return building->path_places.count ? building->path_places.items + path->first : NULL;
}

static void count_path(struct building *building, uint32_t index)
{
    const struct path *path = &building->paths.items[index];
    const uint32_t *places = path_places_of(building, path);
    struct hotspots *hotspots = building->hotspots;
    uint32_t own = row_of(building, path, path->own.place);
    hotspots->items[own].samples += path->samples;
    hotspots->items[own].period += path->period;
    hotspots->items[own].children_samples += path->samples;
    hotspots->items[own].children_period += path->period;
    building->stamps.items[own] = index;
    deepen(&hotspots->items[own], path->count);
    for (size_t at = 0; building->options->children && at < path->count; at++) {
        uint32_t row = row_of(building, path, places[at]);
        if (building->stamps.items[row] == index)
            continue; /* its own, or a recursion: a sample counts once */
        building->stamps.items[row] = index;
        hotspots->items[row].children_samples += path->samples;
        hotspots->items[row].children_period += path->period;
        deepen(&hotspots->items[row], path->count - at);
    }
}

/* ---- trees ---- */

/* A chain for the tree of one row. */
struct row_chain {
    uint32_t row;
    uint32_t path, first; /* the path's places from there on */
};

typedef vec(struct row_chain) row_chains;

static void chain_add(struct building *building, row_chains *chains, uint32_t row, uint32_t path, size_t first)
{
    if (building->hotspots->items[row].tree)
        *vec_push(chains) = (struct row_chain){row, path, (uint32_t)first};
}

/*
 * A row's own samples bring their whole stack. Samples it is an ancestor of bring the part from the row on: down
 * to the leaf when callers come first, up to the root otherwise. Of recursive frames the first one counts.
 */
static void chains_add_path(struct building *building, row_chains *chains, uint32_t index)
{
    const struct path *path = &building->paths.items[index];
    const uint32_t *places = path_places_of(building, path);
    if (!path->count)
        return;
    uint32_t own = row_of(building, path, path->own.place);
    building->stamps.items[own] = index;
    chain_add(building, chains, own, index, 0);
    for (size_t at = 0; building->options->children && at < path->count; at++) {
        uint32_t row = row_of(building, path, places[at]);
        if (building->stamps.items[row] == index)
            continue;
        building->stamps.items[row] = index;
        chain_add(building, chains, row, index, at);
    }
}

static uint64_t period_floor(double share, uint64_t total)
{
    double least = share * (double)total;
    return least <= 0 ? 0 : (uint64_t)least;
}

static uint64_t row_weight(const struct building *building, const struct hotspot *row)
{
    return building->options->children ? row->children_period : row->period;
}

static void tree_build(struct building *building, struct hotspot *row, const struct row_chain *of_row, size_t count)
{
    const struct hotspots_options *options = building->options;
    struct call_chain *chains = memory_alloc(memory_product(count, sizeof(*chains)));
    for (size_t at = 0; at < count; at++) {
        const struct path *path = &building->paths.items[of_row[at].path];
        chains[at] = (struct call_chain){.places = building->path_places.items + path->first + of_row[at].first,
                                         .count = path->count - of_row[at].first,
                                         .weight = path->period,
                                         .samples = path->samples};
    }
    uint64_t whole = options->tree_relative ? row_weight(building, row) : building->hotspots->total_period;
    row->tree_least = period_floor(options->tree_share_least, whole);
    struct call_tree_limits limits = {.weight_least = options->tree_relative ? 0 : row->tree_least,
                                      .share_least = options->tree_relative ? options->tree_share_least : 0};
    call_tree_build(row->tree, chains, count, building->places->count, &limits);
    free(chains);
}

/* Put the chains of each row next to each other: starts[row] is where its own begin. */
static struct row_chain *chains_by_row(const row_chains *chains, size_t row_count, size_t *starts)
{
    struct row_chain *sorted = memory_alloc(memory_product(chains->count, sizeof(*sorted)));
    vec_for_each (chains, chain)
        starts[chain->row + 1]++;
    for (size_t row = 0; row < row_count; row++)
        starts[row + 1] += starts[row];
    vec_for_each (chains, chain)
        sorted[starts[chain->row]++] = *chain;
    /* each start has moved to its row's end */
    memmove(starts + 1, starts, row_count * sizeof(*starts));
    starts[0] = 0;
    return sorted;
}

static void trees_build(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    uint64_t least = period_floor(building->options->tree_share_least, hotspots->total_period);
    vec_for_each (hotspots, row)
        /* Below the limit every branch would be left out. */
        if (building->options->tree_relative || row_weight(building, row) >= least)
            row->tree = memory_alloc(sizeof(*row->tree));
    vec_for_each (&building->stamps, stamp)
        *stamp = UINT32_MAX;
    row_chains chains = {0};
    for (uint32_t at = 0; at < building->paths.count; at++)
        chains_add_path(building, &chains, at);
    size_t *starts = memory_alloc(memory_product(hotspots->count + 1, sizeof(*starts)));
    struct row_chain *sorted = chains_by_row(&chains, hotspots->count, starts);
    for (size_t at = 0; at < hotspots->count; at++)
        if (hotspots->items[at].tree)
            tree_build(building, &hotspots->items[at], sorted + starts[at], starts[at + 1] - starts[at]);
    free(sorted);
    free(starts);
    vec_done(&chains);
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

static void building_done(struct building *building)
{
    vec_done(&building->keys);
    vec_done(&building->stamps);
    vec_done(&building->frames);
    vec_done(&building->row_of_place);
    vec_done(&building->memos);
    vec_done(&building->paths);
    vec_done(&building->path_places);
    hashmap_done(&building->path_map);
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
    paths_build(&building);
    for (uint32_t at = 0; at < building.paths.count; at++)
        count_path(&building, at);
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
