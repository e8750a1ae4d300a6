/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/stall/stall_work.h"

#include "analyse/code/address_span.h"
#include "analyse/memory/touched_while.h"
#include "base/cache_line.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MOST = 12,
};

static const struct process_pages *pages_of(const struct process_pages *pages, size_t count, uint32_t pid)
{
    for (size_t at = 0; at < count; at++)
        if ((uint32_t)pages[at].pid == pid)
            return &pages[at];
    return NULL;
}

/* An upper end to what a call costs in instructions when its code wasn't read. */
enum {
    CALLEE_UNREAD = 32,
    WORK_MOST = 512,
};

static size_t callee_length(const struct stall_work *work, const struct bundle_function *from,
                            const struct instruction *call)
{
    for (size_t at = 0; call->has_target && at < work->functions.count; at++) {
        const struct bundle_function *source = work->sources.items[at];
        if (source && source->shown_addr == call->target && work->decoded.items[at].count &&
            bundle_functions_share_addresses(from, source))
            return work->decoded.items[at].count;
    }
    return CALLEE_UNREAD;
}

/*
 * Instructions from one access of the group to the next: the loop's, with what it calls, over the loads in it that
 * wait as this one does. So much of the program stands between two misses in the reorder buffer.
 */
static uint32_t work_around(const struct stall_work *work, uint32_t function, uint32_t hottest)
{
    const struct stall_code *decoded = &work->decoded.items[function];
    struct loop_rows loop;
    if (!code_loop_around(decoded->items, decoded->count, hottest, &loop))
        return 0;
    size_t total = 0, alike = 0;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *instruction = &decoded->items[at];
        total += 1 + (instruction->class == INSTRUCTION_CALL
                          ? callee_length(work, work->sources.items[function], instruction)
                          : 0);
        alike += instruction->is_load && !stall_is_frame_operand(work, decoded, instruction) &&
                 decoded->hits[at] * 4 >= decoded->hits[hottest];
    }
    size_t work_per_access = total / (alike ? alike : 1);
    return (uint32_t)(work_per_access < WORK_MOST ? work_per_access : WORK_MOST);
}

struct grouped_hit {
    struct stall_address hit;
    const struct page_area *area;
    uint64_t area_start;
};

static int grouped_compare(const void *a, const void *b)
{
    const struct grouped_hit *left = a, *right = b;
    if (left->hit.function != right->hit.function)
        return left->hit.function < right->hit.function ? -1 : 1;
    if (left->hit.pid != right->hit.pid)
        return left->hit.pid < right->hit.pid ? -1 : 1;
    if (left->area_start != right->area_start)
        return left->area_start < right->area_start ? -1 : 1;
    return (left->hit.time_ns > right->hit.time_ns) - (left->hit.time_ns < right->hit.time_ns);
}

/* Names that the kernel gives to memory of its tmpfs. */
static bool is_shared_memory(const char *path)
{
    static const char *const starts[] = {"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero", "[anon_shmem"};
    for (size_t at = 0; at < array_count(starts); at++)
        if (strncmp(path, starts[at], strlen(starts[at])) == 0)
            return true;
    return false;
}

