/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planted errors: does a run under the sanitizers notice? tests/run.py --sanitized starts this first and fails unless
 * each of them left a log. Criterion itself passes the first and the last.
 */
#include "base/arena.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>

static void *volatile block;

Test(planted, leak)
{
    block = malloc(10);
    block = NULL;
}

Test(planted, heap_overflow)
{
    char *volatile bytes = malloc(10);
    volatile int beyond = 10;
    volatile char read = bytes[beyond];
    (void)read;
    free(bytes);
}

/* The end of an allocation within an arena's block; not what follows it. */
Test(planted, arena_overflow)
{
    struct arena arena;
    arena_init(&arena);
    char *volatile bytes = arena_alloc(&arena, 24);
    arena_alloc(&arena, 24);
    volatile int beyond = 24;
    volatile char read = bytes[beyond];
    (void)read;
    arena_done(&arena);
}

Test(planted, signed_overflow)
{
    volatile int most = INT_MAX;
    most = most + 1;
}
