/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/hottest.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/vec.h"

#include <stdlib.h>

struct tally {
    uint64_t samples;
    double weight;
};

struct dso_tally {
    uint32_t dso;
    struct tally tally;
};

/* Samples by location. */
static struct tally *tally_locations(const struct recording *recording, uint32_t event)
{
    const struct samples *samples = &recording->samples;
    struct tally *tallies = memory_alloc(memory_product(samples->location_count + 1, sizeof(*tallies)));
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if ((event != EVENT_ANY && sample->event != event) || sample->location >= samples->location_count)
            continue;
        struct tally *tally = &tallies[sample->location];
        tally->samples += sample->alike + 1;
        /* Periods of different events have different units: then samples are counted. */
        tally->weight += event != EVENT_ANY && sample->period ? (double)sample->period : sample->alike + 1;
    }
    return tallies;
}

static int dso_compare(const void *a, const void *b)
{
    const struct dso_tally *x = a, *y = b;
    if (x->tally.weight != y->tally.weight)
        return x->tally.weight > y->tally.weight ? -1 : 1;
    return (x->dso > y->dso) - (x->dso < y->dso);
}

static struct dso_tally *tally_dsos(const struct recording *recording, const struct tally *tallies)
{
    size_t count = recording->spaces.dso_count;
    struct dso_tally *dsos = memory_alloc(memory_product(count + 1, sizeof(*dsos)));
    for (size_t at = 0; at < count; at++)
        dsos[at].dso = (uint32_t)at;
    for (size_t at = 0; at < recording->samples.location_count; at++) {
        uint32_t dso = recording->samples.locations[at].dso;
        if (dso >= count)
            continue;
        dsos[dso].tally.samples += tallies[at].samples;
        dsos[dso].tally.weight += tallies[at].weight;
    }
    qsort(dsos, count, sizeof(*dsos), dso_compare);
    return dsos;
}

/*
 * No symbol of the dso can have more than this: the heaviest stretch of as many bytes as no function is longer
 * than. Hot code spread over a large binary (the kernel, mostly) is thus seen not to hold the hottest symbol.
 */
static double symbol_weight_most(const struct recording *recording, const struct tally *tallies, uint32_t dso)
{
    enum { FUNCTION_BYTES_MOST = 1024 * 1024 };
    struct hashmap slot_by_stretch = {0};
    vec(double) weights = {0};
    double most = 0;
    for (size_t at = 0; at < recording->samples.location_count; at++) {
        const struct location *where = &recording->samples.locations[at];
        if (where->dso != dso || !tallies[at].samples)
            continue;
        /* Stretches of twice the length, one beginning in the middle of the other: a function lies in one whole. */
        for (uint64_t half = 0; half < 2; half++) {
            uint64_t stretch = (where->dso_addr / FUNCTION_BYTES_MOST + half) / 2 * 2 + half;
            uint32_t slot = hashmap_find(&slot_by_stretch, hash_u64(stretch), NULL, NULL, NULL);
            if (slot == HASHMAP_ABSENT) {
                slot = (uint32_t)weights.count;
                *vec_push(&weights) = 0;
                hashmap_add(&slot_by_stretch, hash_u64(stretch), slot);
            }
            weights.items[slot] += tallies[at].weight;
            most = weights.items[slot] > most ? weights.items[slot] : most;
        }
    }
    hashmap_done(&slot_by_stretch);
    vec_done(&weights);
    return most;
}

struct hot_list {
    struct hashmap by_key;
    vec(struct hot_symbol) symbols;
    vec(double) best_location; /* weight of each symbol's hottest location */
};

/* Code without a name counts together by function where its bounds are known, else by region. */
static uint64_t key_of(struct symboliser *symboliser, uint32_t symbol_id, uint32_t location,
                       const struct location *where)
{
    enum { REGION_BYTES = 8192 };
    uint64_t start, size_bytes;
    if (symbol_id != SYMBOL_NONE)
        return hash_u64(symbol_id);
    if (!symboliser_bounds(symboliser, location, &start, &size_bytes))
        start = where->dso_addr / REGION_BYTES | (uint64_t)1 << 63;
    return hash_combine(hash_u64((uint64_t)where->dso << 32 | UINT32_MAX), start);
}

