/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command as a line that a person can paste into a shell, and back. */
#ifndef PLUMB_CAPTURE_CASE_SHELL_LINE_H
#define PLUMB_CAPTURE_CASE_SHELL_LINE_H

#include "base/arena.h"

/* Words as one line that a shell parts again. Owner: arena. */
const char *shell_line(char *const *argv, struct arena *arena);
/*
 * The words of a line as a shell would part it; quotes are all it knows. NULL when a quote is left open. Owner: arena.
 */
char **shell_words(const char *line, struct arena *arena);

#endif
