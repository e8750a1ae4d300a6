/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The address sanitizer sees the ends of a block only: it is told those of each allocation, with a gap behind it. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum {
    ARENA_GAP_BYTES = 16
};
#else
#define ASAN_POISON_MEMORY_REGION(addr, size_bytes)   ((void)(addr), (void)(size_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size_bytes) ((void)(addr), (void)(size_bytes))
enum {
    ARENA_GAP_BYTES = 0
};
#endif

enum {
    ARENA_ALIGNMENT = 16,
    ARENA_BLOCK_BYTES = 64 * 1024
};

struct arena_block {
    struct arena_block *older;
    size_t reserved; /* keeps bytes[] aligned */
    char bytes[];
};
_Static_assert(sizeof(struct arena_block) % ARENA_ALIGNMENT == 0, "block payload is aligned");

__attribute__((noreturn)) static void memory_exhausted(void)
{
    static const char message[] = "plumb: out of memory\n";
    if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
        _exit(1);
    _exit(1);
}

size_t memory_product(size_t count, size_t size_bytes)
{
    size_t product;
    if (__builtin_mul_overflow(count, size_bytes, &product))
        memory_exhausted();
    return product;
}

void *memory_alloc(size_t size_bytes)
{
    void *block = calloc(1, size_bytes ? size_bytes : 1);
    if (!block)
        memory_exhausted();
    return block;
}

void *memory_resize(void *block, size_t size_bytes)
{
    void *moved = realloc(block, size_bytes ? size_bytes : 1);
    if (!moved)
        memory_exhausted();
    return moved;
}

char *memory_string(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(memory_alloc(size), text, size);
}

char *memory_printf(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        memory_exhausted();
    return text;
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_done(struct arena *arena)
{
    while (arena->newest) {
        struct arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
    *arena = (struct arena){0};
}

static size_t aligned(size_t size_bytes)
{
    if (size_bytes > SIZE_MAX - ARENA_ALIGNMENT - sizeof(struct arena_block))
        memory_exhausted();
    return (size_bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
    size_t need = aligned(size_bytes ? size_bytes : 1) + ARENA_GAP_BYTES;
    if (arena->capacity_bytes - arena->used_bytes < need) {
        size_t capacity = need > ARENA_BLOCK_BYTES ? need : ARENA_BLOCK_BYTES;
        struct arena_block *block = memory_alloc(sizeof(*block) + capacity);
        block->older = arena->newest;
        arena->newest = block;
        arena->used_bytes = 0;
        arena->capacity_bytes = capacity;
        ASAN_POISON_MEMORY_REGION(block->bytes, capacity);
    }
    void *memory = arena->newest->bytes + arena->used_bytes;
    arena->used_bytes += need;
    ASAN_UNPOISON_MEMORY_REGION(memory, size_bytes ? size_bytes : 1);
    return memory;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size_bytes)
{
    void *copy = arena_alloc(arena, size_bytes);
    if (size_bytes)
        memcpy(copy, bytes, size_bytes);
    return copy;
}

char *arena_string_n(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_string(struct arena *arena, const char *text)
{
    return arena_string_n(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
