/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/phases.h"

#include "base/hashmap.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEYS_MOST = 256, /* rarer keys share the last slot */
    SEGMENT_SAMPLES_LEAST = 30,
    SEGMENTS_MOST = 64,
    CANDIDATES = 128, /* cuts tried in each segment */
};

static const double segment_share_least = 0.03;
static const double distance_least = 0.25; /* total variation: a quarter of the time is spent elsewhere */

struct mix {
    double weight[KEYS_MOST];
    double total;
};

struct search {
    const uint16_t *slots; /* key slot of each sample */
    const double *weights;
    size_t count, slot_count, segment_least;
    vec(size_t) cuts; /* first samples of segments but the first */
};

static void mix_add(struct mix *mix, size_t slot, double weight)
{
    mix->weight[slot] += weight;
    mix->total += weight;
}

static double mix_distance(const struct mix *a, const struct mix *b, size_t slot_count)
{
    double distance = 0;
    for (size_t slot = 0; slot < slot_count; slot++)
        distance += fabs(a->weight[slot] / a->total - b->weight[slot] / b->total);
    return distance / 2;
}

static double term(double part, double whole)
{
    return part > 0 ? part * log(part / whole) : 0;
}

/* G statistic of "both sides have one mix", in samples (weights are scaled by the caller to a mean of 1). */
static double likelihood_ratio(const struct mix *a, const struct mix *b, size_t slot_count)
{
    double ratio = 0;
    for (size_t slot = 0; slot < slot_count; slot++) {
        double both = a->weight[slot] + b->weight[slot];
        ratio += term(a->weight[slot], a->total) + term(b->weight[slot], b->total) - term(both, a->total + b->total);
    }
    return 2 * ratio;
}

struct tried_cuts {
    size_t from, until, step; /* these positions, one in so many */
};

/* Best of these cuts of [first, end), or 0 when none is worth it. */
static size_t best_of(const struct search *search, size_t first, size_t end, struct tried_cuts tried)
{
    struct mix left = {0}, right = {0};
    for (size_t at = first; at < end; at++)
        mix_add(&right, search->slots[at], search->weights[at]);
    size_t best = 0;
    double best_ratio = 0;
    for (size_t at = first; at < end && at <= tried.until; at++) {
        bool allowed = at - first >= search->segment_least && end - at >= search->segment_least;
        if (allowed && at >= tried.from && (at - tried.from) % tried.step == 0) {
            double ratio = likelihood_ratio(&left, &right, search->slot_count);
            bool better = ratio > best_ratio && mix_distance(&left, &right, search->slot_count) >= distance_least;
            best = better ? at : best;
            best_ratio = better ? ratio : best_ratio;
        }
        mix_add(&left, search->slots[at], search->weights[at]);
        mix_add(&right, search->slots[at], -search->weights[at]);
    }
    /* Schwarz's criterion for slot_count - 1 more parameters and a free position. */
    double penalty = (double)search->slot_count * log((double)search->count) + 10;
    return best_ratio > penalty ? best : 0;
}

/* Roughly first, then to the sample: what else was measured is laid at a phase by its borders. */
static size_t best_cut(const struct search *search, size_t first, size_t end)
{
    size_t step = (end - first) / CANDIDATES + 1;
    size_t rough = best_of(search, first, end, (struct tried_cuts){first, end, step});
    if (!rough || step == 1)
        return rough;
    return best_of(search, first, end, (struct tried_cuts){rough - step, rough + step, 1});
}

static void segment(struct search *search, size_t first, size_t end)
{
    if (end - first < 2 * search->segment_least || search->cuts.count >= SEGMENTS_MOST)
        return;
    size_t cut = best_cut(search, first, end);
    if (!cut)
        return;
    segment(search, first, cut);
    *vec_push(&search->cuts) = cut;
    segment(search, cut, end);
}

/* Give the KEYS_MOST - 1 first keys seen a slot each, all others the last. Returns how many slots are used. */
static size_t assign_slots(const struct phase_sample *samples, size_t count, uint16_t *slots)
{
    struct hashmap map = {0};
    size_t used = 0;
    for (size_t at = 0; at < count; at++) {
        uint32_t slot = hashmap_find(&map, samples[at].key + 1u, NULL, NULL, NULL);
        if (slot == HASHMAP_ABSENT) {
            slot = used < KEYS_MOST - 1 ? (uint32_t)used++ : KEYS_MOST - 1;
            hashmap_add(&map, samples[at].key + 1u, slot);
        }
        slots[at] = (uint16_t)slot;
    }
    bool overflowed = map.count > used;
    hashmap_done(&map);
    return used + overflowed > KEYS_MOST - 1 ? KEYS_MOST : used;
}

static void mix_of(const struct search *search, const struct phase_segment *segment, struct mix *mix)
{
    memset(mix, 0, sizeof(*mix));
    for (size_t at = segment->first; at < segment->first + segment->count; at++)
        mix_add(mix, search->slots[at], search->weights[at]);
}

/* Segments alike in mix get one phase number, in order of first appearance. */
static uint32_t name_phases(const struct search *search, struct phases *phases)
{
    scoped_free struct mix *mixes = memory_alloc(memory_product(phases->segment_count, sizeof(*mixes)));
    uint32_t phase_count = 0;
    for (size_t at = 0; at < phases->segment_count; at++) {
        mix_of(search, &phases->segments[at], &mixes[at]);
        uint32_t phase = phase_count;
        for (size_t before = 0; before < at && phase == phase_count; before++)
            if (mix_distance(&mixes[before], &mixes[at], search->slot_count) < distance_least)
                phase = phases->segments[before].phase;
        phases->segments[at].phase = phase;
        phase_count += phase == phase_count;
    }
    return phase_count;
}

static void fill_segments(const struct search *search, const struct phase_sample *samples, struct phases *phases,
                          struct arena *arena)
{
    phases->segment_count = search->cuts.count + 1;
    phases->segments = arena_array(arena, struct phase_segment, phases->segment_count);
    for (size_t at = 0; at < phases->segment_count; at++) {
        size_t first = at ? search->cuts.items[at - 1] : 0;
        size_t end = at < search->cuts.count ? search->cuts.items[at] : search->count;
        phases->segments[at] = (struct phase_segment){.start_ns = samples[first].time_ns,
                                                      .end_ns = samples[end - 1].time_ns,
                                                      .first = first,
                                                      .count = end - first};
    }
}

struct phases phases_find(const struct phase_sample *samples, size_t count, struct arena *arena)
{
    struct phases phases = {0};
    if (!count)
        return phases;
    scoped_free uint16_t *slots = memory_alloc(memory_product(count, sizeof(*slots)));
    scoped_free double *weights = memory_alloc(memory_product(count, sizeof(*weights)));
    double total = 0;
    for (size_t at = 0; at < count; at++)
        total += samples[at].weight;
    for (size_t at = 0; at < count; at++)
        weights[at] = total > 0 ? samples[at].weight / total * (double)count : 1;
    size_t least = (size_t)(segment_share_least * (double)count);
    struct search search = {.slots = slots,
                            .weights = weights,
                            .count = count,
                            .slot_count = assign_slots(samples, count, slots),
                            .segment_least = least > SEGMENT_SAMPLES_LEAST ? least : SEGMENT_SAMPLES_LEAST};
    segment(&search, 0, count);
    fill_segments(&search, samples, &phases, arena);
    phases.phase_count = name_phases(&search, &phases);
    vec_done(&search.cuts);
    return phases;
}
