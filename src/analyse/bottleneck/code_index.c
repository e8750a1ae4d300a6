/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/code_index.h"

#include "analyse/memory/working_set.h"
#include "base/vec.h"

#include <string.h>

struct sorted { /* by key, each key's in the order in which they came */
    uint32_t *items;
    uint32_t *first; /* of each key, and one more */
    size_t keys;
};

struct code_index {
    struct sorted placed, addresses, row_addresses;
    size_t *row_base; /* key of a function's first row */
    uint32_t *process; /* of each function, whose addresses are looked at; ANY_PROCESS: of all */
    size_t function_count;
};

enum { NO_KEY = UINT32_MAX, ANY_PROCESS = UINT32_MAX };

typedef size_t (*key_of)(const struct code_index *index, const struct stalls *stalls, size_t at);

static size_t placed_key(const struct code_index *index, const struct stalls *stalls, size_t at)
{
    return stalls->placed[at].function < index->function_count ? stalls->placed[at].function : NO_KEY;
}

static size_t address_key(const struct code_index *index, const struct stalls *stalls, size_t at)
{
    const struct stall_address *hit = &stalls->addresses[at];
    bool known = hit->function < index->function_count &&
                 (index->process[hit->function] == ANY_PROCESS || hit->pid == index->process[hit->function]);
    return known ? hit->function : NO_KEY;
}

static size_t row_key(const struct code_index *index, const struct stalls *stalls, size_t at)
{
    const struct stall_address *hit = &stalls->addresses[at];
    bool known = address_key(index, stalls, at) != NO_KEY && hit->instruction < stalls->codes[hit->function].count;
    return known ? index->row_base[hit->function] + hit->instruction : NO_KEY;
}

static void sort(struct sorted *sorted, size_t keys, size_t count, const struct code_index *index,
                 const struct stalls *stalls, key_of key, struct arena *arena)
{
    sorted->keys = keys;
    sorted->first = arena_array(arena, uint32_t, keys + 2);
    sorted->items = arena_array(arena, uint32_t, count + 1);
    memset(sorted->first, 0, (keys + 2) * sizeof(*sorted->first));
    for (size_t at = 0; at < count; at++)
        if (key(index, stalls, at) != NO_KEY)
            sorted->first[key(index, stalls, at) + 2]++;
    for (size_t at = 2; at < keys + 2; at++)
        sorted->first[at] += sorted->first[at - 1];
    /* where the next of a key goes stands one behind: in the end, that is its first */
    for (size_t at = 0; at < count; at++)
        if (key(index, stalls, at) != NO_KEY)
            sorted->items[sorted->first[key(index, stalls, at) + 1]++] = (uint32_t)at;
}

static struct index_part part_of(const struct sorted *sorted, size_t key)
{
    if (key >= sorted->keys)
        return (struct index_part){0};
    return (struct index_part){&sorted->items[sorted->first[key]], sorted->first[key + 1] - sorted->first[key]};
}

struct process_hits {
    uint32_t pid;
    size_t hits;
};

/*
 * The process that most of a function's addresses are of, where they suffice to tell its working set: another's lie
 * elsewhere, so that together they would reach over as many working sets as there were runs.
 */
static uint32_t process_of(const struct stalls *stalls, struct index_part addresses)
{
    vec(struct process_hits) processes = {0};
    struct process_hits most = {ANY_PROCESS, 0};
    size_t last = 0; /* one behind the other they are mostly of one process */
    for (size_t at = 0; at < addresses.count; at++) {
        uint32_t pid = stalls->addresses[addresses.items[at]].pid;
        if (last >= processes.count || processes.items[last].pid != pid)
            for (last = 0; last < processes.count && processes.items[last].pid != pid;)
                last++;
        if (last == processes.count)
            *vec_push(&processes) = (struct process_hits){pid, 0};
        processes.items[last].hits++;
    }
    vec_for_each(&processes, process)
        most = process->hits > most.hits ? *process : most;
    vec_done(&processes);
    return most.hits >= WORKING_SET_ADDRESSES_LEAST ? most.pid : ANY_PROCESS;
}

static void processes_find(struct code_index *index, const struct stalls *stalls, struct arena *arena)
{
    index->process = arena_array(arena, uint32_t, stalls->function_count + 1);
    for (size_t at = 0; at < stalls->function_count; at++)
        index->process[at] = ANY_PROCESS;
    sort(&index->addresses, stalls->function_count, stalls->address_count, index, stalls, address_key, arena);
    for (uint32_t at = 0; at < stalls->function_count; at++)
        index->process[at] = process_of(stalls, code_index_addresses(index, at));
}

const struct code_index *code_index_new(const struct stalls *stalls, struct arena *arena)
{
    struct code_index *index = arena_new(arena, struct code_index);
    *index = (struct code_index){.function_count = stalls->function_count};
    index->row_base = arena_array(arena, size_t, stalls->function_count + 1);
    size_t rows = 0;
    for (size_t at = 0; at < stalls->function_count; at++) {
        index->row_base[at] = rows;
        rows += stalls->codes ? stalls->codes[at].count : 0;
    }
    processes_find(index, stalls, arena);
    sort(&index->placed, stalls->function_count, stalls->placed_count, index, stalls, placed_key, arena);
    sort(&index->addresses, stalls->function_count, stalls->address_count, index, stalls, address_key, arena);
    sort(&index->row_addresses, rows, stalls->address_count, index, stalls, row_key, arena);
    return index;
}

struct index_part code_index_placed(const struct code_index *index, uint32_t function)
{
    return part_of(&index->placed, function);
}

struct index_part code_index_addresses(const struct code_index *index, uint32_t function)
{
    return part_of(&index->addresses, function);
}

struct index_part code_index_row_addresses(const struct code_index *index, uint32_t function, uint32_t row)
{
    return function < index->function_count ? part_of(&index->row_addresses, index->row_base[function] + row)
                                            : (struct index_part){0};
}
