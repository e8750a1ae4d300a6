/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PMUs outside of the cores, and those of the machine's registers: memory controllers, energy, msr. */
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <stdlib.h>

enum { CHAIN_ITERATIONS = CAPABILITY_CHAIN_ITERATIONS };

static bool is_arm(const struct bench *bench)
{
    return bench->machine->cpu.vendor_kind == MICROARCHITECTURE_ARM;
}

static void work_chain(void *context)
{
    (void)context;
    known_work_chain(CHAIN_ITERATIONS);
}

/* Count a PMU's event on the CPU its cpumask names while this thread spins. */
static bool count_on_package(const struct bench *bench, struct capability *capability, const struct pmu *pmu,
                             const char *event, struct trial_count *count)
{
    int *cpus = NULL;
    size_t cpu_count = 0;
    uint64_t config;
    const char *value = pmu_entry_find(&pmu->events, event);
    struct trial_target target = {.pid = -1, .cpu = 0, .group_fd = -1};
    if (pmu->cpumask.known && cpu_list_parse(view_of(pmu->cpumask.text), &cpus, &cpu_count) && cpu_count)
        target.cpu = cpus[0];
    free(cpus);
    if (!value || !pmu->type.known || !pmu_event_encode(pmu, value, &config)) {
        capability_not_measured(capability, "sysfs describes %s/%s/ in a way plumb does not read", pmu->name, event);
        return false;
    }
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, config);
    attr.exclude_kernel = attr.exclude_hv = 0; /* these PMUs count everybody or refuse */
    struct trial trial;
    bool good = trial_open(&trial, bench->kernel, &attr, &target) && trial_start(&trial);
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + 20000000;
    while (good && clock_ns(CLOCK_MONOTONIC) < until)
        known_work_chain(CHAIN_ITERATIONS / 10);
    good = good && trial_stop(&trial) && trial_read(&trial, count);
    trial_done(&trial);
    if (!good)
        capability_explain(capability, bench, &trial, NEED_ALL_CPUS);
    return good;
}

void measure_uncore(const struct bench *bench, struct capability *capability)
{
    static const struct {
        const char *pmu, *event;
    } controllers[] = {{"uncore_imc", "cas_count_read"}, {"uncore_imc", "data_reads"}, {"amd_umc", "cas_count"}};
    for (size_t at = 0; at < array_count(controllers); at++) {
        const struct pmu *pmu = pmu_find_prefix(&bench->machine->pmus, controllers[at].pmu);
        struct trial_count count;
        if (!pmu || !pmu_entry_find(&pmu->events, controllers[at].event))
            continue;
        if (!count_on_package(bench, capability, pmu, controllers[at].event, &count))
            return;
        if (count.value)
            capability_works(capability, "%s/%s/ counted %llu in 20 ms", pmu->name, controllers[at].event,
                             (unsigned long long)count.value);
        else
            capability_wrong(capability, "%s/%s/ counted 0 in 20 ms of a running machine", pmu->name,
                             controllers[at].event);
        return;
    }
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    if (bench_lacks_sysfs(bench, capability, "the memory controllers"))
        return;
    capability_blocked(capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_KERNEL_CONFIG,
                       "sysfs lists no memory-controller PMU with events%s",
                       guest ? ": the hypervisor does not show the uncore" : "");
    if (!guest)
        capability_remedy(capability, "sudo modprobe %s, where the processor is a server's",
                          is_arm(bench) ? "arm_cmn (or the vendor's driver for its memory controller)"
                                        : "intel_uncore (or amd_uncore)");
}

void measure_energy(const struct bench *bench, struct capability *capability)
{
    const struct pmu *pmu = pmu_find(&bench->machine->pmus, "power");
    struct trial_count count;
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    if (!pmu && bench_lacks_sysfs(bench, capability, "the energy counters"))
        return;
    if (!pmu || !pmu_entry_find(&pmu->events, "energy-pkg")) {
        capability_blocked(capability, guest && !is_arm(bench) ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE,
                           "sysfs lists no power/energy-pkg/ event%s",
                           is_arm(bench) ? ": RAPL is x86's"
                           : guest       ? ": the hypervisor does not show RAPL"
                                         : "");
        return;
    }
    if (!count_on_package(bench, capability, pmu, "energy-pkg", &count))
        return;
    double joules = (double)count.value * 0x1p-32; /* the driver counts in 2^-32 J; its .scale file says the same */
    double watts = count.enabled_ns ? joules * 1e9 / (double)count.enabled_ns : 0;
    if (watts > 0.05 && watts < 5000)
        capability_works(capability, "%.1f W while measuring", watts);
    else
        capability_wrong(capability, "%.3g W is no power of a running processor", watts);
}

void measure_msr(const struct bench *bench, struct capability *capability)
{
    const struct pmu *pmu = pmu_find(&bench->machine->pmus, "msr");
    uint64_t config;
    const char *value = pmu ? pmu_entry_find(&pmu->events, "tsc") : NULL;
    if (!pmu && bench_lacks_sysfs(bench, capability, "the msr PMU"))
        return;
    if (!value || !pmu->type.known || !pmu_event_encode(pmu, value, &config)) {
        capability_blocked(capability, is_arm(bench) ? BLOCKER_HARDWARE : BLOCKER_KERNEL_CONFIG,
                           "sysfs lists no msr/tsc/ event%s", is_arm(bench) ? ": these registers are x86's" : "");
        return;
    }
    struct trial trial;
    struct trial_count count;
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, config);
    attr.exclude_kernel = attr.exclude_hv = 0; /* the driver refuses any exclusion */
    if (!trial_measure(&trial, bench->kernel, &attr, work_chain, NULL, &count)) {
        capability_explain(capability, bench, &trial, NEED_KERNEL);
        return;
    }
    double gigahertz = count.running_ns ? (double)count.value / (double)count.running_ns : 0;
    if (gigahertz < 0.2 || gigahertz > 10) {
        capability_wrong(capability, "tsc ran at %.3g GHz", gigahertz);
        return;
    }
    bool both = pmu_entry_find(&pmu->events, "aperf") && pmu_entry_find(&pmu->events, "mperf");
    capability_works(capability, "tsc ran at %.2f GHz%s", gigahertz, both ? "; aperf and mperf are listed" : "");
    if (!both) {
        capability->verdict = CAPABILITY_PARTLY;
        snprintf(capability->reason, sizeof(capability->reason),
                 "aperf and mperf are not listed: no clock rate from them");
    }
}
