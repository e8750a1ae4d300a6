/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probes that change something and see whether the target gets faster: after it was watched, so that what was
 * recorded is of the target as it was. A program that plumb started has ended by then: it is run once more for them.
 */
#include "analyse/code/vector_library.h"
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/diagnose/diagnose_intervention.h"
#include "experiment/experiment.h"
#include "probe/bandwidth_hog.h"
#include "probe/page_collapse.h"
#include "probe/thread_pinning.h"
#include "statistics/signed_rank.h"
#include "system/host/running_cpu.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    END_AFTER_NS = 2000000000,
    PAIRS_MOST = 12,
    PAIRS_LEAST = 3,
    SAMPLES_LEAST = 20, /* in a library, for its width to matter */
};

/* Of a program that is run again, a part is let pass: its beginning isn't what is slow. */
static const double WARM_UP_SHARE = 0.25, WARM_UP_LEAST_S = 0.3, WARM_UP_MOST_S = 3;
static const double PAIRS_BUDGET_S = 30;
static const double CONTROL_OFF = 0.05;   /* a control further away: the machine drifted */
static const double CLEARLY_FASTER = 1.2; /* drift without a cause was seen up to 1.13 */
static const double SOME_EFFECT = 1.05;
static const double LIBRARY_SHARE_LEAST = 0.01;

struct trial {
    struct collection *collection;
    struct probe_results *results;
    const struct loaded_case *loaded;
    pid_t pid;
    struct workload workload;
    bool is_ours, has_meter;
    struct work_meter meter;
};

static bool has_ended(struct trial *trial)
{
    if (trial->pid <= 0)
        return false;
    return trial->is_ours ? workload_wait(&trial->workload, 0) : kill(trial->pid, 0) != 0 && errno == ESRCH;
}

/* That it isn't there any more says more than what could not be read of it then; what has a hint is told already. */
static void trial_fails(struct trial *trial, enum probe_kind kind, const struct error *err)
{
    struct arena *arena = &trial->collection->arena;
    const char *message = !err->hint[0] && has_ended(trial) ? "it has ended" : err->message;
    trial->results->of[kind].why_not = err->hint[0] ? arena_printf(arena, "%s (%s)", message, err->hint)
                                                    : arena_string(arena, message);
}

/* ---- the target ---- */

static bool target_start(struct trial *trial, struct error *err)
{
    const struct workload_surroundings surroundings = {.streams_null = true};
    if (!workload_start_in(&trial->workload, trial->collection->request->argv, &surroundings, err))
        return false;
    trial->is_ours = true;
    if (!workload_release(&trial->workload, err))
        return false;
    trial->pid = trial->workload.pid;
    const struct collection *collection = trial->collection;
    double run_s = collection->elapsed_s / (double)(collection->runs.count ? collection->runs.count : 1);
    double warm_s = run_s * WARM_UP_SHARE;
    warm_s = warm_s < WARM_UP_LEAST_S ? WARM_UP_LEAST_S : warm_s > WARM_UP_MOST_S ? WARM_UP_MOST_S : warm_s;
    if (!workload_wait(&trial->workload, (int64_t)(warm_s * 1e9)))
        return true;
    error_set(err, ERROR_NOT_FOUND, "run once more for it, without input, it ended after %.1f s", warm_s);
    return error_hint(err, "let it run for longer, or attach with -p while it runs");
}

static bool target_find(struct trial *trial, struct error *err)
{
    if (trial->collection->request->argv)
        return target_start(trial, err);
    pid_t pids[1];
    if (activity_processes(trial->collection->watch, pids, 1) != 1)
        return error_set(err, ERROR_NOT_FOUND, "it has ended");
    trial->pid = pids[0];
    return true;
}

