/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stacks of a recording, each once: what export and flamegraph read, with the options that they share. */
#ifndef PLUMB_COMMAND_RECORDING_STACK_INPUT_H
#define PLUMB_COMMAND_RECORDING_STACK_INPUT_H

#include "analyse/profile/stack_profile.h"
#include "analyse/profile/thread_series.h"
#include "command/recording/recording_input.h"

struct stack_input {
    struct recording_input recording;
    const char *event;
    bool inlines, quiet;
    bool with_times;   /* the threads' samples one by one, too: of one event */
    bool any_order;    /* of the stacks: what is made of them is sorted */
    bool of_one_event; /* its numbers are of one kind: without a name, the first event that has samples */
};

struct stacks {
    const struct stack_profile *profile;
    const struct thread_series *series; /* NULL unless asked for */
    uint32_t event;                     /* the one that was named or chosen, or PROFILE_ALL_EVENTS */
};

/* What to do with them. */
struct stack_use {
    void *context;
    bool (*use)(void *context, const struct stacks *stacks, struct error *err);
};

/* Errors: the recording's; a damaged one is used as far as it goes, and told. */
MUST_CHECK bool stack_input_read(const struct stack_input *input, const struct context *context,
                                 const struct stack_use *use, struct error *err);

/* Where a result goes: the file of that name, or with NULL the context's output. */
MUST_CHECK bool result_open(const struct context *context, const char *path, FILE **ret_file, struct error *err);
/* Write what is left of it, and close: a reader of the context's output that is gone is no error. */
MUST_CHECK bool result_close(FILE *file, const char *path, struct text *out, struct error *err);
/* Both, of a result that is whole. */
MUST_CHECK bool result_write(const struct context *context, const char *path, struct text *out, struct error *err);

#endif
