/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that a tracepoint runs in the kernel: count by reason and thread, time an exit up to the next entry.
 *
 * They are put together here, from where the running kernel has the fields: no compiler, no object file. Each is a straight line with forward jumps.
 * The maps' layouts are the structs below; user space reads the same.
 */
#ifndef PLUMB_SOURCE_EXITS_EXIT_PROGRAM_H
#define PLUMB_SOURCE_EXITS_EXIT_PROGRAM_H

#include "decode/exits/exit_event.h"

#include <linux/bpf.h>

enum { EXIT_CELL_BUCKETS = 304, EXIT_PROGRAM_MOST = 320 };

struct exit_cell_key {
    uint32_t tid, what; /* point | isa << 8 | is_rip << 16 */
    uint64_t reason;
};

struct exit_cell {
    uint64_t count, timed, total_ns, min_ns, max_ns;
    uint32_t buckets[EXIT_CELL_BUCKETS];
};

struct exit_use_key {
    struct exit_cell_key cell;
    uint64_t value;
};

struct exit_thread_state {
    uint64_t begun_ns;
    struct exit_cell_key inside; /* what it is in, when is_inside: its cell counts it when it ends */
    uint64_t migrations;
    uint32_t cpu, tgid, vcpu_1, is_inside; /* vcpu_1: its number + 1; 0: not known */
    uint32_t fires_exit, unused;
};

/* Where an operand lies in the program's context. bytes 0: nowhere. */
struct exit_operand_place {
    uint16_t offset;
    uint8_t bytes;
};

struct exit_program_request {
    enum exit_point point;
    struct exit_operand_place places[EXIT_OPERAND_COUNT];
    int cells_fd, uses_fd, threads_fd, blank_fd, lost_fd, followed_fd; /* followed_fd -1: everyone */
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
void exit_program_make_follower(struct exit_program *program, struct exit_operand_place parent, struct exit_operand_place child,
                                int followed_fd);

#endif
