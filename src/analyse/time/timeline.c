/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/timeline.h"

#include "analyse/stall/stalls.h"
#include "base/vec.h"

#include <string.h>

enum {
    SAMPLES_LEAST = 40, /* fewer make no picture */
    SAMPLES_A_SLICE = 8,
    KEY_KERNEL = -1,
    KEY_OTHER = -2,
};

/* Index of its function in the bundle, or KEY_…, by location. */
static long key_of(const struct recording *recording, const struct code_bundle *bundle, uint32_t location)
{
    uint32_t dso = recording->samples.locations[location].dso;
    if (dso != DSO_NONE &&
        (recording->spaces.dsos[dso].kind == DSO_KERNEL || recording->spaces.dsos[dso].kind == DSO_MODULE))
        return KEY_KERNEL;
    const struct bundle_function *function = code_bundle_find(bundle, recording, location);
    return function ? function - bundle->functions : KEY_OTHER;
}

static bool counts(const struct recording *recording, const struct sample *sample)
{
    return stalls_counts_sample(recording, sample) && sample->location < recording->samples.location_count;
}

/* The functions with most samples become series, in that order. */
static void series_choose(struct timeline *timeline, const struct code_bundle *bundle, const uint64_t *by_function,
                          size_t *ret_chosen)
{
    for (; timeline->function_count < TIMELINE_FUNCTIONS_MOST; timeline->function_count++) {
        size_t best = bundle->count;
        for (size_t at = 0; at < bundle->count; at++) {
            bool taken = false;
            for (size_t other = 0; other < timeline->function_count; other++)
                taken |= ret_chosen[other] == at;
            if (!taken && by_function[at] && (best == bundle->count || by_function[at] > by_function[best]))
                best = at;
        }
        if (best == bundle->count)
            break;
        ret_chosen[timeline->function_count] = best;
        timeline->series[timeline->function_count] = bundle->functions[best].name;
    }
    timeline->series[timeline->function_count] = "kernel";
    timeline->series[timeline->function_count + 1] = "everything else";
    timeline->series_count = timeline->function_count + 2;
}

static size_t series_of(const struct timeline *timeline, const size_t *chosen, long key)
{
    if (key == KEY_KERNEL)
        return timeline->function_count;
    for (size_t at = 0; key >= 0 && at < timeline->function_count; at++)
        if (chosen[at] == (size_t)key)
            return at;
    return timeline->function_count + 1;
}

void timeline_find(struct timeline *timeline, const struct recording *recording, const struct code_bundle *bundle,
                   struct arena *arena)
{
    const struct samples *samples = &recording->samples;
    uint64_t first = UINT64_MAX, last = 0, count = 0;
    size_t chosen[TIMELINE_FUNCTIONS_MOST];
    long *keys = arena_array(arena, long, samples->location_count + 1);
    uint64_t *by_function = arena_array(arena, uint64_t, bundle->count + 1);
    memset(by_function, 0, (bundle->count + 1) * sizeof(*by_function));
    *timeline = (struct timeline){0};
    for (uint32_t at = 0; at < samples->location_count; at++)
        keys[at] = key_of(recording, bundle, at);
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!counts(recording, sample))
            continue;
        first = sample->time_ns < first ? sample->time_ns : first;
        last = sample->time_ns > last ? sample->time_ns : last;
        count += 1 + (uint64_t)sample->alike;
        if (keys[sample->location] >= 0)
            by_function[keys[sample->location]] += 1 + (uint64_t)sample->alike;
    }
    if (count < SAMPLES_LEAST || last <= first)
        return;
    series_choose(timeline, bundle, by_function, chosen);
    timeline->slice_count = count / SAMPLES_A_SLICE < TIMELINE_SLICES ? count / SAMPLES_A_SLICE : TIMELINE_SLICES;
    timeline->until_s = (double)(last - first) * 1e-9;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!counts(recording, sample))
            continue;
        size_t slice =
            (size_t)((double)(sample->time_ns - first) / (double)(last - first) * (double)timeline->slice_count);
        slice = slice < timeline->slice_count ? slice : timeline->slice_count - 1;
        timeline->samples[slice][series_of(timeline, chosen, keys[sample->location])] += 1 + (uint64_t)sample->alike;
    }
}
