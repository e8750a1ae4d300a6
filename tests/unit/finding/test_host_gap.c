/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gap between a host and a guest: components and remainder add up to it, and what isn't known says so. */
#include "test.h"

#include "base/vec.h"
#include "finding/gap/host_gap.h"

/* One thread that was always on its CPU, sampled a thousand times. */
struct side {
    struct results results;
    struct surroundings machine;
    struct run_time run;
    struct stalls stalls;
    struct kernel_time kernel;
    struct ceilings ceilings;
    struct activity activity;
    struct gap_side gap;
};

static void side_make(struct side *side, bool is_guest, double seconds)
{
    *side = (struct side){0};
    side->machine = (struct surroundings){.hypervisor = is_guest ? "KVM" : "bare metal", .is_guest = is_guest, .cpu = "a", .kernel = "b",
                                          .mitigations = "", .confidential = "", .clocksource = "tsc", .instruction_sets = "avx avx2"};
    side->run = (struct run_time){.scope = RUN_STARTED, .elapsed_s = measured_as(seconds), .cpu_s = measured_as(seconds),
                                  .user_s = measured_as(seconds), .system_s = measured_as(0), .on_cpu_ratio = measured_as(1),
                                  .threads_seen = 1, .run_delay_s = not_measured("no"), .stolen = {.ratio = interval_exactly(0)}};
    side->stalls = (struct stalls){.sample_count = 1000, .user_samples = 1000, .attributed = true};
    side->kernel = (struct kernel_time){.sample_count = 1000};
    side->ceilings.has_before = true;
    side->ceilings.now.figures[CALIBRATION_CLOCK].value = interval_exactly(3e9);
    side->ceilings.now.figures[CALIBRATION_CPUID].value = interval_exactly(1000);
    side->activity = (struct activity){.elapsed_s = measured_as(seconds), .interrupts = measured_as(100 * seconds),
                                       .resident_most_bytes = measured_as(4096 * 100), .cpus_allowed = measured_as(1), .cpus_online = measured_as(1)};
    side->results = (struct results){.run = &side->run, .stalls = &side->stalls, .kernel = &side->kernel, .surroundings = &side->machine,
                                     .ceilings = &side->ceilings, .activity = &side->activity};
    side->gap = (struct gap_side){.results = &side->results, .whole_s = interval_exactly(seconds), .scale = 1};
}

static struct host_gap split(struct side *host, struct side *guest, enum denominator of, struct arena *arena)
{
    struct host_gap gap;
    struct gap_request request = {.host = host ? &host->gap : NULL, .guest = &guest->gap, .of = of, .effect = 0.01};
    host_gap_split(&gap, &request, arena);
    return gap;
}

static void assert_adds_up(const struct host_gap *gap)
{
    struct interval sum = gap->remainder_s;
    cr_assert(sum.known && sum.low <= sum.mid && sum.mid <= sum.high);
    for (size_t at = 0; at < gap->component_count; at++) {
        const struct interval *one = &gap->components[at].seconds;
        if (!one->known) {
            cr_assert(gap->components[at].why_not && *gap->components[at].why_not);
            continue;
        }
        cr_assert(one->low <= one->mid && one->mid <= one->high, "%s", gap_cause_key((enum gap_cause)at));
        sum = interval_of(sum.low + one->low, sum.mid + one->mid, sum.high + one->high);
    }
    cr_assert_float_eq(sum.mid, gap->gap_s.mid, 1e-9);
    cr_assert(sum.low <= gap->gap_s.low + 1e-9 && gap->gap_s.high - 1e-9 <= sum.high, "whatever the components are, the remainder allows it");
}

Test(host_gap, a_lower_clock_is_the_gap)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 15);
    guest.ceilings.now.figures[CALIBRATION_CLOCK].value = interval_exactly(2e9);
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_float_eq(gap.components[GAP_CLOCK].seconds.mid, 5, 1e-9);
    cr_assert_eq(gap.leading, GAP_CLOCK);
    cr_assert_eq(gap.components[GAP_STEAL].verdict, GAP_RULED_OUT);
    /* Half of its time waits for memory, whose pace isn't the clock's. */
    guest.stalls.memory_samples = 500;
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_float_eq(gap.components[GAP_CLOCK].seconds.low, 2.5, 1e-9);
    cr_assert_float_eq(gap.components[GAP_CLOCK].seconds.high, 5, 1e-9);
    arena_done(&arena);
}

