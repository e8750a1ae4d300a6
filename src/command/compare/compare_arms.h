/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which commands are compared: `A -- B -- C`, or one command with alternatives in braces (`prog -j{1,2}`).
 *
 * Words NAME=VALUE before a command are its environment. With a shell, each command is one line for `sh -c`.
 */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_ARMS_H
#define PLUMB_COMMAND_COMPARE_COMPARE_ARMS_H

#include "base/arena.h"
#include "command/options.h"
#include "experiment/experiment.h"

#define COMPARE_ARMS_MOST 26

struct compare_arms {
    struct experiment_arm items[COMPARE_ARMS_MOST + 1]; /* the last may be the first, run again */
    size_t count;
    bool of_one_command; /* they differ by their settings alone */
};

struct compare_arms_options {
    bool shell;
    struct option_texts labels;      /* in order; the rest are A, B, … or the alternatives */
    struct option_texts environment; /* "NAME=VALUE", for all */
    struct option_texts treatments;  /* "KEY=VALUE,VALUE": a setting for each */
};

/* argv: what stands behind the options. Errors: ERROR_USAGE. Owner: arena. */
MUST_CHECK bool compare_arms_parse(struct compare_arms *arms, char *const *argv,
                                   const struct compare_arms_options *options, const struct sysroot *root,
                                   struct arena *arena, struct error *err);

/* "sleep 1": a command and its arguments in one word, as a shell would take it; there is no such file. */
bool compare_word_is_line(const char *word);

#endif
