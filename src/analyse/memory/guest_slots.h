/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pages back each piece of a guest's memory, and could KVM map that piece by huge ones?
 *
 * KVM maps 2 MiB at once only where guest-physical and monitor's addresses lie alike within 2 MiB, where the piece has
 * them whole, and where it doesn't log writes. Where page sizes are known by mapping only (smaps), a piece of a mapping
 * has none.
 */
#ifndef PLUMB_ANALYSE_MEMORY_GUEST_SLOTS_H
#define PLUMB_ANALYSE_MEMORY_GUEST_SLOTS_H

#include "analyse/memory/page_coverage.h"
#include "system/host/memory_slot.h"

struct slot_coverage {
    const struct memory_slot *slot;
    bool sizes_known;
    uint64_t small_bytes, huge_bytes; /* present in the monitor; 2 MiB and more count as huge */
    bool is_skewed;                   /* no 2 MiB of it can be mapped at once, as the addresses lie */
    uint64_t blocks_bytes;            /* of it in whole aligned 2 MiB; 0 where is_skewed */
};

struct guest_slots {
    struct slot_coverage *items; /* owner: arena */
    size_t count;
    uint64_t small_bytes, huge_bytes;                /* of all whose sizes are known */
    /* of the huge ones: KVM can't map them so, and doesn't while it logs */
    uint64_t skewed_huge_bytes, logged_huge_bytes;
    uint64_t bytes;
    bool sizes_known;                                /* of each slot that has memory */
};

/* coverage NULL: the monitor's mappings aren't known. */
struct guest_slots guest_slots_of(const struct memory_slots *slots, const struct page_coverage *coverage,
                                  struct arena *arena);
/* Whether part of the mapping is the guest's. */
bool guest_slots_have(const struct guest_slots *slots, const struct page_area *area);
/* A slot of KVM's own making, for the processor's sake: a page or three. */
bool memory_slot_is_kvms(const struct memory_slot *slot);

#endif