Test(host_gap, stolen_time_is_told_and_a_host_has_none)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 12.5);
    guest.run.stolen.ratio = interval_of(0.19, 0.2, 0.21);
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_eq(gap.leading, GAP_STEAL);
    cr_assert_eq(gap.components[GAP_STEAL].origin, GAP_MEASURED);
    cr_assert_float_eq(gap.components[GAP_STEAL].seconds.mid, 2.5, 1e-9);
    host.run.stolen = (struct stolen){.why_not = "nobody asked"}; /* bare metal needs no answer */
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert(gap.components[GAP_STEAL].seconds.known);
    guest.run.stolen = (struct stolen){.why_not = "no samples"};
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_str_eq(gap.components[GAP_STEAL].why_not, "no samples");
    arena_done(&arena);
}

Test(host_gap, exits_are_bounded_by_a_table_and_a_round_trip)
{
    struct side host, guest;
    struct arena arena;
    struct exit_table table = {.exits = 110000, .idle = 10000, .counted = EXIT_POINT_EXIT, .seconds = measured_as(10),
                               .vcpu_seconds = measured_as(10), .handler_ns = measured_as(0.5e9), .handler_share = measured_as(0.05)};
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 11);
    struct host_gap inside = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert_eq(inside.components[GAP_EXITS].origin, GAP_ESTIMATED);
    cr_assert_eq(inside.components[GAP_EXITS].seconds.low, 0);
    /* 11 s at 100 interrupts of 3 exits each and 1000 ticks a second, 100 pages of 3 trips each, a microsecond a trip. */
    cr_assert_float_eq(inside.components[GAP_EXITS].seconds.high, 11 * (300 + 1000) * 1e-6 + 300e-6, 1e-9);
    guest.gap.exits = &table;
    guest.gap.exits_file = "a file";
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    const struct gap_component *exits = &gap.components[GAP_EXITS];
    cr_assert_eq(exits->origin, GAP_MEASURED);
    cr_assert_float_eq(exits->seconds.low, 0.55, 1e-9);             /* the handlers */
    cr_assert_float_eq(exits->seconds.high, 0.55 + 0.11, 1e-9);     /* and 10000 round trips a second */
    cr_assert_eq(gap.leading, GAP_EXITS);
    table.seconds = not_measured("no");
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert(!gap.components[GAP_EXITS].seconds.known && strstr(gap.components[GAP_EXITS].why_not, "--exits-seconds"));
    arena_done(&arena);
}

Test(host_gap, narrower_vectors_are_bounded_by_their_widths)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 19);
    host.stalls.vector_samples[2] = 900;
    guest.stalls.vector_samples[0] = 950;
    host.machine.instruction_sets = "avx avx2 avx512f";
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    const struct gap_component *vectors = &gap.components[GAP_VECTORS];
    cr_assert_eq(vectors->seconds.low, 0); /* whether others shared its core isn't known */
    cr_assert_float_eq(vectors->seconds.mid, 19 * 0.95 - 9, 0.02); /* what the vector code took more */
    cr_assert(vectors->seconds.high <= 19 * 0.75 + 1e-9 && vectors->seconds.high > 19 * 0.95 * 0.75);
    bool lacks = false;
    for (size_t at = 0; at < vectors->evidence.count; at++)
        lacks |= strstr(vectors->evidence.items[at], "lacks: avx512f") != NULL;
    cr_assert(lacks);
    /* On cores of its own what such code takes more is its own, but for what the other components may explain. */
    host.ceilings.now.share = guest.ceilings.now.share = interval_exactly(0.97);
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert(vectors->seconds.low > 8 && vectors->seconds.low <= vectors->seconds.mid);
    cr_assert_eq(gap.leading, GAP_VECTORS);
    guest.stalls.vector_samples[0] = 0;
    guest.stalls.vector_samples[2] = 900; /* the same widths: nothing is narrower */
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert_eq(gap.components[GAP_VECTORS].verdict, GAP_RULED_OUT);
    arena_done(&arena);
}

