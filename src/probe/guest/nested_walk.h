/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a load that misses the TLB take in a guest on this host, by the page sizes of both?
 *
 * A guest of our own (/dev/kvm, one vCPU, a few instructions that follow pointers) goes over one line of each of N
 * pages in random order, on memory that this process has on small and on huge pages, mapped by the guest's own tables
 * in small and in huge ones; and over N lines side by side. It is what a guest may gain at most by larger pages, where
 * every load misses; how many of its loads do isn't known here. Does not support: other architectures than x86-64, 1
 * GiB pages, other guests' loads.
 */
#ifndef PLUMB_PROBE_GUEST_NESTED_WALK_H
#define PLUMB_PROBE_GUEST_NESTED_WALK_H

#include "statistics/interval.h"
#include "system/kernel.h"
#include "system/sysroot.h"

enum { NESTED_WALK_SMALL, NESTED_WALK_HUGE, NESTED_WALK_SIZES };

struct nested_walk {
    const char *why_not;       /* not NULL: nothing was measured. Owner: static */
    struct interval dense_ns;  /* lines side by side */
    struct interval ns[NESTED_WALK_SIZES][NESTED_WALK_SIZES]; /* [guest's page][host's page]; median and quartiles */
    /* on 4 KiB of the guest: host's small pages against huge ones, round by round; median, 95 % */
    struct interval times;
    struct interval times_huge;/* the same on 2 MiB of the guest */
    uint64_t pages;
    uint32_t rounds;
};

void nested_walk_measure(struct nested_walk *walk, const struct sysroot *root, const struct kernel *kernel);

#endif
