/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/memory_kernel.h"

#include "base/arena.h"
#include "base/cache_line.h"
#include "base/clock.h"
#include "base/scope.h"
#include "system/kernel.h"
#include "system/memory/process_pages.h"
#include "system/memory/spare_memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum {
    HUGE_BYTES = 2 * 1024 * 1024,
    SMALL_BYTES = 4096,
    THREADS_MOST = 256
};

static bool mostly_huge(const struct memory_region *region, const struct sysroot *root)
{
    struct arena arena;
    struct process_pages pages;
    struct error unknown = {0};
    bool huge = false;
    arena_init(&arena);
    if (process_pages_read(root, kernel_live(), getpid(), &pages, &arena, &unknown)) {
        const struct page_area *area = process_pages_area(&pages, (uintptr_t)region->bytes);
        huge = area && area->huge_bytes >= region->size_bytes / 10 * 9;
    }
    arena_done(&arena);
    return huge;
}

void memory_region_init(struct memory_region *region, const struct sysroot *root, size_t size_bytes, bool huge)
{
    *region = (struct memory_region){.size_bytes = size_bytes, .mapping_bytes = size_bytes + HUGE_BYTES};
    if (spare_memory_bytes(root) / 4 < size_bytes) {
        region->why_not = "too little memory is free, or left below the limit of its control group";
        return;
    }
    region->mapping = mmap(NULL, region->mapping_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region->mapping == MAP_FAILED) {
        region->mapping = NULL;
        region->why_not = "there is not enough memory to map";
        return;
    }
    region->bytes = (char *)(((uintptr_t)region->mapping + HUGE_BYTES - 1) & ~(uintptr_t)(HUGE_BYTES - 1));
    madvise(region->bytes, size_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size_bytes; at += SMALL_BYTES)
        region->bytes[at] = 1;
    if (!huge)
        return;
    madvise(region->bytes, size_bytes, MADV_COLLAPSE); /* where faults fell back; since 6.1, may fail */
    if (!mostly_huge(region, root))
        region->why_not = "the kernel gives no huge pages (transparent_hugepage/enabled, or none are free)";
}

void memory_region_done(struct memory_region *region)
{
    if (region->mapping)
        munmap(region->mapping, region->mapping_bytes);
    *region = (struct memory_region){0};
}

/*
 * One cycle through all lines: x -> 5x + c modulo a power of two has the full period for odd c (Hull & Dobell 1962);
 * the multiplier and the shift of the low bits leave no stride for a prefetcher.
 */
void chase_lay(struct memory_region *region, size_t size_bytes)
{
    uint64_t lines = size_bytes / CACHE_LINE_BYTES;
    for (uint64_t line = 0; line < lines; line++) { /* written in order, though never read so */
        uint64_t next = (line * 1664525 + 1013904223) & (lines - 1);
        char *target = region->bytes + next * CACHE_LINE_BYTES;
        memcpy(region->bytes + line * CACHE_LINE_BYTES, &target, sizeof(target));
    }
}

struct measured chase_ns(const struct memory_region *region, double budget_ns)
{
    /*
     * Reading this clock is a call of the kernel, hundreds of loads from the nearest cache long: groups grow till it is
     * 1 %.
     */
    static const double group_ns = 60e3;
    if (region->why_not)
        return not_measured(region->why_not);
    const char *at = region->bytes;
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), end_ns = start_ns, steps = 0;
    for (int group = 1000; end_ns - start_ns < budget_ns;) {
        for (int step = 0; step < group; step++)
            at = *(char *const volatile *)at;
        steps += group;
        double now_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (now_ns - end_ns < group_ns) { /* too short to count */
            group *= 2;
            start_ns = now_ns;
            steps = 0;
        }
        end_ns = now_ns;
    }
    __asm__ volatile("" : : "r"(at));
    return measured_as((end_ns - start_ns) / steps);
}

typedef uint64_t lanes __attribute__((vector_size(32)));

