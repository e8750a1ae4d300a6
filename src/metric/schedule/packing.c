/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/packing.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/schedule/counter_match.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_TRIALS = 4000, /* fits tried in one search: about a millisecond */
    SEARCH_ITEMS_MOST = 64,
    REARRANGE_ROUNDS = 400,
    BEST_FIT_EACH = 4, /* rounds */
};

/* Rearranged groups come again and again: what was found of a set, where its hash says. */
enum { MEMO_SLOTS = 4096 };

enum memo_state { MEMO_EMPTY, MEMO_FITS, MEMO_DOES_NOT };

struct memo {
    struct event_set *sets;
    uint8_t *states;
};

struct packer {
    const struct schedule_request *request;
    const struct event_set *items; /* none of them within another */
    size_t *counters;              /* how many counters each takes */
    size_t item_count;
    struct event_set general;      /* events that only general counters count */
    size_t general_most;           /* so many of them fit one group at most, whatever their PMU */
    size_t words;                  /* of a set, that have events */
    struct event_set *groups;
    size_t group_count;
    struct memo memo;
};

static bool set_fits(const struct packer *packer, const struct event_set *set)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < packer->words; at++)
        hash = (hash ^ set->words[at]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    size_t slot = (size_t)(hash >> 40) % MEMO_SLOTS;
    struct event_set *kept = &packer->memo.sets[slot];
    uint8_t *state = &packer->memo.states[slot];
    if (*state == MEMO_EMPTY || memcmp(kept->words, set->words, packer->words * sizeof(*set->words)) != 0) {
        *state = event_set_fits(packer->request, set, NULL) ? MEMO_FITS : MEMO_DOES_NOT;
        *kept = *set;
    }
    return *state == MEMO_FITS;
}

/* Whether the item fits into the group, too. Most groups are full, which a count says at once. */
static bool group_takes(const struct packer *packer, size_t group, const struct event_set *item,
                        struct event_set *ret_join)
{
    size_t general = 0;
    uint64_t more = 0;
    *ret_join = packer->groups[group];
    for (size_t at = 0; at < packer->words; at++) {
        more |= item->words[at] & ~ret_join->words[at];
        ret_join->words[at] |= item->words[at];
        general += (size_t)__builtin_popcountll(ret_join->words[at] & packer->general.words[at]);
    }
    return !more || (general <= packer->general_most && set_fits(packer, ret_join));
}

/* ---- greedy ---------------------------------------------------------------------------------------------- */

/* The group that shares most with the item and stays smallest, of those into which it fits. */
static size_t group_for(const struct packer *packer, const struct event_set *item)
{
    size_t best = SIZE_MAX, best_shared = 0, best_size = 0;
    for (size_t group = 0; group < packer->group_count; group++) {
        struct event_set join;
        if (!group_takes(packer, group, item, &join))
            continue;
        size_t shared = event_set_shared(&packer->groups[group], item), size = event_set_count(&join);
        bool better = best == SIZE_MAX || shared > best_shared || (shared == best_shared && size < best_size);
        best = better ? group : best;
        best_shared = better ? shared : best_shared;
        best_size = better ? size : best_size;
    }
    return best;
}

static void greedy_pack(struct packer *packer, const size_t *order)
{
    packer->group_count = 0;
    for (size_t at = 0; at < packer->item_count; at++) {
        const struct event_set *item = &packer->items[order[at]];
        size_t group = group_for(packer, item);
        if (group == SIZE_MAX)
            packer->groups[packer->group_count++] = *item;
        else
            packer->groups[group] = event_set_join(&packer->groups[group], item);
    }
}

/* Into the first group that takes it. */
static void first_fit_pack(struct packer *packer, const size_t *order)
{
    packer->group_count = 0;
    for (size_t at = 0; at < packer->item_count; at++) {
        const struct event_set *item = &packer->items[order[at]];
        struct event_set join;
        size_t group = 0;
        while (group < packer->group_count && !group_takes(packer, group, item, &join))
            group++;
        packer->groups[group] = group < packer->group_count ? join : *item;
        packer->group_count += group == packer->group_count;
    }
}

/* A metric's counters: those that only general counters count weigh; the fixed ones are free. */
static size_t counters_of(const struct schedule_request *request, const struct event_set *item)
{
    size_t count = 0;
    event_set_each(item, event) {
        uint32_t counters = event_counters(request, event);
        count += counters && counters < UINT32_C(1) << COUNTER_MATCH_FIXED;
    }
    return count;
}

enum order { ORDER_LARGE_FIRST, ORDER_AS_ASKED, ORDER_SMALL_FIRST, ORDER_COUNT };

