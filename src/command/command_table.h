/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every subcommand, one line each; command_table.c puts them in the order of help. */
#ifndef PLUMB_COMMAND_COMMAND_TABLE_H
#define PLUMB_COMMAND_COMMAND_TABLE_H

#include "command/command.h"

extern const struct command command_annotate;
extern const struct command command_calibrate;
extern const struct command command_compare;
extern const struct command command_pages;
extern const struct command command_confirm;
extern const struct command command_completion;
extern const struct command command_diagnose;
extern const struct command command_doctor;
extern const struct command command_exits;
extern const struct command command_diff;
extern const struct command command_export;
extern const struct command command_flamegraph;
extern const struct command command_help;
extern const struct command command_list;
extern const struct command command_record;
extern const struct command command_report;
extern const struct command command_stat;
extern const struct command command_script;
extern const struct command command_topdown;

#endif
