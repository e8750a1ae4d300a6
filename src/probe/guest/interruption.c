/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/interruption.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/guest/cycle_counter.h"
#include "system/host/interrupts.h"

#include <sched.h>

enum { CPUS_MOST = 8192, GAPS_MOST = 50000 };

/* Of reading the counter twice with nothing between, many times over; nothing that interrupts takes less. */
static const double GAP_LEAST_NS = 400, GAP_TIMES = 4;

/*
 * So much of what looks like a host's tick must be beyond the interrupts that this kernel counted; the rest fell
 * together with these.
 */
static const double HOST_PART_LEAST = 0.4;

static bool interrupts_of(const struct sysroot *root, uint32_t cpu, struct cpu_interrupts *ret_counts)
{
    scoped_text struct text file = {0};
    struct error ignored;
    if (!sysroot_read(root, &file, &ignored, "/proc/interrupts"))
        return false;
    scoped_free struct cpu_interrupts *all = memory_alloc(CPUS_MOST * sizeof(*all));
    size_t count = cpu_interrupts_parse(text_view(&file), all, CPUS_MOST);
    for (size_t at = 0; at < count; at++)
        if (all[at].cpu == cpu) {
            *ret_counts = all[at];
            return true;
        }
    return false;
}

static double reading_ns(double counter_ns)
{
    enum { READINGS = 1000 };
    uint64_t start = cycle_counter(), last = start;
    for (int at = 0; at < READINGS; at++)
        last = cycle_counter();
    return (double)(last - start) * counter_ns / READINGS;
}

static size_t spin(struct guest_gap *gaps, double span_ns, double counter_ns, double *ret_span_ns)
{
    double least_ns = reading_ns(counter_ns) * GAP_TIMES;
    least_ns = least_ns > GAP_LEAST_NS ? least_ns : GAP_LEAST_NS;
    uint64_t least = (uint64_t)(least_ns / counter_ns), span = (uint64_t)(span_ns / counter_ns);
    uint64_t start = cycle_counter(), last = start;
    size_t count = 0;
    while (last - start < span) {
        uint64_t now = cycle_counter();
        if (now - last > least && count < GAPS_MOST)
            gaps[count++] = (struct guest_gap){(double)(now - start) * counter_ns, (double)(now - last) * counter_ns};
        last = now;
    }
    *ret_span_ns = (double)(last - start) * counter_ns;
    return count;
}

bool interruptions_measure(struct guest_cpu *cpu, const struct sysroot *root, double span_ns, double counter_ns,
                           double tick_hz, struct guest_value *ret_tick, struct guest_value *ret_other)
{
    scoped_free struct guest_gap *gaps = memory_alloc(GAPS_MOST * sizeof(*gaps));
    struct cpu_interrupts before, after;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu->cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        return false;
    for (size_t at = 0; at < GAPS_MOST; at++)
        gaps[at] = (struct guest_gap){0}; /* its pages are there before the clock runs */
    double start_ns = wall_ns(), spun_ns;
    bool counted = interrupts_of(root, cpu->cpu, &before);
    size_t count = spin(gaps, span_ns, counter_ns, &spun_ns);
    counted = interrupts_of(root, cpu->cpu, &after) && counted;
    double whole_s = (wall_ns() - start_ns) * 1e-9;
    guest_gaps_judge(gaps, count, spun_ns, tick_hz, cpu, ret_tick, ret_other);
    cpu->timer_per_s = cpu->interrupts_per_s = -1;
    if (counted) {
        double all = (double)(after.timer - before.timer) + (double)(after.ipi - before.ipi) +
                     (double)(after.other - before.other);
        cpu->timer_per_s = (double)(after.timer - before.timer) / whole_s;
        cpu->interrupts_per_s = all / whole_s;
    }
    /* What this kernel counted itself is none of the host's. */
    if (!counted || cpu->gaps_per_s - cpu->interrupts_per_s < HOST_PART_LEAST * cpu->host_hz)
        cpu->host_hz = 0;
    return true;
}