static void hot_add(struct hot_list *list, uint64_t key, uint32_t symbol_id, uint32_t location,
                    const struct tally *tally)
{
    uint32_t at = hashmap_find(&list->by_key, key, NULL, NULL, NULL);
    if (at == HASHMAP_ABSENT) {
        at = (uint32_t)list->symbols.count;
        *vec_push(&list->symbols) = (struct hot_symbol){.symbol_id = symbol_id, .location = location};
        *vec_push(&list->best_location) = 0;
        hashmap_add(&list->by_key, key, at);
    }
    struct hot_symbol *hot = &list->symbols.items[at];
    hot->samples += tally->samples;
    hot->weight += tally->weight;
    if (tally->weight > list->best_location.items[at]) {
        list->best_location.items[at] = tally->weight;
        hot->location = location;
    }
}

static void hot_add_dso(struct hot_list *list, const struct recording *recording, struct symboliser *symboliser,
                        const struct tally *tallies, uint32_t dso)
{
    for (uint32_t at = 0; at < recording->samples.location_count; at++) {
        const struct location *where = &recording->samples.locations[at];
        if (where->dso != dso || !tallies[at].samples)
            continue;
        uint32_t symbol_id = symboliser_symbol_id(symboliser, at);
        hot_add(list, key_of(symboliser, symbol_id, at, where), symbol_id, at, &tallies[at]);
    }
}

/*
 * Equal ones by where they were met first, so that the order is the same every time: symbols' numbers are given as
 * names are found.
 */
static int hot_compare(const void *a, const void *b)
{
    const struct hot_symbol *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

static size_t hot_collect(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                          bool only_first, struct hot_symbol **ret_symbols)
{
    struct tally *tallies = tally_locations(recording, event);
    struct dso_tally *dsos = tally_dsos(recording, tallies);
    struct hot_list list = {0};
    double best = 0;
    for (size_t at = 0; at < recording->spaces.dso_count && dsos[at].tally.samples; at++) {
        if (only_first && dsos[at].tally.weight <= best)
            break;
        if (only_first && best > 0 && symbol_weight_most(recording, tallies, dsos[at].dso) <= best)
            continue;
        hot_add_dso(&list, recording, symboliser, tallies, dsos[at].dso);
        vec_for_each(&list.symbols, hot)
            if (hot->weight > best)
                best = hot->weight;
    }
    if (list.symbols.count)
        qsort(list.symbols.items, list.symbols.count, sizeof(*list.symbols.items), hot_compare);
    *ret_symbols = list.symbols.items;
    hashmap_done(&list.by_key);
    vec_done(&list.best_location);
    free(dsos);
    free(tallies);
    return list.symbols.count;
}

size_t hot_symbols(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                   struct hot_symbol **ret_symbols)
{
    return hot_collect(recording, symboliser, event, false, ret_symbols);
}

bool hottest_symbol(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                    struct hot_symbol *ret_hot)
{
    struct hot_symbol *symbols;
    size_t count = hot_collect(recording, symboliser, event, true, &symbols);
    if (count)
        *ret_hot = symbols[0];
    free(symbols);
    return count > 0;
}

bool hottest_matching(const struct recording *recording, struct symboliser *symboliser, uint32_t event,
                      hot_symbol_matches *matches, void *context, struct hot_symbol *ret_hot)
{
    struct tally *tallies = tally_locations(recording, event);
    struct dso_tally *dsos = tally_dsos(recording, tallies);
    bool found = false;
    for (size_t at = 0; at < recording->spaces.dso_count && dsos[at].tally.samples && !found; at++) {
        struct hot_list list = {0};
        hot_add_dso(&list, recording, symboliser, tallies, dsos[at].dso);
        if (list.symbols.count)
            qsort(list.symbols.items, list.symbols.count, sizeof(*list.symbols.items), hot_compare);
        vec_for_each(&list.symbols, hot)
            if (!found && matches(context, hot)) {
                *ret_hot = *hot;
                found = true;
            }
        hashmap_done(&list.by_key);
        vec_done(&list.best_location);
        vec_done(&list.symbols);
    }
    free(dsos);
    free(tallies);
    return found;
}
