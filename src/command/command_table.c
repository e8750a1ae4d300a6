/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/command_table.h"

#include <stddef.h>

const struct command *const command_table[] = {
    &command_diagnose,
    &command_stat,
    &command_topdown,
    &command_list,
    &command_record,
    &command_report,
    &command_annotate,
    &command_script,
    &command_diff,
    &command_export,
    &command_flamegraph,
    &command_pages,
    &command_exits,
    &command_compare,
    &command_confirm,
    &command_calibrate,
    &command_completion,
    &command_doctor,
    &command_help,
    NULL,
};