static void target_end(struct trial *trial)
{
    if (trial->has_meter)
        work_meter_close(&trial->meter);
    if (!trial->is_ours)
        return;
    if (trial->pid > 0 && !workload_wait(&trial->workload, 0)) {
        kill(trial->pid, SIGTERM);
        if (!workload_wait(&trial->workload, END_AFTER_NS)) {
            kill(trial->pid, SIGKILL);
            (void)workload_wait(&trial->workload, END_AFTER_NS);
        }
    }
    workload_done(&trial->workload);
}

static struct probe_effect *effect_begin(struct trial *trial, enum probe_kind kind)
{
    struct probe_result *result = &trial->results->of[kind];
    result->known = true;
    if (trial->is_ours)
        probe_result_note(result, "measured in a run of its own, without input and output, that was ended afterwards");
    result->effect.speed_of =
        arena_printf(&trial->collection->arena, "returns to 0x%llx per second of CPU time, %.3g at first",
                     (unsigned long long)trial->meter.address, trial->meter.visits_per_s);
    return &result->effect;
}

/* ---- collapse ---- */

static uint64_t base_bytes(const struct page_area *area)
{
    return area->resident_bytes > area->huge_bytes ? area->resident_bytes - area->huge_bytes : 0;
}

/* The mapping that a hot group named; else that with most memory on small pages. */
static const struct page_area *hot_area(const struct process_pages *pages, const struct stalls *stalls)
{
    const struct page_area *largest = NULL;
    for (size_t group = 0; group < stalls->group_count; group++) {
        const struct stall_group *hot = &stalls->groups[group];
        for (size_t at = 0; at < pages->area_count; at++) {
            const struct page_area *area = &pages->areas[at];
            bool same_kind = hot->is_heap ? strcmp(area->path, "[heap]") == 0 : hot->is_anonymous && !area->path[0];
            if (hot->area_known && same_kind && area->end - area->start == hot->area_bytes)
                return area;
        }
    }
    for (size_t at = 0; at < pages->area_count; at++) {
        const struct page_area *area = &pages->areas[at];
        bool is_data = (!area->path[0] || strcmp(area->path, "[heap]") == 0) && area->protection[1] == 'w';
        if (is_data && (!largest || base_bytes(area) > base_bytes(largest)))
            largest = area;
    }
    return largest;
}

static const char *collapse_verdict(const struct page_collapse_result *result)
{
    if (!result->control.known || !result->speed_up.known)
        return "too few turns were seen to say anything";
    if (result->control.mid < 1 - CONTROL_OFF || result->control.mid > 1 + CONTROL_OFF)
        return "our own control kernel changed its speed, too: the machine drifted, and nothing can be said; try again";
    if (result->speed_up.low >= CLEARLY_FASTER)
        return "it got clearly faster: address translation on 4 KiB pages was what it waited for";
    if (result->speed_up.high < CLEARLY_FASTER)
        return "huge pages under this mapping return less than a fifth";
    return "undecided: drift of the machine, without a cause, may be as large";
}

static void collapse_try(struct trial *trial)
{
    struct arena *arena = &trial->collection->arena;
    struct process_pages pages;
    struct page_collapse_result result;
    struct error err = {0};
    const struct context *context = trial->collection->context;
    if (!process_pages_read(context->root, context->kernel, trial->pid, &pages, arena, &err)) {
        trial_fails(trial, PROBE_COLLAPSE, &err);
        return;
    }
    const struct page_area *area = hot_area(&pages, &trial->loaded->stalls);
    if (!area || base_bytes(area) < 2 << 20) {
        trial->results->of[PROBE_COLLAPSE].why_not =
            area ? "its hot memory is on huge pages already, or smaller than one" : "it has no anonymous memory";
        return;
    }
    if (!page_collapse_measure(&trial->meter, trial->pid, area->start, area->end, &result, &err)) {
        trial_fails(trial, PROBE_COLLAPSE, &err);
        return;
    }
    struct probe_effect *effect = effect_begin(trial, PROBE_COLLAPSE);
    effect->subject = arena_printf(arena, "%llu MiB of %s put on huge pages in %.2g s",
                                   (unsigned long long)result.collapsed_bytes >> 20,
                                   area->path[0] ? area->path : "an anonymous mapping", result.elapsed_s);
    effect->speed_up = result.speed_up;
    effect->control = result.control;
    effect->verdict = collapse_verdict(&result);
    if (!trial->is_ours)
        probe_result_note(
            &trial->results->of[PROBE_COLLAPSE],
            "its memory stays on huge pages: there is no undoing it, and what was sparse takes more room now");
}

