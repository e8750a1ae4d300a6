/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help prints, and plumb alone: of plumb and of each command, from the command table. */
#ifndef PLUMB_COMMAND_HELP_H
#define PLUMB_COMMAND_HELP_H

#include "command/command.h"

/* Ten lines for who types no more than the name. */
void help_first_use(FILE *out);
void help_overview(FILE *out);
void help_command(FILE *out, const struct command *command);

/* The command called name, or NULL. */
const struct command *command_find(const char *name);
/* Fill err with the unknown word and the nearest commands; returns false. */
bool command_unknown(const char *word, struct error *err);

#endif