/* Sum whole lines, so that nothing but the loads takes time. */
static void read_all(const char *bytes, size_t size_bytes)
{
    lanes a = {0}, b = {0};
    for (size_t at = 0; at + CACHE_LINE_BYTES <= size_bytes; at += CACHE_LINE_BYTES) {
        a += *(const lanes *)(const void *)(bytes + at);
        b += *(const lanes *)(const void *)(bytes + at + sizeof(lanes));
    }
    a += b;
    uint64_t sum = a[0] + a[1] + a[2] + a[3];
    __asm__ volatile("" : : "r"(sum));
}

struct measured read_bandwidth(const struct memory_region *region)
{
    if (region->why_not)
        return not_measured(region->why_not);
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    read_all(region->bytes, region->size_bytes);
    return measured_as((double)region->size_bytes / (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns));
}

struct measured write_bandwidth(const struct memory_region *region)
{
    if (region->why_not)
        return not_measured(region->why_not);
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    memset(region->bytes, 1, region->size_bytes);
    __asm__ volatile("" : : "r"(region->bytes) : "memory");
    return measured_as((double)region->size_bytes / (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns));
}

/*
 * Readers wait for one word from all that were started: go, or give up, so that nobody waits for a thread that could
 * not be had. Each takes its own time: on a busy machine the caller may get a CPU again only after they ended.
 */
enum start_word {
    START_WAIT,
    START_GO,
    START_GIVE_UP
};

struct reader {
    pthread_t thread;
    const char *bytes;
    size_t size_bytes;
    const atomic_int *start;
    double begin_ns, end_ns, cpu_ns;
};

static void *reader_run(void *argument)
{
    struct reader *reader = argument;
    int word;
    while ((word = atomic_load(reader->start)) == START_WAIT)
        sched_yield();
    if (word == START_GIVE_UP)
        return NULL;
    double used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    reader->begin_ns = clock_ns(CLOCK_MONOTONIC);
    read_all(reader->bytes, reader->size_bytes);
    reader->end_ns = clock_ns(CLOCK_MONOTONIC);
    reader->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns;
    return NULL;
}

static size_t usable_cpus(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > THREADS_MOST ? THREADS_MOST : (size_t)count;
}

/* From the first that began to the last that ended. */
static double span_ns(const struct reader *readers, size_t count)
{
    double begin_ns = readers[0].begin_ns, end_ns = readers[0].end_ns;
    for (size_t at = 1; at < count; at++) {
        begin_ns = readers[at].begin_ns < begin_ns ? readers[at].begin_ns : begin_ns;
        end_ns = readers[at].end_ns > end_ns ? readers[at].end_ns : end_ns;
    }
    return end_ns - begin_ns;
}

/* What all cores read together is known only from readers that all had theirs meanwhile. */
static bool ran_together(const struct reader *readers, size_t count, double elapsed_ns)
{
    static const double TOGETHER_LEAST = 0.85;
    double cpu_ns = 0;
    for (size_t at = 0; at < count; at++)
        cpu_ns += readers[at].cpu_ns;
    return cpu_ns >= TOGETHER_LEAST * (double)count * elapsed_ns;
}

struct measured read_bandwidth_all(const struct memory_region *region)
{
    if (region->why_not)
        return not_measured(region->why_not);
    size_t wanted = usable_cpus(), started = 0;
    if (wanted < 2)
        return not_measured("this process may use one CPU only");
    struct reader readers[THREADS_MOST];
    atomic_int start = START_WAIT;
    size_t part = region->size_bytes / wanted / SMALL_BYTES * SMALL_BYTES;
    for (; started < wanted; started++) {
        readers[started] =
            (struct reader){.bytes = region->bytes + started * part, .size_bytes = part, .start = &start};
        if (pthread_create(&readers[started].thread, NULL, reader_run, &readers[started]) != 0)
            break;
    }
    atomic_store(&start, started == wanted ? START_GO : START_GIVE_UP);
    for (size_t at = 0; at < started; at++)
        pthread_join(readers[at].thread, NULL);
    if (started < wanted)
        return not_measured("threads could not be started (a limit of processes: ulimit -u, pids.max)");
    double elapsed_ns = span_ns(readers, wanted);
    if (elapsed_ns <= 0)
        return not_measured("the clock did not advance");
    return ran_together(readers, wanted, elapsed_ns) ? measured_as((double)(part * wanted) / elapsed_ns)
                                                     : not_measured("others held CPUs whenever all were to read");
}
