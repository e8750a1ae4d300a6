/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_intervention.h"

#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"
#include "probe/stepping/step_burst.h"
#include "system/cpu/topology.h"

#include <stdlib.h>

enum {
    PROCESSES_MOST = 64,
    BURST_INSTRUCTIONS = 7000,
    BURST_HELD_NS = 300000000,
    BURSTS_MOST = 20,
    BURST_PAUSES = 3,    /* between two bursts it runs at least so many times as long as it was held */
    CODE_CACHE_LINES = 512, /* 32 KiB, where sysfs doesn't tell */
    CODE_TLB_PAGES = 128, /* first-level entries of Intel's cores since 2013; others have 64 to 512 */
};

#define PROBES_THERE_ARE "there are step, collapse, pin, hog and width; separate them by commas"

static const double BURST_FIRST_S = 0.1, BURST_SPREAD = 0.15; /* of the time so far until the next */
/* Of several runs each is met at another place, of which any number lies evenly over a run. */
static const double RUN_SHARE = 0.8, RUN_STEP = 0.618034;

struct interventions {
    unsigned kinds;
    struct probe_results results;
    struct trace_study *study;
    double next_burst_s; /* since this run, or the watching, began */
    double run_began_s, looked_s;
    unsigned runs;
    uint64_t random;
    unsigned bursts, missed; /* missed: nobody ran just then */
    bool refused;            /* and will be again */
};

bool probe_list_parse(const char *list, unsigned *ret_kinds, struct error *err)
{
    struct view rest = view_of(list);
    unsigned kinds = 0;
    while (rest.length) {
        struct view name = view_trim(view_cut(&rest, ','));
        enum probe_kind kind;
        if (!probe_kind_parse(name, &kind))
            return error_set(err, ERROR_USAGE, "no probe is called '%.*s'", (int)name.length, name.text) ||
                   error_hint(err, PROBES_THERE_ARE);
        kinds |= PROBE_BIT(kind);
    }
    if (!kinds)
        return error_set(err, ERROR_USAGE, "--probe expects a list of probes") ||
               error_hint(err, PROBES_THERE_ARE);
    *ret_kinds = kinds;
    return true;
}

struct interventions *interventions_new(unsigned kinds)
{
    if (!kinds)
        return NULL;
    struct interventions *interventions = memory_alloc(sizeof(*interventions));
    *interventions = (struct interventions){.kinds = kinds, .random = 1};
    for (int kind = 0; kind < PROBE_KIND_COUNT; kind++)
        interventions->results.of[kind].asked = kinds & PROBE_BIT(kind);
    return interventions;
}

void interventions_free(struct interventions *interventions)
{
    if (interventions)
        trace_study_free(interventions->study);
    free(interventions);
}

/* ---- step ---- */

static uint32_t code_cache_lines(struct collection *collection)
{
    struct topology topology;
    topology_read(&topology, collection->context->root, &collection->arena);
    for (size_t at = 0; at < topology.cache_count; at++) {
        const struct topology_cache *cache = &topology.caches[at];
        if (cache->level == 1 && strcmp(cache->type, "Instruction") == 0 && cache->size_bytes >= 4096 &&
            cache->size_bytes <= 1 << 20)
            return (uint32_t)(cache->size_bytes / 64);
    }
    return CODE_CACHE_LINES;
}

static void burst_refused(struct collection *collection, const struct error *err)
{
    struct probe_result *result = &collection->interventions->results.of[PROBE_STEP];
    const char *hint = err->hint[0] ? arena_printf(&collection->arena, " (%s)", err->hint) : "";
    collection->interventions->refused = true;
    result->why_not = arena_printf(&collection->arena, "%s%s", err->message, hint);
}

static void burst_keep(struct interventions *interventions, const struct step_burst *burst)
{
    struct probe_step *step = &interventions->results.of[PROBE_STEP].step;
    _Static_assert(STEP_END_COUNT <= PROBE_ENDS_MOST, "a row for each end");
    step->held_s += (double)burst->held_ns * 1e-9;
    if (!burst->trace.sequence.count) {
        step->empty_bursts++;
        return;
    }
    interventions->bursts++;
    step->ends[burst->end].words = step_end_words(burst->end);
    step->ends[burst->end].bursts++;
    trace_study_add(interventions->study, &burst->trace);
}

