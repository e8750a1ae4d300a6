/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did KVM's own statistics of each machine add while we watched? Internal to command/exits.
 *
 * Does not support: machines that ended meanwhile, whose figures went with them.
 */
#ifndef PLUMB_COMMAND_EXITS_EXITS_STATISTICS_H
#define PLUMB_COMMAND_EXITS_EXITS_STATISTICS_H

#include "command/exits/exits.h"
#include "command/exits/exits_processes.h"
#include "system/fact.h"

enum { EXITS_FIGURES = 12 };

struct exits_statistics {
    struct kvm_machine *machines;
    size_t count;
    struct fact_number (*facts)[EXITS_FIGURES];
};

/* Of the machines of these processes; NULL: of all. None where debugfs shows none. Owner: arena. */
void exits_statistics_read(struct exits_statistics *statistics, const struct exits_processes *processes,
                           const struct sysroot *root, struct arena *arena);
/*
 * What was added since; a machine that began since counts from 0. Returns how many machines have figures, and notes
 * those that refuse.
 */
size_t exits_statistics_since(const struct exits_statistics *before, const struct exits_statistics *now,
                              const struct exit_machine **ret_machines, struct exits_notes *notes);

#endif