/* ---- pin ---- */

static void pin_try(struct trial *trial)
{
    struct thread_pinning_result result;
    struct error err = {0};
    if (!thread_pinning_measure(&trial->meter, trial->collection->context->root, trial->pid, &result, &err)) {
        trial_fails(trial, PROBE_PIN, &err);
        return;
    }
    struct probe_effect *effect = effect_begin(trial, PROBE_PIN);
    effect->subject = arena_printf(&trial->collection->arena, "%zu thread%s kept on the CPUs they were on, in turns",
                                   result.threads, result.threads == 1 ? "" : "s");
    effect->speed_up = result.speed_up;
    effect->verdict = !result.speed_up.known ? "too few turns were seen to say anything"
                      : result.speed_up.low > SOME_EFFECT
                          ? "moving between CPUs costs it time: pin it (taskset, cpusets)"
                      : result.speed_up.high < SOME_EFFECT
                          ? "moving between CPUs costs it nothing to speak of"
                          : "undecided: the turns leave open whether it costs a twentieth";
}

/* ---- hog ---- */

static void hog_measure(struct trial *trial, struct bandwidth_hogs *hogs)
{
    struct arena *arena = &trial->collection->arena;
    struct interval slowdown, speed_up;
    struct error err = {0};
    if (!bandwidth_hogs_power(hogs, &slowdown, &err)) {
        trial_fails(trial, PROBE_HOG, &err);
        return;
    }
    if (slowdown.low < HOG_POWER_LEAST) {
        trial->results->of[PROBE_HOG].why_not =
            arena_printf(arena,
                         "the probe has no power on this machine: beside %zu hog%s our own stream is %.2f times slower "
                         "(%.2f to %.2f), and it takes %.1f",
                         bandwidth_hogs_count(hogs), bandwidth_hogs_count(hogs) == 1 ? "" : "s", slowdown.mid,
                         slowdown.low, slowdown.high, HOG_POWER_LEAST);
        return;
    }
    if (!trial->has_meter)
        return;
    if (!bandwidth_hogs_effect(hogs, &trial->meter, &speed_up, &err)) {
        trial_fails(trial, PROBE_HOG, &err);
        return;
    }
    struct probe_effect *effect = effect_begin(trial, PROBE_HOG);
    effect->subject = arena_printf(
        arena, "%zu processes of ours took memory bandwidth, in turns; they slow our own stream %.2f times",
        bandwidth_hogs_count(hogs), slowdown.mid);
    effect->speed_up = speed_up;
    effect->verdict = !speed_up.known         ? "too few turns were seen to say anything"
                      : speed_up.high < 1 / 1.1 ? "it is slowed by whoever uses memory bandwidth beside it"
                      : speed_up.low > 1 / 1.1  ? "memory bandwidth that others use doesn't slow it"
                                                : "undecided: the turns leave open whether that slows it by a tenth";
}

static void hog_try(struct trial *trial)
{
    struct bandwidth_hogs *hogs = NULL;
    struct error err = {0};
    uint32_t cpu = 0;
    if (trial->pid <= 0 || !process_running_cpu(trial->collection->context->root, trial->pid, 0, &cpu))
        cpu = 0;
    if (!bandwidth_hogs_new(&hogs, (int)cpu, &err)) {
        trial_fails(trial, PROBE_HOG, &err);
        return;
    }
    hog_measure(trial, hogs);
    bandwidth_hogs_free(hogs);
}

