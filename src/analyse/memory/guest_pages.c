/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/guest_pages.h"

#include <string.h>

/* small pages that one huge one becomes: splits are the cause when they explain half of them */
enum { PAGES_A_SPLIT = 512 };
/* shares: mapped huge for the most part; backed huge at all */
static const double HUGE_ENOUGH = 0.9, HARDLY_HUGE = 0.5;

bool guest_memory_is(const struct mapping_coverage *mapping, const struct guest_slots *slots)
{
    if (slots)
        return guest_slots_have(slots, mapping->area);
    enum page_backing backing = mapping->small.backing;
    uint64_t filled = mapping->sizes.base + mapping->sizes.huge + mapping->sizes.gigantic + mapping->sizes.swapped;
    bool memory = backing == PAGE_BACKING_ANONYMOUS || backing == PAGE_BACKING_SHARED ||
                  backing == PAGE_BACKING_TMPFS || backing == PAGE_BACKING_HUGETLB ||
                  (backing == PAGE_BACKING_FILE && mapping->area->protection[3] == 's');
    return memory && filled >= GUEST_MEMORY_LEAST_BYTES && strncmp(mapping->area->protection, "rw", 2) == 0;
}

static double level_bytes(const struct fact_number *pages, double page_bytes)
{
    return pages->known ? (double)pages->value * page_bytes : 0;
}

double guest_pages_huge_share(const struct guest_pages *guest)
{
    if (!guest->pages_4k.known || !guest->pages_2m.known)
        return -1;
    double huge = level_bytes(&guest->pages_2m, 0x1p21) + level_bytes(&guest->pages_1g, 0x1p30);
    double all = huge + level_bytes(&guest->pages_4k, 0x1p12);
    return all > 0 ? huge / all : -1;
}

static double backing_huge_share(const struct guest_pages *guest)
{
    double all = (double)guest->backing_small_bytes + (double)guest->backing_huge_bytes;
    return all > 0 ? (double)guest->backing_huge_bytes / all : -1;
}

static enum guest_page_verdict verdict_of(const struct guest_pages *guest, const struct guest_slots *slots)
{
    double mapped = guest_pages_huge_share(guest), backed = backing_huge_share(guest);
    if (guest->is_emulated)
        return GUEST_PAGES_EMULATED;
    if (!guest->pages_4k.known || !guest->pages_2m.known)
        return GUEST_PAGES_UNKNOWN;
    if (mapped < 0)
        return GUEST_PAGES_NONE;
    if (mapped >= HUGE_ENOUGH)
        return guest->shadow ? GUEST_PAGES_BOTH_HUGE : GUEST_PAGES_HOST_HUGE;
    if (guest->has_private)
        return GUEST_PAGES_PRIVATE;
    if (backed < 0)
        return GUEST_PAGES_BACKING_UNKNOWN;
    if (backed < HARDLY_HUGE)
        return GUEST_PAGES_BACKING_SMALL;
    if (slots && slots->skewed_huge_bytes * 2 >= guest->backing_huge_bytes)
        return GUEST_PAGES_SKEWED;
    if (slots && slots->logged_huge_bytes * 2 >= guest->backing_huge_bytes)
        return GUEST_PAGES_LOGGED;
    if (guest->splits_by_nx.known &&
        (double)guest->splits_by_nx.value * PAGES_A_SPLIT * 2 >= (double)guest->pages_4k.value)
        return GUEST_PAGES_SPLIT_BY_NX;
    return guest->shadow ? GUEST_PAGES_SHADOW_SMALL : GUEST_PAGES_SPLIT;
}

void guest_pages_judge(struct guest_pages *guest, const struct page_coverage *coverage, const struct guest_slots *slots)
{
    bool by_slot = slots && slots->sizes_known;
    guest->backing_small_bytes = by_slot ? slots->small_bytes : 0;
    guest->backing_huge_bytes = by_slot ? slots->huge_bytes : 0;
    for (size_t at = 0; coverage && !by_slot && at < coverage->mapping_count; at++) {
        const struct mapping_coverage *mapping = &coverage->mappings[at];
        if (!guest_memory_is(mapping, slots))
            continue;
        guest->backing_small_bytes += mapping->sizes.base;
        guest->backing_huge_bytes += mapping->sizes.huge + mapping->sizes.gigantic;
    }
    guest->verdict = verdict_of(guest, by_slot ? slots : NULL);
}

int page_walk_references(int guest_levels, int host_levels)
{
    return (guest_levels + 1) * (host_levels + 1) - 1;
}
