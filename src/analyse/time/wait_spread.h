/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where were the waits whose stack was not taken? Switches may come faster than stacks can be copied; each wait's
 * length is known all the same.
 *
 * Those of a thread are laid where at least three other waits of the same thread and of a like length were (a factor of
 * four; where there are none, of 16; all short ones are alike), in proportion to these; those of a thread that was
 * never seen, where those of other threads of its process were. So a long wait among thousands of short ones isn't
 * taken for one of them. What is left stays without a place. All of it is an estimate.
 */
#ifndef PLUMB_ANALYSE_TIME_WAIT_SPREAD_H
#define PLUMB_ANALYSE_TIME_WAIT_SPREAD_H

#include "base/hashmap.h"
#include "base/vec.h"

#include <stdint.h>

struct wait_amount {
    uint64_t ns, idle_ns, count, longest_ns;
};

/* Waits of one thread, or process, and of a like length. */
struct wait_group {
    struct wait_amount seen, unseen; /* with a stack, without; of a process's group only the former is kept */
    uint32_t thread, process, length; /* thread UINT32_MAX: of all its threads; length: class */
};

struct wait_part { /* of a group's seen waits: those at one site */
    uint32_t group, site;
    struct wait_amount seen;
};

struct wait_spread {
    vec(struct wait_group) groups;
    vec(struct wait_part) parts;
    struct hashmap group_by_key, part_by_key;
};

#define WAIT_SITE_NONE UINT32_MAX

/* A wait at a site, or at none. */
void wait_spread_add(struct wait_spread *spread, uint32_t thread, uint32_t process, uint32_t site,
                     const struct wait_amount *amount);
/* What each site gets of those without: ret_sites[0…site_count). Returns what got a place. */
struct wait_amount wait_spread_share(const struct wait_spread *spread, struct wait_amount *ret_sites,
                                     size_t site_count);
void wait_spread_done(struct wait_spread *spread);

#endif
