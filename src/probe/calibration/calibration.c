/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/calibration.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"
#include "probe/calibration/clock.h"
#include "probe/calibration/core_kernel.h"
#include "probe/calibration/memory_kernel.h"

#include <sched.h>
#include <stdlib.h>

enum {
    ROUNDS_MOST = 15,
    SMALLEST_BYTES = 16 * 1024
};

#define FIGURE_BIT(figure) (1u << (figure))

/* In this order. Where others hold the CPUs each ends behind its time, with the rounds that it had. */
enum section {
    SECTION_CORE,
    SECTION_CPUS,
    SECTION_LICENCE,
    SECTION_BANDWIDTH,
    SECTION_CURVE,
    SECTIONS
};

static const struct section_time {
    double until_s;   /* since it began: two to four times what it takes alone */
    int rounds_least; /* whatever the time: fewer have no spread */
} section_times[SECTIONS] = {
    [SECTION_CORE] = {0.6, 3},      [SECTION_CPUS] = {0.8, 2},  [SECTION_LICENCE] = {1.1, 3},
    [SECTION_BANDWIDTH] = {1.7, 3}, [SECTION_CURVE] = {3.5, 1},
};

/* Of a whole calibration. */
struct progress {
    double began_s;
    int planned, done; /* rounds */
};

/* How much of each: rounds of slices, sizes, time of one chase. */
struct plan {
    struct progress *progress; /* NULL: as long as it takes */
    int core_rounds, memory_rounds, curve_rounds, cpu_rounds, licence_rounds;
    unsigned figures; /* which of the core's and of the bandwidths */
    size_t bandwidth_bytes, largest_bytes;
    unsigned step_shift; /* each step of the curve is larger by so many bits */
    double chase_budget_ns, chase_warm_ns;
    bool (*stop)(void); /* NULL: never */
    const struct microarchitecture *core;
};

static const struct plan plans[] = {
    [CALIBRATION_FULL] = {
        .core_rounds = 15,
        .memory_rounds = 7,
        .curve_rounds = 6,
        .cpu_rounds = 7,
        .licence_rounds = 9,
        .figures = ~0u,
        .bandwidth_bytes = 64 * 1024 * 1024,
        .step_shift = 2,
        .chase_budget_ns = 4e6,
        .chase_warm_ns = 2e6,
    },
    [CALIBRATION_QUICK] = {
        .core_rounds = 5,
        .memory_rounds = 3,
        .curve_rounds = 1,
        .figures = FIGURE_BIT(CALIBRATION_ISSUE) | FIGURE_BIT(CALIBRATION_FMA_128) | FIGURE_BIT(CALIBRATION_FMA_256) |
                   FIGURE_BIT(CALIBRATION_FMA_512) | FIGURE_BIT(CALIBRATION_FMA_LATENCY) |
                   FIGURE_BIT(CALIBRATION_CPUID) | FIGURE_BIT(CALIBRATION_READ_ONE) |
                   FIGURE_BIT(CALIBRATION_WRITE_ONE),
        .bandwidth_bytes = 32 * 1024 * 1024,
        .largest_bytes = 16 * 1024 * 1024,
        .step_shift = 5, /* the first cache, the second, beyond */
        .chase_budget_ns = 1e6,
        .chase_warm_ns = 1e6,
    },
    [CALIBRATION_SPARING] = {
        .core_rounds = 3,
        .memory_rounds = 3,
        .curve_rounds = 1,
        .figures = FIGURE_BIT(CALIBRATION_ISSUE) | FIGURE_BIT(CALIBRATION_CPUID) | FIGURE_BIT(CALIBRATION_READ_ONE) |
                   FIGURE_BIT(CALIBRATION_WRITE_ONE),
        .bandwidth_bytes = 32 * 1024 * 1024,
        .largest_bytes = 16 * 1024 * 1024,
        .step_shift = 5,
        .chase_budget_ns = 0.5e6,
        .chase_warm_ns = 0.5e6,
    },
    [CALIBRATION_CORE] = {
        .core_rounds = 3,
        .figures = FIGURE_BIT(CALIBRATION_ISSUE),
    },
};

static const char *const left_out = "a quick calibration leaves it out";
static const char *const interrupted = "it was interrupted before that";

