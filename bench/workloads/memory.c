// SPDX-License-Identifier: GPL-3.0-or-later
/* Kernels that wait for memory: for its bandwidth, its latency or its page tables. And two that only look
 * like it. */
#include "kernels.h"

#include <string.h>

#define LINE_BYTES 64
#define PAGE_BYTES 4096

/* ---- stream: a[i] = b[i] + s * c[i] ---- */

static void stream_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    double *values = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes / sizeof *values; i++)
        values[i] = (double)(i & 1023);
}

KERNEL static uint64_t kernel_stream(struct kernel_run *run, uint64_t iterations)
{
    size_t count = run->size_bytes / (3 * sizeof(double));
    double *restrict a = run->memory[0].data;
    const double *restrict b = a + count, *restrict c = b + count;
    double scale = 3;
    size_t i = run->position;

    KEEP(i);
    while (iterations) {
        size_t end = iterations < count - i ? i + iterations : count;
        iterations -= end - i;
        for (; i < end; i++)
            a[i] = b[i] + scale * c[i];
        if (i == count)
            i = 0;
    }
    run->position = i;
    return (uint64_t)a[i];
}

/* ---- chase: one pointer a line, in an order no prefetcher follows ---- */

/*
 * Maps 0..count-1 onto itself without repetition (count a power of two): every step is invertible modulo
 * count. Linking position i to i + 1 of that order gives one cycle through all lines, and needs no second
 * array to build.
 */
static uint64_t shuffled(uint64_t i, uint64_t count)
{
    unsigned half = (unsigned)(64 - __builtin_clzll(count)) / 2;

    for (int round = 0; round < 3; round++) {
        i = (i * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) & (count - 1);
        i ^= i >> (half ? half : 1);
    }
    return i;
}

static void *chase_link(struct buffer *buffer, uint64_t count, size_t step_bytes)
{
    char *base = buffer->data;

    for (uint64_t i = 0; i < count; i++)
        memset(base + i * step_bytes, 0, sizeof(void *)); // touch in order: pages appear next to each other
    for (uint64_t i = 0; i < count; i++) {
        void *next = base + shuffled((i + 1) & (count - 1), count) * step_bytes;
        memcpy(base + shuffled(i, count) * step_bytes, &next, sizeof next);
    }
    return base;
}

void chase_init(struct kernel_run *run)
{
    uint64_t count = power_of_two_below(run->size_bytes / LINE_BYTES);

    buffer_init(&run->memory[0], count * LINE_BYTES, run->pages);
    run->state = (uintptr_t)chase_link(&run->memory[0], count, LINE_BYTES);
}

static inline __attribute__((always_inline)) uint64_t chase_steps(struct kernel_run *run, uint64_t iterations)
{
    void *const *at = (void *const *)run->state;

    for (uint64_t i = 0; i < iterations; i++)
        at = *at;
    return run->state = (uintptr_t)at;
}

KERNEL uint64_t kernel_chase(struct kernel_run *run, uint64_t iterations)
{
    return chase_steps(run, iterations);
}

KERNEL static uint64_t kernel_chase16k(struct kernel_run *run, uint64_t iterations)
{
    return chase_steps(run, iterations);
}

KERNEL static uint64_t kernel_chase512k(struct kernel_run *run, uint64_t iterations)
{
    return chase_steps(run, iterations);
}

/* ---- gather: independent loads from random places ---- */

static void gather_init(struct kernel_run *run)
{
    run->size_bytes = power_of_two_below(run->size_bytes);
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    memset(run->memory[0].data, 1, run->size_bytes);
    run->state = 1;
}

static inline __attribute__((always_inline)) uint64_t gather_steps(struct kernel_run *run,
                                                                   uint64_t iterations)
{
    const uint64_t *values = run->memory[0].data;
    int shift = 64 - __builtin_ctzll(run->size_bytes / sizeof *values);
    uint64_t x = run->state, sum = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sum += values[x >> shift];
    }
    run->state = x;
    return sum;
}

KERNEL static uint64_t kernel_gather(struct kernel_run *run, uint64_t iterations)
{
    return gather_steps(run, iterations);
}

