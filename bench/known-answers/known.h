/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does every known-answer program share? Its command line, a loop that ends after so many CPU seconds, numbers
 * that are the same in each run, memory on pages of a stated size, and the two closing lines that the harness reads.
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct known known = known_begin(argc, argv);          // NAME SECONDS [arguments]
 *         size_t count = known_size(&known, 0, 1 << 20);          // first argument, "64M" style, else this
 *         uint64_t *data = known_memory(count * 8, KNOWN_SMALL_PAGES);
 *         ... set up, in less than a tenth of the seconds ...
 *         while (known_goes_on(&known))                           // counts from its first call
 *             known_add(&known, step(data, count));               // a step: 50 us to 5 ms, returns its units of work
 *         return known_end(&known);                               // "work N", "cpu S"
 *     }
 *
 * It needs libc only, and nothing of plumb. */
#ifndef KNOWN_H
#define KNOWN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Functions to be seen by a profiler keep a frame of their own; give them neutral names (run, step, part_1). */
#define KNOWN_STEP __attribute__((noinline))

/* The value is used, says this to the compiler, and memory may have been read. */
#define KNOWN_KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")
/* The value may be anything, says this to the compiler: no folding, no vectorizing across. */
#define KNOWN_HIDE(value) __asm__ volatile("" : "+r"(value))

/* Before a loop: one turn of the machine's loop is one of the source's, so that its rate is known. */
#ifdef __clang__
#define KNOWN_AS_WRITTEN _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define KNOWN_AS_WRITTEN _Pragma("GCC unroll 1")
#endif

struct known {
    double seconds;
    int count;
    char **arguments;
    bool running;
    double began;
    uint64_t work;
};

static inline double known_cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline struct known known_begin(int argc, char **argv)
{
    struct known known = { .seconds = argc > 1 ? strtod(argv[1], NULL) : 0, .count = argc - 2, .arguments = argv + 2 };

    if (known.seconds > 0)
        return known;
    fprintf(stderr, "usage: %s SECONDS [arguments]\n", argc ? argv[0] : "program");
    exit(2);
}

static inline const char *known_word(const struct known *known, int index, const char *otherwise)
{
    return index < known->count ? known->arguments[index] : otherwise;
}

/* 65536, 64K, 8M or 1G; what isn't given is `otherwise`. */
static inline uint64_t known_size(const struct known *known, int index, uint64_t otherwise)
{
    const char *word = known_word(known, index, NULL);
    char *end = NULL;
    uint64_t value;

    if (!word)
        return otherwise;
    value = strtoull(word, &end, 0);
    return value << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

/* True until the CPU seconds asked for are used up. A system call: call it once a step. */
static inline bool known_goes_on(struct known *known)
{
    double now = known_cpu_seconds();

    if (!known->running) {
        known->running = true;
        known->began = now;
    }
    return now - known->began < known->seconds;
}

static inline void known_add(struct known *known, uint64_t units)
{
    known->work += units;
}

static inline int known_end(const struct known *known)
{
    printf("work %llu\ncpu %.6f\n", (unsigned long long)known->work, known_cpu_seconds() - known->began);
    return 0;
}

/* splitmix64: any seed will do, and the sequence is the same on every machine. */
static inline uint64_t known_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A shuffled 0..count-1 that is one ring, without a shuffle's cost: element i leads to known_ring_next(i, mask).
 * mask + 1 = count, a power of two. Full period: the multiplier is 1 modulo 4, the addend odd; neighbours lead far
 * apart, and the distance changes with each step, so that no stride can be foreseen. */
static inline uint64_t known_ring_next(uint64_t index, uint64_t mask)
{
    return (index * 0x5851f42d4c957f2du + 0x14057b7ef767814fu) & mask;
}

enum known_pages { KNOWN_SMALL_PAGES, KNOWN_HUGE_PAGES };

/* Zeroed memory, faulted in, aligned to 2 MiB; on 4 KiB pages for certain, or on huge pages where the machine allows
 * (/sys/kernel/mm/transparent_hugepage/enabled isn't "never"). Never freed. */
static inline void *known_memory(size_t bytes, enum known_pages pages)
{
    const size_t huge = (size_t)2 << 20;
    size_t length = (bytes + huge - 1) & ~(huge - 1);
    char *area = mmap(NULL, length + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *start;

    if (area == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    start = (char *)(((uintptr_t)area + huge - 1) & ~(uintptr_t)(huge - 1));
    madvise(start, length, pages == KNOWN_HUGE_PAGES ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (madvise(start, length, 23 /* MADV_POPULATE_WRITE, Linux 5.14 */))
        memset(start, 0, length);
    return start;
}

/* "huge" as an argument asks for huge pages; anything else, or nothing, for small ones. */
static inline enum known_pages known_pages(const struct known *known, int index)
{
    return strcmp(known_word(known, index, "small"), "huge") == 0 ? KNOWN_HUGE_PAGES : KNOWN_SMALL_PAGES;
}

#endif