static bool is_stopped(const struct plan *plan)
{
    return plan->stop && plan->stop();
}

/* Whether there is this round, of so many. */
static bool round_begins(const struct plan *plan, enum section section, int round, int rounds)
{
    const struct section_time *time = &section_times[section];
    struct progress *progress = plan->progress;
    if (progress && round == 0)
        progress->planned += rounds;
    bool has_time = !progress || round < time->rounds_least ||
                    clock_s(CLOCK_MONOTONIC) - progress->began_s < time->until_s;
    if (round >= rounds || is_stopped(plan) || !has_time)
        return false;
    if (progress)
        progress->done++;
    return true;
}

/* The slices of one figure. */
struct samples {
    double values[ROUNDS_MOST];
    size_t count;
    const char *why_not;
};

static void samples_add(struct samples *samples, struct measured value)
{
    if (value.known && samples->count < ROUNDS_MOST)
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

static struct measured issue_of(const struct microarchitecture *core)
{
    return issue_rate(core && core->nop_fills_slot);
}

/* One slice, in the unit of the header; clock_hz is of just before. */
static struct measured core_slice(enum calibration_figure figure, const struct plan *plan, double clock_hz)
{
    double cycle_ns = 1e9 / clock_hz;
    switch (figure) {
    case CALIBRATION_ISSUE:
        return scaled(issue_of(plan->core), cycle_ns);
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

static bool plan_has(const struct plan *plan, size_t figure)
{
    return plan->figures >> figure & 1;
}

static void measure_core(struct samples *all, const struct plan *plan, unsigned short state[3])
{
    enum {
        FIRST = CALIBRATION_ISSUE,
        COUNT = CALIBRATION_CPUID - CALIBRATION_ISSUE + 1
    };
    size_t order[COUNT];
    for (int round = 0; round_begins(plan, SECTION_CORE, round, plan->core_rounds); round++) {
        shuffle(order, COUNT, state);
        samples_add(&all[CALIBRATION_CLOCK], clock_measure());
        for (size_t at = 0; at < COUNT; at++) {
            size_t figure = FIRST + order[at];
            if (!plan_has(plan, figure)) {
                all[figure].why_not = left_out;
                continue;
            }
            struct measured clock = clock_measure();
            samples_add(&all[figure],
                        clock.known ? core_slice((enum calibration_figure)figure, plan, clock.value) : clock);
        }
    }
}

/* One CPU by itself. */

/* To this CPU; before: where it might run until now. */
static bool cpu_enter(uint32_t cpu, cpu_set_t *before)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*before), before) != 0)
        return false;
    CPU_SET(cpu, &only);
    return sched_setaffinity(0, sizeof(only), &only) == 0;
}

static void cpu_leave(const cpu_set_t *before)
{
    (void)sched_setaffinity(0, sizeof(*before), before);
}

static bool glimpse_here(const struct microarchitecture *core, struct ceilings_glimpse *glimpse)
{
    struct measured clock = clock_measure();
    struct measured issue = clock.known ? issue_of(core) : clock;
    if (!issue.known || clock.value <= 0)
        return false;
    glimpse->clock_hz = clock.value;
    glimpse->issue = issue.value * 1e9 / clock.value;
    return ceilings_glimpse_is_sound(glimpse);
}

bool calibration_glimpse(uint32_t cpu, const struct microarchitecture *core, struct ceilings_glimpse *ret_glimpse)
{
    cpu_set_t before;
    struct ceilings_glimpse glimpse = {.cpu = cpu};
    if (!cpu_enter(cpu, &before))
        return false;
    bool measured = glimpse_here(core, &glimpse);
    cpu_leave(&before);
    if (measured)
        *ret_glimpse = glimpse;
    return measured;
}

/* The slices of one CPU. */
struct cpu_samples {
    uint32_t cpu;
    double clocks[ROUNDS_MOST], issues[ROUNDS_MOST];
    size_t count;
};

static size_t cpus_allowed(struct cpu_samples *cpus)
{
    cpu_set_t may;
    size_t count = 0;
    if (sched_getaffinity(0, sizeof(may), &may) != 0)
        return 0;
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE && count < CALIBRATION_CPUS_MOST; cpu++)
        if (CPU_ISSET(cpu, &may))
            cpus[count++].cpu = cpu;
    return count;
}

