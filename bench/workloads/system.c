// SPDX-License-Identifier: GPL-3.0-or-later
/* Kernels whose time goes to the kernel, to other threads, or to waiting: what looking at instructions can't
 * show. */
#include "kernels.h"

#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 64
#define PAGE_BYTES 4096

/* ---- wait: sleeps, by the clock and in a futex that nobody wakes ---- */

static void wait_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], LINE_BYTES, run->pages);
}

KERNEL static uint64_t kernel_wait(struct kernel_run *run, uint64_t iterations)
{
    uint32_t *word = run->memory[0].data;
    const struct timespec pause = {.tv_nsec = 200000};

    for (uint64_t i = 0; i < iterations; i++) {
        if (i & 1)
            syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
        else
            nanosleep(&pause, NULL);
    }
    return *word;
}

/* ---- lock: threads that want the same mutex ---- */

struct meeting {
    pthread_mutex_t mutex;
    uint64_t shared;
};

static void lock_init(struct kernel_run *run)
{
    if (run != run->first)
        return;
    buffer_init(&run->memory[0], sizeof(struct meeting), run->pages);
    struct meeting *meeting = run->memory[0].data;
    pthread_mutex_init(&meeting->mutex, NULL);
}

KERNEL static uint64_t kernel_lock(struct kernel_run *run, uint64_t iterations)
{
    struct meeting *meeting = run->first->memory[0].data;
    uint64_t x = run->state;

    for (uint64_t i = 0; i < iterations; i++) {
        pthread_mutex_lock(&meeting->mutex);
        for (int work = 0; work < 200; work++) {
            x = scrambled(x + meeting->shared);
            KEEP(x);
        }
        meeting->shared++;
        pthread_mutex_unlock(&meeting->mutex);
    }
    return run->state = x;
}

/* ---- false_sharing and own_lines: one counter a thread, in one line or in a line each ---- */

#define COUNTER_LINES 16  // more threads share counters
#define PAIR_BYTES    128 // lines come in pairs: prefetchers fetch both

static void sharing_init(struct kernel_run *run)
{
    if (run == run->first)
        buffer_init(&run->memory[0], COUNTER_LINES * PAIR_BYTES, run->pages);
}

static inline __attribute__((always_inline)) uint64_t count_up(uint64_t *counter, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); // a plain increment would hide in the store buffer
    return *counter;
}

KERNEL static uint64_t kernel_false_sharing(struct kernel_run *run, uint64_t iterations)
{
    return count_up((uint64_t *)run->first->memory[0].data + run->thread % 8, iterations);
}

KERNEL static uint64_t kernel_own_lines(struct kernel_run *run, uint64_t iterations)
{
    char *base = run->first->memory[0].data;
    return count_up((uint64_t *)(base + (size_t)(run->thread % COUNTER_LINES) * PAIR_BYTES), iterations);
}

/* ---- fault: touches new pages and gives them back; an iteration is one page ---- */

static void fault_init(struct kernel_run *run)
{
    run->size_bytes &= ~(size_t)(PAGE_BYTES - 1);
}

KERNEL static uint64_t kernel_fault(struct kernel_run *run, uint64_t iterations)
{
    while (iterations) {
        uint64_t pages = run->size_bytes / PAGE_BYTES;
        if (pages > iterations)
            pages = iterations;
        struct buffer buffer;
        buffer_init(&buffer, pages * PAGE_BYTES, run->pages);
        volatile char *bytes = buffer.data;
        for (uint64_t i = 0; i < pages; i++)
            bytes[i * PAGE_BYTES] = 1;
        buffer_done(&buffer);
        iterations -= pages;
    }
    return 0;
}

/* ---- syscalls: short calls into the kernel; an iteration is one getppid and one read ---- */

static void syscalls_init(struct kernel_run *run)
{
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        err(1, "opening /dev/zero");
    run->state = (uint64_t)fd;
}

KERNEL static uint64_t kernel_syscalls(struct kernel_run *run, uint64_t iterations)
{
    uint64_t sum = 0;
    char byte;

    for (uint64_t i = 0; i < iterations; i++) {
        sum += (uint64_t)syscall(SYS_getppid);
        if (read((int)run->state, &byte, 1) != 1)
            err(1, "reading /dev/zero");
    }
    return sum;
}

/* ---- phases: one second waits for memory, the next multiplies ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct phases {
    struct kernel_run chase, dep;
    double start_seconds;
};

static void phases_init(struct kernel_run *run)
{
    buffer_init(&run->memory[1], sizeof(struct phases), PAGES_DEFAULT);
    struct phases *phases = run->memory[1].data;

    phases->chase = *run;
    phases->dep = *run;
    chase_init(&phases->chase);
    phases->dep.state = 1;
    phases->start_seconds = seconds_now();
    run->memory[0] = phases->chase.memory[0]; // so that the driver reports and frees it
    run->state = (uintptr_t)phases;
}

/* An iteration is one step of the chase or 100 of the multiplications: of the same order of time. */
KERNEL static uint64_t kernel_phases(struct kernel_run *run, uint64_t iterations)
{
    struct phases *phases = (struct phases *)run->state;
    uint64_t result = 0;

    while (iterations) {
        uint64_t part = iterations < 20000 ? iterations : 20000; // a few milliseconds
        if ((uint64_t)(seconds_now() - phases->start_seconds) % 2 == 0)
            result += kernel_chase(&phases->chase, part);
        else
            result += kernel_dep(&phases->dep, part * 100);
        iterations -= part;
    }
    return result;
}

#define MIB ((size_t)1 << 20)

const struct kernel system_kernels[] = {
    {"wait", "waiting: sleeps", "nanosleep and a futex with a timeout; hardly any CPU time",
     .init = wait_init, .run = kernel_wait},
    {"lock", "waiting: one mutex", "threads that all want the same lock", .threads = 2, .init = lock_init,
     .run = kernel_lock},
    {"fault", "kernel: page faults", "maps, touches and unmaps memory", 16 * MIB, .init = fault_init,
     .run = kernel_fault},
    {"syscalls", "kernel: system calls", "getppid and a read of one byte", .init = syscalls_init,
     .run = kernel_syscalls},
    {"false_sharing", "memory: a contended line", "threads count in one line, each its own counter",
     .threads = 2, .init = sharing_init, .run = kernel_false_sharing},
    {"own_lines", "core: atomic increments", "the same code, a line for each counter", .threads = 2,
     .init = sharing_init, .run = kernel_own_lines},
    {"phases", "memory latency and core in turn", "chase for a second, dep for a second", 512 * MIB,
     .init = phases_init, .run = kernel_phases},
};
const size_t system_kernel_count = sizeof system_kernels / sizeof *system_kernels;
