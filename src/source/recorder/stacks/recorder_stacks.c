/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/stacks/recorder_stacks.h"

#include "base/text.h"

#include <linux/perf_event.h>

enum {
    ENDED_KEPT = 1024, /* processes that ended: samples of theirs may still come, from another CPU's buffer */
    RANGES_MOST = 4096, /* of one process: a JIT compiler may map forever */
    JUDGED_LEAST = 3
};

void recorder_stacks_done(struct recorder_stacks *stacks)
{
    vec_for_each(&stacks->processes, process)
        vec_done(&process->ranges);
    vec_done(&stacks->processes);
    vec_done(&stacks->threads);
    vec_done(&stacks->ends);
    vec_done(&stacks->ended);
    hashmap_done(&stacks->ends_by_key);
    hashmap_done(&stacks->threads_by_key);
    hashmap_done(&stacks->processes_by_pid);
}

/* What is mapped where. */

static bool is_c_library(const char *path)
{
    static const char *const names[] = {"libc.so", "libc-2",  "libpthread", "ld-linux",
                                        "ld-2",    "ld-musl", "libc.musl",  "ld.so"};
    const char *slash = strrchr(path, '/');
    struct view name = view_of(slash ? slash + 1 : path);
    for (size_t at = 0; at < array_count(names); at++)
        if (view_starts(name, names[at]))
            return true;
    return false;
}

static struct stack_process *process_find(const struct recorder_stacks *stacks, uint32_t pid)
{
    uint32_t known = hashmap_find(&stacks->processes_by_pid, hash_u64(pid), NULL, NULL, NULL);
    return known == HASHMAP_ABSENT ? NULL : &stacks->processes.items[known];
}

static struct stack_process *process_of(struct recorder_stacks *stacks, uint32_t pid)
{
    struct stack_process *process = process_find(stacks, pid);
    if (process)
        return process;
    hashmap_add(&stacks->processes_by_pid, hash_u64(pid), (uint32_t)stacks->processes.count);
    process = vec_push(&stacks->processes);
    *process = (struct stack_process){.pid = pid};
    return process;
}

static void process_clear(struct stack_process *process)
{
    vec_done(&process->ranges);
    process->uses_c_library = process->ended = false;
    process->program = 0;
}

static void range_take(struct stack_process *process, const struct stack_range *range)
{
    process->uses_c_library |= range->in_c_library;
    process->program = process->program ? process->program : range->file;
    if (process->ranges.count < RANGES_MOST)
        *vec_push(&process->ranges) = *range;
}

void recorder_stacks_mapped(struct recorder_stacks *stacks, uint32_t pid, uint64_t time_ns, uint64_t start,
                            uint64_t size_bytes, uint64_t file_offset, const char *path)
{
    struct stack_process *process = process_of(stacks, pid);
    struct stack_range range = {
        .start = start, .end = start + size_bytes, .file_offset = file_offset, .since_ns = time_ns};
    if (path[0] == '/' && path[1] != '/')
        range.file = hash_bytes(path, strlen(path));
    range.in_c_library = range.file && is_c_library(path);
    if (time_ns >= process->began_ns)
        range_take(process, &range);
}

/* Take what was mapped from then on, and nothing else of it. */
static void ranges_take_since(struct stack_process *process, const struct stack_process *of, uint64_t since_ns)
{
    vec_for_each (&of->ranges, range)
        if (range->since_ns >= since_ns)
            range_take(process, range);
}

void recorder_stacks_forked(struct recorder_stacks *stacks, uint32_t pid, uint32_t parent, uint64_t time_ns)
{
    if (pid == parent || !process_find(stacks, parent))
        return;
    struct stack_process *child = process_of(stacks, pid), before = *child;
    if (before.began_ns > time_ns) /* it became another program since */
        return;
    *child = (struct stack_process){.pid = pid};
    ranges_take_since(child, process_find(stacks, parent), 0);
    ranges_take_since(child, &before, time_ns);
    vec_done(&before.ranges);
}

