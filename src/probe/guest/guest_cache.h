/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did being a guest cost here within the last hour? One file in the cache folder (base/file/cache_folder.h), of
 * this boot and the CPUs that this process may use, so that not every diagnosis measures it anew.
 */
#ifndef PLUMB_PROBE_GUEST_GUEST_CACHE_H
#define PLUMB_PROBE_GUEST_GUEST_CACHE_H

#include "base/arena.h"
#include "statistics/guest_costs.h"
#include "system/sysroot.h"

/* False: none is kept, it is damaged, older, of another boot or other CPUs. Owner of strings: arena. */
MUST_CHECK bool guest_cache_read(const struct sysroot *root, const char *cpus, struct guest_costs *ret_costs,
                                 struct arena *arena);
/* What can't be written is no error. */
void guest_cache_write(const struct sysroot *root, const char *cpus, const struct guest_costs *costs);

#endif
