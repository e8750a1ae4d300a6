/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/map_window.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* linux/mman.h since 5.14 */
#endif

enum {
    AHEAD_BYTES = 16 << 20, /* a power of two, as the next */
    BEHIND_BYTES = 32 << 20,
};

static void pages_ask(struct map_window *window)
{
    size_t length = window->ahead_next - window->ahead;
    if (length && madvise(window->map + window->ahead, length, MADV_POPULATE_READ) != 0)
        window->cannot_ask = true; /* or the file was shortened: faults tell */
    window->ahead = window->ahead_next;
}

static void pages_give_back(struct map_window *window)
{
    size_t length = window->behind_next - window->behind;
    if (length)
        madvise(window->map + window->behind, length, MADV_DONTNEED);
    window->behind = window->behind_next;
}

static void window_work(void *context)
{
    struct map_window *window = context;
    pages_ask(window);
    pages_give_back(window);
}

/* Alone, a fault costs little more than asking. */
static void ahead_decide(struct map_window *window, size_t at)
{
    size_t next = (at & ~((size_t)AHEAD_BYTES - 1)) + 2 * (size_t)AHEAD_BYTES;
    window->ahead_next = window->ahead;
    if (window->has_core && !window->cannot_ask && next > window->ahead)
        window->ahead_next = next < window->size_bytes ? next : window->size_bytes;
}

void map_window_begin(struct map_window *window, void *map, size_t size_bytes)
{
    *window = (struct map_window){.map = map, .size_bytes = size_bytes, .has_core = worker_has_core()};
}

void map_window_move(struct map_window *window, size_t keep, size_t at)
{
    if (!window->map || !worker_is_idle(&window->worker))
        return;
    worker_end(&window->worker);
    ahead_decide(window, at);
    window->behind_next = keep < window->behind + BEHIND_BYTES ? window->behind : keep & ~((size_t)BEHIND_BYTES - 1);
    if (window->ahead_next == window->ahead && window->behind_next == window->behind)
        return;
    if (window->has_core)
        worker_begin(&window->worker, window_work, window);
    else
        window_work(window);
}

void map_window_end(struct map_window *window)
{
    worker_end(&window->worker);
    window->map = NULL;
}
