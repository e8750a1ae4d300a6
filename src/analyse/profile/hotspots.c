/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/hotspots_internal.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool key_equal(const void *context, uint32_t id, const void *key)
{
    const struct building *building = context;
    return memcmp(&building->keys.items[id], key, sizeof(struct row_key)) == 0;
}

static bool has_key(const struct building *building, enum hotspot_column column)
{
    return building->options->keys & hotspot_key(column);
}

/* Of branches the plain keys speak of the target, as those with "to" do. */
static void folds_begin(struct building *building)
{
    building->fold = (struct place_fold){
        .dso = has_key(building, COLUMN_DSO) || has_key(building, COLUMN_DSO_TO),
        .symbol = has_key(building, COLUMN_SYMBOL) || has_key(building, COLUMN_SYMBOL_TO),
        .line = has_key(building, COLUMN_LINE) || has_key(building, COLUMN_LINE_TO)};
    building->fold_from = (struct place_fold){.dso = has_key(building, COLUMN_DSO_FROM),
                                              .symbol = has_key(building, COLUMN_SYMBOL_FROM),
                                              .line = has_key(building, COLUMN_LINE_FROM)};
    struct place_fold *folds[] = {&building->fold, &building->fold_from};
    for (size_t at = 0; at < array_count(folds); at++) {
        folds[at]->matters = folds[at]->dso || folds[at]->symbol || folds[at]->line;
        /* Functions of one name in two binaries, or overloaded, are two: as perf has it. */
        folds[at]->whole = folds[at]->symbol && !building->places->options.addresses &&
                           (folds[at]->line || !building->places->options.lines);
    }
}

/* The place that stands for all places that the keys don't tell apart. */
static uint32_t place_folded(const struct place_fold *fold, uint32_t place)
{
    if (!fold->matters || place == PLACE_NONE)
        return PLACE_NONE;
    return fold->whole ? place : fold->like.items[place];
}

static void add_place_name(struct text *name, const struct place_fold *fold, const struct place *place)
{
    if (fold->dso || fold->symbol)
        text_add(name, fold->symbol ? place->dso_path : place->dso);
    text_add_char(name, '\n');
    if (fold->symbol)
        text_printf(name, "%" PRIx64 "%c%d%s\n", place->addr, place->level, place->symbol != NULL,
                    place->is_inlined ? place->symbol : "");
    if (fold->line && place->line)
        text_add(name, place->line);
}

/* Fold places together by the keys' own names: dso alone, line alone. */
static void places_fold(const struct building *building, struct place_fold *fold)
{
    if (!fold->matters || fold->whole)
        return;
    struct strings names;
    strings_init(&names);
    vec(uint32_t) first_by_name = {0};
    scoped_text struct text name = {0};
    fold->like.count = 0; /* names of earlier places are the same again */
    for (size_t at = 0; at < building->places->count; at++) {
        text_clear(&name);
        add_place_name(&name, fold, &building->places->items[at]);
        uint32_t id = strings_intern_n(&names, name.bytes, name.length);
        while (first_by_name.count <= id)
            *vec_push(&first_by_name) = PLACE_NONE;
        if (first_by_name.items[id] == PLACE_NONE)
            first_by_name.items[id] = (uint32_t)at;
        *vec_push(&fold->like) = first_by_name.items[id];
    }
    vec_done(&first_by_name);
    strings_done(&names);
}

/* Whom the row's number names: the process by its main thread, or the thread. */
static const struct thread *row_owner(const struct building *building, const struct thread *thread)
{
    const struct threads *threads = &building->recording->threads;
    uint32_t main_id = has_key(building, COLUMN_TID) ? THREAD_NONE : threads_find(threads, thread->pid);
    return main_id == THREAD_NONE ? thread : &threads->items[main_id];
}

