/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is memory that is huge in here small on the host?
 *
 * A TLB entry covers no more than the smaller of the two pages. One line of each 4 KiB page is chased over memory on 2
 * MiB pages of this guest: if the host's pages are huge, too, a few entries cover it, and it goes as fast as lines side
 * by side; if not, each access walks, nearly as on 4 KiB pages of the guest's own. All lines fit the second cache, so
 * that no misses blur it. Does not support: which memory (what the probe got is a sample of the guest's), 1 GiB pages,
 * guests that get no huge pages.
 */
#ifndef PLUMB_PROBE_GUEST_HOST_PAGE_H
#define PLUMB_PROBE_GUEST_HOST_PAGE_H

#include "statistics/guest_costs.h"
#include "system/sysroot.h"

/* Some 3 ms a round and 30 ms for the memory. */
void host_pages_measure(struct host_backing *pages, const struct sysroot *root, int rounds);

#endif
