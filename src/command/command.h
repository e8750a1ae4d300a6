/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A subcommand is one const object beside its code; the table lists the objects, and help, completion and
 * the manual-page check read the same table.
 *
 * A command parses its options, connects the stages and prints; nothing else.
 */
#ifndef PLUMB_COMMAND_COMMAND_H
#define PLUMB_COMMAND_COMMAND_H

#include "base/error.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#include <stdio.h>

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,
    EXIT_CODE_USAGE = 2,
    EXIT_CODE_FINDING = 3,
    EXIT_CODE_INCONCLUSIVE = 4,
    EXIT_CODE_NOT_EXECUTABLE = 126, /* as a shell reports it */
    EXIT_CODE_NO_SUCH_PROGRAM = 127,
};

struct context {
    const struct sysroot *root;
    const struct kernel *kernel;
    FILE *out;     /* the result */
    FILE *talk;    /* everything else: progress, warnings */
    int exit_code; /* set by the command; a measured program's own status is passed on */
};

struct option_row; /* command/options.h */

struct command {
    const char *name;
    const char *summary;               /* one line, lower case, no full stop */
    const char *usage;                 /* "plumb stat [options] [--] command [arguments]" */
    const struct option_row *options;  /* for help and completion; ends with an all-zero row */
    bool (*run)(struct context *context, int argc, char **argv, struct error *err);
};

/* All commands in the order of help; NULL-terminated. Owner: static. */
extern const struct command *const command_table[];

#endif
