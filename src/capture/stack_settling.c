/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/stack_settling.h"

#include "base/vec.h"
#include "source/perf_data/perf_data_settle.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>

struct gathering {
    vec(struct settled_stack) stacks;
    vec(uint64_t) ips;
};

static bool is_code(const struct capture *capture, uint32_t space, uint64_t addr)
{
    const struct mapping *mapping = address_spaces_find(&capture->recording.spaces, space, addr);
    return mapping && (!mapping->protection || mapping->protection & PROT_EXEC);
}

/* How many places of a chain by frame pointers can be believed. */
static uint32_t places_in_code(const struct capture *capture, uint32_t space, const struct u64_view *chain)
{
    uint32_t first = 0, at;
    while (first < chain->count && u64_view_at(chain, first) != (uint64_t)PERF_CONTEXT_USER)
        first++;
    for (at = first + 1; at < chain->count && is_code(capture, space, u64_view_at(chain, at));)
        at++;
    return first < chain->count ? at - first - 1 : 0;
}

static bool gather(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct gathering *gathering = context;
    const uint64_t *ips;
    if (!sample || !sample_rest(&record->sample)->user_stack.size_bytes)
        return true;
    size_t count = capture_unwound(capture, &ips);
    *vec_push(&gathering->stacks) = (struct settled_stack){
        .file_offset = record->file_offset,
        .first = (uint32_t)gathering->ips.count,
        .count = (uint32_t)count,
        .recorded = sample->location == LOCATION_NONE
                        ? 0
                        : places_in_code(capture, capture->recording.samples.locations[sample->location].space,
                                         &record->sample.callchain),
    };
    for (size_t at = 0; at < count; at++)
        *vec_push(&gathering->ips) = ips[at];
    return true;
}

/* They come by time. */
static int stack_compare(const void *a, const void *b)
{
    const struct settled_stack *left = a, *right = b;
    return (left->file_offset > right->file_offset) - (left->file_offset < right->file_offset);
}

bool stacks_settle(struct capture *capture, struct source *source, const char *path,
                   const struct capture_unwinder *unwinder, struct error *err)
{
    struct gathering gathering = {0};
    const struct capture_watch watch = {&gathering, gather};
    const struct capture_options options = {.watch = &watch, .unwinder = unwinder};
    struct error broken = {0};
    /* A recording that breaks off keeps what came before. */
    (void)!capture_fill_with(capture, source, &options, &broken);
    if (gathering.stacks.count)
        qsort(gathering.stacks.items, gathering.stacks.count, sizeof(*gathering.stacks.items), stack_compare);
    const struct settled_stacks stacks = {
        .items = gathering.stacks.items,
        .count = gathering.stacks.count,
        .ips = gathering.ips.items,
        .ip_count = gathering.ips.count,
    };
    bool good = perf_data_settle(path, &stacks, err);
    vec_done(&gathering.stacks);
    vec_done(&gathering.ips);
    return good;
}