Test(host_gap, a_slow_clock_source_shows_in_samples)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 14);
    guest.machine.clocksource = "hpet";
    guest.kernel.entries[0] = (struct kernel_entry){"clock_gettime", 300};
    guest.kernel.entry_count = 1;
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_eq(gap.leading, GAP_CLOCKSOURCE);
    cr_assert_float_eq(gap.components[GAP_CLOCKSOURCE].seconds.mid, 14 * 0.3, 0.05);
    guest.results.kernel = NULL; /* not sampled: the clock is read there */
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert(!gap.components[GAP_CLOCKSOURCE].seconds.known);
    arena_done(&arena);
}

/* One loop over 1 GiB in both: small pages in the guest, large ones on the host. */
static void chase_make(struct side *side, struct access_costs *costs, struct access_cost *cost, struct stall_group *group,
                       struct stall_function *function, bool small, double ns_small, double ns_huge)
{
    *function = (struct stall_function){.name = "walk", .dso = "a"};
    *group = (struct stall_group){.samples = 900, .load_samples = 900, .share = interval_of(0.88, 0.9, 0.92),
                                  .base_hits = small ? 500 : 0, .huge_hits = small ? 0 : 500,
                                  .base_share = small ? interval_of(0.99, 1, 1) : interval_of(0, 0, 0.01)};
    *cost = (struct access_cost){.known = true, .function = "walk", .group = 0, .span_bytes = 1 << 30, .measured_span_bytes = 1 << 30,
                                 .ns_small = interval_exactly(ns_small), .ns_huge = interval_exactly(ns_huge),
                                 .ratio = interval_exactly(ns_huge / ns_small), .dependent = true};
    *costs = (struct access_costs){.items = cost, .count = 1, .skid_known = true, .one_behind = true};
    side->stalls.memory_samples = 900;
    side->stalls.functions = function;
    side->stalls.function_count = 1;
    side->stalls.groups = group;
    side->stalls.group_count = 1;
    side->results.costs = costs;
}

Test(host_gap, page_walks_are_what_pages_cost_on_each_side_and_behind_the_guest)
{
    struct side host, guest;
    struct access_costs host_costs, guest_costs;
    struct access_cost host_cost, guest_cost;
    struct stall_group host_group, guest_group;
    struct stall_function host_function, guest_function;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 20);
    chase_make(&host, &host_costs, &host_cost, &host_group, &host_function, false, 150, 100);
    chase_make(&guest, &guest_costs, &guest_cost, &guest_group, &guest_function, true, 200, 100);
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    const struct gap_component *walks = &gap.components[GAP_WALKS];
    cr_assert_float_eq(walks->seconds.mid, 20 * 0.9 * 0.5, 0.2); /* half of the guest's waiting; none of the host's */
    cr_assert_eq(gap.leading, GAP_WALKS);
    /* On 2 MiB pages the guest is dearer than the host: the host's small pages, or slower memory, unless it is known which. */
    guest_cost.ns_huge = interval_exactly(150);
    guest_cost.ratio = interval_exactly(0.75);
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    double shown = 20 * 0.9 * 0.25, hidden = 20 * 0.9 * 0.25;
    cr_assert(walks->seconds.low < shown + 0.2 && walks->seconds.high > shown + hidden - 0.1);
    guest.gap.backing = GAP_BACKING_SMALL;
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert_float_eq(walks->seconds.mid, shown + hidden, 0.3);
    guest.gap.backing = GAP_BACKING_HUGE;
    gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert_float_eq(walks->seconds.mid, shown, 0.2);
    cr_assert(gap.remainder_s.mid > hidden, "slower memory is no walk");
    arena_done(&arena);
}

