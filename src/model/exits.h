/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What left the guests: how often for each reason and vCPU thread, how long until the next entry, and what for.
 *
 * Filled by capture/ from aggregates of the kernel, recordings, traces and tables, read by analyse/exits. Times are
 * from an exit to the next entry of the same thread: the world switch is outside, so that they are lower bounds.
 * Invariants: timed <= count; total, least and greatest are of the timed ones; buckets sum to timed where has_buckets.
 */
#ifndef PLUMB_MODEL_EXITS_H
#define PLUMB_MODEL_EXITS_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "decode/exits/exit_event.h"

/*
 * Durations by eighths of powers of two: bucket i < 8 holds i ns, then each power has eight. The kernel's programs
 * count alike.
 */
enum { EXIT_BUCKETS = 304 };
unsigned exit_bucket_of(uint64_t ns);
uint64_t exit_bucket_start_ns(unsigned bucket); /* of EXIT_BUCKETS: the end of the last */

/* Foreign texts may have any number of reasons: beyond these all are one. */
enum { EXIT_NAMES_MOST = 4096, EXIT_WORDS_MOST = 4096, EXIT_TALLIES_MOST = 1 << 17 };
#define EXIT_MORE_REASONS "more reasons than are kept apart"

struct exit_tally {
    enum exit_point point;
    enum exit_isa isa;
    uint64_t reason;
    uint32_t name;   /* a string of exits' where a text named the reason; 0: by number */
    uint32_t thread; /* of exits' threads */
    uint64_t count, timed;
    double total_ns;
    uint64_t min_ns, max_ns;
    bool has_range, has_buckets;
    uint64_t *buckets; /* EXIT_BUCKETS of them; NULL: nothing was timed one by one. Owner: the exits */
};

/* How often an object (a port, an MSR, an address), or with is_rip an instruction of the guest, was met. */
struct exit_use {
    enum exit_point point;
    enum exit_isa isa;
    uint64_t reason, value;
    uint32_t name, thread;
    bool is_rip;
    uint64_t count;
};

struct exit_thread {
    uint32_t tid, pid; /* pid 0: not known */
    int64_t vcpu;      /* -1: not known */
    uint64_t migrations, first_ns, last_ns, handled; /* handled: exits whose end was seen */
    /* what it is in, while events are added */
    uint64_t begun_ns;
    uint32_t tally, cpu;
    bool inside, seen;
};

/* What the kernel that fired the events calls a reason. */
struct exit_word {
    enum exit_isa isa; /* NONE: KVM_EXIT_* */
    uint32_t number, word;
};

struct exits {
    struct strings strings;
    struct exit_word *words;
    size_t word_count, word_capacity;
    struct exit_tally *tallies;
    size_t tally_count, tally_capacity;
    struct exit_use *uses;
    size_t use_count, use_capacity;
    struct exit_thread *threads;
    size_t thread_count, thread_capacity, name_count;
    struct hashmap tally_map, use_map, thread_map;
    uint64_t lost;        /* events known to be lost */
    uint64_t lost_uses;   /* objects and instructions that found no place; their events were counted */
    bool fires_exit;      /* kvm_exit was seen */
    bool watches[EXIT_POINT_COUNT]; /* what was looked at: a point that was looked at and is absent was met 0 times */
    bool is_table;        /* of sums that another tool made: no threads, no times of single exits */
    double seconds;       /* watched; 0: not known */
};

/* The same again; exits is new. */
void exits_copy(struct exits *exits, const struct exits *from);
void exits_init(struct exits *exits);
void exits_done(struct exits *exits);

void exits_word_add(struct exits *exits, enum exit_isa isa, uint64_t number, struct view word);
const char *exits_word(const struct exits *exits, enum exit_isa isa, uint64_t number); /* NULL: it has none */
/* A reason's name as an id of exits' strings. */
uint32_t exits_name(struct exits *exits, struct view name);
uint32_t exits_thread(struct exits *exits, uint32_t tid, uint32_t pid);
/*
 * The tally of that key, made when it isn't there (of EXIT_TALLIES_MOST, else that of all further ones). Valid until
 * the next one is made.
 */
struct exit_tally *exits_tally(struct exits *exits, enum exit_point point, enum exit_isa isa, uint64_t reason,
                               uint32_t name, uint32_t thread);
uint64_t *exits_buckets(struct exits *exits, struct exit_tally *tally);
/* Adds its count to the one alike, which is valid until the next one is made. */
struct exit_use *exits_use(struct exits *exits, const struct exit_use *use);
/* One event; in order of time for each thread. */
void exits_add(struct exits *exits, const struct exit_event *event);

#endif
