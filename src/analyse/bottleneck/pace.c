/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/pace.h"

#include "analyse/bottleneck/thresholds.h"
#include "analyse/loop/loop_rate.h"
#include "analyse/loop/loop_traffic.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOP_SAMPLES_MOST = 60000,
};

/* ---- CPU time ---- */

struct moment { /* of a thread: a sample, or that it leaves or comes back */
    uint64_t time_ns;
    uint32_t thread, sample; /* sample: UINT32_MAX: a switch */
    bool out;
};

static int moment_compare(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    return (left->sample > right->sample) - (left->sample < right->sample);
}

const uint64_t *sample_cpu_times(const struct recording *recording, struct arena *arena)
{
    const struct samples *samples = &recording->samples;
    uint64_t *times = arena_array(arena, uint64_t, samples->count + 1);
    vec(struct moment) moments = {0};
    for (size_t at = 0; at < samples->count; at++)
        *vec_push(&moments) =
            (struct moment){samples->items[at].time_ns, samples->items[at].thread, (uint32_t)at, false};
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *one = &recording->switches[at];
        *vec_push(&moments) = (struct moment){one->time_ns, one->thread, UINT32_MAX, one->out};
    }
    if (moments.count)
        qsort(moments.items, moments.count, sizeof(*moments.items), moment_compare);
    uint64_t off_ns = 0, left_ns = 0;
    for (size_t at = 0; at < moments.count; at++) {
        const struct moment *moment = &moments.items[at];
        if (at == 0 || moments.items[at - 1].thread != moment->thread)
            off_ns = left_ns = 0;
        if (moment->sample != UINT32_MAX)
            times[moment->sample] = moment->time_ns - off_ns;
        else if (moment->out)
            left_ns = moment->time_ns;
        else if (left_ns) {
            off_ns += moment->time_ns - left_ns;
            left_ns = 0;
        }
    }
    vec_done(&moments);
    return times;
}

/* ---- rate ---- */

static int sample_compare(const void *a, const void *b)
{
    const struct loop_sample *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static bool loop_holds(const struct region *region, const struct stall_sample *placed)
{
    return placed->function == region->function && placed->sampled >= region->rows.first &&
           placed->sampled <= region->rows.last;
}

static void rate_find(const struct bottleneck_request *request, const struct region *region, double most_per_s,
                      struct loop_rate *ret_rate)
{
    const struct samples *samples = &request->recording->samples;
    vec(struct loop_sample) list = {0};
    for (size_t at = 0; at < request->stalls->placed_count && list.count < LOOP_SAMPLES_MOST; at++) {
        const struct stall_sample *placed = &request->stalls->placed[at];
        const struct sample *sample = &samples->items[placed->sample];
        const struct registers *registers =
            sample->registers < samples->registers_count ? &samples->registers[sample->registers] : NULL;
        *vec_push(&list) = (struct loop_sample){
            .time_ns = request->cpu_times ? request->cpu_times[placed->sample] : sample->time_ns,
            .thread = sample->thread,
            .event = sample->event,
            .stretch = request->stretches ? request->stretches[placed->sample] : 0,
            .row = registers && loop_holds(region, placed) ? placed->sampled : LOOP_ROW_OUTSIDE,
            .mask = registers ? registers->mask : 0,
            .values = registers ? &samples->register_values[registers->first] : NULL,
        };
    }
    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), sample_compare);
    const struct loop_rate_request asked = {
        .rows = region->code->items,
        .row_count = region->code->count,
        .loop = region->rows,
        .samples = list.items,
        .sample_count = list.count,
        .most_per_s = most_per_s,
    };
    loop_rate_find(ret_rate, &asked);
    vec_done(&list);
}

static void traffic_find(const struct region *region, struct pace *pace, struct arena *arena)
{
    const struct stall_code *code = region->code;
    double *weights = arena_array(arena, double, code->count + 1);
    for (size_t row = 0; row < code->count; row++)
        weights[row] = (double)code->sampled[row];
    struct loop_path path = loop_path_of(code->items, region->rows, weights, arena);
    struct loop_traffic traffic;
    loop_traffic_of(&traffic, &path, NULL);
    const char *why = traffic.why_not ? traffic.why_not : "its addresses aren't followed";
    bool known = traffic.known && traffic.stream_count;
    pace->bytes_per_turn = known ? measured_as(traffic.bytes) : not_measured(why);
    pace->extra_memory_trips = known ? measured_as(traffic.extra_trips) : not_measured(why);
}

/*
 * A rate that isn't accepted may be too low, never too high: a loop that was left and entered again between two samples
 * looks slower. So it bounds the cycles of a turn from above. Each distance holds one sample's own cost.
 */
static double rate_at_least(const struct loop_rate *rate)
{
    static const double SAMPLE_NS = 4000, AGREEING = 0.6;
    double most = 0;
    for (int at = 0; at < LOOP_SCALES; at++) {
        const struct loop_scale *scale = &rate->scales[at];
        bool many = scale->pairs >= LOOP_PAIRS_LEAST && scale->agreeing >= AGREEING * scale->pairs;
        double here = many && scale->distance_ns > 2 * SAMPLE_NS
                          ? scale->rate_per_s * scale->distance_ns / (scale->distance_ns - SAMPLE_NS) : 0;
        most = here > most ? here : most;
    }
    return most;
}

struct pace pace_of(const struct bottleneck_request *request, const struct region *region,
                    const struct loop_bound *bound, struct arena *arena)
{
    const struct bottleneck_machine *machine = request->machine;
    struct pace pace = {0};
    pace.rate_per_s = pace.measured_cycles = pace.bytes_per_turn = pace.extra_memory_trips =
        not_measured(region->is_loop ? "too few samples for its rate" : "it is no loop");
    double share = (double)region->samples / (double)request->stalls->sample_count;
    if (!region->is_loop || share < bottleneck_thresholds.paced_share)
        return pace;
    double clock_hz = machine->clock_hz.known ? machine->clock_hz.mid : 0;
    struct loop_rate rate;
    rate_find(request, region, clock_hz > 0 && bound->known ? clock_hz / bound->cycles : 0, &rate);
    if (!rate.accepted) {
        const char *why = rate.why_not ? arena_string(arena, rate.why_not) : "its rate is not accepted";
        pace.rate_per_s = pace.measured_cycles = pace.bytes_per_turn = pace.extra_memory_trips = not_measured(why);
        double least = rate_at_least(&rate);
        if (clock_hz > 0 && least > 0 && bound->known && bound->cycles > 0)
            pace.over_bound_most = clock_hz / least / bound->cycles;
        return pace;
    }
    pace.rate_per_s = measured_as(rate.rate_per_s);
    pace.measured_cycles = clock_hz > 0
                               ? measured_as(clock_hz / rate.rate_per_s)
                               : not_measured(machine->why_no_clock ? machine->why_no_clock : "the clock is not known");
    if (clock_hz > 0 && bound->known && bound->cycles > 0)
        pace.over_bound = pace.over_bound_most = clock_hz / rate.rate_per_s / bound->cycles;
    traffic_find(region, &pace, arena);
    return pace;
}
