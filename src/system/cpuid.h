/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the CPUID instruction says: live on x86, from a snapshot's /plumb/cpuid otherwise.
 *
 * /plumb/cpuid is text, one leaf a line: "leaf subleaf eax ebx ecx edx" in hexadecimal. A fixture written by hand
 * lists the leaves it knows; a leaf not listed is unknown, not zero.
 */
#ifndef PLUMB_SYSTEM_CPUID_H
#define PLUMB_SYSTEM_CPUID_H

#include "system/sysroot.h"

struct cpuid_leaf {
    uint32_t eax, ebx, ecx, edx;
};

/*
 * False when the processor (or snapshot) has no such leaf: not x86, beyond the highest leaf of its range, or
 * not listed in the snapshot.
 */
MUST_CHECK bool cpuid_read(const struct sysroot *root, uint32_t leaf, uint32_t subleaf, struct cpuid_leaf *ret_leaf);

/* The lines of /plumb/cpuid for this machine; nothing where there is no CPUID. */
void cpuid_write(struct text *out);

/* The text in ebx, ecx, edx: a hypervisor's signature. */
void cpuid_signature(const struct cpuid_leaf *leaf, char ret_signature[13]);

#endif
