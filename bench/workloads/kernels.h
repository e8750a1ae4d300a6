// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which programs are slow for a reason that is known because they were built for it? Each kernel is one loop
 * with one truth. The driver calls run() over and over with a number of iterations; every call continues
 * where the last ended.
 *
 * Every thread has its own struct kernel_run; kernels whose threads must meet (lock, false_sharing) do so in
 * the memory of the first.
 */
#pragma once

#include "buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keeps a kernel a function of its own that a profiler can name: not inlined, cloned or folded. */
#if defined(__clang__)
#define KERNEL __attribute__((noinline, aligned(64)))
#else
#define KERNEL __attribute__((noipa, aligned(64)))
#endif

struct kernel_run {
    size_t size_bytes;
    enum page_policy pages;
    int thread;
    struct kernel_run *first; // the first thread's
    struct buffer memory[2];
    uint64_t position;
    uint64_t state;
};

struct kernel {
    const char *name;
    const char *limit; // what holds it back: the answer a profiler should find
    const char *why;
    size_t size_bytes; // of its data, unless --size says otherwise; 0: it has none
    int threads;       // 0: one
    bool (*supported)(void);
    void (*init)(struct kernel_run *run);
    uint64_t (*run)(struct kernel_run *run, uint64_t iterations);
};

extern const struct kernel memory_kernels[], core_kernels[], frontend_kernels[], system_kernels[];
extern const size_t memory_kernel_count, core_kernel_count, frontend_kernel_count, system_kernel_count;

/* The two that `phases` alternates between. */
void chase_init(struct kernel_run *run);
uint64_t kernel_chase(struct kernel_run *run, uint64_t iterations);
uint64_t kernel_dep(struct kernel_run *run, uint64_t iterations);

/* The largest power of two that is at most value (value above 0). */
static inline uint64_t power_of_two_below(uint64_t value)
{
    return (uint64_t)1 << (63 - __builtin_clzll(value));
}

/* Spreads consecutive numbers over 64 bits. */
static inline uint64_t scrambled(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* Makes the compiler believe that value was changed here: it can then neither drop the work nor merge two
 * paths. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))
