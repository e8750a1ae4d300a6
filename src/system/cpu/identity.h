/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which processor is this: vendor, family, model, stepping, microarchitecture, microcode, feature flags?
 *
 * From /proc/cpuinfo, or from CPUID where /proc/cpuinfo says nothing (no /proc). On Arm: the MIDR's implementer, part,
 * variant and revision. Does not support: differing processors in one machine beyond saying that they differ.
 */
#ifndef PLUMB_SYSTEM_CPU_IDENTITY_H
#define PLUMB_SYSTEM_CPU_IDENTITY_H

#include "base/arena.h"
#include "system/cpu/microarchitecture.h"
#include "system/fact.h"

struct cpu_identity {
    struct fact_word architecture; /* "x86_64", "aarch64" */
    struct fact_word vendor;       /* "GenuineIntel", "AuthenticAMD", "Arm" */
    struct fact_word model_name;
    enum microarchitecture_vendor vendor_kind;
    struct fact_number family, model, stepping; /* Arm: implementer, part, revision */
    struct fact_number variant;                 /* Arm only */
    const struct microarchitecture *microarchitecture; /* NULL: not tabled */
    struct fact_word microcode;                 /* of the first CPU */
    bool microcode_differs, model_differs;      /* among the CPUs */
    const char *flags;                          /* " fpu vme … " with blanks around; "" when unknown */
};

/* Owner of the strings: arena. */
void cpu_identity_read(struct cpu_identity *identity, const struct sysroot *root, struct arena *arena);

bool cpu_identity_has_flag(const struct cpu_identity *identity, const char *flag);

/* "Sapphire Rapids", or "family 6 model 143 (not tabled)", in a caller's buffer. */
void cpu_identity_describe(const struct cpu_identity *identity, char *out, size_t out_size);

#endif
