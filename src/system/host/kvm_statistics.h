/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which virtual machines does KVM keep statistics of, and what do they say?
 *
 * debugfs has a folder "TID-FD" for each machine, named by the thread that made it, which may have ended since; a file
 * that refuses to be read is absent, with why. Needs debugfs mounted, and root.
 * Source: Documentation/virt/kvm/api.rst (KVM_GET_STATS_FD has the same figures, for the machine's own process only).
 */
#ifndef PLUMB_SYSTEM_HOST_KVM_STATISTICS_H
#define PLUMB_SYSTEM_HOST_KVM_STATISTICS_H

#include "base/arena.h"
#include "system/fact.h"

#include <sys/types.h>

struct kvm_machine {
    pid_t pid;     /* the monitor's process; 0: not found */
    bool is_guess; /* the thread that made it has ended, and several monitors may be it */
    int creator, fd; /* as in the folder's name; fd: of the machine in that process */
};

/* Owner of the list: arena. Errors: ERROR_NOT_FOUND (no KVM, or no debugfs), ERROR_PERMISSION, with the remedy. */
MUST_CHECK bool kvm_machines_list(const struct sysroot *root, struct kvm_machine **ret_machines, size_t *ret_count,
                                  struct arena *arena, struct error *err);
/* Whether that process holds a machine at that descriptor. */
bool kvm_machine_is_held(const struct sysroot *root, pid_t pid, int fd);
/* Whether it holds any; where its descriptors may not be seen: no. */
bool kvm_process_has_machine(const struct sysroot *root, pid_t pid);
/* Whether the monitor holds private memory of a guest (guest_memfd), which its mappings don't show. */
bool kvm_machine_has_private(const struct sysroot *root, const struct kvm_machine *machine);
/* One figure, by its file's name ("pages_4k", "exits"). */
void kvm_statistic_read(struct fact_number *fact, const struct sysroot *root, const struct kvm_machine *machine,
                        const char *name);

#endif
