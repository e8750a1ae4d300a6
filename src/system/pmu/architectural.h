/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the processor itself says about its PMU: CPUID leaf 0AH (Intel) or 8000_0022H (AMD), as this machine sees it.
 *
 * In a guest the hypervisor writes these leaves: version 0 there means that it hides the PMU. Arm has no such leaf
 * that a program may read: unknown.
 */
#ifndef PLUMB_SYSTEM_PMU_ARCHITECTURAL_H
#define PLUMB_SYSTEM_PMU_ARCHITECTURAL_H

#include "system/cpu/identity.h"

struct pmu_architectural {
    struct fact_number version;            /* 0: no architectural PMU */
    struct fact_number programmable, width_bits;
    struct fact_number fixed, fixed_mask;  /* fixed counters: how many; which (version 5) */
    struct fact_number events_missing;     /* bit n: architectural event n is not there */
    struct fact_number branch_records;     /* LBR depth by leaf 1CH or 8000_0022H; known 0: none told */
};

void pmu_architectural_read(struct pmu_architectural *pmu, const struct sysroot *root,
                            const struct cpu_identity *identity);

#endif
