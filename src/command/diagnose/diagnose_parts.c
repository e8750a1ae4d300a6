/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/diagnose/diagnose_intervention.h"
#include "command/diagnose/diagnose_probe.h"
#include "symbol/code_bundle.h"
#include "system/memory/process_pages_json.h"
#include "system/surroundings.h"

static const double CODE_LEAST_SHARE = 0.001;

/* Of a program that was started: its end ends the watching, whatever it left behind. */
static void note_left_running(struct collection *collection)
{
    enum { NAMED_MOST = 4 };
    pid_t pids[NAMED_MOST];
    size_t count = collection->request->argv ? activity_processes(collection->watch, pids, NAMED_MOST) : 0;
    scoped_text struct text list = {0};
    for (size_t at = 0; at < count; at++)
        text_printf(&list, "%s%d", at ? "," : "", (int)pids[at]);
    if (count)
        case_manifest_gap(&collection->manifest, &collection->arena, "what it left running",
                          arena_printf(&collection->arena,
                                       "processes that it started go on without it, and were watched until it ended: "
                                       "plumb diagnose -p %s",
                                       text_string(&list)));
}

static bool write_activity(struct collection *collection, struct error *err)
{
    struct activity activity;
    scoped_text struct text out = {0};
    activity_look(collection->watch);
    note_left_running(collection);
    activity_result(collection->watch, &collection->arena, &activity);
    if (collection->runs.count)
        activity_raise(&activity, &collection->totals);
    activity_write(&activity, &out);
    case_manifest_part(&collection->manifest, "activity.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "activity.json", &out, err);
}

static bool write_machine(struct collection *collection, struct error *err)
{
    struct machine machine;
    struct surroundings surroundings;
    scoped_text struct text out = {0};
    if (!machine_read(collection->context->root, collection->context->kernel, &machine, err))
        return false;
    surroundings_take(&surroundings, &machine, &collection->arena);
    surroundings_write(&surroundings, &out);
    machine_done(&machine);
    if (!surroundings.pmu_counters.known)
        collection->why_no_pmu = arena_string(&collection->arena, surroundings.pmu_counters.why_not);
    case_manifest_part(&collection->manifest, "machine.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "machine.json", &out, err);
}

static bool write_pages(struct collection *collection, struct error *err)
{
    if (!collection->pages.count) {
        case_manifest_gap(&collection->manifest, &collection->arena, "page sizes",
                          "the page maps could not be read while it ran (it ended at once, or belongs to somebody "
                          "else)");
        return true;
    }
    scoped_free struct process_pages *list = memory_alloc(collection->pages.count * sizeof(*list));
    for (size_t at = 0; at < collection->pages.count; at++)
        list[at] = collection->pages.items[at].pages;
    scoped_text struct text out = {0};
    process_pages_write(list, collection->pages.count, &out);
    case_manifest_part(&collection->manifest, "pages.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "pages.json", &out, err);
}

static bool write_code(struct collection *collection, const struct loaded_case *loaded, struct error *err)
{
    struct symboliser *symboliser = NULL;
    struct symboliser_options options = {
        .root = collection->context->root,
        .kernel_release = loaded->capture.facts.os_release,
        .demangle = true,
    };
    struct error why = {0};
    if (!symboliser_new(&symboliser, &loaded->capture.recording, &options, &why)) {
        case_manifest_gap(&collection->manifest, &collection->arena, "names of functions", why.message);
        return true;
    }
    struct code_bundle bundle;
    scoped_text struct text out = {0};
    code_bundle_make(&bundle, &loaded->capture.recording, symboliser, CODE_LEAST_SHARE, &collection->arena);
    for (size_t at = 0; at < bundle.complaint_count && at < 4; at++)
        case_manifest_gap(&collection->manifest, &collection->arena, "some names", bundle.complaints[at]);
    code_bundle_write(&bundle, &out);
    symboliser_free(symboliser);
    case_manifest_part(&collection->manifest, "code.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "code.json", &out, err);
}

/* The machine's reason where it has one (the hypervisor hides the PMU), else that of the first event. */
static void gap_of_hardware(struct collection *collection, const struct counter_summary *summary)
{
    const char *why = collection->why_no_pmu;
    for (size_t at = 0; at < summary->count && !why; at++)
        if (summary->items[at].hardware && !summary->items[at].count.known)
            why = summary->items[at].count.why_not;
    if (why && !counter_summary_has_hardware(summary))
        case_manifest_gap(&collection->manifest, &collection->arena, "hardware counters",
                          arena_printf(&collection->arena, "%s; plumb doctor says what would show them", why));
}

static bool write_counters(struct collection *collection, struct error *err)
{
    struct counter_summary summary = {collection->counted, collection->counted_count, MEASURED_BY_US, false};
    gap_of_hardware(collection, &summary);
    if (!summary.count)
        return true;
    scoped_text struct text out = {0};
    counter_summary_write(&summary, &out);
    case_manifest_part(&collection->manifest, "counters.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "counters.json", &out, err);
}

static bool write_runs(struct collection *collection, struct error *err)
{
    if (collection->request->runs <= 1)
        return true;
    struct run_spread spread = {
        .rows = collection->runs.items, .count = collection->runs.count, .origin = MEASURED_BY_US};
    scoped_text struct text out = {0};
    run_spread_write(&spread, &out);
    case_manifest_part(&collection->manifest, "runs.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "runs.json", &out, err);
}

static void note_recordings(struct collection *collection)
{
    if (collection->lost_samples)
        case_manifest_gap(&collection->manifest, &collection->arena, "some samples",
                          arena_printf(&collection->arena, "%llu of them were lost in the buffers",
                                       (unsigned long long)collection->lost_samples));
    for (unsigned number = 1; number <= collection->recordings; number++) {
        scoped_free char *name = case_recording_name(number);
        if (case_part_exists(collection->folder, name))
            case_manifest_part(&collection->manifest, arena_string(&collection->arena, name), MEASURED_BY_US);
    }
}

/* Names and code first, for they tell which patterns to probe; each step reads the case as a replay would. */
static bool write_followers(struct collection *collection, struct error *err)
{
    struct loaded_case loaded;
    if (!case_manifest_write(&collection->manifest, collection->folder, err))
        return false;
    if (!case_part_exists(collection->folder, "perf.data"))
        return true;
    progress_say(collection, "plumb: reading names and code");
    if (!loaded_case_read(&loaded, collection->folder, err))
        return false;
    bool written = write_code(collection, &loaded, err);
    uint64_t samples = loaded.stalls.sample_count;
    loaded_case_done(&loaded);
    progress_say(collection, "plumb: measuring what such accesses cost here");
    enum skid_event event = collection->by_cycles ? skid_event_of_cycles(collection->precise) : SKID_OF_CPU_CLOCK;
    bool is_wide = false, sparing = collection->request->sparing;
    written = written && diagnose_probe(collection->context, collection->folder, event, samples, sparing,
                                        &collection->manifest, &collection->arena, &is_wide, err);
    if (written && is_wide) {
        ceilings_licence(collection);
        written = write_ceilings(collection, err);
    }
    return written && case_manifest_write(&collection->manifest, collection->folder, err);
}

bool parts_write(struct collection *collection, struct error *err)
{
    stacks_unwind(collection);
    note_recordings(collection);
    return write_activity(collection, err) && write_machine(collection, err) && write_counters(collection, err) &&
           write_tree(collection, err) && write_pages(collection, err) && write_runs(collection, err) &&
           write_ceilings(collection, err) && write_guest(collection, err) && write_followers(collection, err) &&
           interventions_write(collection, err);
}
