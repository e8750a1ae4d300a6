/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Precise sampling on Arm: the Statistical Profiling Extension, judged by the instructions that its records name. */
#include "probe/capability/capability_row.h"
#include "probe/capability/spe_packet.h"
#include "probe/known_work.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    AUX_PAGES = 64,
    SAMPLES_FEWEST = 8,
    PERIOD = 4096,
    LOOPS = 200,
    LOOP_ITERATIONS = 10000,
    LOOP_BYTES = 300 /* on either side of its load */
};

struct spe_seen {
    uint64_t in_loop, on_load;
};

static void records_read(struct bytes bytes, struct spe_seen *seen)
{
    struct spe_packet packet;
    const uint64_t load = known_work_sparse_load_addr();
    while (spe_packet_next(&bytes, &packet)) {
        if (packet.kind != SPE_INSTRUCTION || packet.value + LOOP_BYTES < load || packet.value > load + LOOP_BYTES)
            continue;
        seen->in_loop++;
        seen->on_load += packet.value == load;
    }
}

static bool aux_map(struct trial *trial, size_t size, uint8_t **ret_aux)
{
    struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)trial->ring;
    page->aux_offset = trial->ring_bytes;
    page->aux_size = size;
    void *aux = trial->kernel->mmap(trial->kernel->context, size, PROT_READ | PROT_WRITE, MAP_SHARED, trial->fd,
                                    (off_t)trial->ring_bytes);
    if (aux == MAP_FAILED) {
        trial->stage = TRIAL_RING;
        trial->sys_errno = errno;
        return false;
    }
    *ret_aux = aux;
    return true;
}

/* Sample loads only, over a loop that has one. */
static bool loads_sample(struct trial *trial, const struct kernel *kernel, const struct perf_event_attr *attr,
                         struct spe_seen *seen)
{
    static const uint64_t data = 1;
    size_t size = AUX_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *aux = NULL;
    bool good = trial_open(trial, kernel, attr, &TRIAL_SELF) && trial_ring(trial, 1) && aux_map(trial, size, &aux) &&
                trial_start(trial);
    if (good) {
        for (int loop = 0; loop < LOOPS; loop++)
            known_work_sparse_loads(LOOP_ITERATIONS, &data);
        good = trial_stop(trial);
    }
    if (good) {
        const struct perf_event_mmap_page *page = (const struct perf_event_mmap_page *)trial->ring;
        uint64_t head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
        records_read(bytes_of(aux, head < size ? (size_t)head : size, false), seen);
    }
    if (aux)
        kernel->munmap(kernel->context, aux, size);
    trial_done(trial);
    return good;
}

static void explain_absent(const struct bench *bench, struct capability *capability)
{
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    capability_blocked(capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_KERNEL_CONFIG,
                       "Arm's counters do not sample precisely, and the kernel lists no arm_spe PMU, which does");
    capability_remedy(capability, "%s",
                      guest ? "measure on bare metal: hypervisors don't pass SPE on"
                            : "sudo modprobe arm_spe_pmu; if dmesg says that its buffer is inaccessible, boot with "
                              "kpti=off. Processors before Armv8.2 have none");
}

void measure_precise_arm(const struct bench *bench, struct capability *capability)
{
    const struct pmu *pmu = pmu_find_prefix(&bench->machine->pmus, "arm_spe");
    struct trial trial = {.fd = -1};
    struct spe_seen seen = {0};
    uint64_t config = 0;
    if (!pmu && bench_lacks_sysfs(bench, capability, "the arm_spe PMU"))
        return;
    if (!pmu || !pmu->type.known) {
        explain_absent(bench, capability);
        return;
    }
    if (!pmu_event_encode(pmu, "load_filter=1", &config)) {
        capability_not_measured(capability, "%s lists no load_filter, by which it is judged", pmu->name);
        return;
    }
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, config);
    attr.sample_period = PERIOD;
    attr.sample_type = PERF_SAMPLE_IP;
    if (!loads_sample(&trial, bench->kernel, &attr, &seen)) {
        capability_explain(capability, bench, &trial, NEED_PMU | NEED_PRECISE);
        return;
    }
    double exact = seen.in_loop ? (double)seen.on_load / (double)seen.in_loop : 0;
    if (seen.in_loop < SAMPLES_FEWEST)
        capability_wrong(capability, "%s opened, and %llu of its records lie in the loop that ran", pmu->name,
                         (unsigned long long)seen.in_loop);
    else if (exact < 0.95)
        capability_wrong(capability, "%.0f %% of %llu SPE records name another instruction than the loop's only load",
                         (1 - exact) * 100, (unsigned long long)seen.in_loop);
    else
        capability_works(capability, "SPE: %.0f %% of %llu records name the loop's only load", exact * 100,
                         (unsigned long long)seen.in_loop);
    fact_number_set(&bench->all->skid_percent, (int64_t)((1 - exact) * 100 + 0.5));
}