/* Returns for how long it was held. */
static double burst_take(struct collection *collection)
{
    struct interventions *interventions = collection->interventions;
    const struct step_limits limits = {BURST_INSTRUCTIONS, BURST_HELD_NS};
    struct error err = {0};
    pid_t pids[PROCESSES_MOST], pid, tid;
    size_t count = activity_processes(collection->watch, pids, PROCESSES_MOST);
    struct step_burst burst;
    if (!interventions->study &&
        !trace_study_new(&interventions->study, "x86_64", code_cache_lines(collection), CODE_TLB_PAGES, &err)) {
        burst_refused(collection, &err);
        return 0;
    }
    if (!step_thread_choose(collection->context->root, pids, count, &interventions->random, &pid, &tid)) {
        interventions->missed++;
        return 0;
    }
    if (!step_burst_take(collection->context->kernel, collection->context->root, pid, tid, &limits, &burst, &err)) {
        /* One that ended or stopped meanwhile says nothing of the next. */
        if (err.kind != ERROR_NOT_FOUND)
            burst_refused(collection, &err);
        interventions->missed++;
        return 0;
    }
    double held_s = (double)burst.held_ns * 1e-9;
    burst_keep(interventions, &burst);
    step_burst_done(&burst);
    return held_s;
}

/* Where in a run the first burst is taken: of the first, soon; the others last about as long as the one before. */
static void run_begin(struct interventions *interventions, double began_s)
{
    double before_s = interventions->looked_s - interventions->run_began_s, turns = interventions->runs * RUN_STEP;
    interventions->next_burst_s = BURST_FIRST_S;
    if (interventions->runs++)
        interventions->next_burst_s = before_s * RUN_SHARE * (turns - (double)(unsigned)turns);
    interventions->run_began_s = began_s;
}

void interventions_look(struct collection *collection)
{
    struct interventions *interventions = collection->interventions;
    if (!interventions || !(interventions->kinds & PROBE_BIT(PROBE_STEP)) || interventions->refused ||
        interventions->bursts >= BURSTS_MOST)
        return;
    if (!interventions->runs || collection->began_s > interventions->run_began_s)
        run_begin(interventions, collection->began_s);
    interventions->looked_s = clock_s(CLOCK_MONOTONIC);
    double elapsed_s = interventions->looked_s - collection->began_s;
    if (elapsed_s < interventions->next_burst_s)
        return;
    double held_s = burst_take(collection);
    double pause_s = held_s * BURST_PAUSES, spread_s = held_s > 0 ? elapsed_s * BURST_SPREAD : 0.02;
    interventions->next_burst_s =
        clock_s(CLOCK_MONOTONIC) - collection->began_s + (pause_s > spread_s ? pause_s : spread_s);
}

static void step_settle(struct collection *collection)
{
    struct interventions *interventions = collection->interventions;
    struct probe_result *result = &interventions->results.of[PROBE_STEP];
    if (interventions->bursts) {
        trace_study_result(interventions->study, &result->step.trace);
        result->known = true;
        result->why_not = NULL;
        return;
    }
    if (result->why_not)
        return;
    if (result->step.empty_bursts)
        result->why_not = "whenever a thread was to be stepped, it was in a system call";
    else
        result->why_not =
            interventions->missed ? "no thread of it was met running" : "it ended before the first burst, within 0.1 s";
}

/* ---- all of them ---- */

bool interventions_write(struct collection *collection, struct error *err)
{
    struct interventions *interventions = collection->interventions;
    if (!interventions)
        return true;
    if (interventions->kinds & PROBE_BIT(PROBE_STEP))
        step_settle(collection);
    if (interventions->kinds & ~PROBE_BIT(PROBE_STEP))
        trials_run(collection, interventions->kinds, &interventions->results);
    scoped_text struct text out = {0};
    probe_results_write(&interventions->results, &out);
    case_manifest_part(&collection->manifest, "probes.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "probes.json", &out, err) &&
           case_manifest_write(&collection->manifest, collection->folder, err);
}
