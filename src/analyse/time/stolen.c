/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/stolen.h"

#include "base/scope.h"

#include <math.h>
#include <stdlib.h>

/* A host takes a CPU for so long at a time, at most (the period of a quota): fewer, larger pieces spread wider. */
static const double PIECE_S = 0.1;

/* Samples of the target by the index of its CPU in activity->cpus; those on CPUs that aren't there are left out. */
static uint64_t samples_by_cpu(const struct recording *recording, const struct activity *activity, uint64_t *counts)
{
    uint64_t total = 0;
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        uint32_t cpu = sample->cpu;
        if (sample->thread < recording->threads.count && recording->threads.items[sample->thread].tid == 0)
            continue; /* idle */
        size_t index = cpu < activity->cpu_count && activity->cpus[cpu].cpu == cpu ? cpu : 0;
        while (index < activity->cpu_count && activity->cpus[index].cpu != cpu)
            index++;
        if (index == activity->cpu_count)
            continue;
        counts[index]++;
        total++;
    }
    return total;
}

static struct stolen stolen_unknown(const char *why_not)
{
    return (struct stolen){.why_not = why_not};
}

struct stolen stolen_of(const struct recording *recording, const struct activity *activity, struct measured cpu_s)
{
    if (!activity || !activity->cpu_count)
        return stolen_unknown("how much was stolen of each CPU isn't known");
    if (!recording || !recording->samples.count)
        return stolen_unknown("without samples it isn't known on which CPUs it ran");
    if (!cpu_s.known || cpu_s.value <= 0)
        return stolen_unknown("its CPU time isn't known");
    scoped_free uint64_t *counts = memory_alloc((activity->cpu_count + 1) * sizeof(*counts));
    for (size_t at = 0; at < activity->cpu_count; at++)
        counts[at] = 0;
    uint64_t total = samples_by_cpu(recording, activity, counts);
    if (!total)
        return stolen_unknown("the CPUs it ran on weren't watched");
    double mean_s = 0, most_s = 0, variance = 0;
    for (size_t at = 0; at < activity->cpu_count; at++) {
        const struct activity_cpu *cpu = &activity->cpus[at];
        double own_s = cpu_s.value * (double)counts[at] / (double)total;
        double own = own_s <= 0 ? 0 : own_s < cpu->busy_s ? own_s / cpu->busy_s : 1;
        mean_s += own * cpu->steal_s;
        most_s += counts[at] ? cpu->steal_s : 0;
        variance += own * (1 - own) * cpu->steal_s * PIECE_S;
    }
    double wide_s = 2 * sqrt(variance);
    double low_s = mean_s > wide_s ? mean_s - wide_s : 0;
    double high_s = mean_s + wide_s < most_s ? mean_s + wide_s : most_s;
    return (struct stolen){.ratio = interval_of(low_s / (cpu_s.value + low_s), mean_s / (cpu_s.value + mean_s),
                                                high_s / (cpu_s.value + high_s))};
}
