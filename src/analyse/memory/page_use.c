/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/page_use.h"

static void hits_settle(struct page_hits *hits)
{
    double known = (double)(hits->base + hits->huge);
    hits->base_share = wilson_interval((double)hits->base, known, known);
}

static const struct process_pages *pages_of(const struct process_pages *pages, size_t count, uint32_t pid)
{
    for (size_t at = 0; at < count; at++)
        if ((uint32_t)pages[at].pid == pid)
            return &pages[at];
    return NULL;
}

static void code_count(struct page_hits *code, const struct recording *recording, const struct process_pages *pages,
                       size_t pages_count)
{
    const struct samples *samples = &recording->samples;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        const struct recorded_event *event = &recording->events[sample->event];
        bool counts = !event->counts_again && !recorded_event_is_switch(event) && sample->location != LOCATION_NONE &&
                      samples->locations[sample->location].cpu_mode == CPU_MODE_USER;
        if (!counts)
            continue;
        const struct process_pages *own = pages_of(pages, pages_count, recording->threads.items[sample->thread].pid);
        uint64_t page_bytes = own ? process_pages_size_at(own, sample->ip) : 0;
        *(!page_bytes                         ? &code->unknown
          : page_bytes > own->base_page_bytes ? &code->huge
                                              : &code->base) += 1 + sample->alike;
    }
}

struct page_use page_use_of(const struct stalls *stalls, const struct recording *recording,
                            const struct process_pages *pages, size_t pages_count)
{
    struct page_use use = {.busiest = NULL};
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        use.data.base += group->base_hits;
        use.data.huge += group->huge_hits;
        use.data.unknown += group->unknown_hits;
        if (group->base_hits && (!use.busiest || group->base_hits > use.busiest->base_hits))
            use.busiest = group;
    }
    if (recording)
        code_count(&use.code, recording, pages, pages_count);
    hits_settle(&use.data);
    hits_settle(&use.code);
    return use;
}
