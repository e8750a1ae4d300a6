/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * At which levels does KVM set entries for a guest's memory while we look?
 *
 * KVM's statistics say what is mapped now; a guest whose huge entries are split and set again (dirty logging, NX
 * recovery, a busy shadow table) shows by what is set meanwhile. Counted by the tracepoint kvmmmu:kvm_mmu_set_spte,
 * filtered by its field level, in the monitor's threads. Needs root, as tracepoints do.
 * Source: arch/x86/kvm/mmu/mmutrace.h (level 1 is 4 KiB, 2 is 2 MiB, 3 is 1 GiB).
 */
#ifndef PLUMB_CAPTURE_EXITS_MAPPING_LEVELS_H
#define PLUMB_CAPTURE_EXITS_MAPPING_LEVELS_H

#include "source/live/counters.h"
#include "system/fact.h"

enum { MAPPING_LEVELS = 3 };

struct mapping_levels {
    struct fact_number set[MAPPING_LEVELS]; /* entries, by level; absent with why */
    struct counters counters;
    struct target target;
};

/* Begin with one monitor. What can't be had is absent in set, with why. Owner of what it needs meanwhile: arena. */
void mapping_levels_begin(struct mapping_levels *levels, pid_t monitor, const struct kernel *kernel,
                          const struct sysroot *root, struct arena *arena);
/* Stop, read and close. */
void mapping_levels_end(struct mapping_levels *levels);

#endif
