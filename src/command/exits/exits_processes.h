/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The monitors that -p names: which are they, do they still run, and is a process one of them or of their making?
 * Internal to command/exits.
 *
 * Without pidfd_open (before Linux 5.3) one that has ended, but that nobody has waited for, still counts as running.
 */
#ifndef PLUMB_COMMAND_EXITS_EXITS_PROCESSES_H
#define PLUMB_COMMAND_EXITS_EXITS_PROCESSES_H

#include "base/vec.h"
#include "system/sysroot.h"

#include <sys/types.h>

struct exits_process {
    pid_t pid;
    int fd; /* readable when it has ended; -1: none */
};

struct exits_processes {
    struct exits_process *items;
    size_t count, capacity;
};

/* list: "12,34". Errors: ERROR_USAGE, ERROR_NOT_FOUND. On failure nothing is open. */
MUST_CHECK bool exits_processes_open(struct exits_processes *processes, const char *list, struct error *err);
void exits_processes_done(struct exits_processes *processes);
/* One more, which its owner looks after: it never ends by our account. */
void exits_processes_add(struct exits_processes *processes, pid_t pid);
bool exits_processes_ended(const struct exits_processes *processes); /* all of them; false when there are none */
/* Whether it is one of them, or one that they started, as far as its parents still run. */
bool exits_processes_cover(const struct exits_processes *processes, const struct sysroot *root, pid_t pid);
/* Process numbers here aren't those that the kernel's programs see: we are in a PID namespace (a container). */
bool exits_processes_are_renumbered(const struct sysroot *root);

#endif
