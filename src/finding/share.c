/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/share.h"

#include "finding/results.h"
#include "finding/verdict/enough.h"

/* Up to here its threads ran one after the other: CPU time in which one ran is elapsed time. */
static const double BESIDE_MOST = 1.1;
static const double DELAYED_MOST = 0.05;

const char *denominator_name(enum denominator of)
{
    static const char *const names[] = {
        [OF_ELAPSED] = "elapsed time",
        [OF_CPU_TIME] = "CPU time",
        [OF_SAMPLES] = "sampled CPU time",
        [OF_MACHINE] = "time of all CPUs",
    };
    return names[of];
}

static struct measured product(struct measured a, struct measured b)
{
    return !a.known ? a : !b.known ? b : measured_as(a.value * b.value);
}

static struct measured least_of(struct measured a, struct measured b)
{
    return !a.known || (b.known && b.value < a.value) ? b : a;
}

struct share_scale share_scale_of(const struct results *results)
{
    const struct run_time *run = results->run;
    const struct activity *activity = results->activity;
    struct measured none = not_measured("that was not measured");
    struct measured allowed = !activity                      ? none
                              : activity->cpus_allowed.known ? activity->cpus_allowed
                                                             : activity->cpus_online;
    return (struct share_scale){
        .elapsed_s = run ? run->elapsed_s : none,
        .cpu_s = run ? run->cpu_s : none,
        .on_cpu_ratio = run ? run->on_cpu_ratio : none,
        .width = least_of(run && run->threads_seen ? measured_as(run->threads_seen) : none, allowed),
        .cpus = activity ? activity->cpus_online : none,
        .sampled = results->sampled,
    };
}

struct measured share_whole_s(enum denominator of, const struct share_scale *scale)
{
    switch (of) {
    case OF_ELAPSED:
        return scale->elapsed_s;
    case OF_CPU_TIME:
        return scale->cpu_s;
    case OF_SAMPLES:
        return scale->sampled.known ? product(scale->cpu_s, measured_as(scale->sampled.mid)) : scale->cpu_s;
    case OF_MACHINE:
        return product(scale->elapsed_s, scale->cpus);
    }
    return not_measured("there is no such whole");
}

static struct interval capped(struct interval share, double most)
{
    return interval_of(share.low < most ? share.low : most, share.mid < most ? share.mid : most,
                       share.high < most ? share.high : most);
}

/* Samples of user code alone are shares of its own time, not of the kernel's. */
static struct interval cpu_share_of_samples(struct interval part, const struct share_scale *scale)
{
    struct interval sampled = scale->sampled;
    if (!sampled.known)
        return part;
    return interval_of(part.low * sampled.low, part.mid * sampled.mid, part.high * sampled.high);
}

/* What happened on all CPUs may have been the program's whole, or none of it. */
static struct interval cpu_share_of_machine(struct interval part, const struct share_scale *scale)
{
    struct measured times = measured_ratio(share_whole_s(OF_MACHINE, scale), scale->cpu_s);
    if (!times.known)
        return (struct interval){0};
    double most = part.high * times.value;
    most = most < 1 ? most : 1;
    return interval_of(0, most / 2, most);
}

/*
 * One thread at a time: what it ran less, the run is shorter. Side by side, the part may lie where one ran alone, or
 * where as many as can ran: then that many seconds of CPU time are one second of the run.
 */
static struct interval elapsed_share_of_cpu(struct interval part, const struct share_scale *scale)
{
    struct measured used = measured_ratio(scale->cpu_s, scale->elapsed_s);
    struct measured on_cpu = scale->on_cpu_ratio.known ? scale->on_cpu_ratio : least_of(used, measured_as(1));
    if (!used.known || used.value <= BESIDE_MOST * on_cpu.value)
        return scale->on_cpu_ratio.known ? interval_scaled(part, scale->on_cpu_ratio.value) : part;
    double width = scale->width.known && scale->width.value >= 1 ? scale->width.value : 0;
    double low = width ? part.low * used.value / width : 0;
    return capped(interval_of(low, part.mid * on_cpu.value, part.high * used.value), on_cpu.value);
}

struct interval share_as(struct share share, enum denominator of, const struct share_scale *scale)
{
    struct interval part = share.part;
    if (!part.known || share.of == of)
        return part;
    if (share.of == OF_ELAPSED || of == OF_SAMPLES || of == OF_MACHINE)
        return (struct interval){0};
    if (share.of == OF_SAMPLES)
        part = cpu_share_of_samples(part, scale);
    if (share.of == OF_MACHINE)
        part = cpu_share_of_machine(part, scale);
    return of == OF_ELAPSED && part.known ? elapsed_share_of_cpu(part, scale) : part;
}

/*
 * The elapsed time of a program we started, since that is what its user waits for; the CPU time where it ran already,
 * where its threads ran side by side (a share of their CPU time is none of the elapsed time, unless as many ran all the
 * time), or where others held its CPUs: how much they took says nothing about its code.
 */
enum denominator share_denominator(const struct run_time *run)
{
    if (!run || run->scope != RUN_STARTED)
        return OF_CPU_TIME;
    double on_cpu = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 1;
    if (run->cpus_used.known && run->cpus_used.value > BESIDE_MOST * on_cpu)
        return OF_CPU_TIME;
    struct measured delay = run->run_delay_s.known ? run->run_delay_s : run->preempted_s;
    bool delayed = delay.known && run->cpu_s.known && delay.value > DELAYED_MOST * (delay.value + run->cpu_s.value);
    return delayed ? OF_CPU_TIME : OF_ELAPSED;
}

struct measured kernel_share_of_cpu(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    const struct run_time *run = results->run;
    if (stalls && results->kernel && stalls->sample_count >= ENOUGH_SAMPLES)
        return measured_as((double)stalls->kernel_samples / (double)stalls->sample_count);
    if (!run || !run->cpu_s.known || run->cpu_s.value <= 0 || !run->system_s.known || run->system_s.value <= 0)
        return not_measured("neither samples nor the kernel's accounts tell it");
    /* ticks of /proc over a finer clock: of little time too much */
    double kernel = run->system_s.value / run->cpu_s.value;
    return measured_as(kernel < 1 ? kernel : 1);
}
