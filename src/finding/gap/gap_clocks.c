/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steal, waiting, the clock and the clock source. */
#include "finding/gap/gap_parts.h"

#include "base/vec.h"
#include "system/host/clocksource.h"

/* ---- steal ---- */

/* Stolen of CPU and stolen time together; whether the kernel counts it as CPU time differs, and is left open. */
static struct gap_burden stolen_by_host(const struct gap_splitting *splitting, const struct gap_side *side)
{
    if (!gap_is_guest(side))
        return gap_known(interval_exactly(0), GAP_MEASURED);
    const struct run_time *run = side->results->run;
    if (!run || !run->stolen.ratio.known)
        return gap_unknown(run && run->stolen.why_not ? run->stolen.why_not : "the run's times aren't known");
    struct interval ratio = run->stolen.ratio;
    double high = ratio.high < 0.99 ? ratio.high / (1 - ratio.high) : 100 * ratio.high;
    struct interval part = interval_of(splitting->of == OF_CPU_TIME ? 0 : ratio.low, ratio.mid, high);
    return gap_known(gap_seconds(splitting, side, share_of(OF_CPU_TIME, part)), GAP_MEASURED);
}

void gap_steal(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct gap_burden guest = stolen_by_host(splitting, splitting->guest);
    struct gap_burden host = splitting->host ? stolen_by_host(splitting, splitting->host) : gap_unknown(NULL);
    gap_take(splitting, component, host, guest);
    if (guest.seconds.known)
        gap_say(&component->evidence, splitting->arena,
                "stolen of the guest's CPUs while it ran there, by /proc/stat%s",
                guest.seconds.high <= 0 ? "; 0 is also what a hypervisor that doesn't tell leaves there" : "");
    else
        gap_say(&component->remedies, splitting->arena,
                "plumb diagnose with samples in the guest (perf events must be allowed there)");
    if (guest.seconds.known && splitting->of == OF_CPU_TIME)
        gap_say(&component->evidence, splitting->arena, "from 0 on: some kernels don't count stolen time as CPU time");
}

/* ---- waiting ---- */

static struct gap_burden waited(const struct gap_side *side)
{
    const struct run_time *run = side->results->run;
    if (!run || !run->on_cpu_ratio.known)
        return gap_unknown("how long it was on a CPU isn't known");
    double ratio = run->on_cpu_ratio.value < 1 ? 1 - run->on_cpu_ratio.value : 0;
    return gap_known(interval_scaled(side->whole_s, ratio), GAP_MEASURED);
}

void gap_waiting(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct gap_burden guest = waited(splitting->guest),
                      host = splitting->host ? waited(splitting->host) : gap_unknown(NULL);
    gap_take(splitting, component, host, guest);
    const struct run_time *run = splitting->guest->results->run;
    if (!splitting->host && component->seconds.known)
        component->seconds.low = component->seconds.mid = 0, component->origin = GAP_ESTIMATED;
    if (component->seconds.known)
        gap_say(&component->evidence, splitting->arena, "no thread of it was on a CPU in %s of the guest's run%s%s",
                gap_time_words(guest.seconds.mid, splitting->arena), host.seconds.known ? ", and of the host's " : "",
                host.seconds.known ? gap_time_words(host.seconds.mid, splitting->arena) : "");
    if (component->seconds.known && run->run_delay_s.known)
        gap_say(&component->evidence, splitting->arena,
                "its threads were ready and had no CPU of the guest for %s, added up",
                gap_time_words(run->run_delay_s.value, splitting->arena));
}

/* ---- the clock ---- */

/* Cycles over CPU time where both were counted in full; else what was calibrated beside the run. */
static struct interval clock_of(const struct gap_side *side, const char **ret_how)
{
    const struct counter_summary *counters = side->results->counters;
    struct measured clock = measured_ratio(counter_of(counters, "cycles"), counter_of(counters, "task-clock"));
    for (size_t at = 0; counters && at < counters->count; at++)
        if (strcmp(counters->items[at].name, "cycles") == 0 && (counters->items[at].user_only || counters->imported))
            clock.known = false;
    *ret_how = clock.known ? "counted" : "calibrated beside it";
    return clock.known ? interval_exactly(clock.value * 1e9)
                       : ceilings_figure(side->results->ceilings, CALIBRATION_CLOCK);
}

/* What waits for memory goes on at the memory's pace: all of the CPU time, or all but that, follows the clock. */
static struct interval follows_clock(const struct gap_side *side)
{
    const struct stalls *stalls = side->results->stalls;
    double waits = stalls && stalls->attributed && stalls->sample_count
                       ? (double)(stalls->memory_samples + stalls->blind_samples) / (double)stalls->sample_count
                       : 1;
    waits = waits < 1 ? waits : 1;
    return interval_of(1 - waits, 1 - waits / 2, 1);
}