KERNEL static uint64_t kernel_gather8m(struct kernel_run *run, uint64_t iterations)
{
    return gather_steps(run, iterations);
}

/* ---- tlb: one line of each page, so that there are as many translations as lines ---- */

static void tlb_init(struct kernel_run *run)
{
    uint64_t pages = power_of_two_below(run->size_bytes / PAGE_BYTES);

    run->size_bytes = pages * PAGE_BYTES;
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    for (uint64_t i = 0; i < pages; i++)
        ((char *)run->memory[0].data)[i * PAGE_BYTES] = 1;
}

KERNEL static uint64_t kernel_tlb(struct kernel_run *run, uint64_t iterations)
{
    const char *base = run->memory[0].data;
    uint64_t mask = run->size_bytes / PAGE_BYTES - 1, page = run->position, sum = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        page = (page + 0x9e3779b1u) &
               mask; // an odd step visits every page; the line moves too, to use all cache sets
        sum += *(const uint64_t *)(base + page * PAGE_BYTES + (page & 63) * LINE_BYTES);
    }
    run->position = page;
    return sum;
}

/* ---- sum_l1: looks like loads, is a chain of additions ---- */

static void sum_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    memset(run->memory[0].data, 1, run->size_bytes);
}

KERNEL static uint64_t kernel_sum_l1(struct kernel_run *run, uint64_t iterations)
{
    const uint64_t *values = run->memory[0].data;
    size_t count = run->size_bytes / sizeof *values, at = run->position;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        sum += values[at];
        KEEP(sum);
        at = at + 1 == count ? 0 : at + 1;
    }
    run->position = at;
    return sum;
}

/* ---- hist: each increment must wait for the store of the one before ---- */

static void hist_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    buffer_init(&run->memory[1], LINE_BYTES, run->pages);
    unsigned char *data = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes; i++)
        data[i] = (unsigned char)(i / 256 % 16); // long runs of one value
}

KERNEL static uint64_t kernel_hist(struct kernel_run *run, uint64_t iterations)
{
    const unsigned char *data = run->memory[0].data;
    volatile uint32_t *counters = run->memory[1].data; // volatile: the counter goes through memory each time
    size_t at = run->position;

    for (uint64_t i = 0; i < iterations; i++) {
        counters[data[at]]++;
        at = at + 1 == run->size_bytes ? 0 : at + 1;
    }
    run->position = at;
    return counters[0];
}

/* ---- list: nodes of a linked list with a little work on each ---- */

struct node {
    struct node *next;
    uint64_t value;
    char other_fields[48];
};

static void list_init(struct kernel_run *run)
{
    uint64_t count = power_of_two_below(run->size_bytes / sizeof(struct node));

    buffer_init(&run->memory[0], count * sizeof(struct node), run->pages);
    run->state = (uintptr_t)chase_link(&run->memory[0], count, sizeof(struct node));
    struct node *nodes = run->memory[0].data;
    for (uint64_t i = 0; i < count; i++)
        nodes[i].value = i;
}

KERNEL static uint64_t kernel_list(struct kernel_run *run, uint64_t iterations)
{
    const struct node *node = (const struct node *)run->state;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        sum += node->value ^ sum >> 3;
        node = node->next;
    }
    run->state = (uintptr_t)node;
    return sum;
}

/* ---- transpose: reads along rows, writes along columns ---- */

static size_t transpose_side(const struct kernel_run *run)
{
    size_t side = 1;
    while ((side + 1) * (side + 1) * sizeof(float) <= run->size_bytes)
        side++;
    return side;
}

static void transpose_init(struct kernel_run *run)
{
    for (int i = 0; i < 2; i++) {
        buffer_init(&run->memory[i], run->size_bytes, run->pages);
        memset(run->memory[i].data, 0, run->size_bytes);
    }
    run->state = transpose_side(run);
}

