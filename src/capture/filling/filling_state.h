/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What filling a capture keeps from record to record: caches of what was asked before, counters' last values, the last
 * sample's frames.
 */
#ifndef PLUMB_CAPTURE_FILLING_FILLING_STATE_H
#define PLUMB_CAPTURE_FILLING_FILLING_STATE_H

#include "base/vec.h"
#include "capture/capture.h"
#include "capture/filling/alike.h"

enum {
    FRAMES_MOST = 8192, /* of one stack; the kernel's own limit is 127 unless told otherwise */
    UNWOUND_MOST = 512,
    THREADS_KEPT = 256,   /* a power of two, as all that are kept */
    ADDRESSES_KEPT = 1 << 15,
    CHAINS_KEPT = 1 << 17, /* 2 MiB, however many processes with chains of their own come and go */
};

/*
 * A call chain's bytes, met before in the same state of the address spaces: its stack. Four of them are a cache line.
 */
struct chain_slot {
    uint64_t key;
    uint32_t more_key;
    uint32_t stack_behind; /* the stack's number and one; 0: an empty slot */
};

/* An address met before in the same state of its address space: the kernel's own, or the process'. */
struct address_slot {
    uint64_t ip;
    uint32_t space, generation, location;
    uint8_t mode;
    bool used;
};

/* A thread met before, at its number's low bits; the newest wins. */
struct thread_slot {
    uint32_t pid, tid, thread; /* THREAD_NONE: an empty slot */
};

struct read_counter {
    uint64_t last_value;
};

struct capture_state {
    struct chain_slot *chains; /* in each line of CHAIN_WAYS at the key the newest ones; NULL before the first */
    struct address_slot *addresses; /* at the address' hash; the newest wins */
    uint32_t frames[FRAMES_MOST];
    uint64_t frame_ips[FRAMES_MOST];
    size_t frame_count; /* of the last sample, with frames_only */
    uint64_t unwound[UNWOUND_MOST];
    size_t unwound_count; /* of the last sample */
    /* PERF_SAMPLE_READ: the last value of each counter, of inherited ones of each thread's copy */
    struct hashmap counter_by_id;
    vec(struct read_counter) counters;
    struct hashmap event_by_id;
    struct hashmap merged; /* index into samples by what they are alike in */
    size_t events_indexed;
    struct thread_slot threads[THREADS_KEPT];
    struct alike_samples alike;
    uint32_t epoch; /* another one whenever the same sample would lead to something else */
    const struct source *source;
    const struct capture_options *options;
};

#endif