void recorder_stacks_execed(struct recorder_stacks *stacks, uint32_t pid, uint64_t time_ns)
{
    struct stack_process *process = process_of(stacks, pid);
    struct stack_process before = *process;
    *process = (struct stack_process){.pid = pid, .began_ns = time_ns > before.began_ns ? time_ns : before.began_ns};
    ranges_take_since(process, &before, time_ns);
    vec_done(&before.ranges);
}

void recorder_stacks_ended(struct recorder_stacks *stacks, uint32_t pid)
{
    struct stack_process *process = process_find(stacks, pid);
    if (!process)
        return;
    process->ended = true;
    *vec_push(&stacks->ended) = (uint32_t)(process - stacks->processes.items);
    if (stacks->ended.count - stacks->ended_at <= ENDED_KEPT)
        return;
    process = &stacks->processes.items[stacks->ended.items[stacks->ended_at++]];
    if (process->ended)
        process_clear(process);
}

/* The latest mapping that holds addr; NULL: not executable memory. */
static const struct stack_range *range_find(const struct stack_process *process, uint64_t addr)
{
    for (size_t at = process->ranges.count; at > 0; at--)
        if (addr >= process->ranges.items[at - 1].start && addr < process->ranges.items[at - 1].end)
            return &process->ranges.items[at - 1];
    return NULL;
}

static uint64_t place_of(const struct stack_process *process, const struct stack_range *range, uint64_t addr)
{
    uint64_t base = range->file ? range->file : hash_u64(process->pid);
    return hash_combine(base, range->file ? addr - range->start + range->file_offset : addr) | 1;
}

/* Counting. */