/* Each of the CPUs that may be used by itself, the first so many, in turns; of one alone, the figures are. */
static void measure_cpus(struct calibration *calibration, const struct plan *plan)
{
    struct cpu_samples cpus[CALIBRATION_CPUS_MOST] = {0};
    size_t count = plan->cpu_rounds ? cpus_allowed(cpus) : 0;
    for (int round = 0; count > 1 && round_begins(plan, SECTION_CPUS, round, plan->cpu_rounds); round++)
        for (size_t at = 0; at < count; at++) {
            struct cpu_samples *cpu = &cpus[at];
            struct ceilings_glimpse glimpse;
            if (!calibration_glimpse(cpu->cpu, plan->core, &glimpse))
                continue;
            cpu->clocks[cpu->count] = glimpse.clock_hz;
            cpu->issues[cpu->count++] = glimpse.issue;
        }
    for (size_t at = 0; at < count; at++)
        if (cpus[at].count)
            calibration->cpus[calibration->cpu_count++] = (struct calibration_cpu){
                cpus[at].cpu, quartile_interval(cpus[at].clocks, cpus[at].count),
                quartile_interval(cpus[at].issues, cpus[at].count)};
}

/* The clock behind wide vectors. */

static const struct {
    unsigned bits;
    bool heavy;
} blocks[] = {
    [CALIBRATION_CLOCK_HEAVY_256 - CALIBRATION_CLOCK_HEAVY_256] = {256, true},
    [CALIBRATION_CLOCK_LIGHT_512 - CALIBRATION_CLOCK_HEAVY_256] = {512, false},
    [CALIBRATION_CLOCK_HEAVY_512 - CALIBRATION_CLOCK_HEAVY_256] = {512, true},
};

/* A lowered clock comes within half a millisecond and stays for 0.6 to 0.7 ms behind the last wide instruction. */
static const double block_ns = 1e6;
enum {
    REST_MEASURES = 4 /* of the clock, 0.3 ms each: the last one counts */
};

static struct measured clock_rested(void)
{
    struct measured clock = clock_measure();
    for (int at = 1; at < REST_MEASURES && clock.known; at++)
        clock = clock_measure();
    return clock;
}

enum {
    BLOCKS = CALIBRATION_CLOCK_HEAVY_512 - CALIBRATION_CLOCK_HEAVY_256 + 1
};

struct block_pairs { /* the clock before a block and behind it */
    struct {
        double scalar_hz, behind_hz;
    } items[BLOCKS][ROUNDS_MOST];
    size_t count[BLOCKS];
    const char *why_not[BLOCKS];
};

static void block_measure(struct block_pairs *pairs, size_t block)
{
    struct measured scalar = clock_rested();
    const char *missing = scalar.known ? wide_work(blocks[block].bits, blocks[block].heavy, block_ns) : scalar.why_not;
    struct measured behind = missing ? not_measured(missing) : clock_measure();
    if (!behind.known) {
        pairs->why_not[block] = behind.why_not;
        return;
    }
    size_t at = pairs->count[block]++;
    pairs->items[block][at].scalar_hz = scalar.value;
    pairs->items[block][at].behind_hz = behind.value;
}

/*
 * A neighbour on the same core may have lowered the clock already: such a pair would say that the block costs nothing.
 */
static void pairs_judge(struct samples *all, const struct block_pairs *pairs)
{
    static const double unlowered = 0.97;
    double most_hz = 0;
    for (size_t block = 0; block < BLOCKS; block++)
        for (size_t at = 0; at < pairs->count[block]; at++)
            if (pairs->items[block][at].scalar_hz > most_hz)
                most_hz = pairs->items[block][at].scalar_hz;
    for (size_t block = 0; block < BLOCKS; block++) {
        struct samples *ratios = &all[CALIBRATION_CLOCK_HEAVY_256 + block];
        ratios->why_not = pairs->why_not[block] ? pairs->why_not[block]
                                                : "the clock was lowered before each block, by a neighbour or by heat";
        for (size_t at = 0; at < pairs->count[block]; at++)
            if (pairs->items[block][at].scalar_hz >= unlowered * most_hz)
                samples_add(ratios, measured_as(pairs->items[block][at].behind_hz / pairs->items[block][at].scalar_hz));
    }
}