/* ---- width ---- */

struct pairs_budget {
    double began_s;
};

static bool wants_pair(void *context, const struct run_table *so_far)
{
    const struct pairs_budget *budget = context;
    bool in_time = clock_s(CLOCK_MONOTONIC) - budget->began_s < PAIRS_BUDGET_S;
    return so_far->block_count < PAIRS_LEAST || (in_time && so_far->block_count < PAIRS_MOST);
}

/* New speed over old, of runs in pairs: what comes and goes with the machine comes and goes in both. */
static struct interval pairs_ratio(const struct run_table *table)
{
    double usual[PAIRS_MOST], narrow[PAIRS_MOST];
    size_t count = 0;
    for (size_t block = 0; block < table->block_count && block < PAIRS_MOST; block++) {
        struct measured a = run_table_cell(table, block, 0, CHILD_CPU), b = run_table_cell(table, block, 1, CHILD_CPU);
        if (!a.known || !b.known || !(a.value > 0) || !(b.value > 0))
            continue;
        usual[count] = a.value;
        narrow[count++] = b.value;
    }
    return count ? paired_ratio_interval(narrow, usual, count) : (struct interval){0};
}

/*
 * A run that ends early for the variable's sake is quick, and says nothing of vectors. NULL: it ends as without it.
 */
static const char *ends_otherwise(const struct run_table *table, const char *variable, struct arena *arena)
{
    size_t usual = table->arms[0].failed_runs, narrow = table->arms[1].failed_runs;
    if (usual == narrow)
        return NULL;
    return arena_printf(arena,
                        "%zu of %zu runs ended with a status other than 0 with %s, and %zu without it: their times are "
                        "not of the same work",
                        narrow, table->block_count, variable, usual);
}

static void width_measure(struct trial *trial, const struct vector_library *library, const char *variable)
{
    struct arena *arena = &trial->collection->arena;
    char *capped[] = {arena_string(arena, variable), NULL};
    const struct experiment_arm arms[] = {
        {.label = "as it is", .argv = trial->collection->request->argv},
        {.label = "narrower", .argv = trial->collection->request->argv, .environment = capped}};
    struct pairs_budget budget = {clock_s(CLOCK_MONOTONIC)};
    const struct experiment_request request = {.arms = arms,
                                               .arm_count = 2,
                                               .seed = 1,
                                               .keep_failed = true,
                                               .runner = experiment_runner_plain(),
                                               .policy = {&budget, wants_pair}};
    struct experiment_result experiment = {0};
    struct error err = {0};
    struct interval ratio = {0};
    bool ran = experiment_run_blocks(&request, &experiment, &err);
    if (ran)
        ratio = pairs_ratio(&experiment.table);
    size_t pairs = ran ? experiment.table.block_count : 0;
    struct probe_result *result = &trial->results->of[PROBE_WIDTH];
    result->why_not = !ran           ? NULL
                      : !ratio.known ? "its runs used no CPU time that could be compared"
                                     : ends_otherwise(&experiment.table, variable, arena);
    experiment_result_done(&experiment);
    if (!ran)
        trial_fails(trial, PROBE_WIDTH, &err);
    if (result->why_not)
        return;
    result->known = true;
    if (pairs < SIGNED_RANK_COUNT_LEAST)
        probe_result_note(result,
                          "its runs are long: of so few pairs the bounds are the range, not an interval of 95 %");
    if (ratio.low < 1 && ratio.high > 1)
        probe_result_note(
            result, "CPU times of runs are compared: a command that works for a given time takes the same either way");
    result->effect = (struct probe_effect){
        .subject = arena_printf(arena, "%s (%.0f %% of the samples, %s) with %s, in %zu pairs of runs", library->name,
                                100 * library->share, library->where, variable, pairs),
        .speed_of = "1 / CPU time of a run",
        .speed_up = ratio,
        .verdict = ratio.low > SOME_EFFECT ? "narrower vectors are faster here: wide ones lower the clock, or don't pay"
                   : ratio.high < 1 / SOME_EFFECT ? "the wide vectors pay: without them it is slower"
                   : ratio.low > 1 / SOME_EFFECT && ratio.high < SOME_EFFECT
                       ? "the width of the library's vectors makes no difference"
                       : "undecided: the runs leave open whether it makes a difference of a twentieth",
    };
}

