/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/bandwidth_hog.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "probe/known_work.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    HOGS_MOST = 128,
    STREAM_BYTES = 64 << 20, /* of each hog, and of our own stream */
    SLICES = 8,              /* of each kind */
    SLICE_NS = 150000000,
    SETTLE_US = 3000,
};

struct bandwidth_hogs {
    int but;
    cpu_set_t before;
    pid_t pids[HOGS_MOST];
    size_t count;
};

/* One pass over the memory: reads and writes a word of each line. */
static void stream_pass(volatile uint64_t *memory)
{
    for (size_t at = 0; at < STREAM_BYTES / sizeof(*memory); at += 8)
        memory[at] += at;
}

static uint64_t *stream_new(void)
{
    void *memory = mmap(NULL, STREAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    memset(memory, 1, STREAM_BYTES);
    return memory;
}

static bool pin_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

static _Noreturn void hog_run(int cpu, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || !pin_to(cpu))
        _exit(1);
    uint64_t *memory = stream_new();
    raise(SIGSTOP);
    while (memory)
        stream_pass(memory);
    _exit(1);
}

void bandwidth_hogs_let(const struct bandwidth_hogs *hogs, bool run)
{
    for (size_t at = 0; at < hogs->count; at++)
        kill(hogs->pids[at], run ? SIGCONT : SIGSTOP);
    usleep(SETTLE_US);
}

bool bandwidth_hogs_new(struct bandwidth_hogs **ret_hogs, int but, struct error *err)
{
    struct bandwidth_hogs *hogs = memory_alloc(sizeof(*hogs));
    *hogs = (struct bandwidth_hogs){.but = but};
    pid_t parent = getpid();
    bool asked = sched_getaffinity(0, sizeof(hogs->before), &hogs->before) == 0;
    for (int cpu = 0; asked && cpu < CPU_SETSIZE && hogs->count < HOGS_MOST; cpu++) {
        if (cpu == but || !CPU_ISSET(cpu, &hogs->before))
            continue;
        pid_t pid = fork();
        if (pid == 0)
            hog_run(cpu, parent);
        int status;
        if (pid > 0 && waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status))
            hogs->pids[hogs->count++] = pid;
    }
    if (hogs->count) {
        *ret_hogs = hogs;
        return true;
    }
    free(hogs);
    return error_set(err, ERROR_UNSUPPORTED, "there is no second CPU from which to take bandwidth");
}

void bandwidth_hogs_free(struct bandwidth_hogs *hogs)
{
    if (!hogs)
        return;
    for (size_t at = 0; at < hogs->count; at++) {
        kill(hogs->pids[at], SIGKILL);
        while (waitpid(hogs->pids[at], NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    free(hogs);
}

size_t bandwidth_hogs_count(const struct bandwidth_hogs *hogs)
{
    return hogs->count;
}

/* Of each two turns the hogs run in one; which comes first is by chance. */
static bool is_hogged(int turn, uint64_t *random)
{
    *random = turn % 2 ? *random : hash_u64(*random);
    return (*random & 1) == (uint64_t)(turn % 2);
}

static double stream_speed(uint64_t *memory)
{
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    stream_pass(memory);
    stream_pass(memory);
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    return used_ns ? 2e9 / (double)used_ns : 0;
}

static double arithmetic_speed(uint64_t *memory)
{
    enum {
        TURNS = 1000000 /* some 5 ms */
    };
    (void)memory;
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    known_work_sparse_branches(TURNS);
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    return used_ns ? 1e9 / (double)used_ns : 0;
}

/* Work of ours, on the CPU where no hog is, in turns beside them and alone. */
static bool slowdown_measure(struct bandwidth_hogs *hogs, double (*speed)(uint64_t *memory), uint64_t *memory,
                             struct interval *ret_slowdown, struct error *err)
{
    double speeds[2][SLICES];
    size_t counts[2] = {0};
    uint64_t random = 3;
    if (!pin_to(hogs->but)) /* beside a hog on its own CPU anything is slower */
        return error_system(err, errno, "the probe's own work can't be bound to CPU %d, where no hog is", hogs->but) ||
               (err->kind = ERROR_UNSUPPORTED, false);
    for (int turn = 0; turn < SLICES * 2; turn++) {
        bool hogged = is_hogged(turn, &random);
        bandwidth_hogs_let(hogs, hogged);
        speeds[hogged][counts[hogged]++] = speed(memory);
    }
    bandwidth_hogs_let(hogs, false);
    (void)!sched_setaffinity(0, sizeof(hogs->before), &hogs->before);
    *ret_slowdown = speed_ratio(speeds[1], SLICES, speeds[0], SLICES);
    return ret_slowdown->known || error_set(err, ERROR_SYSTEM, "the probe's own work came to no speed");
}

bool bandwidth_hogs_power(struct bandwidth_hogs *hogs, struct interval *ret_slowdown, struct error *err)
{
    uint64_t *memory = stream_new();
    if (!memory)
        return error_set(err, ERROR_LIMIT, "no memory for the probe's own stream");
    bool measured = slowdown_measure(hogs, stream_speed, memory, ret_slowdown, err);
    munmap(memory, STREAM_BYTES);
    return measured;
}

bool bandwidth_hogs_control(struct bandwidth_hogs *hogs, struct interval *ret_slowdown, struct error *err)
{
    return slowdown_measure(hogs, arithmetic_speed, NULL, ret_slowdown, err);
}

bool bandwidth_hogs_effect(struct bandwidth_hogs *hogs, const struct work_meter *meter, struct interval *ret_speed_up,
                           struct error *err)
{
    double speeds[2][SLICES];
    size_t counts[2] = {0};
    uint64_t random = 4;
    for (int turn = 0; turn < SLICES * 2; turn++) {
        bool hogged = is_hogged(turn, &random);
        bandwidth_hogs_let(hogs, hogged);
        if (work_meter_slice(meter, SLICE_NS, &speeds[hogged][counts[hogged]]))
            counts[hogged]++;
    }
    bandwidth_hogs_let(hogs, false);
    if (counts[0] < SLICES / 2 || counts[1] < SLICES / 2)
        return error_set(err, ERROR_NOT_FOUND, "it ended or waited while its speed was measured");
    *ret_speed_up = speed_ratio(speeds[0], counts[0], speeds[1], counts[1]);
    return true;
}
