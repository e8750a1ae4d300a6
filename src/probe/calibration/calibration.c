/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/calibration.h"

#include "base/arena.h"
#include "base/scope.h"
#include "probe/calibration/clock.h"
#include "probe/calibration/core_kernel.h"
#include "probe/calibration/memory_kernel.h"

#include <stdlib.h>
#include <time.h>

enum {
    CORE_ROUNDS = 15,
    MEMORY_ROUNDS = 5,
    CURVE_ROUNDS = 3,
    SMALLEST_BYTES = 16 * 1024,
    BANDWIDTH_BYTES = 64 * 1024 * 1024
};

static const double chase_budget_ns = 4e6, chase_warm_ns = 2e6;

/* The slices of one figure. */
struct samples {
    double values[CORE_ROUNDS];
    size_t count;
    const char *why_not;
};

static void samples_add(struct samples *samples, struct measured value)
{
    if (value.known && samples->count < CORE_ROUNDS)
        samples->values[samples->count++] = value.value;
    else if (!value.known)
        samples->why_not = value.why_not;
}

static struct calibration_value samples_value(const struct samples *samples)
{
    if (!samples->count)
        return (struct calibration_value){.why_not = samples->why_not ? samples->why_not : "it was not tried"};
    return (struct calibration_value){.value = quartile_interval(samples->values, samples->count)};
}

/* The core's figures. */

static struct measured scaled(struct measured value, double factor)
{
    return value.known ? measured_as(value.value * factor) : value;
}

/* One slice, in the unit of the header; clock_hz is of just before. */
static struct measured core_slice(enum calibration_figure figure, double clock_hz)
{
    double cycle_ns = 1e9 / clock_hz;
    switch (figure) {
    case CALIBRATION_ISSUE:
        return scaled(issue_rate(), cycle_ns);
    case CALIBRATION_FMA_128:
        return scaled(fma_rate(128), cycle_ns);
    case CALIBRATION_FMA_256:
        return scaled(fma_rate(256), cycle_ns);
    case CALIBRATION_FMA_512:
        return scaled(fma_rate(512), cycle_ns);
    case CALIBRATION_FMA_LATENCY:
        return scaled(fma_latency_ns(), 1 / cycle_ns);
    case CALIBRATION_BRANCH_MISS:
        return scaled(branch_miss_ns(), 1 / cycle_ns);
    case CALIBRATION_CPUID:
        return cpuid_ns();
    default:
        return not_measured("it is not the core's");
    }
}

static void shuffle(size_t *order, size_t count, unsigned short state[3])
{
    for (size_t at = 0; at < count; at++)
        order[at] = at;
    for (size_t at = count; at > 1; at--) {
        size_t other = (size_t)(erand48(state) * (double)at), moved = order[at - 1];
        order[at - 1] = order[other];
        order[other] = moved;
    }
}

static void measure_core(struct samples *all, unsigned short state[3])
{
    enum {
        FIRST = CALIBRATION_ISSUE,
        COUNT = CALIBRATION_CPUID - CALIBRATION_ISSUE + 1
    };
    size_t order[COUNT];
    for (int round = 0; round < CORE_ROUNDS; round++) {
        shuffle(order, COUNT, state);
        for (size_t at = 0; at < COUNT; at++) {
            struct measured clock = clock_measure();
            if (at == 0)
                samples_add(&all[CALIBRATION_CLOCK], clock);
            size_t figure = FIRST + order[at];
            samples_add(&all[figure], clock.known ? core_slice((enum calibration_figure)figure, clock.value) : clock);
        }
    }
}

/* Memory. */

static void measure_bandwidth(struct samples *all, const struct sysroot *root, unsigned short state[3])
{
    struct memory_region region;
    memory_region_init(&region, root, BANDWIDTH_BYTES, true);
    region.why_not = region.mapping ? NULL : region.why_not; /* huge pages help, and are no condition here */
    for (int round = 0; round < MEMORY_ROUNDS; round++) {
        size_t order[3];
        shuffle(order, 3, state);
        for (size_t at = 0; at < 3; at++) {
            enum calibration_figure figure = (enum calibration_figure)(CALIBRATION_READ_ONE + order[at]);
            struct measured rate = figure == CALIBRATION_READ_ONE    ? read_bandwidth(&region)
                                   : figure == CALIBRATION_WRITE_ONE ? write_bandwidth(&region)
                                                                     : read_bandwidth_all(&region);
            samples_add(&all[figure], scaled(rate, 1e9));
        }
    }
    memory_region_done(&region);
}

static struct measured curve_slice(struct memory_region *region, size_t bytes)
{
    if (region->why_not)
        return not_measured(region->why_not);
    chase_lay(region, bytes);
    (void)chase_ns(region, chase_warm_ns);
    return chase_ns(region, chase_budget_ns);
}

static void measure_curve(struct calibration *calibration, struct samples *page_walk, const struct sysroot *root,
                          size_t largest_bytes, unsigned short state[3])
{
    struct memory_region small, huge;
    struct samples on_4k[CALIBRATION_STEPS_MOST] = {0}, on_2m[CALIBRATION_STEPS_MOST] = {0};
    size_t count = 0;
    for (size_t bytes = SMALLEST_BYTES; bytes <= largest_bytes && count < CALIBRATION_STEPS_MOST; bytes *= 4)
        calibration->steps[count++].bytes = bytes;
    calibration->steps[count - 1].bytes = largest_bytes;
    memory_region_init(&small, root, largest_bytes, false);
    memory_region_init(&huge, root, largest_bytes, true);
    for (int round = 0; round < CURVE_ROUNDS; round++) {
        size_t order[CALIBRATION_STEPS_MOST];
        shuffle(order, count, state);
        for (size_t at = 0; at < count; at++) {
            size_t step = order[at];
            struct measured of_4k = curve_slice(&small, calibration->steps[step].bytes);
            struct measured of_2m = curve_slice(&huge, calibration->steps[step].bytes);
            samples_add(&on_4k[step], of_4k);
            samples_add(&on_2m[step], of_2m);
            if (step == count - 1)
                samples_add(page_walk, !of_4k.known   ? of_4k
                                       : !of_2m.known ? of_2m
                                                      : measured_as(of_4k.value - of_2m.value));
        }
    }
    for (size_t step = 0; step < count; step++) {
        calibration->steps[step].on_4k = samples_value(&on_4k[step]);
        calibration->steps[step].on_2m = samples_value(&on_2m[step]);
    }
    calibration->step_count = count;
    memory_region_done(&small);
    memory_region_done(&huge);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void calibration_measure(struct calibration *calibration, const struct sysroot *root,
                         const struct calibration_request *request)
{
    *calibration = (struct calibration){.issue_slots = request->issue_slots};
    struct samples all[CALIBRATION_FIGURES] = {0};
    unsigned short state[3] = {(unsigned short)request->seed, (unsigned short)(request->seed >> 16), 1};
    double start_s = now_s();
    measure_core(all, state);
    measure_bandwidth(all, root, state);
    measure_curve(calibration, &all[CALIBRATION_PAGE_WALK], root, request->largest_bytes, state);
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        calibration->figures[at] = samples_value(&all[at]);
    if (request->issue_slots)
        calibration->share = interval_clamped(
            interval_scaled(calibration->figures[CALIBRATION_ISSUE].value, 1.0 / request->issue_slots), 0, 1);
    calibration->elapsed_s = now_s() - start_s;
}
