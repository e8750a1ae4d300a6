/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One event tried out: opened, run over known work, read; and where it stopped if it did.
 *
 * Everything goes through struct kernel. A trial that failed tells the stage and the errno, so that the reason can be
 * looked up. Does not support: groups beyond what trial_open's group descriptor gives, inheritance.
 */
#ifndef PLUMB_PROBE_CAPABILITY_TRIAL_H
#define PLUMB_PROBE_CAPABILITY_TRIAL_H

#include "system/kernel.h"

#include <stdbool.h>

enum trial_stage {
    TRIAL_FINE = 0,
    TRIAL_OPEN,  /* perf_event_open */
    TRIAL_RING,  /* mmap of the ring buffer */
    TRIAL_START, /* ioctl ENABLE */
    TRIAL_READ   /* read */
};

struct trial {
    const struct kernel *kernel;
    int fd;
    struct perf_event_attr attr;
    uint8_t *ring;
    size_t ring_bytes;
    enum trial_stage stage; /* where it failed */
    int sys_errno;
};

struct trial_count {
    uint64_t value, enabled_ns, running_ns;
};

/* A counting event of this thread's user mode, disabled at first. */
struct perf_event_attr trial_attr(uint32_t type, uint64_t config);

/* Whom the event counts; TRIAL_SELF is this thread on any CPU. */
struct trial_target {
    pid_t pid;
    int cpu;
    int group_fd;
    unsigned long flags;
};
extern const struct trial_target TRIAL_SELF;

/* Each answers false after noting stage and errno. */
bool trial_open(struct trial *trial, const struct kernel *kernel, const struct perf_event_attr *attr,
                const struct trial_target *target);
bool trial_ring(struct trial *trial, size_t data_pages); /* a power of two */
bool trial_start(struct trial *trial);
bool trial_stop(struct trial *trial);
bool trial_read(struct trial *trial, struct trial_count *ret_count);
void trial_done(struct trial *trial);

/* open, start, work, stop, read, close. */
typedef void trial_work(void *context);
bool trial_measure(struct trial *trial, const struct kernel *kernel, const struct perf_event_attr *attr,
                   trial_work *work, void *context, struct trial_count *ret_count);

enum {
    TRIAL_CHAIN_MOST = 32,
    TRIAL_BRANCHES_MOST = 64,
    TRIAL_REGISTERS_MOST = 64
};

/* What the sampling rows ask for; fields that the attr does not ask for are 0. */
struct trial_sample {
    uint64_t ip, addr;
    bool kernel_mode;
    size_t chain_count;
    uint64_t chain[TRIAL_CHAIN_MOST];
    size_t branch_count;
    struct {
        uint64_t from, to;
    } branches[TRIAL_BRANCHES_MOST];
    bool has_registers;
    uint64_t registers[TRIAL_REGISTERS_MOST]; /* by perf's number */
    uint64_t stack_bytes;                     /* copied (dyn_size) */
};

typedef void trial_each(const struct trial_sample *sample, void *context);

struct trial_ring_totals {
    uint64_t samples, lost, throttled, malformed;
};

/*
 * Call each for every sample in the ring. Understands the sample_type bits IP, ADDR, CALLCHAIN, BRANCH_STACK, REGS_USER
 * and STACK_USER; an attr for a ring must ask for no others.
 */
void trial_samples(struct trial *trial, trial_each *each, void *context, struct trial_ring_totals *ret_totals);

#endif