static uint32_t thread_of(struct recorder_stacks *stacks, const struct stack_process *process, uint32_t tid)
{
    /* A thread that became another program is another one: its root is. */
    uint64_t key = hash_combine(hash_combine(hash_u64(tid), process->pid), process->program);
    uint32_t known = hashmap_find(&stacks->threads_by_key, key, NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return known;
    *vec_push(&stacks->threads) = (struct stack_thread){.pid = process->pid, .tid = tid, .program = process->program};
    hashmap_add(&stacks->threads_by_key, key, (uint32_t)stacks->threads.count - 1);
    return (uint32_t)stacks->threads.count - 1;
}

static struct stack_end *end_of(struct recorder_stacks *stacks, const struct stack_process *process, uint32_t thread,
                                uint64_t addr)
{
    const struct stack_range *range = addr ? range_find(process, addr) : NULL;
    uint64_t place = range ? place_of(process, range, addr) : 0;
    uint64_t key = hash_combine(hash_u64(thread), place);
    uint32_t known = hashmap_find(&stacks->ends_by_key, key, NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return &stacks->ends.items[known];
    struct stack_end *end = vec_push(&stacks->ends);
    *end = (struct stack_end){.thread = thread,
                              .place = place,
                              .in_c_library = range && range->in_c_library,
                              .uses_c_library = process->uses_c_library};
    hashmap_add(&stacks->ends_by_key, key, (uint32_t)stacks->ends.count - 1);
    return end;
}

void recorder_stacks_add(struct recorder_stacks *stacks, uint32_t pid, uint32_t tid, uint64_t time_ns,
                         const uint64_t *chain, uint64_t length)
{
    uint64_t user_frames = 0, outermost = 0;
    bool in_user = false;
    for (uint64_t at = 0; at < length; at++) {
        if (chain[at] >= (uint64_t)PERF_CONTEXT_MAX) {
            in_user = chain[at] == (uint64_t)PERF_CONTEXT_USER;
        } else if (in_user) {
            user_frames++;
            outermost = chain[at];
        }
    }
    if (!user_frames)
        return;
    stacks->first_ns = stacks->count && stacks->first_ns < time_ns ? stacks->first_ns : time_ns;
    stacks->last_ns = stacks->last_ns > time_ns ? stacks->last_ns : time_ns;
    stacks->count++;
    const struct stack_process *process = process_find(stacks, pid);
    if (!process || !process->ranges.count)
        return;
    uint32_t thread = thread_of(stacks, process, tid);
    stacks->threads.items[thread].count++;
    end_of(stacks, process, thread, user_frames > 1 ? outermost : 0)->count++;
}

/* Judging: by groups of chains that should have one root, threads or the rare threads of a program. */

struct chain_group {
    uint64_t count, best; /* best: how many share the likeliest root */
};

struct judging {
    vec(struct chain_group) groups;
    struct hashmap by_key;   /* of threads and programs */
    struct hashmap shared;   /* place and process: which thread first, to see whether another shares it */
    struct hashmap pooled;   /* group and place: index of counts */
    vec(uint64_t) counts;
};

static uint64_t group_key(const struct stack_thread *thread, size_t index)
{
    return thread->count < JUDGED_LEAST && thread->program ? hash_combine(hash_u64(1), thread->program)
                                                           : hash_combine(hash_u64(2), index);
}

static struct chain_group *group_of(struct judging *judging, uint64_t key)
{
    uint32_t known = hashmap_find(&judging->by_key, key, NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return &judging->groups.items[known];
    hashmap_add(&judging->by_key, key, (uint32_t)judging->groups.count);
    struct chain_group *group = vec_push(&judging->groups);
    *group = (struct chain_group){0};
    return group;
}

/* Which places more than one thread of a process ends at. */
static void find_shared(struct judging *judging, const struct recorder_stacks *stacks, bool *shared)
{
    for (uint32_t at = 0; at < stacks->ends.count; at++) {
        const struct stack_end *end = &stacks->ends.items[at];
        uint64_t key = hash_combine(hash_u64(stacks->threads.items[end->thread].pid), end->place);
        uint32_t first = end->place ? hashmap_find(&judging->shared, key, NULL, NULL, NULL) : at;
        shared[at] = false;
        if (first == HASHMAP_ABSENT)
            hashmap_add(&judging->shared, key, at);
        else if (first != at)
            shared[first] = shared[at] = true;
    }
}

static void add_to_group(struct judging *judging, const struct stack_end *end, uint64_t key)
{
    struct chain_group *group = group_of(judging, key);
    uint64_t pool = hash_combine(key, end->place);
    uint32_t at = hashmap_find(&judging->pooled, pool, NULL, NULL, NULL);
    if (at == HASHMAP_ABSENT) {
        at = (uint32_t)judging->counts.count;
        hashmap_add(&judging->pooled, pool, at);
        *vec_push(&judging->counts) = 0;
    }
    judging->counts.items[at] += end->count;
    if (judging->counts.items[at] > group->best)
        group->best = judging->counts.items[at];
}

struct stack_share recorder_stacks_share(const struct recorder_stacks *stacks)
{
    struct stack_share share = {0};
    struct judging judging = {0};
    bool *shared = calloc(stacks->ends.count + 1, sizeof(*shared));
    if (!shared)
        return share;
    for (size_t at = 0; at < stacks->threads.count; at++)
        group_of(&judging, group_key(&stacks->threads.items[at], at))->count += stacks->threads.items[at].count;
    find_shared(&judging, stacks, shared);
    for (size_t at = 0; at < stacks->ends.count; at++) {
        const struct stack_end *end = &stacks->ends.items[at];
        if (end->place && (end->in_c_library || !end->uses_c_library || shared[at]))
            add_to_group(&judging, end, group_key(&stacks->threads.items[end->thread], end->thread));
    }
    vec_for_each(&judging.groups, group)
        if (group->count >= JUDGED_LEAST) {
            share.judged += group->count;
            share.at_root += group->best;
        }
    vec_done(&judging.groups);
    vec_done(&judging.counts);
    hashmap_done(&judging.by_key);
    hashmap_done(&judging.shared);
    hashmap_done(&judging.pooled);
    free(shared);
    return share;
}
