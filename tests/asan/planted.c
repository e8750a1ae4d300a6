/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planted errors: does a run under the sanitizers notice? tests/run.py --sanitized starts this first and fails unless
 * each of them left a log. Criterion itself passes the first and the last.
 */
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

Test(planted, signed_overflow)
{
    volatile int most = INT_MAX;
    most = most + 1;
}
