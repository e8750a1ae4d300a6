/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/pmu/architectural.h"

#include "system/cpuid.h"

static void all_absent(struct pmu_architectural *pmu, const char *why)
{
    struct fact_number *const facts[] = {&pmu->version,    &pmu->programmable,   &pmu->width_bits,    &pmu->fixed,
                                         &pmu->fixed_mask, &pmu->events_missing, &pmu->branch_records};
    for (size_t at = 0; at < sizeof(facts) / sizeof(facts[0]); at++)
        fact_number_absent(facts[at], "%s", why);
}

/* Intel manual vol. 2A, CPUID leaf 0AH. */
static void intel_read(struct pmu_architectural *pmu, const struct sysroot *root)
{
    struct cpuid_leaf leaf, branches;
    if (!cpuid_read(root, 0xa, 0, &leaf)) {
        all_absent(pmu, "CPUID has no leaf 0AH here");
        return;
    }
    uint32_t version = leaf.eax & 0xff;
    fact_number_set(&pmu->version, version);
    fact_number_set(&pmu->programmable, leaf.eax >> 8 & 0xff);
    fact_number_set(&pmu->width_bits, leaf.eax >> 16 & 0xff);
    fact_number_set(&pmu->events_missing, leaf.ebx);
    fact_number_set(&pmu->fixed, version > 1 ? leaf.edx & 0x1f : 0);
    if (version >= 5)
        fact_number_set(&pmu->fixed_mask, leaf.ecx);
    if (cpuid_read(root, 0x1c, 0, &branches) && (branches.eax & 0xff)) {
        uint32_t depths = branches.eax & 0xff; /* bit n: depth 8 * (n + 1) */
        fact_number_set(&pmu->branch_records, 8 * (32 - __builtin_clz(depths)));
    }
}

/* AMD manual vol. 3, leaf 8000_0022H; before it, CPUID 8000_0001H ECX bit 23 means six core counters. */
static void amd_read(struct pmu_architectural *pmu, const struct sysroot *root)
{
    struct cpuid_leaf leaf, extended;
    if (cpuid_read(root, 0x80000022, 0, &leaf) && (leaf.eax & 1)) {
        fact_number_set(&pmu->version, 2);
        fact_number_set(&pmu->programmable, leaf.ebx & 0xf);
        fact_number_set(&pmu->fixed, 0);
        fact_number_set(&pmu->width_bits, 48);
        fact_number_set(&pmu->branch_records, leaf.eax & 2 ? leaf.ebx >> 4 & 0x3f : 0);
        return;
    }
    if (!cpuid_read(root, 0x80000001, 0, &extended)) {
        all_absent(pmu, "CPUID has neither leaf 80000022H nor 80000001H here");
        return;
    }
    bool six = extended.ecx >> 23 & 1;
    fact_number_set(&pmu->version, six);
    fact_number_set(&pmu->programmable, six ? 6 : 4);
    fact_number_set(&pmu->fixed, 0);
}

void pmu_architectural_read(struct pmu_architectural *pmu, const struct sysroot *root,
                            const struct cpu_identity *identity)
{
    all_absent(pmu, "the CPUID leaf does not tell");
    if (identity->vendor_kind == MICROARCHITECTURE_INTEL)
        intel_read(pmu, root);
    else if (identity->vendor_kind == MICROARCHITECTURE_AMD || identity->vendor_kind == MICROARCHITECTURE_HYGON)
        amd_read(pmu, root);
    else
        all_absent(pmu, "this processor has no CPUID leaf for it");
}
