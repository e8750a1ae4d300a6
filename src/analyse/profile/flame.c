/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/flame.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

void flame_init(struct flame *flame, const struct flame_options *options)
{
    *flame = (struct flame){.options = *options};
    strings_init(&flame->names);
}

void flame_done(struct flame *flame)
{
    strings_done(&flame->names);
    hashmap_done(&flame->frame_map);
    call_tree_done(&flame->tree);
    free(flame->frames);
    free(flame->places);
    free(flame->chains);
}

void flame_push(struct flame *flame, const char *name, size_t length, enum flame_kind kind)
{
    uint64_t key = (uint64_t)strings_intern_n(&flame->names, name, length) << 8 | kind;
    uint32_t id = hashmap_find(&flame->frame_map, hash_u64(key), NULL, NULL, NULL); /* hash_u64 is one to one */
    if (id == HASHMAP_ABSENT) {
        id = (uint32_t)flame->frame_count++;
        flame->frames =
            vec_reserve_bytes(flame->frames, &flame->frame_capacity, flame->frame_count, sizeof(*flame->frames));
        flame->frames[id] = (struct flame_frame){strings_text(&flame->names, (uint32_t)(key >> 8)), kind};
        hashmap_add(&flame->frame_map, hash_u64(key), id);
    }
    flame->places =
        vec_reserve_bytes(flame->places, &flame->place_capacity, flame->place_count + 1, sizeof(*flame->places));
    flame->places[flame->place_count++] = id;
}

static void turn(uint32_t *places, size_t count)
{
    for (size_t at = 0; at < count / 2; at++) {
        uint32_t other = places[count - 1 - at];
        places[count - 1 - at] = places[at];
        places[at] = other;
    }
}

void flame_stack(struct flame *flame, uint64_t weight)
{
    size_t count = flame->place_count - flame->stack_begin;
    if (!count)
        return;
    uint32_t *places = flame->places + flame->stack_begin;
    flame->self_of_kind[flame->frames[places[count - 1]].kind] += weight;
    if (flame->options.leaf_first)
        turn(places, count);
    if (count > FLAME_DEPTH_MOST) {
        flame->cut_stacks++;
        count = FLAME_DEPTH_MOST;
        flame->place_count = flame->stack_begin + count;
    }
    flame->chains =
        vec_reserve_bytes(flame->chains, &flame->chain_capacity, flame->chain_count + 1, sizeof(*flame->chains));
    flame->chains[flame->chain_count++] = (struct call_chain){.count = (uint32_t)count, .weight = weight};
    flame->stack_begin = flame->place_count;
    flame->total += weight;
}

static bool is_library(const char *dso)
{
    const char *at = strstr(dso, ".so");
    return at && (!at[3] || at[3] == '.' || at[3] == '-');
}

enum flame_kind flame_kind_of(const struct places *places, const struct place *place)
{
    static const enum flame_kind kinds[] = {
        [DSO_FILE] = FLAME_PROGRAM, [DSO_KERNEL] = FLAME_KERNEL,    [DSO_MODULE] = FLAME_KERNEL,
        [DSO_VDSO] = FLAME_LIBRARY, [DSO_VSYSCALL] = FLAME_LIBRARY, [DSO_ANONYMOUS] = FLAME_JIT,
        [DSO_BPF] = FLAME_KERNEL,   [DSO_UNKNOWN] = FLAME_UNKNOWN};
    if (place->level == 'k' || place->level == 'g')
        return FLAME_KERNEL;
    if (place->dso_id == DSO_NONE || !places->recording)
        return FLAME_UNKNOWN;
    enum flame_kind kind = kinds[places->recording->spaces.dsos[place->dso_id].kind];
    return kind == FLAME_PROGRAM && is_library(place->dso) ? FLAME_LIBRARY : kind;
}

void flame_add_profile(struct flame *flame, const struct stack_profile *profile, uint32_t event, bool by_period)
{
    struct text name = {0};
    for (size_t at = 0; at < profile->count; at++) {
        const struct profile_stack *stack = &profile->items[at];
        if (stack->event != event)
            continue;
        flame_push(flame, stack->comm, strlen(stack->comm), FLAME_THREAD);
        for (uint32_t frame = stack->count; frame-- > 0;) {
            const struct place *place = &profile->places->items[profile->frames[stack->first + frame]];
            text_clear(&name);
            place_add_name(&name, place);
            flame_push(flame, text_string(&name), name.length, flame_kind_of(profile->places, place));
        }
        flame_stack(flame, by_period ? stack->period : stack->samples);
    }
    text_done(&name);
}

void flame_finish(struct flame *flame)
{
    size_t first = 0;
    for (size_t at = 0; at < flame->chain_count; at++) {
        flame->chains[at].places = flame->places + first;
        first += flame->chains[at].count;
    }
    double least = ceil(flame->options.share_least * (double)flame->total);
    struct call_tree_limits limits = {.weight_least = least > 1 ? (uint64_t)least : 1};
    call_tree_build(&flame->tree, flame->chains, flame->chain_count, flame->frame_count, &limits);
    vec(uint32_t) depths = {0}; /* a node stands behind its parent */
    flame->folded = flame->total;
    for (size_t at = 0; at < flame->tree.count; at++) {
        const struct call_node *node = &flame->tree.items[at];
        uint32_t depth = at == CALL_TREE_ROOT ? 0 : depths.items[node->parent] + 1;
        *vec_push(&depths) = depth;
        flame->depth = depth > flame->depth ? depth : flame->depth;
        flame->folded -= node->self;
    }
    vec_done(&depths);
}
