/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gaps, first touches and chases of made-up machines say of being a guest. */
#include "test.h"

#include "statistics/guest_costs.h"

#include <stdlib.h>
#include <string.h>

enum { GAPS_MOST = 1000 };
static const double SPAN_NS = 250e6;

struct series {
    double hz, phase_ns, length_ns;
};

static int by_time(const void *a, const void *b)
{
    const struct guest_gap *left = a, *right = b;
    return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

static size_t gaps_make(struct guest_gap *gaps, const struct series *series, size_t count, size_t scattered)
{
    size_t made = 0;
    uint64_t random = 7;
    for (size_t at = 0; at < count; at++)
        for (double ns = series[at].phase_ns; series[at].hz > 0 && ns < SPAN_NS; ns += 1e9 / series[at].hz)
            gaps[made++] = (struct guest_gap){ns, series[at].length_ns};
    for (size_t at = 0; at < scattered; at++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        gaps[made++] = (struct guest_gap){(double)(random >> 40) / (1 << 24) * SPAN_NS, 3000};
    }
    qsort(gaps, made, sizeof(*gaps), by_time);
    return made;
}

Test(guest_gaps, ticks_of_guest_and_host_are_told_apart)
{
    static const struct {
        const char *name;
        struct series series[2];
        size_t scattered;
        double tick_hz, tick_ns, host_hz;
    } cases[] = {
        {"ticks alone", {{250, 715e3, 6000}}, 0, 250, 6000, 0},
        {"ticks and a host's", {{250, 715e3, 6000}, {1000, 331e3, 5000}}, 0, 250, 6000, 1000},
        {"among noise", {{250, 715e3, 6000}, {1000, 331e3, 5000}}, 100, 250, 6000, 1000},
        {"no tick (nohz_full)", {{0}}, 40, 250, 0, 0},
        {"slow ticks", {{100, 2e6, 9000}}, 20, 100, 9000, 0},
        {"a host's of 250", {{100, 2e6, 9000}, {250, 1.5e6, 4000}}, 0, 100, 9000, 250},
        {"the rate isn't known", {{250, 715e3, 6000}}, 0, 0, 0, 250},
        {"nothing at all", {{0}}, 0, 250, 0, 0},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct guest_gap gaps[GAPS_MOST];
        struct guest_cpu cpu = {0};
        struct guest_value tick, other;
        size_t count = gaps_make(gaps, cases[at].series, 2, cases[at].scattered);
        guest_gaps_judge(gaps, count, SPAN_NS, cases[at].tick_hz, &cpu, &tick, &other);
        cr_expect_eq(tick.value.known, cases[at].tick_ns > 0, "%s", cases[at].name);
        cr_expect(tick.value.known || tick.why_not, "%s", cases[at].name);
        cr_expect(other.value.known || other.why_not, "%s", cases[at].name);
        if (tick.value.known)
            cr_expect_float_eq(tick.value.mid, cases[at].tick_ns, 1, "%s: %g", cases[at].name, tick.value.mid);
        cr_expect_float_eq(cpu.host_hz, cases[at].host_hz, 0.1, "%s: %g", cases[at].name, cpu.host_hz);
        cr_expect_float_eq(cpu.gaps_per_s, (double)count / 0.25, 1, "%s", cases[at].name);
    }
}

Test(guest_gaps, long_ones_are_others_that_ran)
{
    const struct guest_gap gaps[] = {{1e6, 5000}, {50e6, 4e6}, {100e6, 5000}};
    struct guest_cpu cpu = {0};
    struct guest_value tick, other;
    guest_gaps_judge(gaps, 3, SPAN_NS, 250, &cpu, &tick, &other);
    cr_expect_float_eq(cpu.long_ratio, 4e6 / SPAN_NS, 1e-9);
    cr_expect_float_eq(cpu.lost_ratio, 10e3 / (SPAN_NS - 4e6), 1e-9);
    cr_expect_float_eq(cpu.gaps_per_s, 8, 1e-6);
}

static struct host_backing backing_of(double dense, double huge, double small, double noise)
{
    enum { ROUNDS = 24 };
    double dense_ns[ROUNDS], huge_ns[ROUNDS], small_ns[ROUNDS];
    struct host_backing backing = {0};
    for (int at = 0; at < ROUNDS; at++) {
        double wave = noise * ((at * 7) % 12 - 5.5) / 5.5;
        dense_ns[at] = dense;
        huge_ns[at] = huge + wave;
        small_ns[at] = small;
    }
    host_backing_judge(dense_ns, huge_ns, small_ns, ROUNDS, &backing);
    return backing;
}

Test(host_backing, verdicts)
{
    static const struct {
        const char *name;
        double dense, huge, small, noise;
        enum host_backing_verdict verdict;
    } cases[] = {
        {"as measured on 4 KiB behind 2 MiB", 5.0, 17.2, 22.6, 0.5, HOST_BACKING_SMALL},
        {"a guest's guest on 4 KiB", 4.5, 24.4, 24.4, 1, HOST_BACKING_SMALL},
        {"huge out there as well", 5.0, 5.0, 22.6, 0.5, HOST_BACKING_HUGE},
        {"faster than dense", 5.0, 4.8, 22.6, 0.1, HOST_BACKING_HUGE},
        {"noise as large as the walk", 5.0, 7.0, 22.6, 40, HOST_BACKING_UNKNOWN},
        {"no walk shows", 5.0, 5.1, 5.2, 0, HOST_BACKING_UNKNOWN},
        {"4 KiB pages are no slower", 5.0, 5.0, 4.0, 0, HOST_BACKING_UNKNOWN},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct host_backing backing = backing_of(cases[at].dense, cases[at].huge, cases[at].small, cases[at].noise);
        cr_expect_eq(backing.verdict, cases[at].verdict, "%s: %s", cases[at].name, host_backing_name(backing.verdict));
        cr_expect_eq(backing.verdict == HOST_BACKING_UNKNOWN, backing.why_not != NULL, "%s", cases[at].name);
        if (backing.verdict == HOST_BACKING_SMALL)
            cr_expect(backing.likely.low > 0.8 && backing.likely.high <= 1, "%s", cases[at].name);
        if (backing.verdict == HOST_BACKING_HUGE)
            cr_expect(backing.likely.high < 0.2, "%s", cases[at].name);
    }
}

Test(host_backing, few_rounds_say_nothing)
{
    const double dense[] = {5, 5, 5}, huge[] = {17, 17, 17}, small[] = {22, 22, 22};
    for (size_t rounds = 0; rounds <= 3; rounds++) {
        struct host_backing backing = {0};
        host_backing_judge(dense, huge, small, rounds, &backing);
        cr_expect(backing.verdict == HOST_BACKING_UNKNOWN && backing.why_not);
    }
}

Test(guest_costs, an_instruction_leaves_by_what_it_takes)
{
    static const struct {
        enum guest_cost cost;
        double low, mid;
        enum guest_leaves leaves;
    } cases[] = {
        {GUEST_COST_CPUID, 780, 781, GUEST_LEAVES_YES}, {GUEST_COST_CPUID, 40, 45, GUEST_LEAVES_NO},
        {GUEST_COST_CPUID, 200, 500, GUEST_LEAVES_UNKNOWN}, {GUEST_COST_CLOCK, 8, 8.5, GUEST_LEAVES_NO},
        {GUEST_COST_CLOCK, 900, 950, GUEST_LEAVES_YES}, {GUEST_COST_IPI, 1800, 1830, GUEST_LEAVES_UNKNOWN},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct guest_costs costs = {0};
        costs.costs[cases[at].cost].value = interval_of(cases[at].low, cases[at].mid, cases[at].mid * 1.1);
        cr_expect_eq(guest_cost_leaves(&costs, cases[at].cost), cases[at].leaves, "%zu", at);
    }
    cr_expect_eq(guest_cost_leaves(NULL, GUEST_COST_CPUID), GUEST_LEAVES_UNKNOWN);
}
