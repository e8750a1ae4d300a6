/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_stacks.h"

#include "base/scope.h"

#include <linux/perf_event.h>

enum {
    MAPS_READ_MOST = 1000, /* in all */
    AGAIN_EVERY = 16,      /* once read twice, a process's maps are read again for a part of the strange addresses only */
    JUDGED_LEAST = 3
};

void recorder_stacks_init(struct recorder_stacks *stacks, const struct sysroot *root)
{
    *stacks = (struct recorder_stacks){.root = root};
}

void recorder_stacks_done(struct recorder_stacks *stacks)
{
    vec_for_each(&stacks->processes, process)
        text_done(&process->maps);
    vec_done(&stacks->processes);
    vec_done(&stacks->threads);
    vec_done(&stacks->ends);
    hashmap_done(&stacks->ends_by_key);
    hashmap_done(&stacks->threads_by_tid);
}

/* Where an address lies. */

struct code_place {
    bool is_code, in_c_library;
};

static bool is_c_library(struct view path)
{
    static const char *const names[] = {"libc.so", "libc-2", "libpthread", "ld-linux", "ld-2", "ld-musl", "libc.musl", "ld.so"};
    const char *slash = path.length ? memrchr(path.text, '/', path.length) : NULL;
    struct view name = slash ? view_skip(path, (size_t)(slash + 1 - path.text)) : path;
    for (size_t at = 0; at < array_count(names); at++)
        if (view_starts(name, names[at]))
            return true;
    return false;
}

static void read_maps(struct recorder_stacks *stacks, struct stack_process *process)
{
    scoped_text struct text maps = {0};
    struct view rest, line;
    if (stacks->maps_read >= MAPS_READ_MOST ||
        !sysroot_read(stacks->root, &maps, NULL, "/proc/%u/maps", process->pid))
        return;
    stacks->maps_read++;
    process->read_again = process->maps.length != 0;
    text_done(&process->maps);
    process->maps = maps;
    maps = (struct text){0};
    rest = (struct view){process->maps.bytes, process->maps.length};
    while (view_line(&rest, &line))
        process->uses_c_library |= is_c_library(line);
}

static struct stack_process *process_of(struct recorder_stacks *stacks, uint32_t pid)
{
    vec_for_each(&stacks->processes, process)
        if (process->pid == pid)
            return process;
    struct stack_process *process = vec_push(&stacks->processes);
    *process = (struct stack_process){.pid = pid};
    read_maps(stacks, process);
    return process;
}

static bool find_code(const struct stack_process *process, uint64_t addr, struct code_place *place)
{
    struct view rest = {process->maps.bytes, process->maps.length}, line;
    while (view_line(&rest, &line)) {
        struct view path = line, range = view_word(&path), rights = view_word(&path), first = view_cut(&range, '-');
        uint64_t start, end;
        if (!view_u64(first, 16, &start) || !view_u64(range, 16, &end) || addr < start || addr >= end)
            continue;
        place->is_code = rights.length > 2 && rights.text[2] == 'x';
        place->in_c_library = place->is_code && is_c_library(line);
        return true;
    }
    return false;
}

static struct code_place place_of(struct recorder_stacks *stacks, uint32_t pid, uint64_t addr)
{
    struct code_place place = {0};
    struct stack_process *process = process_of(stacks, pid);
    if (!find_code(process, addr, &place) && (!process->read_again || addr % AGAIN_EVERY == 0)) {
        read_maps(stacks, process); /* it may have mapped more, or have exec'ed, since */
        find_code(process, addr, &place);
    }
    return place;
}

/* Counting. */

static uint32_t thread_of(struct recorder_stacks *stacks, uint32_t pid, uint32_t tid)
{
    uint32_t known = hashmap_find(&stacks->threads_by_tid, hash_u64(tid), NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return known;
    *vec_push(&stacks->threads) = (struct stack_thread){.pid = pid, .tid = tid};
    hashmap_add(&stacks->threads_by_tid, hash_u64(tid), (uint32_t)stacks->threads.count - 1);
    return (uint32_t)stacks->threads.count - 1;
}

static struct stack_end *end_of(struct recorder_stacks *stacks, uint32_t thread, uint64_t addr)
{
    uint64_t key = hash_combine(hash_u64(thread), addr);
    uint32_t known = hashmap_find(&stacks->ends_by_key, key, NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return &stacks->ends.items[known];
    struct code_place place = addr ? place_of(stacks, stacks->threads.items[thread].pid, addr) : (struct code_place){0};
    struct stack_end *end = vec_push(&stacks->ends);
    *end = (struct stack_end){.thread = thread, .addr = place.is_code ? addr : 0, .in_c_library = place.in_c_library};
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
    uint32_t thread = thread_of(stacks, pid, tid);
    stacks->threads.items[thread].count++;
    end_of(stacks, thread, user_frames > 1 ? outermost : 0)->count++;
    stacks->first_ns = stacks->count++ ? stacks->first_ns : time_ns;
    stacks->last_ns = time_ns;
}

/* Judging. */

static bool is_shared(const struct recorder_stacks *stacks, const struct stack_end *end)
{
    uint32_t pid = stacks->threads.items[end->thread].pid;
    vec_for_each(&stacks->ends, other)
        if (other->addr == end->addr && other->thread != end->thread &&
            stacks->threads.items[other->thread].pid == pid)
            return true;
    return false;
}

static bool may_be_root(const struct recorder_stacks *stacks, const struct stack_end *end)
{
    if (!end->addr)
        return false;
    if (end->in_c_library)
        return true;
    uint32_t pid = stacks->threads.items[end->thread].pid;
    vec_for_each(&stacks->processes, process)
        if (process->pid == pid && !process->uses_c_library)
            return true;
    return is_shared(stacks, end);
}

struct stack_share recorder_stacks_share(const struct recorder_stacks *stacks)
{
    struct stack_share share = {0};
    vec(uint64_t) best = {0}; /* of each thread */
    vec_reserve(&best, stacks->threads.count + 1);
    memset(best.items, 0, best.capacity * sizeof(best.items[0]));
    vec_for_each(&stacks->ends, end)
        if (end->count > best.items[end->thread] && may_be_root(stacks, end))
            best.items[end->thread] = end->count;
    for (size_t at = 0; at < stacks->threads.count; at++) {
        if (stacks->threads.items[at].count < JUDGED_LEAST)
            continue;
        share.judged += stacks->threads.items[at].count;
        share.at_root += best.items[at];
    }
    vec_done(&best);
    return share;
}
