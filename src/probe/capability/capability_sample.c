/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes that sample: the samples must point into the code that ran, and carry what was asked. */
#include "base/clock.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>
#include <unistd.h>

enum {
    RING_PAGES = 32,
    CLOCK_RATE_HZ = 10000,
    SAMPLING_NS = 15000000,
    SAMPLES_FEWEST = 8,
    SPIN_ITERATIONS = 20000,
    STACK_BYTES = 1024
};

static const uint64_t magic_number = UINT64_C(0x706c756d62); /* "plumb" */

struct seen {
    uint64_t samples, inside, kernel_mode, with_magic, with_caller, with_stack, on_spot, in_branches, with_branches;
    uint64_t return_addr, spot_addr, data_addr;
};

/*
 * Whether to go on: until so much CPU time was had, since a throttled or crowded thread gets little of the wall's; but
 * a second of wall time is enough for anybody.
 */
struct stint {
    uint64_t until_thread_ns, until_wall_ns;
};

static struct stint stint_start(void)
{
    return (struct stint){clock_ns(CLOCK_THREAD_CPUTIME_ID) + SAMPLING_NS, clock_ns(CLOCK_MONOTONIC) + 1000000000u};
}

static bool stint_goes_on(const struct stint *stint)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) < stint->until_thread_ns &&
           clock_ns(CLOCK_MONOTONIC) < stint->until_wall_ns;
}

static void spin(uint64_t *ret_return_addr)
{
    struct stint stint = stint_start();
    do
        known_work_nested(SPIN_ITERATIONS, magic_number, ret_return_addr);
    while (stint_goes_on(&stint));
}

static void take_spin(const struct trial_sample *sample, void *context)
{
    struct seen *seen = context;
    bool called = false;
    seen->samples++;
    seen->kernel_mode += sample->kernel_mode;
    seen->inside += !sample->kernel_mode && known_work_in_spin(sample->ip);
    for (size_t at = 0; at < sample->chain_count; at++)
        called |= sample->chain[at] == seen->return_addr;
    seen->with_caller += called;
    seen->with_stack += sample->stack_bytes > 0;
    if (sample->has_registers && KNOWN_WORK_MAGIC_REGISTER >= 0)
        seen->with_magic += sample->registers[KNOWN_WORK_MAGIC_REGISTER & 63] == magic_number;
}

static struct perf_event_attr clock_attr(uint64_t sample_type)
{
    struct perf_event_attr attr = trial_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    attr.sample_period = 1000000000u / CLOCK_RATE_HZ;
    attr.sample_type = PERF_SAMPLE_IP | sample_type;
    return attr;
}

/* Sample this thread while it spins; false after filling capability. */
static bool sample_spin(const struct bench *bench, struct capability *capability, const struct perf_event_attr *attr,
                        unsigned needs, struct seen *seen)
{
    struct trial trial;
    struct trial_ring_totals totals = {0};
    *seen = (struct seen){0};
    bool good =
        trial_open(&trial, bench->kernel, attr, &TRIAL_SELF) && trial_ring(&trial, RING_PAGES) && trial_start(&trial);
    if (good) {
        spin(&seen->return_addr);
        good = trial_stop(&trial);
    }
    if (good)
        trial_samples(&trial, take_spin, seen, &totals);
    trial_done(&trial);
    if (!good) {
        capability_explain(capability, bench, &trial, needs);
        return false;
    }
    if (totals.malformed) {
        capability_wrong(capability, "the ring buffer held records that can't be read");
        return false;
    }
    if (seen->samples < SAMPLES_FEWEST) {
        capability_wrong(capability, "%llu samples in %d ms of CPU time", (unsigned long long)seen->samples,
                         SAMPLING_NS / 1000000);
        return false;
    }
    return true;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void measure_cpu_clock(const struct bench *bench, struct capability *capability)
{
    struct seen seen;
    struct perf_event_attr attr = clock_attr(0);
    uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!sample_spin(bench, capability, &attr, NEED_NOTHING, &seen))
        return;
    double seconds = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before) / 1e9;
    double rate = seconds > 0 ? (double)seen.samples / seconds : 0;
    fact_number_set(&bench->all->sample_rate_hz, (int64_t)rate);
    if (share(seen.inside, seen.samples) < 0.8) {
        capability_wrong(capability, "%llu of %llu samples point into the loop that ran",
                         (unsigned long long)seen.inside, (unsigned long long)seen.samples);
        return;
    }
    capability_works(capability, "%llu samples, %.0f %% in the loop that ran; %.0f a second when %d were asked",
                     (unsigned long long)seen.samples, share(seen.inside, seen.samples) * 100, rate, CLOCK_RATE_HZ);
    if (rate < CLOCK_RATE_HZ * 0.5) {
        capability->verdict = CAPABILITY_PARTLY;
        snprintf(capability->reason, sizeof(capability->reason),
                 "fewer than half of the samples asked arrive (the timer is coarse, or the CPU was taken away)");
    }
}