KERNEL static uint64_t kernel_transpose(struct kernel_run *run, uint64_t iterations)
{
    const float *src = run->memory[0].data;
    float *dst = run->memory[1].data;
    size_t side = run->state, row = run->position / side, column = run->position % side;

    for (uint64_t i = 0; i < iterations; i++) {
        dst[column * side + row] = src[row * side + column];
        if (++column == side) {
            column = 0;
            row = row + 1 == side ? 0 : row + 1;
        }
    }
    run->position = row * side + column;
    return (uint64_t)dst[row];
}

/* ---- bsearch: a mispredicted branch that waits for a missing line ---- */

static void bsearch_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    uint64_t *values = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes / sizeof *values; i++)
        values[i] = 2 * i;
    run->state = 1;
}

KERNEL static uint64_t kernel_bsearch(struct kernel_run *run, uint64_t iterations)
{
    const uint64_t *values = run->memory[0].data;
    size_t count = run->size_bytes / sizeof *values;
    uint64_t x = run->state, found = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = 2 * (uint64_t)((__uint128_t)x * count >> 64);
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (values[middle] < key) {
                low = middle + 1;
                KEEP(low);
            } else {
                high = middle;
                KEEP(high);
            }
        }
        found += low;
    }
    run->state = x;
    return found;
}

/* ---- memcpy: the hot code is libc's ---- */

static void memcpy_init(struct kernel_run *run)
{
    for (int i = 0; i < 2; i++) {
        buffer_init(&run->memory[i], run->size_bytes, run->pages);
        memset(run->memory[i].data, 1, run->size_bytes);
    }
}

KERNEL static uint64_t kernel_memcpy(struct kernel_run *run, uint64_t iterations)
{
    size_t block = run->size_bytes < 65536 ? run->size_bytes : 65536, at = run->position;

    for (uint64_t i = 0; i < iterations; i++) {
        memcpy((char *)run->memory[1].data + at, (const char *)run->memory[0].data + at, block);
        at = at + 2 * block <= run->size_bytes ? at + block : 0;
    }
    run->position = at;
    return ((const unsigned char *)run->memory[1].data)[at];
}

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

const struct kernel memory_kernels[] = {
    {"stream", "memory bandwidth", "a[i] = b[i] + s * c[i] over arrays far larger than any cache", 512 * MIB,
     .init = stream_init, .run = kernel_stream},
    {"chase", "memory latency", "each load's address is the previous load's result; random order", 512 * MIB,
     .init = chase_init, .run = kernel_chase},
    {"chase512k", "L2 latency", "the same chain over 512 KiB", 512 * KIB, .init = chase_init,
     .run = kernel_chase512k},
    {"chase16k", "L1 latency", "the same chain over 16 KiB: waits for loads that all hit", 16 * KIB,
     .init = chase_init, .run = kernel_chase16k},
    {"gather", "memory parallelism and TLB", "independent loads from random places", 512 * MIB,
     .init = gather_init, .run = kernel_gather},
    {"gather8m", "cache misses beyond L2", "the same over 8 MiB", 8 * MIB, .init = gather_init,
     .run = kernel_gather8m},
    {"tlb", "TLB", "one line of every 4 KiB page", 256 * MIB, .init = tlb_init, .run = kernel_tlb},
    {"list", "memory latency", "a linked list in random order, with some arithmetic per node", 256 * MIB,
     .init = list_init, .run = kernel_list},
    {"transpose", "memory: strided stores", "a matrix read by rows and written by columns", 128 * MIB,
     .init = transpose_init, .run = kernel_transpose},
    {"bsearch", "branch misprediction and memory latency", "binary search of random keys: both at once",
     256 * MIB, .init = bsearch_init, .run = kernel_bsearch},
    {"memcpy", "memory bandwidth", "copies blocks of 64 KiB; the hot code is in libc", 64 * MIB,
     .init = memcpy_init, .run = kernel_memcpy},
    {"sum_l1", "core: one addition a cycle", "sums 16 KiB over and over: loads that never miss", 16 * KIB,
     .init = sum_init, .run = kernel_sum_l1},
    {"hist", "core: store-to-load forwarding",
     "counts runs of equal bytes: each count waits for the last store", 16 * KIB, .init = hist_init,
     .run = kernel_hist},
};
const size_t memory_kernel_count = sizeof memory_kernels / sizeof *memory_kernels;