static void measure_licence(struct samples *all, const struct plan *plan, unsigned short state[3])
{
    struct block_pairs pairs = {0};
    size_t order[BLOCKS];
    int round = 0;
    for (; round_begins(plan, SECTION_LICENCE, round, plan->licence_rounds); round++) {
        shuffle(order, BLOCKS, state);
        for (size_t at = 0; at < BLOCKS; at++)
            block_measure(&pairs, order[at]);
    }
    if (round)
        pairs_judge(all, &pairs);
    for (size_t at = 0; !round && at < BLOCKS; at++)
        all[CALIBRATION_CLOCK_HEAVY_256 + at].why_not = plan->licence_rounds ? interrupted : left_out;
}

void calibration_measure_licence(struct calibration *calibration, const uint32_t *cpu_or_null)
{
    struct samples all[CALIBRATION_FIGURES] = {0};
    unsigned short state[3] = {1, 1, 1};
    cpu_set_t before;
    bool moved = cpu_or_null && cpu_enter(*cpu_or_null, &before);
    const struct plan plan = {.licence_rounds = ROUNDS_MOST};
    measure_licence(all, &plan, state);
    if (moved)
        cpu_leave(&before);
    for (size_t at = CALIBRATION_CLOCK_HEAVY_256; at <= CALIBRATION_CLOCK_HEAVY_512; at++)
        calibration->figures[at] = samples_value(&all[at]);
}

/* Memory. */

static void measure_bandwidth(struct samples *all, const struct sysroot *root, const struct plan *plan,
                              unsigned short state[3])
{
    struct memory_region region;
    if (!plan->memory_rounds) {
        for (size_t figure = CALIBRATION_READ_ONE; figure <= CALIBRATION_READ_ALL; figure++)
            all[figure].why_not = left_out;
        return;
    }
    memory_region_init(&region, root, plan->bandwidth_bytes, true);
    region.why_not = region.bytes ? NULL : region.why_not; /* huge pages help, and are no condition here */
    for (int round = 0; round_begins(plan, SECTION_BANDWIDTH, round, plan->memory_rounds); round++) {
        size_t order[3];
        shuffle(order, 3, state);
        for (size_t at = 0; at < 3; at++) {
            enum calibration_figure figure = (enum calibration_figure)(CALIBRATION_READ_ONE + order[at]);
            if (!plan_has(plan, figure)) {
                all[figure].why_not = left_out;
                continue;
            }
            struct measured rate = figure == CALIBRATION_READ_ONE    ? read_bandwidth(&region)
                                   : figure == CALIBRATION_WRITE_ONE ? write_bandwidth(&region)
                                                                     : read_bandwidth_all(&region);
            samples_add(&all[figure], scaled(rate, 1e9));
        }
    }
    memory_region_done(&region);
}

static struct measured curve_slice(struct memory_region *region, const struct plan *plan, size_t bytes)
{
    if (region->why_not)
        return not_measured(region->why_not);
    chase_lay(region, bytes);
    (void)chase_ns(region, plan->chase_warm_ns);
    return chase_ns(region, plan->chase_budget_ns);
}

