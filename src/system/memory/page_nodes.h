/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which NUMA nodes does a process's memory lie?
 *
 * From numa_maps, which walks the page tables: exact, and as dear as smaps.
 * Source: proc_pid_numa_maps(5).
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_NODES_H
#define PLUMB_SYSTEM_MEMORY_PAGE_NODES_H

#include "base/text.h"
#include "system/sysroot.h"

#include <sys/types.h>

enum { PAGE_NODES_MOST = 64 };

struct page_nodes {
    uint64_t bytes[PAGE_NODES_MOST];
    size_t node_count; /* the highest that was named, and one */
    char why_not[160]; /* or "" */
};

void page_nodes_read(struct page_nodes *nodes, const struct sysroot *root, pid_t pid);
/* Adds up one numa_maps text; lines that it doesn't know are left out. */
void page_nodes_parse(struct page_nodes *nodes, struct view text);

#endif
