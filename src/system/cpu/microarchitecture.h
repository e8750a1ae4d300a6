/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which microarchitecture is a processor of this vendor, family, model and stepping?
 *
 * The rows come from data/microarchitectures.tsv, which names its sources. Does not support: telling the core types
 * of a hybrid processor apart (its PMUs in sysfs do).
 */
#ifndef PLUMB_SYSTEM_CPU_MICROARCHITECTURE_H
#define PLUMB_SYSTEM_CPU_MICROARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum microarchitecture_vendor {
    MICROARCHITECTURE_UNKNOWN_VENDOR = 0,
    MICROARCHITECTURE_INTEL,
    MICROARCHITECTURE_AMD,
    MICROARCHITECTURE_HYGON,
    MICROARCHITECTURE_ARM /* family: MIDR implementer, model: MIDR part number, stepping: revision */
};

struct microarchitecture {
    enum microarchitecture_vendor vendor;
    uint32_t family, model_first, model_last, stepping_first, stepping_last;
    uint32_t slots;          /* issue width a cycle; 0: not tabled */
    bool nop_fills_slot;     /* a no-operation takes exactly one; else a register set to zero does */
    const char *key;         /* "SPR", "ZEN4", "NEOVERSE-V2": names data files */
    const char *market;      /* "server", "client", "client/server", "atom" */
    const char *name;        /* "Sapphire Rapids" */
};

extern const struct microarchitecture microarchitecture_rows[];
extern const size_t microarchitecture_row_count;

/* The row, or NULL: unknown to this version. Owner: static. */
const struct microarchitecture *microarchitecture_find(enum microarchitecture_vendor vendor, uint32_t family,
                                                       uint32_t model, uint32_t stepping);

#endif
