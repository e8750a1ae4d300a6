/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How can what a case measured be run again, or found again: command.json.
 *
 * A started program: its words, working directory, what its standard input was, and those environment variables that
 * are known to change speed (or which program is found): others may hold secrets and are not kept. What runs already:
 * its processes with their start times, which tell a reused pid.
 * A case without command.json (made before there was one) has the words of its manifest alone.
 */
#ifndef PLUMB_CAPTURE_CASE_CASE_COMMAND_H
#define PLUMB_CAPTURE_CASE_CASE_COMMAND_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_reader.h"
#include "system/sysroot.h"

#include <sys/types.h>

#define CASE_COMMAND_FILE "command.json"

enum case_input {
    CASE_INPUT_UNKNOWN,
    CASE_INPUT_NONE, /* /dev/null, closed, or a terminal: nothing that a second run would miss */
    CASE_INPUT_FILE,
    CASE_INPUT_STREAM /* a pipe or socket: what came through it is gone */
};

struct case_variable {
    const char *name, *value; /* value NULL: it was not set */
};

struct case_process {
    pid_t pid;
    uint64_t start_ticks;
};

struct case_command {
    char **argv; /* ends with NULL; NULL: not known */
    const char *directory; /* NULL: not known */
    enum case_input input;
    const char *input_file; /* of CASE_INPUT_FILE */
    struct case_variable *variables;
    size_t variable_count;
    struct case_process *processes;
    size_t process_count;
};

/* Of a program that this process is about to start. Owner: arena. */
void case_command_take(struct case_command *command, char *const *argv, struct arena *arena);
/* Add a process that runs already; one that is gone is left out. */
void case_command_add_process(struct case_command *command, pid_t pid, const struct sysroot *root, struct arena *arena);

MUST_CHECK bool case_command_write(const struct case_command *command, const char *folder, struct error *err);
/*
 * line: the manifest's command, for a case without the part. Errors: ERROR_FORMAT (the part or that line is broken).
 * Owner: arena.
 */
MUST_CHECK bool case_command_read(struct case_command *command, const char *folder, const char *line,
                                  struct arena *arena, struct error *err);

/* The part itself. Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool case_command_parse(struct case_command *command, struct json_value root, struct arena *arena,
                                   struct error *err);

#endif
