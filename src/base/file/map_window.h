/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pages of a mapped file are in our page tables while it is read once from its beginning to its end? Those around
 * the reader: what comes next is mapped, and what lies behind given back, some megabytes at a time and on another core
 * where there is one. A reader that goes without finds each page by a fault, and keeps them all.
 */
#ifndef PLUMB_BASE_FILE_MAP_WINDOW_H
#define PLUMB_BASE_FILE_MAP_WINDOW_H

#include "base/worker.h"

#include <stddef.h>

struct map_window {
    char *map; /* NULL: there is nothing to do */
    size_t size_bytes;
    size_t behind, ahead; /* pages before this were given back, those from there on haven't been asked for */
    size_t behind_next, ahead_next; /* what the other core is at */
    struct worker worker;
    bool has_core, cannot_ask; /* the kernel is older than 5.14 */
};

/* The window stays where it is until map_window_end(), and so does the map, which is never written. */
void map_window_begin(struct map_window *window, void *map, size_t size_bytes);
/* The reader stands at offset `at`, and won't look again at what lies before `keep`. Cheap. */
void map_window_move(struct map_window *window, size_t keep, size_t at);
/* The map may go. Again is allowed. */
void map_window_end(struct map_window *window);

#endif
