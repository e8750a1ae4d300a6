/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that several threads were met at. */
#include "analyse/stall/stall_work.h"

#include <stdlib.h>

static int line_compare(const void *a, const void *b)
{
    const struct stall_address *left = a, *right = b;
    if (left->addr >> 6 != right->addr >> 6)
        return left->addr < right->addr ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    if (left->addr != right->addr)
        return left->addr < right->addr ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

/* Of the hits on one line: those at addresses that are one thread's, whoever set them up or reads them at the end. */
static size_t hits_apart(const struct stall_address *hits, size_t count)
{
    size_t apart = 0;
    for (size_t first = 0; first < count;) {
        size_t end = first, own = 0, run = 0;
        while (end < count && hits[end].addr == hits[first].addr) {
            run = end > first && hits[end].thread == hits[end - 1].thread ? run + 1 : 1;
            own = run > own ? run : own;
            end++;
        }
        apart += own * 10 >= (end - first) * 9 ? end - first : 0;
        first = end;
    }
    return apart;
}

static int time_compare(const void *a, const void *b)
{
    const struct stall_address *left = a, *right = b;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* One thread, another, and the first or a third again: handing memory over once is no contention. */
static bool threads_alternate(struct stall_address *hits, size_t count)
{
    size_t changes = 0;
    qsort(hits, count, sizeof(*hits), time_compare);
    for (size_t at = 1; at < count; at++)
        changes += hits[at].thread != hits[at - 1].thread;
    qsort(hits, count, sizeof(*hits), line_compare);
    return changes >= 2;
}

/* Right behind a conditional branch, where work begins anew after a wrong guess: the wait may be for that. */
static bool may_be_guess(const struct stall_work *work, const struct stall_address *hit)
{
    const struct stall_code *code = &work->decoded.items[hit->function];
    return hit->instruction > 0 && code->items[hit->instruction - 1].class == INSTRUCTION_BRANCH;
}

static size_t certain_hits(const struct stall_work *work, const struct stall_address *hits, size_t count)
{
    size_t certain = 0;
    for (size_t at = 0; at < count; at++)
        certain += !may_be_guess(work, &hits[at]);
    return certain;
}

/*
 * Behind them come those of loops that wait for what others write: these wait for what the others do before they write,
 * however the line gets there.
 */
static size_t polled_put_last(const struct stall_work *work, struct stall_address *hits, size_t count)
{
    size_t kept = 0;
    for (size_t at = 0; at < count; at++) {
        struct stall_address hit = hits[at];
        if (work->decoded.items[hit.function].marks[hit.instruction] & MARK_POLLS)
            continue;
        hits[at] = hits[kept];
        hits[kept++] = hit;
    }
    return kept;
}

/* Addresses whose cache line was met in two threads of a process, one of them writing. */
void stall_lines_count(struct stall_work *work)
{
    struct stall_address *hits = work->hits.items;
    size_t count = work->hits.count;
    struct stalls *stalls = work->stalls;
    stalls->shared_line_addresses = count;
    count = polled_put_last(work, hits, count);
    if (count)
        qsort(hits, count, sizeof(*hits), line_compare);
    for (size_t first = 0; first < count;) {
        size_t end = first;
        bool shared = false, stored = false;
        for (; end < count && hits[end].addr >> 6 == hits[first].addr >> 6 && hits[end].pid == hits[first].pid; end++) {
            shared |= hits[end].thread != hits[first].thread;
            stored |= work->decoded.items[hits[end].function].items[hits[end].instruction].is_store;
        }
        if (shared && stored) {
            stalls->shared_line_samples += end - first;
            stalls->apart_samples += hits_apart(hits + first, end - first);
            bool turns = threads_alternate(hits + first, end - first);
            stalls->turns_samples += turns ? end - first : 0;
            stalls->contended_samples += turns ? certain_hits(work, hits + first, end - first) : 0;
        }
        first = end;
    }
}
