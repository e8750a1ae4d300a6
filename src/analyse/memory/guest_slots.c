/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/guest_slots.h"

#include "base/partition_point.h"
#include "system/memory/page_frames.h"

enum { USERS_SLOTS = 32767 - 3 }; /* KVM_USER_MEM_SLOTS: the last three numbers are KVM's own */

bool memory_slot_is_kvms(const struct memory_slot *slot)
{
    return slot->id >= USERS_SLOTS;
}

static uint64_t overlap(uint64_t start, uint64_t end, uint64_t other_start, uint64_t other_end)
{
    uint64_t from = start > other_start ? start : other_start, to = end < other_end ? end : other_end;
    return to > from ? to - from : 0;
}

static void sizes_by_range(struct slot_coverage *slot, const struct process_pages *pages)
{
    uint64_t start = slot->slot->host_addr, end = start + slot->slot->bytes;
    size_t low = partition_point(pages->ranges, pages->range_count, item->end <= start);
    for (size_t at = low; at < pages->range_count && pages->ranges[at].start < end; at++)
        *(pages->ranges[at].page_bytes >= HUGE_PAGE_BYTES ? &slot->huge_bytes : &slot->small_bytes) +=
            overlap(start, end, pages->ranges[at].start, pages->ranges[at].end);
    slot->sizes_known = true;
}

/* A mapping that isn't the slot's alone doesn't tell where in it its pages are. */
static void sizes_by_area(struct slot_coverage *slot, const struct process_pages *pages)
{
    uint64_t start = slot->slot->host_addr, end = start + slot->slot->bytes;
    slot->sizes_known = true;
    for (size_t at = 0; at < pages->area_count; at++) {
        const struct page_area *area = &pages->areas[at];
        uint64_t shared = overlap(start, end, area->start, area->end), bytes = area->end - area->start;
        uint64_t huge = area->huge_bytes < area->resident_bytes ? area->huge_bytes : area->resident_bytes;
        if (!shared || !area->resident_bytes)
            continue;
        if (area->resident_bytes >= bytes && (huge == 0 || huge == area->resident_bytes))
            *(huge ? &slot->huge_bytes : &slot->small_bytes) += shared;
        else if (shared == bytes) {
            slot->huge_bytes += huge;
            slot->small_bytes += area->resident_bytes - huge;
        } else
            slot->sizes_known = false;
    }
}

static uint64_t whole_blocks(uint64_t start, uint64_t bytes)
{
    uint64_t first = (start + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES, last = (start + bytes) / HUGE_PAGE_BYTES;
    return last > first ? (last - first) * HUGE_PAGE_BYTES : 0;
}

struct guest_slots guest_slots_of(const struct memory_slots *slots, const struct page_coverage *coverage,
                                  struct arena *arena)
{
    struct guest_slots all = {.items = arena_array(arena, struct slot_coverage, slots->count + 1),
                              .count = slots->count,
                              .sizes_known = coverage != NULL};
    for (size_t at = 0; at < slots->count; at++) {
        struct slot_coverage *item = &all.items[at];
        const struct memory_slot *slot = item->slot = &slots->items[at];
        item->is_skewed = (slot->guest_addr ^ slot->host_addr) % HUGE_PAGE_BYTES != 0;
        item->blocks_bytes = item->is_skewed ? 0 : whole_blocks(slot->guest_addr, slot->bytes);
        if (coverage && coverage->pages->method == PAGE_METHOD_SMAPS)
            sizes_by_area(item, coverage->pages);
        else if (coverage)
            sizes_by_range(item, coverage->pages);
        all.bytes += slot->bytes;
        all.sizes_known = all.sizes_known && item->sizes_known;
        all.small_bytes += item->small_bytes;
        all.huge_bytes += item->huge_bytes;
        all.skewed_huge_bytes += item->is_skewed ? item->huge_bytes : 0;
        all.logged_huge_bytes += slot->logged ? item->huge_bytes : 0;
    }
    return all;
}

bool guest_slots_have(const struct guest_slots *slots, const struct page_area *area)
{
    for (size_t at = 0; at < slots->count; at++) {
        const struct memory_slot *slot = slots->items[at].slot;
        if (!memory_slot_is_kvms(slot) &&
            overlap(slot->host_addr, slot->host_addr + slot->bytes, area->start, area->end))
            return true;
    }
    return false;
}
