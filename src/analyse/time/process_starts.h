/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many processes came and went while it was watched, of which commands, and which of them lived too short for
 * anything but their own start and end to matter?
 */
#ifndef PLUMB_ANALYSE_TIME_PROCESS_STARTS_H
#define PLUMB_ANALYSE_TIME_PROCESS_STARTS_H

#include "base/arena.h"
#include "model/recording.h"

#define STARTED_COMMANDS_MOST 3
#define SHORT_PROCESS_NS      50000000
#define SHORT_PROCESSES_LEAST 16 /* fewer are no habit of the program */

struct started_command {
    const char *name; /* as the kernel calls it, 15 characters */
    uint64_t count;
};

struct process_starts {
    uint64_t process_count; /* all that were seen, running ones too */
    uint64_t thread_count;
    uint64_t short_count;   /* seen to start and to end within SHORT_PROCESS_NS */
    struct started_command commands[STARTED_COMMANDS_MOST]; /* of the short ones, most first */
    size_t command_count;
    uint64_t other_count; /* short ones of other commands than these */
    uint64_t left_count; /* seen to start and not to end */
    uint32_t left_pid;   /* the first of them */
    const char *left_name;
    const bool *is_short;   /* by thread of the recording: of such a process; all false when they are few */
};

struct process_starts process_starts_of(const struct recording *recording, struct arena *arena);

#endif
