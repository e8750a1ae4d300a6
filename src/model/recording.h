/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happened in one run, without names or opinions: threads, address spaces, samples, context switches.
 * Counts and samples meet here. Filled by capture/, read by symbol/ and analyse/.
 */
#ifndef PLUMB_MODEL_RECORDING_H
#define PLUMB_MODEL_RECORDING_H

#include "base/arena.h"
#include "model/address_space.h"
#include "model/samples.h"
#include "model/threads.h"

/* A thread left or entered a CPU. */
struct context_switch {
    uint64_t time_ns;
    uint32_t thread, cpu;
    bool out, preempted;
};

struct recorded_event {
    const char *name;
    uint32_t type;        /* PERF_TYPE_* */
    uint64_t config;
    uint64_t sample_type; /* PERF_SAMPLE_* */
    uint64_t user_register_mask;
    uint64_t period;      /* or frequency in Hz when is_frequency */
    bool is_frequency;
    bool counts_ns;       /* periods are nanoseconds of CPU time (cpu-clock, task-clock) */
    /* the same as an event before it, at another rate or by the timer beside cycles: the same time once more */
    bool counts_again;
    bool user_only;       /* the kernel wasn't sampled: that nothing was found in it says nothing */
    uint64_t sample_count, period_sum;
};

/* The event whose samples are taken as a thread leaves its CPU: its stack then. */
static inline bool recorded_event_is_switch(const struct recorded_event *event)
{
    enum { SOFTWARE = 1, CONTEXT_SWITCHES = 3 }; /* PERF_TYPE_*, PERF_COUNT_SW_* of perf_event_open(2) */
    return event->type == SOFTWARE && event->config == CONTEXT_SWITCHES;
}

/* Executable anonymous memory that was copied when the recording was made: JIT code. */
struct code_pages {
    uint32_t pid;
    uint64_t runtime_addr;
    const uint8_t *bytes; /* owner: arena */
    uint64_t size_bytes;
    uint64_t time_ns; /* copied at; 0: unknown */
};

struct recording {
    struct arena arena;
    struct strings strings;
    struct threads threads;
    struct address_spaces spaces;
    struct samples samples;
    struct context_switch *switches; /* by time */
    size_t switch_count, switch_capacity;
    struct recorded_event *events; /* owner: arena */
    size_t event_count;
    struct code_pages *code_pages;
    size_t code_pages_count, code_pages_capacity;
    uint64_t kernel_text_addr; /* where _text was (KASLR), for matching /proc/kallsyms; 0: not recorded */
    uint32_t watcher_pid; /* who recorded it, of a whole machine: what that waits for is nobody's wait; 0: not known */
    const char *architecture; /* "x86_64", "aarch64", …; never NULL */
};

void recording_init(struct recording *recording);
void recording_done(struct recording *recording);

#endif