static void width_try(struct trial *trial)
{
    struct vector_library libraries[VECTOR_LIBRARIES];
    const struct recording *recording = &trial->loaded->capture.recording;
    const struct surroundings *machine = trial->loaded->results.surroundings;
    struct probe_result *result = &trial->results->of[PROBE_WIDTH];
    vector_libraries_find(&trial->loaded->stalls, &recording->spaces, &recording->strings, libraries,
                          &trial->collection->arena);
    const struct vector_library *library = vector_library_hottest(libraries, LIBRARY_SHARE_LEAST);
    if (!library || library->samples < SAMPLES_LEAST) {
        result->why_not = "no time is in a library whose vectors a variable narrows (oneDNN, OpenBLAS, MKL, ATen, "
                          "NumPy, the C library)";
        return;
    }
    const char *variable = machine && machine->has_avx512 ? library->below_avx512 : library->below_avx2;
    const char *set = getenv("GLIBC_TUNABLES");
    if (set && set[0] && view_starts(view_of(variable), "GLIBC_TUNABLES="))
        variable =
            arena_printf(&trial->collection->arena, "GLIBC_TUNABLES=%s:%s", set, variable + strlen("GLIBC_TUNABLES="));
    if (!trial->collection->request->argv) {
        result->why_not = arena_printf(
            &trial->collection->arena,
            "the width is chosen when a program starts: %s is in use; run it with %s, or let plumb start it",
            library->name, variable);
        return;
    }
    width_measure(trial, library, variable);
}

/* ---- all of them ---- */

#define NEEDS_SPEED (PROBE_BIT(PROBE_COLLAPSE) | PROBE_BIT(PROBE_PIN) | PROBE_BIT(PROBE_HOG))

/* With a target whose speed can be told; why not, for each probe that needs it. */
static void speed_find(struct trial *trial, unsigned kinds)
{
    struct error err = {0};
    const struct context *context = trial->collection->context;
    trial->has_meter =
        target_find(trial, &err) && work_meter_open(&trial->meter, context->kernel, context->root, trial->pid, &err);
    for (int kind = 0; !trial->has_meter && kind < PROBE_KIND_COUNT; kind++)
        if (kinds & NEEDS_SPEED & PROBE_BIT(kind))
            trial_fails(trial, (enum probe_kind)kind, &err);
}

void trials_run(struct collection *collection, unsigned kinds, struct probe_results *results)
{
    struct loaded_case loaded;
    struct error err = {0};
    struct trial trial = {.collection = collection, .results = results, .loaded = &loaded};
    if (!loaded_case_read(&loaded, collection->folder, &err)) {
        for (int kind = PROBE_COLLAPSE; kind < PROBE_KIND_COUNT; kind++)
            trial_fails(&trial, (enum probe_kind)kind, &err);
        return;
    }
    progress_say(collection, "plumb: trying what was asked for on the target");
    if (kinds & NEEDS_SPEED)
        speed_find(&trial, kinds);
    /* What changes it for good comes last. */
    if (kinds & PROBE_BIT(PROBE_HOG))
        hog_try(&trial);
    if (trial.has_meter && kinds & PROBE_BIT(PROBE_PIN))
        pin_try(&trial);
    if (trial.has_meter && kinds & PROBE_BIT(PROBE_COLLAPSE))
        collapse_try(&trial);
    target_end(&trial);
    if (kinds & PROBE_BIT(PROBE_WIDTH))
        width_try(&trial);
    loaded_case_done(&loaded);
}
