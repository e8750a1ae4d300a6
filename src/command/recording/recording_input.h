/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which recording to read and where its symbols are: the options that report, script and the like share. */
#ifndef PLUMB_COMMAND_RECORDING_RECORDING_INPUT_H
#define PLUMB_COMMAND_RECORDING_RECORDING_INPUT_H

#include "capture/capture.h"
#include "command/command.h"
#include "command/options.h"
#include "symbol/names_ahead.h"
#include "symbol/symboliser.h"
#include "symbol/unwind/unwinder.h"

struct recording_input {
    const char *path; /* NULL: perf.data, or standard input when that is a pipe */
    const char *kallsyms, *symfs, *vmlinux;
    bool demangle; /* true unless --no-demangle */
    bool versions; /* names are shown with theirs */
    bool force, debuginfod;
};

#define RECORDING_INPUT_DEFAULTS {.demangle = true, .versions = true}

/* Rows for an option table whose values struct has such a member, by that name or as `input`. */
#define RECORDING_INPUT_ROWS(values) RECORDING_INPUT_ROWS_OF(values, input)
#define RECORDING_INPUT_ROWS_OF(values, member)                                                                        \
    {'i',         "input",                                                                                             \
     OPTION_TEXT, offsetof(struct values, member.path),                                                                \
     "FILE",      "recording or case folder to read, - for standard input (default: perf.data)"},                      \
        RECORDING_NAMES_ROWS(values, member)
/* Those that names come from, for a command that takes recordings as words. */
#define RECORDING_NAMES_ROWS(values, member)                                                                      \
    {0, "symfs", OPTION_TEXT, offsetof(struct values, member.symfs), "FOLDER",                                 \
         "look for binaries below this folder"},                                                                  \
        {0, "kallsyms", OPTION_TEXT, offsetof(struct values, member.kallsyms), "FILE",                             \
         "kernel symbols, instead of /proc/kallsyms"},                                                            \
        {'k', "vmlinux", OPTION_TEXT, offsetof(struct values, member.vmlinux), "FILE", "kernel image to name from"}, \
        {0, "demangle", OPTION_FLAG, offsetof(struct values, member.demangle), NULL,                               \
         "demangle names (default; --no-demangle leaves them as they are)"},                                      \
        {0, "debuginfod", OPTION_FLAG, offsetof(struct values, member.debuginfod), NULL,                           \
         "fetch binaries and debug files that aren't here from $DEBUGINFOD_URLS"},                                \
        {'f', "force", OPTION_FLAG, offsetof(struct values, member.force), NULL,                                   \
         "for perf's users: plumb reads recordings of any owner anyway"}

/* The path that will be read. */
const char *recording_input_path(const struct recording_input *input);
MUST_CHECK bool recording_input_open(const struct recording_input *input, struct source **ret_source,
                                     struct error *err);
/* A symboliser for the capture. Owner: the caller. */
MUST_CHECK bool recording_input_symboliser(const struct recording_input *input, const struct context *context,
                                           const struct capture *capture, const struct source *source,
                                           struct symboliser **ret_symboliser, struct error *err);

/* What a missing library takes from names, as a note. */
void recording_input_note_lines(FILE *talk);

/*
 * Symboliser and unwinder of a recording that is being read, made when first needed: what they must know of the
 * machine stands in the recording, in a pipe behind its beginning.
 */
struct recording_names {
    const struct recording_input *input;
    const struct context *context;
    const struct capture *capture;
    const struct source *source;
    struct symboliser *symboliser; /* NULL until recording_names_begin */
    struct symboliser *binaries; /* the unwinder's own: it works while another core has the other one */
    struct unwinder *unwinder;   /* NULL until a stack was unwound */
    struct kernel_ahead *kernel_ahead; /* NULL until recording_names_ahead */
    struct names_ahead *ahead;         /* the same */
    uint32_t untold;                   /* records since it was begun */
    bool failed;
    struct error trouble; /* why, when failed */
};

/*
 * Have another core find the names that a large recording will need, while it is read: begun before, and told now and
 * then of what was read. Nothing for small ones, and where there is no other core.
 */
void recording_names_ahead(struct recording_names *names, struct names_wanted wanted);
/* Whether there is enough to read for that, and another core. */
bool recording_names_go_ahead(const struct recording_names *names);
/* The kernel's names alone: for who needs all others at once. */
void recording_names_kernel_ahead(struct recording_names *names);
void recording_names_tell(struct recording_names *names);
/* Errors: the symboliser can't be had. */
MUST_CHECK bool recording_names_begin(struct recording_names *names, struct error *err);
void recording_names_done(struct recording_names *names);
/* Why what was asked for has no name, or lacks inlined functions; once they were begun. */
void recording_names_explain(FILE *talk, const struct recording_names *names);
/* Of these reasons alone why inlined functions are missing, as notes. */
void recording_names_note_inlines(FILE *talk, const struct recording_names *names);
/* Unwinds the stack dumps of the recording with these names; valid as long as they are. */
struct capture_unwinder recording_names_unwinder(struct recording_names *names);

#endif
