/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/threads.h"

#include "base/vec.h"

void threads_done(struct threads *threads)
{
    vec_done(threads);
    hashmap_done(&threads->by_tid);
}

uint32_t threads_find(const struct threads *threads, uint32_t tid)
{
    uint32_t id = hashmap_find(&threads->by_tid, hash_u64(tid), NULL, NULL, NULL);
    return id == HASHMAP_ABSENT ? THREAD_NONE : id;
}

uint32_t threads_begin(struct threads *threads, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
    uint32_t id = (uint32_t)threads->count;
    *vec_push(threads) =
        (struct thread){.pid = pid, .tid = tid, .space = UINT32_MAX, .started_ns = time_ns, .ended_ns = UINT64_MAX};
    hashmap_put(&threads->by_tid, hash_u64(tid), id);
    return id;
}

uint32_t threads_get(struct threads *threads, uint32_t pid, uint32_t tid)
{
    uint32_t id = threads_find(threads, tid);
    if (tid == TID_GONE)
        pid = UINT32_MAX;
    /* Another process under this tid: its end and the new start were not recorded. */
    if (id == THREAD_NONE || (pid != UINT32_MAX && threads->items[id].pid != pid))
        id = threads_begin(threads, pid, tid, 0);
    return id;
}
