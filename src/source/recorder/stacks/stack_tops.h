/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does the stack of a process's first thread begin? Above lie the arguments and the environment, which no
 * unwinder needs and nobody expects in a recording.
 *
 * Read once per process and program from /proc/PID/stat; 0 where that isn't told (the process has ended, or belongs to
 * others).
 */
#ifndef PLUMB_SOURCE_RECORDER_STACKS_STACK_TOPS_H
#define PLUMB_SOURCE_RECORDER_STACKS_STACK_TOPS_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "system/sysroot.h"

struct stack_top {
    uint32_t pid;
    bool known;
    uint64_t addr;
};

struct stack_tops {
    const struct sysroot *root;
    vec(struct stack_top) items;
    struct hashmap by_pid;
};

void stack_tops_init(struct stack_tops *tops, const struct sysroot *root);
void stack_tops_done(struct stack_tops *tops);
uint64_t stack_tops_find(struct stack_tops *tops, uint32_t pid);
/* The process became another program, or ended. */
void stack_tops_forget(struct stack_tops *tops, uint32_t pid);

#endif
