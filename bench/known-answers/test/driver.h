/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How does a program of this set spend its CPU seconds, and what does it print? `drive` calls the program's step until
 * the asked seconds of CPU time are used, then prints the work done and the seconds it took. Memory comes from
 * `memory_take`, so that page size is decided by the program and not by the machine's settings.
 */
#ifndef KNOWN_ANSWERS_TEST_DRIVER_H
#define KNOWN_ANSWERS_TEST_DRIVER_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define APART __attribute__((noinline, NO_CLONE))
#ifdef __clang__
#define NO_CLONE noinline
#else
#define NO_CLONE noclone
#endif

#define UNUSED __attribute__((unused))

/* Keeps the compiler from knowing a value, at no cost. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

static inline double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The argument's number, or what is usual when it was not given. */
static inline uint64_t argument(int argc, char **argv, int index, uint64_t usual) {
    return index < argc ? strtoull(argv[index], NULL, 0) : usual;
}

/* Zeroed and resident; in pages of 2 MiB when large, else of 4 KiB for certain. */
static inline void *memory_take(size_t bytes, bool large) {
    size_t unit = (size_t)2 << 20;
    size_t length = (bytes + unit - 1) / unit * unit + unit;
    char *raw = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    char *at = (char *)(((uintptr_t)raw + unit - 1) / unit * unit);
    madvise(at, length - unit, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    madvise(at, (bytes + 4095) / 4096 * 4096, MADV_POPULATE_WRITE);
#endif
    return at;
}

/* step does a piece of work of 0.1 to 20 ms and returns how many units it was. */
static inline int drive(int argc, char **argv, uint64_t (*step)(void)) {
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    double start = cpu_seconds(), used;
    uint64_t work = 0;
    do {
        work += step();
        used = cpu_seconds() - start;
    } while (used < seconds);
    printf("work %" PRIu64 "\ncpu %.6f\n", work, used);
    return 0;
}

#endif
