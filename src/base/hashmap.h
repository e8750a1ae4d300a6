/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An open-addressing hash table from a 64-bit key or a byte string to a 32-bit id.
 *
 * Strings, stacks and symbols are interned once and named by id; the map holds ids only, the caller
 * holds the items. A lookup asks the caller whether an id's item equals the one sought.
 */
#ifndef PLUMB_BASE_HASHMAP_H
#define PLUMB_BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASHMAP_ABSENT UINT32_MAX

struct hashmap {
    struct hashmap_slot *slots;
    size_t capacity, count;
};

void hashmap_done(struct hashmap *map);

typedef bool hashmap_equal(const void *context, uint32_t id, const void *key);

/* The id stored under (hash, key), or HASHMAP_ABSENT. equal NULL: the hash is the key. */
uint32_t hashmap_find(const struct hashmap *map, uint64_t hash, hashmap_equal *equal, const void *context,
                      const void *key);
/* Have the memory fetched that a look-up of that hash, soon to follow, begins with. */
void hashmap_fetch(const struct hashmap *map, uint64_t hash);
/* Add an id whose key is known to be absent. */
void hashmap_add(struct hashmap *map, uint64_t hash, uint32_t id);
/* Store id under a hash that is itself the key, replacing what is there. */
void hashmap_put(struct hashmap *map, uint64_t hash, uint32_t id);

uint64_t hash_bytes(const void *bytes, size_t size_bytes);
/* Finaliser of MurmurHash3 (public domain): full avalanche in five operations. */
static inline uint64_t hash_u64(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
}
static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
    return hash_u64(a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2)));
}

/* Interned strings: equal text, equal id; id 0 is the empty string. Owner of the text: the table. */
struct strings {
    struct hashmap map;
    struct strings_store *store;
};

void strings_init(struct strings *strings);
void strings_done(struct strings *strings);
uint32_t strings_intern(struct strings *strings, const char *text);
uint32_t strings_intern_n(struct strings *strings, const char *text, size_t length);
/* The id of a text that is there, or HASHMAP_ABSENT. */
uint32_t strings_find_n(const struct strings *strings, const char *text, size_t length);
const char *strings_text(const struct strings *strings, uint32_t id);
size_t strings_count(const struct strings *strings);

#endif