Test(host_gap, the_guest_alone_has_bounds_and_no_gap)
{
    struct side guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&guest, true, 10);
    struct host_gap gap = split(NULL, &guest, OF_ELAPSED, &arena);
    cr_assert(!gap.gap_s.known && !gap.remainder_s.known && gap.why_no_gap);
    for (size_t at = 0; at < gap.component_count; at++) {
        const struct gap_component *component = &gap.components[at];
        cr_assert(component->seconds.known ? component->seconds.low <= component->seconds.mid : component->why_not != NULL, "%s",
                  gap_cause_key((enum gap_cause)at));
    }
    cr_assert(!gap.components[GAP_CLOCK].seconds.known, "whose clock is slower needs two");
    arena_done(&arena);
}

Test(host_gap, work_scales_the_host_and_cpu_time_has_no_waiting)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 10);
    host.gap.scale = 0.5; /* in the same time it did twice the work */
    struct host_gap gap = split(&host, &guest, OF_CPU_TIME, &arena);
    assert_adds_up(&gap);
    cr_assert_float_eq(gap.gap_s.mid, 5, 1e-9);
    cr_assert_eq(gap.component_count, GAP_WAITING);
    arena_done(&arena);
}

Test(host_gap, components_that_pass_the_gap_are_said)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 11);
    guest.ceilings.now.figures[CALIBRATION_CLOCK].value = interval_exactly(2e9);
    struct host_gap gap = split(&host, &guest, OF_ELAPSED, &arena);
    assert_adds_up(&gap);
    cr_assert(gap.remainder_s.high < 0);
    bool said = false;
    for (size_t at = 0; at < gap.remainder.count; at++)
        said |= strstr(gap.remainder.items[at], "more than the gap") != NULL;
    cr_assert(said);
    arena_done(&arena);
}

/* The guest's own probe prices each kind of way out; where one isn't bounded, CPUID's round trip stands in for all. */
Test(host_gap, exits_are_priced_by_the_guests_own_probe)
{
    struct side host, guest;
    struct arena arena;
    arena_init(&arena);
    side_make(&host, false, 10);
    side_make(&guest, true, 12);
    struct host_gap without = split(&host, &guest, OF_ELAPSED, &arena);
    struct guest_costs costs = {.cpu_count = 1, .cpus = {{.span_s = 1, .gaps_per_s = 10000, .lost_ratio = 0.02}}};
    costs.costs[GUEST_COST_CPUID].value = costs.costs[GUEST_COST_IPI].value = interval_exactly(800);
    costs.costs[GUEST_COST_TOUCH_USED].value = interval_exactly(500);
    costs.costs[GUEST_COST_TOUCH_OLD].value = interval_exactly(1500);
    costs.costs[GUEST_COST_WAKE_IDLE].value = interval_exactly(8000);
    guest.results.guest = &costs;
    guest.activity.voluntary_switches = measured_as(0);
    guest.activity.minor_faults = measured_as(1000);
    struct host_gap with = split(&host, &guest, OF_ELAPSED, &arena);
    const struct gap_component *exits = &with.components[GAP_EXITS];
    /* 2 % of 12 s and their spread (2/sqrt(10000)), 1000 first touches of 1 us more, none of 1000 samples at an instruction that leaves */
    double unseen = wilson_interval(0, 1000, 1000).high;
    cr_assert_float_eq(exits->guest_s.high, 12 * (0.02 * 1.02 + unseen) + 1000 * 1e-6, 1e-6, "%g", exits->guest_s.high);
    cr_assert_eq(exits->guest_s.low, 0);
    cr_assert_eq(exits->origin, GAP_ESTIMATED);
    cr_assert(exits->evidence.count >= 2 && strstr(exits->evidence.items[0], "guest.json"));
    cr_assert_neq(exits->guest_s.high, without.components[GAP_EXITS].guest_s.high);
    assert_adds_up(&with);
    guest.activity.voluntary_switches = not_measured("no");
    guest.run.threads_seen = 4; /* one thread would be bounded by its own waiting */
    struct host_gap open = split(&host, &guest, OF_ELAPSED, &arena);
    cr_assert_float_eq(open.components[GAP_EXITS].guest_s.high, without.components[GAP_EXITS].guest_s.high, 1e-9);
    cr_assert(strstr(open.components[GAP_EXITS].evidence.items[0], "isn't used"));
    arena_done(&arena);
}
