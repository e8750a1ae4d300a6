/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which pages does KVM map a guest's memory, is that the fault of its backing, and what does a page walk cost then?
 *
 * What backs a guest is known by its memory slots; where they can't be read, the monitor's large writable mappings are
 * taken for it. Levels come from KVM's own statistics. Under EPT/NPT they are those of the second translation. With
 * shadow page tables (no EPT/NPT, PVM) an entry is as large as the smaller of the guest's and the host's page, which is
 * said. Private memory of TDX and SEV-SNP guests (guest_memfd) doesn't show in the monitor's mappings: nothing about it
 * is inferred from them. A walk over g levels of the guest's table and h of the host's takes (g + 1)(h + 1) - 1
 * references: doc/page-walks.md.
 */
#ifndef PLUMB_ANALYSE_MEMORY_GUEST_PAGES_H
#define PLUMB_ANALYSE_MEMORY_GUEST_PAGES_H

#include "analyse/memory/guest_slots.h"
#include "system/host/kvm_statistics.h"

enum guest_page_verdict {
    GUEST_PAGES_UNKNOWN,          /* KVM's levels can't be read */
    GUEST_PAGES_NONE,             /* nothing is mapped yet */
    GUEST_PAGES_EMULATED,         /* no KVM: the monitor translates the guest's instructions itself */
    GUEST_PAGES_HOST_HUGE,        /* most is mapped by 2 MiB and more: what is left is the guest's own affair */
    GUEST_PAGES_BOTH_HUGE,        /* the same in a shadow table: guest and host */
    GUEST_PAGES_BACKING_SMALL,    /* mapped small, and so is what backs it */
    GUEST_PAGES_SPLIT,            /* the backing is huge, KVM maps it small */
    /* the same, as most of the huge memory lies otherwise within 2 MiB for the guest than for the monitor */
    GUEST_PAGES_SKEWED,
    GUEST_PAGES_LOGGED,           /* the same, as KVM logs its writes */
    GUEST_PAGES_SPLIT_BY_NX,      /* the same, and its mitigation (nx_huge_pages) split some */
    GUEST_PAGES_SHADOW_SMALL,     /* the same with shadow page tables: the guest's own pages may be small */
    GUEST_PAGES_PRIVATE,          /* mapped small; private memory, so what backs it isn't known */
    /* mapped small; the monitor's mappings can't be read, or none of them looks like guest memory */
    GUEST_PAGES_BACKING_UNKNOWN,
    GUEST_PAGES_VERDICT_COUNT
};

struct guest_pages {
    struct kvm_machine machine;
    struct fact_number pages_4k, pages_2m, pages_1g; /* entries, by level */
    struct fact_number splits_by_nx;                 /* nx_lpage_splits, now */
    bool is_emulated;                                /* the monitor has no machine of KVM's */
    bool shadow;                                     /* no EPT or NPT: shadow page tables */
    bool has_private;                                /* the monitor holds a guest_memfd */
    uint64_t backing_small_bytes, backing_huge_bytes; /* of the mappings taken as guest memory */
    enum guest_page_verdict verdict;
};

/* a writable mapping with that much, present or swapped out, is taken as guest memory */
enum { GUEST_MEMORY_LEAST_BYTES = 16 << 20 };

/* A mapping with guest memory in it; slots NULL: one that may have: writable, large, and no program's heap or stack. */
bool guest_memory_is(const struct mapping_coverage *mapping, const struct guest_slots *slots);
/*
 * Sums and verdict from what was read; coverage NULL: the monitor's mappings can't be read; slots NULL: KVM's slots
 * can't.
 */
void guest_pages_judge(struct guest_pages *guest, const struct page_coverage *coverage,
                       const struct guest_slots *slots);
/* Share of the mapped bytes by entries of 2 MiB and more; unknown where a level is. */
double guest_pages_huge_share(const struct guest_pages *guest); /* negative: not known, or nothing mapped */

/* References to memory that a walk takes at most, by the levels of both tables. */
int page_walk_references(int guest_levels, int host_levels);

#endif
