/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that a tracepoint runs in the kernel: count by reason and thread, time an exit up to the next entry.
 *
 * They are put together here, from where the running kernel has the fields: no compiler, no object file. Each is a
 * straight line with forward jumps. The maps' layouts are the structs below; user space reads the same.
 */
#ifndef PLUMB_SOURCE_EXITS_EXIT_PROGRAM_H
#define PLUMB_SOURCE_EXITS_EXIT_PROGRAM_H

#include "decode/exits/exit_event.h"

#include <linux/bpf.h>

enum { EXIT_CELL_BUCKETS = 304, EXIT_PROGRAM_MOST = 640 };

/*
 * Values by key, in the kernel. A value begins with its key, and is all zero behind it at first. A key has two places
 * in an array, where it is looked for without a call, at a fraction of a hash table's cost. The first key to claim a
 * place keeps it; one whose places others hold is in the rest, a hash table.
 */
struct exit_dictionary {
    /* claims: a hash table of the places that are taken, so that one of several threads gets it */
    int places_fd, claims_fd, rest_fd;
    uint8_t place_bits;                /* there are 2 to the power of it */
};
enum exit_dictionary_kind { EXIT_CELLS, EXIT_USES, EXIT_THREADS, EXIT_DICTIONARIES };

/* The first eight bytes of a key are never all zero: that is a free place. */
enum { EXIT_WHAT_RIP = 1 << 16, EXIT_WHAT_SET = 1 << 24 };

struct exit_cell_key {
    uint32_t tid, what; /* point | isa << 8 | EXIT_WHAT_RIP | EXIT_WHAT_SET */
    uint64_t reason;
};

struct exit_cell {
    struct exit_cell_key key;
    uint64_t count, timed, total_ns, min_ns, max_ns; /* min_ns and max_ns: of timed ones, if any */
    uint32_t buckets[EXIT_CELL_BUCKETS];
};

struct exit_use_key {
    struct exit_cell_key cell;
    uint64_t value;
};

struct exit_use_cell {
    struct exit_use_key key;
    uint64_t count;
};

struct exit_thread_key {
    uint32_t tid, set; /* set: 1 */
};

struct exit_thread_state {
    struct exit_thread_key key;
    uint64_t begun_ns;
    struct exit_cell_key inside; /* what it is in, when is_inside: its cell counts it when it ends */
    uint64_t migrations;
    uint32_t cpu_1, tgid, vcpu_1, is_inside; /* cpu_1, vcpu_1: their numbers + 1; 0: not known */
    uint64_t fires_exit, bucket; /* bucket: scratch */
    char name[16];               /* as it was called when it first came, or last moved; ends in NUL */
};

/* Where an operand lies in the program's context. bytes 0: nowhere. */
struct exit_operand_place {
    uint16_t offset;
    uint8_t bytes;
};

struct exit_program_request {
    enum exit_point point;
    struct exit_operand_place places[EXIT_OPERAND_COUNT];
    struct exit_dictionary dictionaries[EXIT_DICTIONARIES];
    int blank_fd, lost_fd, followed_fd; /* followed_fd -1: everyone */
    bool times;   /* exits and entries are timed */
    bool objects, rips;
};

struct exit_program {
    struct bpf_insn instructions[EXIT_PROGRAM_MOST];
    unsigned count;
    bool overflow; /* our mistake */
};

void exit_program_make(struct exit_program *program, const struct exit_program_request *request);
/* Follows the threads that followed ones make: of sched:sched_process_fork. */
void exit_program_make_follower(struct exit_program *program, struct exit_operand_place parent,
                                struct exit_operand_place child, int followed_fd);

#endif
