/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hashmap.h"

#include "base/arena.h"
#include "base/table_memory.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct hashmap_slot {
    uint64_t hash;
    uint32_t id;
    bool used;
};

uint64_t hash_bytes(const void *bytes, size_t size_bytes)
{
    const unsigned char *at = bytes;
    uint64_t hash = hash_u64(size_bytes);
    while (size_bytes >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        hash = hash_u64(hash ^ word) + 0x9e3779b97f4a7c15u;
        at += 8;
        size_bytes -= 8;
    }
    uint64_t tail = 0;
    if (size_bytes)
        memcpy(&tail, at, size_bytes);
    return hash_u64(hash ^ tail);
}

void hashmap_done(struct hashmap *map)
{
    free(map->slots);
    *map = (struct hashmap){0};
}

uint32_t hashmap_find(const struct hashmap *map, uint64_t hash, hashmap_equal *equal, const void *context,
                      const void *key)
{
    if (!map->capacity)
        return HASHMAP_ABSENT;
    for (size_t at = hash & (map->capacity - 1); map->slots[at].used; at = (at + 1) & (map->capacity - 1)) {
        const struct hashmap_slot *slot = &map->slots[at];
        if (slot->hash == hash && (!equal || equal(context, slot->id, key)))
            return slot->id;
    }
    return HASHMAP_ABSENT;
}

void hashmap_fetch(const struct hashmap *map, uint64_t hash)
{
    if (map->capacity)
        __builtin_prefetch(&map->slots[hash & (map->capacity - 1)]);
}

static void slot_place(struct hashmap_slot *slots, size_t capacity, uint64_t hash, uint32_t id)
{
    size_t at = hash & (capacity - 1);
    while (slots[at].used)
        at = (at + 1) & (capacity - 1);
    slots[at] = (struct hashmap_slot){.hash = hash, .id = id, .used = true};
}

static void hashmap_grow(struct hashmap *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 16;
    struct hashmap_slot *slots = table_memory_alloc(capacity, sizeof(*slots));
    for (size_t at = 0; at < map->capacity; at++)
        if (map->slots[at].used)
            slot_place(slots, capacity, map->slots[at].hash, map->slots[at].id);
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
}

void hashmap_add(struct hashmap *map, uint64_t hash, uint32_t id)
{
    if ((map->count + 1) * 4 > map->capacity * 3)
        hashmap_grow(map);
    slot_place(map->slots, map->capacity, hash, id);
    map->count++;
}

void hashmap_put(struct hashmap *map, uint64_t hash, uint32_t id)
{
    for (size_t at = hash & (map->capacity - 1); map->capacity && map->slots[at].used;
         at = (at + 1) & (map->capacity - 1)) {
        if (map->slots[at].hash == hash) {
            map->slots[at].id = id;
            return;
        }
    }
    hashmap_add(map, hash, id);
}

struct strings_store {
    struct arena arena;
    vec(const char *) texts;
    vec(uint32_t) lengths;
};

struct text_key {
    const char *text;
    size_t length;
};

static bool text_equal(const void *context, uint32_t id, const void *key)
{
    const struct strings_store *store = context;
    const struct text_key *sought = key;
    return store->lengths.items[id] == sought->length &&
           memcmp(store->texts.items[id], sought->text, sought->length) == 0;
}

void strings_init(struct strings *strings)
{
    *strings = (struct strings){.store = memory_alloc(sizeof(struct strings_store))};
    strings_intern(strings, "");
}

void strings_done(struct strings *strings)
{
    if (strings->store) {
        arena_done(&strings->store->arena);
        vec_done(&strings->store->texts);
        vec_done(&strings->store->lengths);
        free(strings->store);
    }
    hashmap_done(&strings->map);
    strings->store = NULL;
}

uint32_t strings_intern_n(struct strings *strings, const char *text, size_t length)
{
    struct strings_store *store = strings->store;
    struct text_key key = {text, length};
    uint64_t hash = hash_bytes(text, length);
    uint32_t id = hashmap_find(&strings->map, hash, text_equal, store, &key);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)store->texts.count;
    *vec_push(&store->texts) = arena_string_n(&store->arena, text, length);
    *vec_push(&store->lengths) = (uint32_t)length;
    hashmap_add(&strings->map, hash, id);
    return id;
}

uint32_t strings_find_n(const struct strings *strings, const char *text, size_t length)
{
    struct text_key key = {text, length};
    return hashmap_find(&strings->map, hash_bytes(text, length), text_equal, strings->store, &key);
}

uint32_t strings_intern(struct strings *strings, const char *text)
{
    return strings_intern_n(strings, text, strlen(text));
}

const char *strings_text(const struct strings *strings, uint32_t id)
{
    return strings->store->texts.items[id];
}

size_t strings_count(const struct strings *strings)
{
    return strings->store->texts.count;
}
