/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that several threads were met at. */
#include "analyse/code/stall_work.h"

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

/* Of the hits on one line: those at addresses where one thread alone was met. */
static size_t hits_apart(const struct stall_address *hits, size_t count)
{
    size_t apart = 0;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        while (end < count && hits[end].addr == hits[first].addr)
            end++;
        apart += hits[end - 1].thread == hits[first].thread ? end - first : 0;
        first = end;
    }
    return apart;
}

/* Addresses whose cache line was met in two threads of a process, one of them writing. */
void stall_lines_count(struct stall_work *work)
{
    struct stall_address *hits = work->hits.items;
    size_t count = work->hits.count;
    work->stalls->shared_line_addresses = count;
    if (count)
        qsort(hits, count, sizeof(*hits), line_compare);
    for (size_t first = 0; first < count;) {
        size_t end = first;
        bool shared = false, stored = false;
        for (; end < count && hits[end].addr >> 6 == hits[first].addr >> 6 && hits[end].pid == hits[first].pid; end++) {
            shared |= hits[end].thread != hits[first].thread;
            stored |= work->decoded.items[hits[end].function].items[hits[end].instruction].is_store;
        }
        work->stalls->shared_line_samples += shared && stored ? end - first : 0;
        work->stalls->apart_samples += shared && stored ? hits_apart(hits + first, end - first) : 0;
        first = end;
    }
}
