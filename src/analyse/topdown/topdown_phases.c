/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/topdown_phases.h"

#include <math.h>

enum { WINDOWS_LEAST = 3, SEGMENTS_MOST = 64 };

/* A share must change by so many points to matter, and by so many standard errors to be no chance. */
static const double change_matters = 0.08, change_errors = 5;
/* Segments whose shares differ by less are the same phase. */
static const double alike = 0.06;
/* Warm-up faults at so many times the rate of the rest, and at least so often a second. */
static const double fault_times = 5, fault_rate_least = 500;

struct finder {
    const struct phase_window *windows;
    size_t value_count;
    struct topdown_phases *phases;
};

static double mean_of(const struct finder *finder, size_t first, size_t end, size_t value)
{
    double sum = 0;
    for (size_t at = first; at < end; at++)
        sum += finder->windows[at].values[value];
    return sum / (double)(end - first);
}

/* Noise from one window to the next, which a step in between hardly moves. */
static double noise_of(const struct finder *finder, size_t first, size_t end, size_t value)
{
    double squares = 0;
    for (size_t at = first + 1; at < end; at++) {
        double step = finder->windows[at].values[value] - finder->windows[at - 1].values[value];
        squares += step * step;
    }
    return sqrt(squares / 2 / (double)(end - first - 1));
}

/* How much a cut explains: squares between its sides, over all values. */
static double cut_gain(const struct finder *finder, size_t first, size_t cut, size_t end)
{
    double left = (double)(cut - first), right = (double)(end - cut), gain = 0;
    for (size_t value = 0; value < finder->value_count; value++) {
        double difference = mean_of(finder, first, cut, value) - mean_of(finder, cut, end, value);
        gain += difference * difference * left * right / (left + right);
    }
    return gain;
}

static bool cut_matters(const struct finder *finder, size_t first, size_t cut, size_t end)
{
    for (size_t value = 0; value < finder->value_count; value++) {
        double difference = fabs(mean_of(finder, first, cut, value) - mean_of(finder, cut, end, value));
        double error =
            noise_of(finder, first, end, value) * sqrt(1.0 / (double)(cut - first) + 1.0 / (double)(end - cut));
        if (difference >= change_matters && difference >= change_errors * error)
            return true;
    }
    return false;
}

static void segment_split(struct finder *finder, size_t first, size_t end)
{
    struct topdown_phases *phases = finder->phases;
    size_t best = 0;
    double most = 0;
    for (size_t cut = first + WINDOWS_LEAST; cut + WINDOWS_LEAST <= end; cut++) {
        double gain = cut_gain(finder, first, cut, end);
        if (gain > most) {
            most = gain;
            best = cut;
        }
    }
    if (best && phases->segment_count + 2 < SEGMENTS_MOST && cut_matters(finder, first, best, end)) {
        segment_split(finder, first, best);
        segment_split(finder, best, end);
        return;
    }
    phases->segments[phases->segment_count++] = (struct topdown_segment){.first = first, .count = end - first};
}

static bool are_alike(const struct finder *finder, const struct topdown_segment *a, const struct topdown_segment *b)
{
    for (size_t value = 0; value < finder->value_count; value++)
        if (fabs(mean_of(finder, a->first, a->first + a->count, value) -
                 mean_of(finder, b->first, b->first + b->count, value)) > alike)
            return false;
    return true;
}

static void phases_number(struct finder *finder)
{
    struct topdown_phases *phases = finder->phases;
    for (size_t at = 0; at < phases->segment_count; at++) {
        struct topdown_segment *segment = &phases->segments[at];
        segment->phase = phases->phase_count;
        for (size_t before = 0; before < at && segment->phase == phases->phase_count; before++)
            if (are_alike(finder, segment, &phases->segments[before]))
                segment->phase = phases->segments[before].phase;
        phases->phase_count += segment->phase == phases->phase_count;
    }
}

/* Page faults a second of windows [first, end); not measured when one of them isn't. */
static struct measured fault_rate(const struct finder *finder, size_t first, size_t end)
{
    double faults = 0, seconds = 0;
    for (size_t at = first; at < end; at++) {
        if (!finder->windows[at].faults.known)
            return finder->windows[at].faults;
        faults += finder->windows[at].faults.value;
        seconds += (double)(finder->windows[at].end_ns - finder->windows[at].start_ns) / 1e9;
    }
    return seconds > 0 ? measured_as(faults / seconds) : not_measured("there was no time");
}

static bool comes_again(const struct topdown_phases *phases, size_t index)
{
    for (size_t at = index + 1; at < phases->segment_count; at++)
        if (phases->segments[at].phase == phases->segments[index].phase)
            return true;
    return false;
}

static void warmup_mark(struct finder *finder, size_t count)
{
    struct topdown_phases *phases = finder->phases;
    for (size_t at = 0; at + 1 < phases->segment_count; at++) {
        struct topdown_segment *segment = &phases->segments[at];
        size_t end = segment->first + segment->count;
        struct measured own = fault_rate(finder, segment->first, end), rest = fault_rate(finder, end, count);
        if (!own.known || !rest.known || own.value < fault_rate_least || own.value < fault_times * rest.value ||
            comes_again(phases, at))
            return;
        segment->is_warmup = true;
    }
}

void topdown_phases_find(struct topdown_phases *phases, const struct phase_window *windows, size_t count,
                         size_t value_count, struct arena *arena)
{
    struct finder finder = {.windows = windows, .value_count = value_count, .phases = phases};
    *phases = (struct topdown_phases){.segments = arena_array(arena, struct topdown_segment, SEGMENTS_MOST)};
    if (!count)
        return;
    segment_split(&finder, 0, count);
    phases_number(&finder);
    warmup_mark(&finder, count);
}
