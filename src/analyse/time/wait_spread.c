/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/wait_spread.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Copying a stack takes some microseconds of the wait before it: below that much lengths don't tell waits apart. */
enum { SHORTEST_CLASS = 15 }; /* log 2: 33 us */

static unsigned length_class(uint64_t ns)
{
    unsigned log = ns ? 63 - (unsigned)__builtin_clzll(ns) : 0;
    return log < SHORTEST_CLASS ? 0 : (log - SHORTEST_CLASS) / 2 + 1;
}

#define ALL_THREADS UINT32_MAX

enum {
    ANY_LENGTH = 255, /* the group of all of a thread's seen waits */
    SEEN_LEAST = 3,   /* fewer don't stand for others */
    NEAR = 1          /* classes of length */
};

static uint64_t group_key(uint32_t thread, uint32_t process, unsigned length)
{
    return hash_combine(hash_u64((uint64_t)thread << 32 | process), length);
}

static uint32_t group_of(struct wait_spread *spread, uint32_t thread, uint32_t process, unsigned length)
{
    uint64_t key = group_key(thread, process, length);
    uint32_t at = hashmap_find(&spread->group_by_key, key, NULL, NULL, NULL);
    if (at != HASHMAP_ABSENT)
        return at;
    at = (uint32_t)spread->groups.count;
    hashmap_add(&spread->group_by_key, key, at);
    *vec_push(&spread->groups) = (struct wait_group){.thread = thread, .process = process, .length = length};
    return at;
}

static void amount_add(struct wait_amount *to, const struct wait_amount *amount)
{
    to->ns += amount->ns;
    to->idle_ns += amount->idle_ns;
    to->count += amount->count;
    if (to->longest_ns < amount->longest_ns)
        to->longest_ns = amount->longest_ns;
}

static struct wait_part *part_of(struct wait_spread *spread, uint32_t group, uint32_t site)
{
    uint64_t key = hash_u64((uint64_t)group << 32 | site);
    uint32_t at = hashmap_find(&spread->part_by_key, key, NULL, NULL, NULL);
    if (at != HASHMAP_ABSENT)
        return &spread->parts.items[at];
    hashmap_add(&spread->part_by_key, key, (uint32_t)spread->parts.count);
    struct wait_part *part = vec_push(&spread->parts);
    *part = (struct wait_part){.group = group, .site = site};
    return part;
}

void wait_spread_add(struct wait_spread *spread, uint32_t thread, uint32_t process, uint32_t site,
                     const struct wait_amount *amount)
{
    unsigned length = length_class(amount->ns);
    uint32_t own = group_of(spread, thread, process, length);
    if (site == WAIT_SITE_NONE) {
        amount_add(&spread->groups.items[own].unseen, amount);
        return;
    }
    uint32_t any = group_of(spread, thread, process, ANY_LENGTH), all = group_of(spread, ALL_THREADS, process, length);
    amount_add(&spread->groups.items[any].seen, amount);
    amount_add(&spread->groups.items[own].seen, amount);
    amount_add(&part_of(spread, own, site)->seen, amount);
    amount_add(&spread->groups.items[all].seen, amount);
    amount_add(&part_of(spread, all, site)->seen, amount);
}

/* The group of these threads whose waits were seen and are nearest in length; HASHMAP_ABSENT: none is near. */
static uint32_t nearest_seen(const struct wait_spread *spread, uint32_t thread, const struct wait_group *group)
{
    for (unsigned far = 0; far <= NEAR; far++)
        for (unsigned longer = 0; longer <= (far ? 1 : 0); longer++) {
            if (!longer && far > group->length)
                continue;
            unsigned length = longer ? group->length + far : group->length - far;
            uint32_t at =
                hashmap_find(&spread->group_by_key, group_key(thread, group->process, length), NULL, NULL, NULL);
            if (at != HASHMAP_ABSENT && spread->groups.items[at].seen.count >= SEEN_LEAST)
                return at;
        }
    return HASHMAP_ABSENT;
}

/* Whether any wait of the group's thread was. */
static bool was_seen(const struct wait_spread *spread, const struct wait_group *group)
{
    uint64_t key = group_key(group->thread, group->process, ANY_LENGTH);
    return hashmap_find(&spread->group_by_key, key, NULL, NULL, NULL) != HASHMAP_ABSENT;
}

/* What is to be placed at each group's sites; and all of it. */
static struct wait_amount gather(const struct wait_spread *spread, struct wait_amount *ret_to_place)
{
    struct wait_amount all = {0};
    for (uint32_t at = 0; at < spread->groups.count; at++) {
        const struct wait_group *group = &spread->groups.items[at];
        if (!group->unseen.count)
            continue;
        uint32_t where = nearest_seen(spread, group->thread, group);
        if (where == HASHMAP_ABSENT && !was_seen(spread, group))
            where = nearest_seen(spread, ALL_THREADS, group);
        if (where == HASHMAP_ABSENT)
            continue;
        amount_add(&ret_to_place[where], &group->unseen);
        amount_add(&all, &group->unseen);
    }
    return all;
}

static uint64_t part(uint64_t amount, double ratio)
{
    return (uint64_t)((double)amount * ratio + 0.5);
}

struct wait_amount wait_spread_share(const struct wait_spread *spread, struct wait_amount *ret_sites, size_t site_count)
{
    struct wait_amount *to_place = memory_alloc(memory_product(spread->groups.count + 1, sizeof(*to_place)));
    struct wait_amount all = gather(spread, to_place);
    memset(ret_sites, 0, site_count * sizeof(*ret_sites));
    vec_for_each(&spread->parts, here) {
        const struct wait_amount *seen = &spread->groups.items[here->group].seen, *more = &to_place[here->group];
        double by_count = (double)here->seen.count / (double)seen->count;
        double by_time = seen->ns ? (double)here->seen.ns / (double)seen->ns : by_count;
        const struct wait_amount share = {.ns = part(more->ns, by_time),
                                          .idle_ns = part(more->idle_ns, by_time),
                                          .count = part(more->count, by_count)};
        if (more->count && here->site < site_count)
            amount_add(&ret_sites[here->site], &share);
    }
    free(to_place);
    return all;
}

void wait_spread_done(struct wait_spread *spread)
{
    vec_done(&spread->groups);
    vec_done(&spread->parts);
    hashmap_done(&spread->group_by_key);
    hashmap_done(&spread->part_by_key);
}
