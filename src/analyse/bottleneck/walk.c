/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/walk.h"

#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/dependence.h"
#include "analyse/memory/data_address.h"
#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_WANTED = 60,
    PAIRS_LEAST = 24,
    SHORTEST_NS = 10000,  /* the width of an interrupt itself, at least */
    /* as long as the walk stands still for a sample: what it gets on in the rest shows its speed */
    STANDING_TIMES = 3,
    LONGEST_NS = 400000,
    SMALL_PART = 8,       /* of the memory gone over */
};

struct met {
    uint64_t time_ns, addr;
    uint32_t thread, stretch;
};

typedef vec(struct met) met_list;

static int met_compare(const void *a, const void *b)
{
    const struct met *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

uint8_t walk_step_register(const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items;
    const struct memory_operand *memory = &items[row].memory;
    uint8_t by = REGISTER_NONE;
    uint64_t written = 0;
    if (!region->is_loop || memory->base >= 64 || memory->index != REGISTER_NONE || memory->is_relative)
        return REGISTER_NONE;
    for (uint32_t at = region->rows.first; at <= region->rows.last; at++) {
        written |= items[at].writes & ~((uint64_t)1 << memory->base);
        if (!(items[at].writes >> memory->base & 1))
            continue;
        if (by != REGISTER_NONE || items[at].step_register != memory->base || items[at].step_by >= 64)
            return REGISTER_NONE;
        by = items[at].step_by;
    }
    return by != REGISTER_NONE && !(written >> by & 1) ? by : REGISTER_NONE;
}

/* What the loop's registers say of the row's place holds at any of its samples while they only count. */
static bool is_counted(const struct region *region, uint32_t row)
{
    int64_t step;
    return region->is_loop && (code_loop_step(region->code->items, region->rows, row, &step) ||
                               walk_step_register(region, row) != REGISTER_NONE);
}

/* Its own load says where it goes next: a whole address. */
static bool leads_itself(const struct instruction *here)
{
    return here->class == INSTRUCTION_LOAD && here->memory.size_bytes == 8 && here->memory.index == REGISTER_NONE;
}

/*
 * Else they hold it where it was just met, or where it is about to be if what it loads overwrites them: never where
 * samples are exact, whose registers it left.
 */
static bool holds_place(const struct region *region, uint32_t row, const struct stall_sample *placed, bool is_exact)
{
    const struct instruction *here = &region->code->items[row];
    uint64_t used = (here->memory.base < 64 ? (uint64_t)1 << here->memory.base : 0) |
                    (here->memory.index < 64 ? (uint64_t)1 << here->memory.index : 0);
    bool is_next = is_chased(region, row) && leads_itself(here); /* where it goes next, which is as good */
    return !(here->writes & used) || is_next ? placed->stalled == row : !is_exact && placed->sampled == row;
}

static void met_find(met_list *list, const struct bottleneck_request *request, const struct region *region,
                     uint32_t row)
{
    const struct samples *samples = &request->recording->samples;
    struct instruction plain = region->code->items[row];
    bool anywhere = plain.class == INSTRUCTION_STRING || is_counted(region, row);
    plain.writes = 0;
    struct index_part own = code_index_placed(request->index, region->function);
    for (size_t at = 0; at < own.count; at++) {
        const struct stall_sample *placed = &request->stalls->placed[own.items[at]];
        if (!region_holds(region, placed->sampled) ||
            !(anywhere || holds_place(region, row, placed, request->stalls->exact)))
            continue;
        const struct sample *sample = &samples->items[placed->sample];
        struct sampled_registers registers = {samples, sample};
        uint64_t addr, runtime_addr = sample->ip + plain.addr - region->code->items[placed->sampled].addr;
        enum data_refusal refusal;
        bool is_next;
        if (operand_address(&plain, runtime_addr, register_sampled, &registers, &addr, &is_next, &refusal))
            *vec_push(list) = (struct met){
                request->cpu_times ? request->cpu_times[placed->sample] : sample->time_ns, addr, sample->thread,
                request->stretches ? request->stretches[placed->sample] : 0};
    }
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), met_compare);
}

void addresses_met(address_list *list, const struct bottleneck_request *request, const struct region *region,
                   uint32_t row)
{
    met_list met = {0};
    met_find(&met, request, region, row);
    vec_for_each(&met, one)
        *vec_push(list) = (struct timed_address){one->time_ns, one->addr, one->thread};
    vec_done(&met);
}

struct pair {
    double dt_ns, way_bytes;
};

