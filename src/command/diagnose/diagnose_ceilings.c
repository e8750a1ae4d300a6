/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine could do while a target was watched: calibrated before and after, glimpsed at meanwhile. */
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"
#include "probe/calibration/calibration.h"
#include "probe/calibration/calibration_cache.h"
#include "system/cpu/identity.h"
#include "system/host/running_cpu.h"

#include <sched.h>

enum {
    PROCESSES_ASKED = 4,
    GLIMPSE_SHARE = 250,        /* glimpses may take 1/250 of the time of a CPU */
    GLIMPSE_SHARE_SPARING = 500 /* … that is somebody's service */
};

static const double GLIMPSE_FIRST_S = 0.02, GLIMPSE_STEP_LEAST_S = 0.1;

/* ---- before and after ---- */

/* On the CPUs that the target may use, as far as we may; those of the machine's when it is all of them. */
static bool affinity_take(const struct collection *collection, cpu_set_t *ret_before)
{
    cpu_set_t theirs;
    bool one = collection->target.thread_count > 0 && !collection->has_workload;
    return one && sched_getaffinity(0, sizeof(*ret_before), ret_before) == 0 &&
           sched_getaffinity(collection->target.threads[0].tid, sizeof(theirs), &theirs) == 0 &&
           sched_setaffinity(0, sizeof(theirs), &theirs) == 0;
}

static void calibrate(struct collection *collection, enum calibration_extent extent, struct calibration *calibration)
{
    struct cpu_identity identity;
    cpu_set_t before;
    cpu_identity_read(&identity, collection->context->root, &collection->arena);
    collection->core = identity.microarchitecture;
    struct calibration_key key;
    const struct calibration_request request = {
        .extent = extent,
        .core = identity.microarchitecture,
        .seed = 1,
    };
    bool moved = affinity_take(collection, &before);
    struct ceilings *ceilings = &collection->ceilings;
    calibration_key_take(&key, collection->context->root, &identity, &collection->arena);
    calibration_measure(calibration, collection->context->root, &request);
    calibration->cpu_list = key.cpus;
    if (!ceilings->has_kept)
        ceilings->has_kept = calibration_cache_read(&key, &ceilings->kept, &ceilings->kept_age_s, &collection->arena);
    if (moved)
        (void)sched_setaffinity(0, sizeof(before), &before);
}

void ceilings_before(struct collection *collection)
{
    progress_say(collection, "plumb: measuring what the machine can do just now");
    /* A service goes on meanwhile: what memory gives is asked once, when it has been watched. */
    calibrate(collection, collection->request->sparing ? CALIBRATION_CORE : CALIBRATION_QUICK,
              &collection->ceilings.before);
    collection->ceilings.has_before = true;
}

void ceilings_after(struct collection *collection)
{
    calibrate(collection, collection->request->sparing ? CALIBRATION_SPARING : CALIBRATION_QUICK,
              &collection->ceilings.after);
    collection->ceilings.has_after = true;
}

/* ---- meanwhile ---- */

/* Where the target runs now; of a whole machine, its CPUs in turns. */
static bool target_cpu(const struct collection *collection, uint32_t *ret_cpu)
{
    if (collection->target.kind == TARGET_CPUS) {
        if (collection->target.cpu_count)
            *ret_cpu = (uint32_t)collection->target.cpus[collection->glimpse_turn % collection->target.cpu_count];
        return collection->target.cpu_count > 0;
    }
    pid_t pids[PROCESSES_ASKED];
    size_t count = activity_processes(collection->watch, pids, PROCESSES_ASKED);
    for (size_t at = 0; at < count; at++) {
        /* Beside a real-time thread we would wait for it, however long it runs. */
        if (sched_getscheduler(pids[at]) == SCHED_OTHER &&
            process_running_cpu(collection->context->root, pids[at], collection->glimpse_turn, ret_cpu))
            return true;
    }
    return false;
}

/* Full: every other one goes, and of those to come only so many stay. */
static void glimpse_keep(struct collection *collection, const struct ceilings_glimpse *glimpse)
{
    unsigned stride = collection->glimpses_passed + 1;
    if (collection->glimpse_turn % stride)
        return;
    if (collection->glimpses.count == CEILINGS_GLIMPSES_MOST) {
        for (size_t at = 0; at < CEILINGS_GLIMPSES_MOST / 2; at++)
            collection->glimpses.items[at] = collection->glimpses.items[2 * at];
        collection->glimpses.count = CEILINGS_GLIMPSES_MOST / 2;
        collection->glimpses_passed = 2 * stride - 1;
    }
    *vec_push(&collection->glimpses) = *glimpse;
}

void ceilings_look(struct collection *collection)
{
    double start_s = clock_s(CLOCK_MONOTONIC);
    if (!collection->next_glimpse_s)
        collection->next_glimpse_s = start_s + GLIMPSE_FIRST_S;
    if (start_s < collection->next_glimpse_s)
        return;
    double cost_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    struct ceilings_glimpse glimpse = {.at_s = 0};
    uint32_t cpu;
    if (target_cpu(collection, &cpu) && calibration_glimpse(cpu, collection->core, &glimpse)) {
        glimpse.at_s = start_s - collection->began_s;
        if (ceilings_glimpse_is_sound(&glimpse))
            glimpse_keep(collection, &glimpse);
    }
    collection->glimpse_turn++;
    double share = collection->request->sparing ? GLIMPSE_SHARE_SPARING : GLIMPSE_SHARE;
    double pause_s = (clock_s(CLOCK_THREAD_CPUTIME_ID) - cost_s) * share;
    collection->next_glimpse_s =
        clock_s(CLOCK_MONOTONIC) + (pause_s > GLIMPSE_STEP_LEAST_S ? pause_s : GLIMPSE_STEP_LEAST_S);
}

/* ---- afterwards ---- */

/* Where it was met most often; false: nowhere. */
static bool commonest_cpu(const struct collection *collection, uint32_t *ret_cpu)
{
    size_t most = 0;
    for (size_t at = 0; at < collection->glimpses.count; at++) {
        size_t same = 0;
        for (size_t other = 0; other < collection->glimpses.count; other++)
            same += collection->glimpses.items[other].cpu == collection->glimpses.items[at].cpu;
        if (same <= most)
            continue;
        most = same;
        *ret_cpu = collection->glimpses.items[at].cpu;
    }
    return most > 0;
}

void ceilings_licence(struct collection *collection)
{
    uint32_t cpu;
    bool known = commonest_cpu(collection, &cpu);
    calibration_measure_licence(&collection->ceilings.after, known ? &cpu : NULL);
}

bool write_ceilings(struct collection *collection, struct error *err)
{
    scoped_text struct text out = {0};
    collection->ceilings.glimpses = collection->glimpses.items;
    collection->ceilings.glimpse_count = collection->glimpses.count;
    ceilings_write(&collection->ceilings, &out);
    if (!case_part_exists(collection->folder, "calibration.json"))
        case_manifest_part(&collection->manifest, "calibration.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "calibration.json", &out, err);
}