static void measure_curve(struct calibration *calibration, struct samples *page_walk, const struct sysroot *root,
                          const struct plan *plan, unsigned short state[3])
{
    struct memory_region small, huge;
    struct samples on_4k[CALIBRATION_STEPS_MOST] = {0}, on_2m[CALIBRATION_STEPS_MOST] = {0};
    size_t count = 0, largest_bytes = plan->largest_bytes;
    if (!plan->curve_rounds) {
        page_walk->why_not = left_out;
        return;
    }
    for (size_t bytes = SMALLEST_BYTES; bytes <= largest_bytes && count < CALIBRATION_STEPS_MOST;
         bytes <<= plan->step_shift)
        calibration->steps[count++].bytes = bytes;
    calibration->steps[count - 1].bytes = largest_bytes;
    memory_region_init(&small, root, is_stopped(plan) ? SMALLEST_BYTES : largest_bytes, false);
    memory_region_init(&huge, root, is_stopped(plan) ? SMALLEST_BYTES : largest_bytes, true);
    for (int round = 0; round_begins(plan, SECTION_CURVE, round, plan->curve_rounds); round++) {
        size_t order[CALIBRATION_STEPS_MOST];
        shuffle(order, count, state);
        for (size_t at = 0; at < count && !is_stopped(plan); at++) {
            size_t step = order[at];
            struct measured of_4k = curve_slice(&small, plan, calibration->steps[step].bytes);
            struct measured of_2m = curve_slice(&huge, plan, calibration->steps[step].bytes);
            samples_add(&on_4k[step], of_4k);
            samples_add(&on_2m[step], of_2m);
            if (step == count - 1)
                samples_add(page_walk, !of_4k.known   ? of_4k
                                       : !of_2m.known ? of_2m
                                                      : measured_as(of_4k.value - of_2m.value));
        }
    }
    for (size_t step = 0; step < count; step++) {
        if (is_stopped(plan))
            on_4k[step].why_not = on_2m[step].why_not = interrupted;
        calibration->steps[step].on_4k = samples_value(&on_4k[step]);
        calibration->steps[step].on_2m = samples_value(&on_2m[step]);
    }
    calibration->step_count = count;
    memory_region_done(&small);
    memory_region_done(&huge);
}

/* Seconds that this thread was ready and had no CPU. */
static struct measured waited_s(const struct sysroot *root)
{
    char line[128];
    uint64_t waited_ns = 0;
    if (!sysroot_line(root, line, sizeof(line), "/proc/thread-self/schedstat"))
        return not_measured("/proc/thread-self/schedstat can't be read");
    struct view rest = view_of(line);
    (void)view_cut(&rest, ' ');
    return view_u64(view_cut(&rest, ' '), 10, &waited_ns) ? measured_as((double)waited_ns / 1e9)
                                                          : not_measured("the kernel doesn't say");
}

static struct measured waited_ratio(struct measured before_s, struct measured after_s, double elapsed_s)
{
    if (!before_s.known || !after_s.known)
        return before_s.known ? after_s : before_s;
    double ratio = (after_s.value - before_s.value) / elapsed_s;
    return measured_as(ratio < 0 ? 0 : ratio > 1 ? 1 : ratio);
}

void calibration_measure(struct calibration *calibration, const struct sysroot *root,
                         const struct calibration_request *request)
{
    struct plan plan = plans[request->extent];
    plan.stop = request->stop;
    plan.core = request->core;
    struct progress progress = {.began_s = clock_s(CLOCK_MONOTONIC)};
    if (request->extent == CALIBRATION_FULL) {
        plan.largest_bytes = request->largest_bytes;
        plan.progress = &progress;
    }
    *calibration = (struct calibration){
        .issue_slots = request->core ? request->core->slots : 0,
        .taken_at_s = clock_s(CLOCK_REALTIME),
    };
    struct samples all[CALIBRATION_FIGURES] = {0};
    unsigned short state[3] = {(unsigned short)request->seed, (unsigned short)(request->seed >> 16), 1};
    struct measured waited_before_s = waited_s(root);
    measure_core(all, &plan, state);
    measure_cpus(calibration, &plan);
    measure_licence(all, &plan, state);
    measure_bandwidth(all, root, &plan, state);
    measure_curve(calibration, &all[CALIBRATION_PAGE_WALK], root, &plan, state);
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++) {
        if (!all[at].why_not && is_stopped(&plan))
            all[at].why_not = interrupted;
        calibration->figures[at] = samples_value(&all[at]);
    }
    struct calibration_value *walk = &calibration->figures[CALIBRATION_PAGE_WALK];
    if (walk->value.known)
        *walk = calibration_resolved(walk->value);
    if (calibration->issue_slots)
        calibration->share = interval_clamped(
            interval_scaled(calibration->figures[CALIBRATION_ISSUE].value, 1.0 / calibration->issue_slots), 0, 1);
    calibration->elapsed_s = clock_s(CLOCK_MONOTONIC) - progress.began_s;
    calibration->rounds_ratio = is_stopped(&plan)  ? not_measured(interrupted)
                                : progress.planned ? measured_as((double)progress.done / progress.planned)
                                                   : not_measured("it wasn't counted");
    calibration->waited_ratio = waited_ratio(waited_before_s, waited_s(root), calibration->elapsed_s);
}