static void group_area(struct stall_group *group, const struct page_area *area)
{
    group->area_known = area != NULL;
    if (!area)
        return;
    group->area = area->path[0] ? area->path : "anonymous memory";
    group->area_bytes = area->end - area->start;
    group->area_resident_bytes = area->resident_bytes;
    group->advised_huge = area->advised_huge;
    group->advised_never = area->advised_never;
    group->is_stack = strncmp(area->path, "[stack", 6) == 0;
    group->is_shared = is_shared_memory(area->path);
    group->is_heap = strncmp(area->path, "[heap", 5) == 0;
    group->is_anonymous = group->is_heap || !area->path[0] || strncmp(area->path, "[anon", 5) == 0;
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/*
 * Nanoseconds that a line of a walk in order takes: addresses of two samples in succession tell how far it came
 * meanwhile. The faster quarter bounds it (others had the CPU between some); 0: most pairs don't agree on a speed.
 */
static double order_line_ns(const struct grouped_hit *hits, size_t count, int64_t step)
{
    vec(double) speeds = {0};
    size_t pairs = 0, agreeing = 0;
    for (size_t at = 1; at < count; at++) {
        const struct stall_address *before = &hits[at - 1].hit, *hit = &hits[at].hit;
        if (hit->thread != before->thread || hit->instruction != before->instruction || hit->time_ns <= before->time_ns)
            continue;
        double way = (double)(int64_t)(hit->addr - before->addr) * (step < 0 ? -1 : 1);
        pairs++;
        if (way > 0)
            *vec_push(&speeds) = way / (double)(hit->time_ns - before->time_ns);
    }
    if (speeds.count)
        qsort(speeds.items, speeds.count, sizeof(*speeds.items), double_compare);
    double middle = speeds.count ? speeds.items[speeds.count / 2] : 0;
    double fast = speeds.count ? speeds.items[speeds.count - 1 - speeds.count / 4] : 0;
    for (size_t at = 0; at < speeds.count; at++)
        agreeing += speeds.items[at] > middle / 1.5 && speeds.items[at] < middle * 1.5;
    vec_done(&speeds);
    return pairs >= WORKING_SET_ADDRESSES_LEAST && agreeing * 5 >= pairs * 3 ? CACHE_LINE_BYTES / fast : 0;
}

/* What the code says of the order of the accesses outweighs the distances between samples. */
static void group_order(const struct stall_code *decoded, const struct grouped_hit *hits, size_t count,
                        uint32_t hottest, struct stall_group *group)
{
    struct loop_rows loop;
    int64_t step;
    group->in_order = code_loop_around(decoded->items, decoded->count, hottest, &loop) &&
                      code_loop_step(decoded->items, loop, hottest, &step) &&
                      code_address_by_lines(decoded->items, loop, hottest, step);
    if (!group->in_order)
        return;
    group->order_line_ns = order_line_ns(hits, count, step);
    group->set.stride_bytes = 0;
    group->set.one_place_in_stride = false;
}

/* For how many stalled samples an address stands. */
static double hit_weight(const struct stall_work *work, const struct stall_address *hit)
{
    const struct stall_code *decoded = &work->decoded.items[hit->function];
    return hit->is_ahead ? (double)decoded->lost[hit->instruction] / (double)decoded->ahead[hit->instruction] : 1;
}

/* Its address comes out of a load before: nothing can be fetched ahead. */
static bool is_dependent(const struct stall_code *decoded, uint32_t index)
{
    const struct instruction *instruction = &decoded->items[index];
    bool own = instruction->class == INSTRUCTION_LOAD && instruction->memory.base < 64 &&
               (instruction->writes >> instruction->memory.base & 1) && !(decoded->marks[index] & MARK_STRAY);
    return own || decoded->marks[index] & (MARK_ADDRESSED | MARK_FOLLOWS);
}

static void group_fill(struct stall_work *work, const struct grouped_hit *hits, size_t count, struct stall_group *group)
{
    uint32_t function = hits[0].hit.function;
    const struct stall_code *decoded = &work->decoded.items[function];
    double samples = 0, loads = 0, narrow = 0, stores = 0, dependent = 0, landing = 0;
    *group = (struct stall_group){.function = function, .area = "unknown memory"};
    group_area(group, hits[0].area);
    scoped_free struct timed_address *addresses = memory_alloc(count * sizeof(*addresses));
    uint32_t hottest = hits[0].hit.instruction;
    for (size_t at = 0; at < count; at++) {
        const struct instruction *instruction = &decoded->items[hits[at].hit.instruction];
        addresses[at] = (struct timed_address){hits[at].hit.time_ns, hits[at].hit.addr, hits[at].hit.thread};
        double weight = hit_weight(work, &hits[at].hit);
        samples += weight;
        loads += instruction->is_load ? weight : 0;
        landing += hits[at].hit.is_landing && !hits[at].hit.is_ahead ? weight : 0;
        narrow += stall_moves_one(instruction) || instruction->vector_bits == 128 ? weight : 0;
        stores += instruction->is_store && !instruction->is_load ? weight : 0;
        dependent += is_dependent(decoded, hits[at].hit.instruction) ? weight : 0;
        if (decoded->hits[hits[at].hit.instruction] > decoded->hits[hottest])
            hottest = hits[at].hit.instruction;
        group->unknown_hits += !hits[at].hit.on_base_page && !hits[at].hit.on_huge_page;
        group->base_hits += hits[at].hit.on_base_page;
        group->huge_hits += hits[at].hit.on_huge_page;
    }
    group->samples = (uint64_t)(samples + 0.5);
    group->load_samples = (uint64_t)(loads + 0.5);
    group->narrow_samples = (uint64_t)(narrow + 0.5);
    group->landing_samples = (uint64_t)(landing + 0.5);
    group->store_samples = (uint64_t)(stores + 0.5);
    group->dependent_samples = (uint64_t)(dependent + 0.5);
    stall_row_fill(work, function, hottest, &group->row);
    group->element_bytes = decoded->items[hottest].memory.size_bytes;
    group->work_instructions = work_around(work, function, hottest);
    double total = (double)work->stalls->sample_count;
    group->share = wilson_interval(samples < total ? samples : total, total, total);
    double sized = (double)(group->base_hits + group->huge_hits);
    group->base_share = wilson_interval((double)group->base_hits, sized, sized);
    group->set = working_set_of(addresses, count);
    if (group->dependent_samples * 2 > group->samples)
        working_set_followed(&group->set);
    if (group->area_known)
        working_set_clamp(&group->set, group->area_bytes);
    struct measured window = touched_while_of(addresses, count);
    if (window.known) /* what it goes over in the end is of no account */
        working_set_clamp(&group->set, (uint64_t)window.value);
    group_order(decoded, hits, count, hottest, group);
}

static void hit_page(struct stall_address *hit, const struct process_pages *pages)
{
    uint64_t size = pages ? process_pages_size_at(pages, hit->addr) : 0;
    hit->on_base_page = size && size <= pages->base_page_bytes;
    hit->on_huge_page = size && !hit->on_base_page;
}

static int group_compare(const void *a, const void *b)
{
    const struct stall_group *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

void stall_groups_find(struct stall_work *work, const struct process_pages *pages, size_t pages_count)
{
    size_t count = work->hits.count;
    struct stalls *stalls = work->stalls;
    stalls->groups = arena_array(work->arena, struct stall_group, GROUPS_MOST + 1);
    if (!count)
        return;
    scoped_free struct grouped_hit *hits = memory_alloc(count * sizeof(*hits));
    for (size_t at = 0; at < count; at++) {
        const struct process_pages *map = pages_of(pages, pages_count, work->hits.items[at].pid);
        const struct page_area *area = map ? process_pages_area(map, work->hits.items[at].addr) : NULL;
        hit_page(&work->hits.items[at], map);
        hits[at] = (struct grouped_hit){work->hits.items[at], area, area ? area->start : 0};
    }
    qsort(hits, count, sizeof(*hits), grouped_compare);
    vec(struct stall_group) groups = {0};
    size_t least = stalls->sample_count / 100 + 1;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        double weight = 0;
        for (; end < count && hits[end].hit.function == hits[first].hit.function &&
               hits[end].hit.pid == hits[first].hit.pid && hits[end].area_start == hits[first].area_start;
             end++)
            weight += hit_weight(work, &hits[end].hit);
        if (weight >= (double)least)
            group_fill(work, hits + first, end - first, vec_push(&groups));
        first = end;
    }
    if (groups.count)
        qsort(groups.items, groups.count, sizeof(*groups.items), group_compare);
    stalls->group_count = groups.count < GROUPS_MOST ? groups.count : GROUPS_MOST;
    if (groups.count)
        memcpy(stalls->groups, groups.items, stalls->group_count * sizeof(*groups.items));
    vec_done(&groups);
}

struct set_size stall_group_size(const struct stall_group *group, bool *ret_of_lines)
{
    static const double APART = 1.5; /* as the estimate names pages beside lines */
    const struct stall_size *said = &group->said;
    double lines = said->lines.known ? said->lines.bytes : said->lines.at_least_bytes;
    *ret_of_lines = said->is_known && !(said->pages.known && said->pages.bytes > APART * lines);
    return !said->is_known ? group->set.pages : *ret_of_lines ? said->lines : said->pages;
}