void gap_clock(const struct gap_splitting *splitting, struct gap_component *component)
{
    const char *how_guest = "", *how_host = "";
    struct interval guest = clock_of(splitting->guest, &how_guest);
    if (!guest.known) {
        component->why_not = "the guest's clock was neither counted nor calibrated beside the run";
        gap_say(&component->remedies, splitting->arena,
                "plumb diagnose calibrates beside the run unless --no-calibration is given");
        return;
    }
    if (!splitting->host) {
        component->why_not = "the host's clock isn't known";
        gap_say(&component->evidence, splitting->arena, "the guest ran at %.2f GHz (%s)", guest.mid * 1e-9, how_guest);
        gap_say(&component->remedies, splitting->arena, "plumb calibrate on the host, or the host's case: --host");
        return;
    }
    struct interval host = clock_of(splitting->host, &how_host);
    if (!host.known || host.low <= 0 || guest.low <= 0) {
        component->why_not = "the host's clock was neither counted nor calibrated beside the run";
        return;
    }
    struct interval ratio = interval_of(guest.low / host.high, guest.mid / host.mid, guest.high / host.low);
    struct interval lost = interval_of(1 - ratio.high, 1 - ratio.mid, 1 - ratio.low);
    struct interval cpu =
        gap_seconds(splitting, splitting->guest, share_of(OF_CPU_TIME, follows_clock(splitting->guest)));
    component->seconds = gap_times(cpu, lost);
    component->origin = component->seconds.known ? GAP_ESTIMATED : GAP_NOT_MEASURED;
    component->why_not = component->seconds.known ? NULL : "its CPU time isn't known";
    gap_say(&component->evidence, splitting->arena, "%.2f GHz in the guest (%s), %.2f GHz on the host (%s)",
            guest.mid * 1e-9, how_guest, host.mid * 1e-9, how_host);
    gap_say(&component->evidence, splitting->arena,
            "of its CPU time, what doesn't wait for memory follows the clock: %.0f %% at least",
            follows_clock(splitting->guest).low * 100);
}

/* ---- the clock source ---- */

static const char *const clock_calls[] = {"clock_gettime", "clock_gettime64", "gettimeofday", "time"};

/* Only so many of the system calls are kept: another may have as many samples as the last of them. */
static bool reads_of_kernel(const struct results *results, double *ret_low, double *ret_high)
{
    const struct kernel_time *kernel = results->kernel;
    if (!kernel)
        return false;
    double found = 0;
    for (size_t at = 0; at < kernel->entry_count; at++)
        for (size_t call = 0; call < array_count(clock_calls); call++)
            if (strcmp(kernel->entries[at].name, clock_calls[call]) == 0)
                found += (double)kernel->entries[at].samples;
    *ret_low = found;
    *ret_high =
        found +
        (kernel->entry_count == KERNEL_ENTRIES_MOST ? (double)kernel->entries[KERNEL_ENTRIES_MOST - 1].samples : 0) +
        (double)kernel->unnamed_samples;
    return true;
}

static double reads_of_vdso(const struct results *results)
{
    double found = 0;
    for (size_t at = 0; results->stalls && at < results->stalls->function_count; at++)
        if (strstr(results->stalls->functions[at].dso, "[vdso]"))
            found += (double)results->stalls->functions[at].samples;
    return found;
}

static struct gap_burden clock_reads(const struct gap_splitting *splitting, const struct gap_side *side)
{
    const struct results *results = side->results;
    if (!results->stalls || !results->stalls->sample_count)
        return gap_unknown("nothing was sampled");
    double low = 0, high = 0, vdso = reads_of_vdso(results);
    const char *source = results->surroundings ? results->surroundings->clocksource : "";
    bool from_kernel = reads_of_kernel(results, &low, &high);
    if (!from_kernel && !clocksource_name_is_fast(source))
        return gap_unknown("the kernel could not be sampled, where this clock is read");
    struct interval least = gap_share_of_samples(side, low + vdso), most = gap_share_of_samples(side, high + vdso);
    struct interval part = interval_of(least.low, (least.mid + most.mid) / 2, most.high);
    return gap_known(gap_seconds(splitting, side, share_of(OF_SAMPLES, part)), GAP_MEASURED);
}

static const char *source_words(const struct gap_side *side)
{
    const struct surroundings *machine = side->results->surroundings;
    return machine && machine->clocksource[0] ? machine->clocksource : "not known (the case is of an older plumb)";
}

void gap_clocksource(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct gap_burden guest = clock_reads(splitting, splitting->guest);
    struct gap_burden host = splitting->host ? clock_reads(splitting, splitting->host) : gap_unknown(NULL);
    gap_take(splitting, component, host, guest);
    const char *source = source_words(splitting->guest);
    if (splitting->host)
        gap_say(&component->evidence, splitting->arena, "clock source: %s in the guest, %s on the host", source,
                source_words(splitting->host));
    else
        gap_say(&component->evidence, splitting->arena, "clock source of the guest: %s%s", source,
                clocksource_name_is_fast(source) ? ", read without a system call as on a host" : "");
    if (guest.seconds.known)
        gap_say(&component->evidence, splitting->arena,
                "samples in clock reads (vDSO and system calls): %s of the guest's run%s%s",
                gap_time_words(guest.seconds.mid, splitting->arena), host.seconds.known ? ", of the host's " : "",
                host.seconds.known ? gap_time_words(host.seconds.mid, splitting->arena) : "");
    /* A host reads the clock too: alone, no more than all of it is the guest's, and nothing need be. */
    if (!splitting->host && component->seconds.known) {
        component->seconds.low = component->seconds.mid = 0;
        component->origin = GAP_ESTIMATED;
    }
}