void measure_user_registers(const struct bench *bench, struct capability *capability)
{
    if (KNOWN_WORK_MAGIC_REGISTER < 0) {
        capability_not_measured(capability, "no known-answer loop for this architecture");
        return;
    }
    struct seen seen;
    struct perf_event_attr attr = clock_attr(PERF_SAMPLE_REGS_USER);
    attr.sample_regs_user = UINT64_C(1) << KNOWN_WORK_MAGIC_REGISTER | UINT64_C(1) << KNOWN_WORK_IP_REGISTER;
    if (!sample_spin(bench, capability, &attr, NEED_NOTHING, &seen))
        return;
    if (share(seen.with_magic, seen.inside) < 0.95)
        capability_wrong(capability, "%llu of %llu samples carry the register's known value",
                         (unsigned long long)seen.with_magic, (unsigned long long)seen.inside);
    else
        capability_works(capability, "%llu samples carry the register's known value",
                         (unsigned long long)seen.with_magic);
}

void measure_call_chain(const struct bench *bench, struct capability *capability)
{
    struct seen seen;
    struct perf_event_attr attr = clock_attr(PERF_SAMPLE_CALLCHAIN);
    attr.exclude_callchain_kernel = 1;
    if (!sample_spin(bench, capability, &attr, NEED_NOTHING, &seen))
        return;
    if (share(seen.with_caller, seen.inside) < 0.9)
        capability_wrong(capability, "%llu of %llu chains have the caller's caller",
                         (unsigned long long)seen.with_caller, (unsigned long long)seen.inside);
    else
        capability_works(capability, "%.0f %% of the chains have the caller's caller",
                         share(seen.with_caller, seen.inside) * 100);
}