static int nearer_compare(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    return (left->dt_ns > right->dt_ns) - (left->dt_ns < right->dt_ns);
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/*
 * Between two samples lies the interrupt of the first, a good part of the shortest times. It is the same in short and
 * long ones: the walk's own speed is the way it gets farther in a longer time, twice as long at least. 0: too unlike
 * the speed with it.
 */
static double free_speed(const struct pair *pairs, size_t count, size_t near, double speed)
{
    static const double LONGER = 2, SLOWER_MOST = 0.8, FASTER_MOST = 3;
    size_t far = near, found = 0;
    while (far < count && pairs[far].dt_ns < LONGER * pairs[near / 2].dt_ns)
        far++;
    scoped_free double *slopes = memory_alloc((near + 1) * sizeof(*slopes));
    for (size_t at = 0; at < near && far + at < count; at++)
        slopes[found++] = (pairs[far + at].way_bytes - pairs[at].way_bytes) / (pairs[far + at].dt_ns - pairs[at].dt_ns);
    if (found < PAIRS_LEAST / 2)
        return 0;
    qsort(slopes, found, sizeof(*slopes), double_compare);
    double slope = slopes[found / 2] * (speed < 0 ? -1 : 1);
    return slope > SLOWER_MOST * fabs(speed) && slope < FASTER_MOST * fabs(speed) ? slope : 0;
}

/* Of the nearest pairs: the middle of their speeds, and how many are within half of it. */
static void speed_find(struct walk *walk, const struct pair *pairs, size_t all, double span_bytes)
{
    size_t count = all < PAIRS_WANTED ? all : PAIRS_WANTED;
    scoped_free double *speeds = memory_alloc((count + 1) * sizeof(*speeds));
    for (size_t at = 0; at < count; at++)
        speeds[at] = pairs[at].way_bytes / pairs[at].dt_ns;
    qsort(speeds, count, sizeof(*speeds), double_compare);
    double middle = speeds[count / 2];
    size_t agreeing = 0;
    for (size_t at = 0; at < count; at++)
        agreeing += middle != 0 && speeds[at] / middle > 1 / 1.6 && speeds[at] / middle < 1.6;
    size_t forth = 0, back = 0;
    for (size_t at = 0; at < count; at++) {
        bool small = fabs(pairs[at].way_bytes) < span_bytes / SMALL_PART;
        forth += small && pairs[at].way_bytes > 0;
        back += small && pairs[at].way_bytes < 0;
    }
    walk->drifting = (double)(forth > back ? forth : back) / (double)count;
    walk->pairs = count;
    walk->pair_ns = pairs[count / 2].dt_ns;
    walk->agreeing = (double)agreeing / (double)count;
    walk->bytes_per_ns = fabs(middle);
    walk->free_bytes_per_ns = free_speed(pairs, all, count, middle);
}

typedef vec(struct pair) pair_list;

/*
 * As long as a sample is taken the walk stands still: two that come sooner than that after one another show no movement
 * (4 to 6 us with registers; 11 to 15 where setting the timer is an exit). The first distance at which most pairs
 * moved; 0: no pair is nearer.
 */
static double standing_ns(const pair_list *pairs)
{
    size_t moved = 0;
    for (size_t at = 0; at < pairs->count; at++) {
        moved += pairs->items[at].way_bytes != 0;
        moved -= at >= PAIRS_LEAST && pairs->items[at - PAIRS_LEAST].way_bytes != 0;
        if (at + 1 >= PAIRS_LEAST && 2 * moved > PAIRS_LEAST)
            return at + 1 > PAIRS_LEAST ? pairs->items[at + 1 - PAIRS_LEAST / 2].dt_ns : 0;
    }
    return 0;
}

/* Those that show more of the sample between them than of the walk. */
static void pairs_drop_standing(pair_list *pairs)
{
    double shortest_ns = STANDING_TIMES * standing_ns(pairs);
    size_t first = 0;
    while (first < pairs->count && pairs->items[first].dt_ns < shortest_ns)
        first++;
    memmove(pairs->items, pairs->items + first, (pairs->count - first) * sizeof(*pairs->items));
    pairs->count -= first;
}

/* Nearest in time first. */
static void pairs_find(pair_list *pairs, const met_list *list)
{
    for (size_t at = 1; at < list->count; at++) {
        const struct met *before = &list->items[at - 1], *here = &list->items[at];
        double dt_ns = (double)(here->time_ns - before->time_ns);
        if (here->thread == before->thread && here->stretch == before->stretch && dt_ns >= SHORTEST_NS &&
            dt_ns <= LONGEST_NS)
            *vec_push(pairs) = (struct pair){dt_ns, (double)(int64_t)(here->addr - before->addr)};
    }
    if (pairs->count)
        qsort(pairs->items, pairs->count, sizeof(*pairs->items), nearer_compare);
    if (pairs->count)
        pairs_drop_standing(pairs);
}

struct walk walk_of(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    struct walk walk = {0};
    met_list list = {0};
    pair_list pairs = {0};
    uint32_t offsets = 0;
    met_find(&list, request, region, row);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t at = 0; at < list.count; at++) {
        uint64_t addr = list.items[at].addr;
        offsets |= 1u << (addr >> 2 & 15);
        least = addr < least ? addr : least;
        most = addr > most ? addr : most;
    }
    pairs_find(&pairs, &list);
    walk.offsets_met = (uint64_t)__builtin_popcount(offsets);
    if (pairs.count >= PAIRS_LEAST)
        speed_find(&walk, pairs.items, pairs.count, (double)(most - least));
    vec_done(&pairs);
    vec_done(&list);
    return walk;
}

double walk_steps_by(const struct bottleneck_request *request, const struct region *region, uint32_t row,
                     uint64_t stride_bytes)
{
    static const double OFF_MOST = 0.125; /* of a step: the walk's next column begins a little further */
    met_list list = {0};
    pair_list pairs = {0};
    met_find(&list, request, region, row);
    pairs_find(&pairs, &list);
    size_t count = pairs.count < PAIRS_WANTED ? pairs.count : PAIRS_WANTED, fitting = 0;
    for (size_t at = 0; at < count; at++) {
        double steps = pairs.items[at].way_bytes / (double)stride_bytes, whole = round(steps);
        fitting += whole != 0 && fabs(steps - whole) <= OFF_MOST;
    }
    vec_done(&pairs);
    vec_done(&list);
    return count >= PAIRS_LEAST ? (double)fitting / (double)count : 0;
}
