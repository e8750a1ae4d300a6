/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/exit_cost.h"

#include "probe/guest/cycle_counter.h"

#if defined(__x86_64__)
enum { ROUNDS_MOST = 64, CPUIDS = 12, READINGS = 200 };

static double cpuid_round_ns(unsigned leaf, double counter_ns)
{
    uint64_t start = cycle_counter();
    for (int at = 0; at < CPUIDS; at++) {
        /* <cpuid.h>'s isn't volatile: a compiler may take it out of the loop */
        unsigned a = leaf, b, c = 0, d;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    }
    return (double)(cycle_counter() - start) * counter_ns / CPUIDS;
}

static double reading_round_ns(double counter_ns)
{
    uint64_t start = cycle_counter(), last = start;
    for (int at = 0; at < READINGS; at++)
        last = cycle_counter();
    return (double)(last - start) * counter_ns / READINGS;
}

void exit_costs_measure(struct guest_value *costs, int rounds, double counter_ns, bool is_guest)
{
    double own[ROUNDS_MOST], host[ROUNDS_MOST], readings[ROUNDS_MOST];
    size_t count = rounds < ROUNDS_MOST ? (size_t)rounds : ROUNDS_MOST;
    for (size_t at = 0; at < count; at++) {
        own[at] = cpuid_round_ns(0, counter_ns);
        host[at] = is_guest ? cpuid_round_ns(0x40000000, counter_ns) : 0;
        readings[at] = reading_round_ns(counter_ns);
    }
    costs[GUEST_COST_CPUID].value = quartile_interval(own, count);
    costs[GUEST_COST_CLOCK].value = quartile_interval(readings, count);
    if (is_guest)
        costs[GUEST_COST_CPUID_HOST].value = quartile_interval(host, count);
    else
        costs[GUEST_COST_CPUID_HOST].why_not = "the processor has no such leaf: this machine is no guest";
}
#else
void exit_costs_measure(struct guest_value *costs, int rounds, double counter_ns, bool is_guest)
{
    (void)rounds, (void)counter_ns, (void)is_guest;
    costs[GUEST_COST_CPUID].why_not = costs[GUEST_COST_CPUID_HOST].why_not = "this architecture has no CPUID";
    costs[GUEST_COST_CLOCK].why_not = "this architecture has no RDTSC";
}
#endif