void measure_user_stack(const struct bench *bench, struct capability *capability)
{
    if (KNOWN_WORK_SP_REGISTER < 0) {
        capability_not_measured(capability, "no known-answer loop for this architecture");
        return;
    }
    struct seen seen;
    struct perf_event_attr attr = clock_attr(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
    attr.sample_regs_user = UINT64_C(1) << KNOWN_WORK_SP_REGISTER | UINT64_C(1) << KNOWN_WORK_IP_REGISTER;
    attr.sample_stack_user = STACK_BYTES;
    if (!sample_spin(bench, capability, &attr, NEED_NOTHING, &seen))
        return;
    if (share(seen.with_stack, seen.samples) < 0.9)
        capability_wrong(capability, "%llu of %llu samples carry a piece of the stack",
                         (unsigned long long)seen.with_stack, (unsigned long long)seen.samples);
    else
        capability_works(capability, "%llu samples carry their piece of the stack",
                         (unsigned long long)seen.with_stack);
}

/* ---- kernel mode ---------------------------------------------------------------------------------------- */

/* cpu-clock, kernel only, while the thread does nothing but system calls: samples must come from kernel addresses. */
void measure_kernel_side(const struct bench *bench, struct capability *capability)
{
    struct trial trial;
    struct trial_ring_totals totals = {0};
    struct seen seen = {0};
    struct perf_event_attr attr = clock_attr(0);
    attr.exclude_kernel = 0;
    attr.exclude_user = 1;
    bool good =
        trial_open(&trial, bench->kernel, &attr, &TRIAL_SELF) && trial_ring(&trial, RING_PAGES) && trial_start(&trial);
    if (good) {
        struct stint stint = stint_start();
        while (stint_goes_on(&stint))
            known_work_system_calls(500);
        good = trial_stop(&trial);
    }
    if (good)
        trial_samples(&trial, take_spin, &seen, &totals);
    trial_done(&trial);
    if (!good)
        capability_explain(capability, bench, &trial, NEED_KERNEL);
    else if (!seen.kernel_mode)
        capability_wrong(capability, "no sample from kernel mode in %d ms of system calls", SAMPLING_NS / 1000000);
    else
        capability_works(capability, "%llu samples from kernel mode over %d ms of system calls",
                         (unsigned long long)seen.kernel_mode, SAMPLING_NS / 1000000);
}

/* ---- hardware events ------------------------------------------------------------------------------------ */

void measure_sampling(const struct bench *bench, struct capability *capability)
{
    struct seen seen;
    struct perf_event_attr attr = trial_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    attr.sample_period = 100003;
    attr.sample_type = PERF_SAMPLE_IP;
    if (!sample_spin(bench, capability, &attr, NEED_PMU | NEED_INTERRUPT, &seen))
        return;
    if (share(seen.inside, seen.samples) < 0.8)
        capability_wrong(capability, "%llu of %llu samples point into the loop that ran",
                         (unsigned long long)seen.inside, (unsigned long long)seen.samples);
    else
        capability_works(capability, "%llu samples, %.0f %% in the loop that ran", (unsigned long long)seen.samples,
                         share(seen.inside, seen.samples) * 100);
}

static void take_spot(const struct trial_sample *sample, void *context)
{
    struct seen *seen = context;
    if (seen->data_addr && sample->addr != seen->data_addr)
        return; /* a sample of another instruction than the load */
    seen->samples++;
    seen->on_spot += sample->ip == seen->spot_addr;
}

static void take_branches(const struct trial_sample *sample, void *context)
{
    struct seen *seen = context;
    seen->samples++;
    seen->with_branches += sample->branch_count > 0;
    for (size_t at = 0; at < sample->branch_count; at++)
        if (sample->branches[at].from == seen->spot_addr) {
            seen->in_branches++;
            return;
        }
}

static bool sample_spot(const struct bench *bench, struct trial *trial, const struct perf_event_attr *attr, bool loads,
                        trial_each *each, struct seen *seen)
{
    static const uint64_t data = 1;
    struct trial_ring_totals totals = {0};
    *seen = (struct seen){.spot_addr = loads ? known_work_sparse_load_addr() : known_work_sparse_branch_addr(),
                          .data_addr = loads ? (uintptr_t)&data : 0};
    bool good =
        trial_open(trial, bench->kernel, attr, &TRIAL_SELF) && trial_ring(trial, RING_PAGES) && trial_start(trial);
    if (good) {
        struct stint stint = stint_start();
        while (stint_goes_on(&stint) && loads)
            known_work_sparse_loads(10000, &data);
        while (stint_goes_on(&stint))
            known_work_sparse_branches(10000);
        good = trial_stop(trial);
    }
    if (good)
        trial_samples(trial, each, seen, &totals);
    trial_done(trial);
    return good;
}

static void inherit_block(const struct bench *bench, struct capability *capability, enum capability_id from)
{
    const struct capability *other = &bench->all->items[from];
    capability->verdict = CAPABILITY_BLOCKED;
    capability->blocker = other->blocker;
    capability->sys_errno = other->sys_errno;
    snprintf(capability->reason, sizeof(capability->reason), "%s", other->reason);
    snprintf(capability->remedy, sizeof(capability->remedy), "%s", other->remedy);
}

/*
 * Precise means that a sample names the instruction that caused the event. On Intel: taken branches of a loop that has
 * one, among sixty no-operations. AMD's IBS tags any micro-operation, so there only samples whose data address is the
 * loop's are judged: they can come from its one load only. An open alone proves nothing (cpu-clock takes precise_ip
 * too).
 */
void measure_precise(const struct bench *bench, struct capability *capability)
{
    enum microarchitecture_vendor vendor = bench->machine->cpu.vendor_kind;
    bool amd = vendor == MICROARCHITECTURE_AMD || vendor == MICROARCHITECTURE_HYGON;
    struct trial trial = {.fd = -1};
    struct seen seen = {0};
    if (vendor == MICROARCHITECTURE_ARM) {
        measure_precise_arm(bench, capability);
        return;
    }
    if (bench->all->items[CAPABILITY_SAMPLING].verdict != CAPABILITY_WORKS) {
        inherit_block(bench, capability, CAPABILITY_SAMPLING);
        return;
    }
    if (!known_work_sparse_branch_addr()) {
        capability_not_measured(capability, "no known-answer loop for this architecture");
        return;
    }
    struct perf_event_attr attr =
        trial_attr(PERF_TYPE_HARDWARE, amd ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
    attr.sample_type = PERF_SAMPLE_IP | (amd ? PERF_SAMPLE_ADDR : 0);
    attr.sample_period = amd ? 50021 : 2003;
    attr.exclude_kernel = !amd; /* IBS can't filter by mode before Linux 6.14 */
    attr.exclude_hv = !amd;
    bool good = false;
    for (int precise = 3; precise >= 1 && !good; precise--) {
        attr.precise_ip = (unsigned)precise & 3;
        good = sample_spot(bench, &trial, &attr, amd, take_spot, &seen);
    }
    if (!good) {
        capability_explain(capability, bench, &trial, NEED_PMU | NEED_PRECISE | (amd ? NEED_KERNEL : 0));
        return;
    }
    if (seen.samples < SAMPLES_FEWEST) {
        capability_wrong(capability, "precise_ip=%d opened, and %llu samples came", (int)attr.precise_ip,
                         (unsigned long long)seen.samples);
        return;
    }
    double exact = share(seen.on_spot, seen.samples);
    fact_number_set(&bench->all->skid_percent, (int64_t)((1 - exact) * 100 + 0.5));
    if (exact >= 0.95)
        capability_works(capability, "%.0f %% of %llu samples are on the very instruction (precise_ip=%d)", exact * 100,
                         (unsigned long long)seen.samples, (int)attr.precise_ip);
    else
        capability_wrong(capability, "precise_ip=%d opened, but %.0f %% of %llu samples skid past the instruction",
                         (int)attr.precise_ip, (1 - exact) * 100, (unsigned long long)seen.samples);
}

void measure_branch_stack(const struct bench *bench, struct capability *capability)
{
    struct trial trial;
    struct seen seen;
    if (bench->all->items[CAPABILITY_SAMPLING].verdict != CAPABILITY_WORKS) {
        inherit_block(bench, capability, CAPABILITY_SAMPLING);
        return;
    }
    if (!known_work_sparse_branch_addr()) {
        capability_not_measured(capability, "no known-answer loop for this architecture");
        return;
    }
    struct perf_event_attr attr = trial_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
    attr.sample_period = 100003;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    if (!sample_spot(bench, &trial, &attr, false, take_branches, &seen))
        capability_explain(capability, bench, &trial, NEED_PMU | NEED_BRANCHES);
    else if (share(seen.in_branches, seen.samples) < 0.9 || seen.samples < SAMPLES_FEWEST)
        capability_wrong(capability, "%llu of %llu branch stacks hold the loop's only branch",
                         (unsigned long long)seen.in_branches, (unsigned long long)seen.samples);
    else
        capability_works(capability, "%.0f %% of the branch stacks hold the loop's only branch",
                         share(seen.in_branches, seen.samples) * 100);
}