static void order_fill(const struct packer *packer, enum order kind, size_t *order)
{
    for (size_t at = 0; at < packer->item_count; at++) {
        size_t place = at;
        for (; kind != ORDER_AS_ASKED && place > 0; place--) {
            size_t before = packer->counters[order[place - 1]], mine = packer->counters[at];
            if (kind == ORDER_LARGE_FIRST ? before >= mine : before <= mine)
                break;
            order[place] = order[place - 1];
        }
        order[place] = at;
    }
}

/* ---- the same groups, filled anew ---------------------------------------------------------------------------- */

/* splitmix64. Source: Steele, Lea and Flood 2014. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t home_find(const struct packer *packer, const struct event_set *item)
{
    for (size_t group = 0; group < packer->group_count; group++) {
        uint64_t outside = 0;
        for (size_t at = 0; at < packer->words; at++)
            outside |= item->words[at] & ~packer->groups[group].words[at];
        if (!outside)
            return group;
    }
    return packer->group_count; /* never: each item was placed */
}

/* Item by item as they lie in the groups, the groups shuffled; shuffled and homes: scratch of item_count. */
static void order_by_groups(const struct packer *packer, uint64_t *state, size_t *shuffled, size_t *homes,
                            size_t *order)
{
    size_t count = 0;
    for (size_t group = 0; group < packer->group_count; group++) {
        size_t other = (size_t)(draw(state) % (group + 1));
        shuffled[group] = shuffled[other];
        shuffled[other] = group;
    }
    for (size_t item = 0; item < packer->item_count; item++)
        homes[item] = home_find(packer, &packer->items[item]);
    for (size_t at = 0; at < packer->group_count; at++)
        for (size_t item = 0; item < packer->item_count; item++)
            if (homes[item] == shuffled[at])
                order[count++] = item;
}

static void packing_keep(struct packing *packing, const struct packer *packer)
{
    memcpy(packing->groups, packer->groups, packer->group_count * sizeof(*packer->groups));
    packing->group_count = packer->group_count;
}

/*
 * What lay together is placed together again, the groups in another order: by first fit there are never more of them,
 * and sooner or later fewer. Source: Culberson 1992, iterated greedy for graph colouring.
 */
static void packing_rearrange(struct packing *packing, struct packer *packer, size_t *order, struct arena *arena)
{
    size_t *shuffled = arena_array(arena, size_t, packer->item_count + 1),
           *homes = arena_array(arena, size_t, packer->item_count + 1);
    uint64_t state = packer->item_count;
    memcpy(packer->groups, packing->groups, packing->group_count * sizeof(*packer->groups));
    packer->group_count = packing->group_count;
    for (unsigned round = 0; round < REARRANGE_ROUNDS && packing->group_count > packing->fewest; round++) {
        order_by_groups(packer, &state, shuffled, homes, order);
        if (round % BEST_FIT_EACH == BEST_FIT_EACH - 1)
            greedy_pack(packer, order);
        else
            first_fit_pack(packer, order);
        if (packer->group_count < packing->group_count)
            packing_keep(packing, packer);
    }
}

/* ---- fewer is impossible ----------------------------------------------------------------------------------- */

/* Every event must be counted somewhere: those that only these counters count fill so many groups. */
static size_t bound_by_counters(const struct schedule_request *request, const struct event_set *all, uint32_t counters)
{
    size_t events = 0, width = (size_t)__builtin_popcount(counters);
    event_set_each(all, event) {
        uint32_t wish = event_counters(request, event);
        events += wish && !(wish & ~counters);
    }
    return (events + width - 1) / width;
}

/* Items of which no two fit together each take a group. */
static size_t bound_by_conflict(const struct packer *packer, const size_t *order)
{
    scoped_free size_t *clique = memory_alloc(memory_product(packer->item_count + 1, sizeof(*clique)));
    size_t count = 0;
    for (size_t at = 0; at < packer->item_count; at++) {
        bool fits_any = false;
        for (size_t other = 0; other < count && !fits_any; other++) {
            struct event_set join = event_set_join(&packer->items[order[at]], &packer->items[clique[other]]);
            fits_any = set_fits(packer, &join);
        }
        if (!fits_any)
            clique[count++] = order[at];
    }
    return count;
}

static size_t packing_bound(const struct packer *packer, const size_t *order)
{
    struct event_set all = {{0}};
    for (size_t at = 0; at < packer->item_count; at++)
        all = event_set_join(&all, &packer->items[at]);
    size_t bound = bound_by_conflict(packer, order);
    event_set_each(&all, event) {
        uint32_t counters = event_counters(packer->request, event);
        size_t filled = counters ? bound_by_counters(packer->request, &all, counters) : 0;
        bound = filled > bound ? filled : bound;
    }
    return bound;
}

