/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/command_table.h"

#include <stddef.h>

const struct command *const command_table[] = {
    &command_doctor,
    &command_help,
    &command_record,
    &command_stat,
    &command_list,
    &command_topdown,
    NULL,
};