static struct hotspot row_begin(const struct building *building, const struct row_key *key, uint32_t thread_id)
{
    const struct recording *recording = building->recording;
    const struct thread *thread = &recording->threads.items[thread_id];
    struct hotspot row = {.place = key->place,
                          .from = key->from,
                          .branch_cycles = (uint16_t)(key->branch >> 16),
                          .branch_outcome = (enum branch_outcome)(key->branch & UINT8_MAX),
                          .branch_marks = (uint8_t)(key->branch >> 8),
                          .traits = key->traits,
                          .comm = strings_text(&recording->strings, has_key(building, COLUMN_COMM) ? key->comm
                                                                                                  : thread->comm),
                          .owner = strings_text(&recording->strings, row_owner(building, thread)->comm),
                          .pid = thread->pid,
                          .tid = thread->tid,
                          .cpu = key->cpu,
                          .thread = thread_id,
                          .level = '.'};
    if (key->place == PLACE_NONE)
        return row;
    const struct place *place = &building->places->items[key->place];
    row.dso = has_key(building, COLUMN_DSO) ? place->dso : NULL;
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
    if (key->from != PLACE_NONE || key->branch)
        hash = hash_combine(hash, (uint64_t)key->from << 32 | key->branch);
    if (key->traits != TRAITS_NONE)
        hash = hash_combine(hash, key->traits);
    uint32_t id = hashmap_find(&building->map, hash, key_equal, building, key);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)building->hotspots->count;
    *vec_push(&building->keys) = *key;
    *vec_push(&building->stamps) = UINT32_MAX;
    struct hotspot row = row_begin(building, key, path->thread);
    row.others = (uint32_t)building->others.count;
    for (uint32_t at = 0; at < building->hotspots->other_count; at++)
        *vec_push(&building->others) = (struct hotspot_counts){0};
    *vec_push(building->hotspots) = row;
    hashmap_add(&building->map, hash, id);
    return id;
}

uint32_t row_of(struct building *building, const struct path *path, uint32_t place)
{
    struct row_memo *memo = &building->memos.items[place];
    struct row_key key = path->own;
    key.place = place;
    if (memo->known && memcmp(&memo->own, &key, sizeof(key)) == 0)
        return memo->row;
    *memo = (struct row_memo){.own = key, .known = true};
    key.place = place_folded(&building->fold, place);
    key.from = place_folded(&building->fold_from, key.from);
    memo->row = row_find(building, &key, path);
    return memo->row;
}

static void location_frames(struct building *building, uint32_t location)
{
    const uint32_t *frames;
    size_t count = places_frames(building->places, location, &frames);
    for (size_t at = 0; at < count; at++)
        if (!building->options->named_only || building->places->items[frames[at]].symbol)
            *vec_push(&building->frames) = frames[at];
}

/* As many of the stack's frames as are wanted, when that many stand before them. */
static void stack_frames(struct building *building, const struct stack *stack, uint32_t before)
{
    const uint32_t *locations = building->recording->samples.frames + stack->first;
    uint32_t most = building->options->stack_most;
    for (uint32_t at = 0; at < stack->count && (!most || before + at < most); at++)
        location_frames(building, locations[at]);
}

/* Frames were found leaf first. */
static void frames_turn(struct building *building)
{
    for (size_t at = 0; building->options->callers_first && at < building->frames.count / 2; at++) {
        uint32_t *frames = building->frames.items, *mirror = &frames[building->frames.count - 1 - at];
        uint32_t swapped = frames[at];
        frames[at] = *mirror;
        *mirror = swapped;
    }
}