/* ---- a search for fewer ------------------------------------------------------------------------------------ */

struct search {
    struct packer *packer;
    const size_t *order;
    size_t wanted; /* groups at most */
    size_t trials;
};

/* Every way to place the items from `at` on; the first empty group stands for all empty ones. */
static bool search_place(struct search *search, size_t at)
{
    struct packer *packer = search->packer;
    if (at == packer->item_count)
        return true;
    const struct event_set *item = &packer->items[search->order[at]];
    for (size_t group = 0; group < packer->group_count; group++) {
        struct event_set before = packer->groups[group], join;
        if (search->trials++ > SEARCH_TRIALS)
            return false;
        if (!group_takes(packer, group, item, &join))
            continue;
        packer->groups[group] = join;
        if (search_place(search, at + 1))
            return true;
        packer->groups[group] = before;
    }
    if (packer->group_count == search->wanted)
        return false;
    packer->groups[packer->group_count++] = *item;
    if (search_place(search, at + 1))
        return true;
    packer->group_count--;
    return false;
}

/* Whether fewer was found; an exhausted search without one proves that the packing has the fewest. */
static bool packing_improve(struct packing *packing, struct packer *packer, const size_t *order)
{
    struct search search = {.packer = packer, .order = order, .wanted = packing->group_count - 1};
    packer->group_count = 0;
    if (search_place(&search, 0)) {
        packing_keep(packing, packer);
        return true;
    }
    if (search.trials <= SEARCH_TRIALS)
        packing->fewest = packing->group_count;
    return false;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

/* Items within others need no place of their own. Returns how many remain. */
static size_t items_needed(const struct event_set *items, size_t count, struct event_set *ret_needed)
{
    size_t needed = 0;
    for (size_t at = 0; at < count; at++) {
        bool covered = false;
        for (size_t other = 0; other < count && !covered; other++)
            covered = other != at && event_set_within(&items[at], &items[other]) &&
                      (other < at || !event_set_within(&items[other], &items[at]));
        if (!covered)
            ret_needed[needed++] = items[at];
    }
    return needed;
}

static void packer_init(struct packer *packer, const struct schedule_request *request, const struct event_set *items,
                        size_t item_count, struct arena *arena)
{
    struct event_set *needed = arena_array(arena, struct event_set, item_count + 1);
    *packer = (struct packer){.request = request, .items = needed};
    packer->item_count = items_needed(items, item_count, needed);
    packer->counters = arena_array(arena, size_t, packer->item_count + 1);
    packer->groups = arena_array(arena, struct event_set, packer->item_count + 1);
    for (size_t at = 0; at < packer->item_count; at++)
        packer->counters[at] = counters_of(request, &needed[at]);
    packer->words = (request->event_count + 63) / 64;
    packer->memo =
        (struct memo){arena_array(arena, struct event_set, MEMO_SLOTS), arena_array(arena, uint8_t, MEMO_SLOTS)};
    for (size_t pmu = 0; pmu < request->pmu_count; pmu++) {
        size_t most = (size_t)__builtin_popcount(request->pmus[pmu].general);
        packer->general_most = most > packer->general_most ? most : packer->general_most;
    }
    for (uint32_t event = 0; event < request->event_count; event++) {
        uint32_t counters = event_counters(request, event);
        if (request->events[event].kind != SCHEDULE_OUTSIDE && counters &&
            counters < UINT32_C(1) << COUNTER_MATCH_FIXED)
            event_set_add(&packer->general, event);
    }
}

void packing_find(struct packing *packing, const struct schedule_request *request, const struct event_set *items,
                  size_t item_count, struct arena *arena)
{
    struct packer packer;
    packer_init(&packer, request, items, item_count, arena);
    size_t *order = arena_array(arena, size_t, packer.item_count + 1);
    *packing = (struct packing){.groups = arena_array(arena, struct event_set, packer.item_count + 1)};
    for (enum order kind = 0; kind < ORDER_COUNT; kind++) {
        order_fill(&packer, kind, order);
        greedy_pack(&packer, order);
        if (kind == 0 || packer.group_count < packing->group_count)
            packing_keep(packing, &packer);
    }
    order_fill(&packer, ORDER_LARGE_FIRST, order);
    packing->fewest = packing_bound(&packer, order);
    packing_rearrange(packing, &packer, order, arena);
    order_fill(&packer, ORDER_LARGE_FIRST, order);
    while (packer.item_count <= SEARCH_ITEMS_MOST && packing->group_count > packing->fewest &&
           packing_improve(packing, &packer, order))
        continue;
}
