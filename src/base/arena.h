/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory with one lifetime: allocate piecemeal, release at once.
 *
 * Allocation never returns NULL: running out of memory ends the program with a message (see
 * memory_exhausted). Any size that came from a file must be checked against that file's size first.
 * Does not support: freeing or growing a single block, threads.
 */
#ifndef PLUMB_BASE_ARENA_H
#define PLUMB_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *newest;
    size_t used_bytes;     /* of the newest block */
    size_t capacity_bytes; /* of the newest block */
};

void arena_init(struct arena *arena);
void arena_done(struct arena *arena);

/* Zeroed memory, aligned for any type. Owner: the arena. */
void *arena_alloc(struct arena *arena, size_t size_bytes);
void *arena_copy(struct arena *arena, const void *bytes, size_t size_bytes);
char *arena_string(struct arena *arena, const char *text);
char *arena_string_n(struct arena *arena, const char *text, size_t length);
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *arena, const char *format, ...);

#define arena_new(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc((arena), memory_product((count), sizeof(type))))

/* malloc/realloc that end the program instead of returning NULL. Owner: the caller (free). */
void *memory_alloc(size_t size_bytes);
void *memory_resize(void *block, size_t size_bytes);
char *memory_string(const char *text);
__attribute__((format(printf, 1, 2))) char *memory_printf(const char *format, ...);

/* count * size, ending the program on overflow. */
size_t memory_product(size_t count, size_t size_bytes);

#endif