/* The stack's places into frames, in the order in which trees are read; none without a stack. */
static void frames_of(struct building *building, const struct tally_item *item)
{
    building->frames.count = 0;
    if (item->stack == STACK_NONE)
        return;
    const struct stack *stack = &building->recording->samples.stacks[item->stack];
    if (stack->of_callers)
        location_frames(building, item->location);
    stack_frames(building, stack, stack->of_callers);
    frames_turn(building);
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
static struct row_key own_key(struct building *building, const struct tally_item *item, uint32_t place)
{
    struct row_key key = {
        .place = place,
        .comm = has_key(building, COLUMN_COMM) ? item->comm : 0,
        .thread = has_key(building, COLUMN_TID) || (has_key(building, COLUMN_COMM) && !item->comm) ? item->thread : 0,
        .cpu = has_key(building, COLUMN_CPU) ? item->cpu : 0,
        .from = PLACE_NONE,
        .traits = item->traits,
    };
    if (has_key(building, COLUMN_PID) && !has_key(building, COLUMN_TID))
        key.thread = building->recording->threads.items[item->thread].pid;
    if (item->branch == TALLY_NONE)
        return key;
    const struct tally_branch *branch = &building->tally->branches[item->branch];
    if (building->fold_from.matters)
        key.from = places_of(building->places, branch->from);
    if (has_key(building, COLUMN_BRANCH_CYCLES))
        key.branch = (uint32_t)branch->cycles << 16;
    if (has_key(building, COLUMN_MISPREDICTED))
        key.branch |= branch->outcome;
    uint32_t marks = (has_key(building, COLUMN_IN_TRANSACTION) ? BRANCH_IN_TRANSACTION : 0) |
                     (has_key(building, COLUMN_ABORT) ? BRANCH_ABORTS : 0);
    key.branch |= (branch->marks & marks) << 8;
    return key;
}

static bool has_callers(const struct building *building, const struct tally_item *item)
{
    return item->stack != STACK_NONE && building->recording->samples.stacks[item->stack].of_callers;
}

/* The end of a stack of callers: they are gone through once, however many places called from them were sampled. */
static struct way_end callers_end(struct building *building, uint32_t group, uint32_t stack)
{
    while (building->callers.count <= stack)
        *vec_push(&building->callers) = (struct way_end){.node = PATH_NODE_NONE};
    struct way_end *end = &building->callers.items[stack];
    if (end->node == PATH_NODE_NONE || end->group != group) {
        building->frames.count = 0;
        stack_frames(building, &building->recording->samples.stacks[stack], 1);
        frames_turn(building);
        *end = path_trie_add(building, group);
    }
    return *end;
}

static struct way_end item_end(struct building *building, const struct row_key *own, const struct tally_item *item)
{
    uint32_t group = path_trie_group(building, own);
    if (!has_callers(building, item))
        return path_trie_add(building, group);
    struct way_end end = callers_end(building, group, item->stack);
    building->frames.count = 0;
    location_frames(building, item->location);
    frames_turn(building);
    return path_trie_go_on(building, end);
}

/* The item's path in the trie, from its last node and its own place alone. */
static uint32_t path_in_trie(struct building *building, const struct row_key *own, const struct tally_item *item)
{
    uint32_t id = (uint32_t)building->paths.count, first_node = (uint32_t)building->links.count;
    struct way_end end = item_end(building, own, item);
    for (uint32_t met = building->ends.items[end.node]; met != PATH_NONE; met = building->paths.items[met].same_end)
        if (building->paths.items[met].own.place == own->place)
            return met;
    *vec_push(&building->paths) = (struct path){.own = *own,
                                                .thread = item->thread,
                                                .count = end.depth,
                                                .node = end.node,
                                                .first_node = first_node,
                                                .same_end = building->ends.items[end.node]};
    building->ends.items[end.node] = id;
    return id;
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

static uint32_t path_with_places(struct building *building, const struct row_key *own, uint32_t thread)
{
    struct path_key key = {own, building->frames.items, building->frames.count};
    uint64_t hash = hash_combine(hash_bytes(own, sizeof(*own)),
                                 key.count ? hash_bytes(key.places, key.count * sizeof(*key.places)) : 0);
    uint32_t id = hashmap_find(&building->path_map, hash, path_equal, building, &key);
    return id != HASHMAP_ABSENT ? id : path_add(building, &key, hash, thread);
}

static uint32_t path_of(struct building *building, const struct tally_item *item)
{
    building->frames.count = 0;
    if ((building->options->children || building->options->trees) &&
        !(building->is_trie && has_callers(building, item)))
        frames_of(building, item);
    struct row_key own = own_key(building, item, places_of(building->places, item->location));
    return building->is_trie ? path_in_trie(building, &own, item) : path_with_places(building, &own, item->thread);
}

/*
 * An item some places further on: where its callers were met before, what its own place will be looked for by is known.
 */
static void item_fetch(struct building *building, const struct tally_item *item)
{
    if (!building->is_trie || item->stack >= building->callers.count)
        return;
    const struct way_end *end = &building->callers.items[item->stack];
    uint32_t place = places_known(building->places, item->location);
    if (end->node != PATH_NODE_NONE && place != PLACE_NONE)
        path_trie_fetch(building, end, place);
}

/* Whether the sample (of a branch: either end) is left out as if it had never been recorded. */
static bool item_is_nameless(struct building *building, const struct tally_item *item)
{
    if (!building->options->named_only)
        return false;
    uint32_t place = places_of(building->places, item->location);
    bool is_named = place != PLACE_NONE && building->places->items[place].symbol;
    if (!is_named || item->branch == TALLY_NONE)
        return !is_named;
    place = places_of(building->places, building->tally->branches[item->branch].from);
    return place == PLACE_NONE || !building->places->items[place].symbol;
}

void paths_go_on(struct building *building, const struct tally_item *items, size_t count)
{
    enum { ITEMS_AHEAD = 8 };
    for (size_t at = 0; at < count; at++) {
        if (at + ITEMS_AHEAD < count)
            item_fetch(building, &items[at + ITEMS_AHEAD]);
        bool counts = items[at].event == building->event && !item_is_nameless(building, &items[at]);
        *vec_push(&building->item_paths) = counts ? path_of(building, &items[at]) : PATH_NONE;
    }
}

void paths_forget(struct building *building)
{
    building->item_paths.count = building->paths.count = building->path_places.count = 0;
    hashmap_done(&building->path_map);
    path_trie_begin(building);
}

static void path_count(struct building *building, struct path *path, const struct tally_item *item)
{
    struct hotspots *hotspots = building->hotspots;
    bool first = building->member == 0;
    path->samples += item->samples;
    path->period += item->period;
    *(first ? &hotspots->total_period : &hotspots->other_totals[building->member - 1].period) += item->period;
    *(first ? &hotspots->total_samples : &hotspots->other_totals[building->member - 1].samples) += item->samples;
    hotspots->has_stacks |= path->count > 0;
}

static void paths_build(struct building *building)
{
    const struct sample_tally *tally = building->tally;
    size_t found = building->item_paths.count;
    paths_go_on(building, tally->items + found, tally->count - found);
    for (size_t at = 0; at < tally->count; at++)
        if (building->item_paths.items[at] != PATH_NONE)
            path_count(building, &building->paths.items[building->item_paths.items[at]], &tally->items[at]);
    places_fold(building, &building->fold);
    places_fold(building, &building->fold_from);
    building->memos.count = 0;
    for (size_t at = 0; at < building->places->count; at++)
        *vec_push(&building->memos) = (struct row_memo){0};
}

/* ---- counting ---- */

void hotspot_row_deepen(struct building *building, uint32_t row_id, size_t depth)
{
    struct hotspot *row = &building->hotspots->items[row_id];
    if (depth > row->stack_depth_most)
        row->stack_depth_most = depth;
}

/* NULL when no path has places. */
const uint32_t *path_places_of(const struct building *building, const struct path *path)
{
    return building->path_places.count ? building->path_places.items + path->first : NULL;
}

void hotspot_row_count(struct building *building, uint32_t row_id, const struct path *path, bool own)
{
    struct hotspot *row = &building->hotspots->items[row_id];
    struct hotspot_counts *other =
        building->member ? &building->others.items[row->others + building->member - 1] : NULL;
    if (own) {
        *(other ? &other->samples : &row->samples) += path->samples;
        *(other ? &other->period : &row->period) += path->period;
        if (building->is_trie)
            return; /* its nodes count in all they pass */
    }
    *(other ? &other->children_samples : &row->children_samples) += path->samples;
    *(other ? &other->children_period : &row->children_period) += path->period;
}

static void count_path(struct building *building, uint32_t index)
{
    struct path *path = &building->paths.items[index];
    const uint32_t *places = path_places_of(building, path);
    uint32_t own = path->row = row_of(building, path, path->own.place);
    hotspot_row_count(building, own, path, true);
    building->stamps.items[own] = index;
    hotspot_row_deepen(building, own, path->count);
    for (size_t at = 0; building->options->children && at < path->count; at++) {
        uint32_t row = row_of(building, path, places[at]);
        if (building->stamps.items[row] == index)
            continue; /* its own, or a recursion: a sample counts once */
        building->stamps.items[row] = index;
        hotspot_row_count(building, row, path, false);
        hotspot_row_deepen(building, row, path->count - at);
    }
}

static void count_event(struct building *building, uint32_t member)
{
    building->member = member;
    paths_build(building);
    vec_for_each (&building->stamps, stamp)
        *stamp = UINT32_MAX;
    if (building->is_trie)
        path_trie_count(building);
    for (uint32_t at = 0; !building->is_trie && at < building->paths.count; at++)
        count_path(building, at);
}

void building_begin(struct building *building)
{
    building->is_trie = building->options->children && building->options->callers_first;
    folds_begin(building);
}

void building_done(struct building *building)
{
    vec_done(&building->keys);
    vec_done(&building->stamps);
    vec_done(&building->frames);
    vec_done(&building->fold.like);
    vec_done(&building->fold_from.like);
    vec_done(&building->memos);
    vec_done(&building->item_paths);
    vec_done(&building->paths);
    vec_done(&building->path_places);
    hashmap_done(&building->path_map);
    path_trie_done(building);
    hashmap_done(&building->map);
}

void hotspots_build_on(struct building *building, struct hotspots *hotspots, const struct sample_tally *tally)
{
    const struct hotspots_options *options = building->options;
    const struct recording *recording = building->recording;
    uint32_t event = building->event;
    *hotspots = (struct hotspots){.places = building->places,
                                  .traits = options->traits,
                                  .other_count = options->event_count ? options->event_count - 1 : 0};
    if (hotspots->other_count)
        hotspots->other_totals = memory_alloc(memory_product(hotspots->other_count, sizeof(struct hotspot_counts)));
    building->hotspots = hotspots;
    building->tally = tally;
    count_event(building, 0);
    if (options->trees && building->is_trie)
        path_trie_trees(building);
    else if (options->trees)
        hotspot_trees_build(building);
    for (uint32_t member = 1; member <= hotspots->other_count; member++) {
        paths_forget(building);
        building->event = event + member;
        count_event(building, member);
    }
    hotspots->others = building->others.items; /* ours from here on */
    hotspot_rows_finish(building);
    const char *name = event < recording->event_count ? recording->events[event].name : "the event";
    snprintf(hotspots->denominator, sizeof(hotspots->denominator), "all %" PRIu64 " %ssamples of %s",
             hotspots->total_samples, options->relative ? "shown " : "", name);
    building_done(building);
}

void hotspots_build(struct hotspots *hotspots, const struct sample_tally *tally, uint32_t event,
                    const struct recording *recording, struct places *places, const struct hotspots_options *options)
{
    struct building building = {.event = event, .recording = recording, .places = places, .options = options};
    building_begin(&building);
    hotspots_build_on(&building, hotspots, tally);
}

struct hotspot_counts hotspot_counts_of(const struct hotspots *hotspots, const struct hotspot *row, uint32_t member)
{
    if (member)
        return hotspots->others[row->others + member - 1];
    return (struct hotspot_counts){.samples = row->samples,
                                   .period = row->period,
                                   .children_samples = row->children_samples,
                                   .children_period = row->children_period,
                                   .share = row->share,
                                   .children_share = row->children_share};
}

void hotspots_done(struct hotspots *hotspots)
{
    for (size_t at = 0; at < hotspots->count; at++)
        hotspot_release(&hotspots->items[at]);
    free(hotspots->others);
    free(hotspots->other_totals);
    vec_done(hotspots);
}
