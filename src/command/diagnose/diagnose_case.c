/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_case_missing.h"
#include "statistics/guest_costs_read.h"

#include "analyse/bottleneck/group_sizes.h"
#include "analyse/imported_pair.h"
#include "analyse/memory/cost_groups.h"
#include "base/scope.h"
#include "capture/case/case_command.h"
#include "capture/case/shell_line.h"
#include "capture/exits/exits_input.h"
#include "finding/called.h"
#include "finding/verdict/enough.h"
#include "finding/wording.h"
#include "source/perf_data/perf_data.h"
#include "symbol/disassembly.h"
#include "system/cpu/microarchitecture.h"
#include "system/memory/process_pages_json.h"

#include <math.h>

/* A part that isn't there is no error: `found` stays false and why says so. */
static bool part_open(const char *folder, const char *file, struct json_document **document, bool *found,
                      struct error *err)
{
    *found = case_part_exists(folder, file);
    return !*found || case_part_json(folder, file, document, err);
}

/*
 * What a recorder that was killed, or a full disk, left: how much there is must be said, since it speaks for its
 * beginning alone.
 */
static void cut_off_note(struct loaded_case *loaded, const char *file, const char *cut_off, size_t first)
{
    const struct samples *samples = &loaded->capture.recording.samples;
    uint64_t from_ns = UINT64_MAX, until_ns = 0;
    for (size_t at = first; at < samples->count; at++) {
        uint64_t time_ns = samples->items[at].time_ns;
        from_ns = time_ns < from_ns ? time_ns : from_ns;
        until_ns = time_ns > until_ns ? time_ns : until_ns;
    }
    scoped_text struct text covered = {0};
    if (until_ns > from_ns) {
        text_add(&covered, ", of its first ");
        print_seconds(&covered, (double)(until_ns - from_ns) * 1e-9);
    }
    const char *said =
        arena_printf(&loaded->arena, "%s was cut off: %zu samples are there%s, and nothing of what came after", file,
                     samples->count - first, text_string(&covered));
    loaded->results.recording_cut = said;
    case_manifest_gap(&loaded->manifest, &loaded->arena, "the end of the recording",
                      arena_printf(&loaded->arena, "%s (%s)", said, cut_off));
}

/* A recording that breaks off keeps what came before. */
static bool recording_add(struct loaded_case *loaded, const char *folder, const char *file, struct error *err)
{
    scoped_free char *path = memory_printf("%s/%s", folder, file);
    struct source *source = NULL;
    if (!perf_data_open(&source, path, err))
        return false;
    struct capture_options options = {.keep_samples = true, .keep_switches = true};
    struct error broken = {0};
    size_t first = loaded->has_recording ? loaded->capture.recording.samples.count : 0;
    bool whole = capture_fill_with(&loaded->capture, source, &options, &broken);
    if (source->losses.cut_off[0])
        cut_off_note(loaded, file, source->losses.cut_off, first);
    source->ops->close(source);
    if (!whole)
        case_manifest_gap(&loaded->manifest, &loaded->arena, "the end of the recording", broken.message);
    loaded->has_recording = true;
    return true;
}

/* The first run's, then those of further runs, which the manifest names; all in one model, as they ran. */
static void recording_read(struct loaded_case *loaded, const char *folder)
{
    struct error broken = {0};
    if (case_part_exists(folder, "perf.data") && !recording_add(loaded, folder, "perf.data", &broken)) {
        case_part_leave_out(loaded, "perf.data", broken.message);
        if (!case_manifest_gap_of(&loaded->manifest, "samples"))
            case_manifest_gap(&loaded->manifest, &loaded->arena, "samples", "the case's perf.data can't be read");
    }
    for (size_t at = 0; at < loaded->manifest.part_count; at++) {
        const char *file = loaded->manifest.parts[at].file;
        bool further = strncmp(file, "perf.data.", strlen("perf.data.")) == 0 && !strchr(file, '/');
        broken = (struct error){0};
        if (further && case_part_exists(folder, file) && !recording_add(loaded, folder, file, &broken))
            case_part_leave_out(loaded, file, broken.message);
    }
}

static bool bundle_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->bundle.architecture = loaded->has_recording ? loaded->capture.recording.architecture : "x86_64";
    if (!part_open(folder, "code.json", &document, &found, err))
        return false;
    struct code_bundle bundle = {.architecture = loaded->bundle.architecture};
    if (!found)
        return true;
    if (!code_bundle_read(&bundle, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/code.json'", folder);
    loaded->bundle = bundle;
    loaded->has_bundle = true;
    return true;
}

static bool pages_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    if (!part_open(folder, "pages.json", &document, &found, err))
        return false;
    if (!found || process_pages_parse(&loaded->pages, &loaded->pages_count, json_root(document), &loaded->arena, err))
        return true;
    loaded->pages_count = 0;
    return error_wrap(err, "'%s/pages.json'", folder);
}

static bool costs_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_COSTS] = "no probe was run";
    if (!part_open(folder, "costs.json", &document, &found, err))
        return false;
    if (found && !access_costs_read(&loaded->costs, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/costs.json'", folder);
    if (found)
        loaded->results.costs = &loaded->costs;
    return true;
}

static bool probes_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_PROBES] = "the target was not probed (--probe)";
    if (!part_open(folder, "probes.json", &document, &found, err))
        return false;
    if (found && !probe_results_read(&loaded->probes, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/probes.json'", folder);
    loaded->results.probes = found ? &loaded->probes : NULL;
    return true;
}

static bool ceilings_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_CEILINGS] = "the machine was not calibrated beside the run";
    if (!part_open(folder, "calibration.json", &document, &found, err))
        return false;
    if (found && !ceilings_read(&loaded->ceilings, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/calibration.json'", folder);
    bool measured = found && (loaded->ceilings.has_before || loaded->ceilings.has_after);
    loaded->results.ceilings = measured ? &loaded->ceilings : NULL;
    return true;
}

static bool guest_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_GUEST] = "what interruptions cost was not measured beside the run";
    if (!part_open(folder, "guest.json", &document, &found, err))
        return false;
    if (found && !guest_costs_read(&loaded->guest, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/guest.json'", folder);
    loaded->results.guest = found ? &loaded->guest : NULL;
    return true;
}

static bool machine_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_SURROUNDINGS] = "the case has no machine facts";
    if (!part_open(folder, "machine.json", &document, &found, err))
        return false;
    if (found && !surroundings_read(&loaded->surroundings, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/machine.json'", folder);
    loaded->results.surroundings = found ? &loaded->surroundings : NULL;
    return true;
}

static bool activity_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_ACTIVITY] = "the case has no activity of /proc";
    if (!part_open(folder, "activity.json", &document, &found, err))
        return false;
    if (found && !activity_read(&loaded->activity, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/activity.json'", folder);
    loaded->results.activity = found ? &loaded->activity : NULL;
    return true;
}

static bool counters_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_COUNTERS] = "counters were not read";
    if (!part_open(folder, "counters.json", &document, &found, err))
        return false;
    if (found && !counter_summary_read(&loaded->counters, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/counters.json'", folder);
    loaded->results.counters = found ? &loaded->counters : NULL;
    return true;
}

static bool runs_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    if (!part_open(folder, "runs.json", &document, &found, err))
        return false;
    if (found && !run_spread_read(&loaded->runs, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/runs.json'", folder);
    loaded->results.runs = found && loaded->runs.count ? &loaded->runs : NULL;
    return true;
}

static bool statements_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    loaded->results.why[RESULT_STATEMENTS] = "nothing was imported";
    if (!part_open(folder, "statements.json", &document, &found, err))
        return false;
    struct json_value list = json_member(json_root(document), "statements");
    struct statement *items = arena_array(&loaded->arena, struct statement, json_count(list) + 1);
    for (size_t at = 0; at < json_count(list); at++)
        items[at] = (struct statement){
            arena_string(&loaded->arena, json_text_or(json_member(json_item(list, at), "origin"), "imported")),
            arena_string(&loaded->arena, json_text_or(json_member(json_item(list, at), "text"), "")),
        };
    loaded->statements = (struct statements){items, json_count(list)};
    loaded->results.statements = loaded->statements.count ? &loaded->statements : NULL;
    told_of(&loaded->told, &loaded->statements, &loaded->imported, &loaded->arena);
    loaded->results.told = loaded->statements.count ? &loaded->told : NULL;
    loaded->imported.load_is_same = loaded->told.load_sentence != NULL;
    if (!loaded->told.gap_is_of_latency)
        loaded->imported.told_gap = loaded->told.gap;
    return true;
}

static bool imports_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    if (!part_open(folder, "imports.json", &document, &found, err))
        return false;
    if (found && !imported_read(&loaded->imported, json_root(document), &loaded->arena, err))
        return error_wrap(err, "'%s/imports.json'", folder);
    loaded->results.imported = found && loaded->imported.count ? &loaded->imported : NULL;
    return true;
}

static enum run_scope scope_of(const char *name)
{
    return strcmp(name, "started") == 0 ? RUN_STARTED : strcmp(name, "machine") == 0 ? RUN_MACHINE : RUN_ATTACHED;
}

/* Where the kernel wasn't sampled, "at most 0 % in system calls" would be a lie. */
static bool kernel_was_sampled(const struct recording *recording)
{
    for (size_t at = 0; at < recording->event_count; at++)
        if (recording->events[at].user_only && !recording->events[at].counts_again &&
            (recording->events[at].counts_ns || strncmp(recording->events[at].name, "cycles", strlen("cycles")) == 0))
            return false;
    return true;
}

/* As the clock has it, within what its ticks blur. */
static const double SPLIT_ERROR = 0.02;

static struct interval user_share(const struct run_time *run)
{
    double whole = run->user_s.known && run->system_s.known ? run->user_s.value + run->system_s.value : 0;
    if (whole <= 0)
        return interval_of(0, 0.5, 1);
    double share = run->user_s.value / whole;
    return interval_clamped(interval_of(share - SPLIT_ERROR, share, share + SPLIT_ERROR), 0, 1);
}

static void kernel_analyse(struct loaded_case *loaded, const struct recording *recording)
{
    struct results *results = &loaded->results;
    if (!kernel_was_sampled(recording)) {
        results->why[RESULT_KERNEL] = "the kernel could not be sampled: that wants root, CAP_PERFMON or "
                                      "kernel.perf_event_paranoid below 2";
        results->sampled = user_share(&loaded->run);
        return;
    }
    loaded->kernel = kernel_time_of(recording, &loaded->bundle, &loaded->arena);
    results->kernel = loaded->kernel.sample_count ? &loaded->kernel : NULL;
    if (!results->kernel)
        results->why[RESULT_KERNEL] = "no samples were taken";
    if (loaded->kernel.kernel_samples && loaded->kernel.unnamed_samples * 2 > loaded->kernel.kernel_samples)
        case_manifest_gap(&loaded->manifest, &loaded->arena, "what the kernel did",
                          "its functions have no names here: /proc/kallsyms shows no addresses (CAP_SYSLOG, or sysctl "
                          "kernel.kptr_restrict=0)");
}

/* An imported count is another run's: it says nothing about this one's time. */
static struct measured task_clock_of(const struct counter_summary *counters)
{
    struct measured clock = counter_of(counters && !counters->imported ? counters : NULL, "task-clock");
    return clock.known ? measured_as(clock.value * 1e-9) : clock;
}

/* ---- the estimate ---- */

enum { L1_USUAL = 32 << 10, L2_USUAL = 256 << 10 }; /* what cores since 2012 have at least */

static struct bottleneck_machine bottleneck_machine_of(const struct surroundings *surroundings,
                                                       const struct ceilings *ceilings)
{
    const struct microarchitecture *row = NULL;
    for (size_t at = 0; surroundings && at < microarchitecture_row_count && !row; at++)
        if (strcmp(microarchitecture_rows[at].name, surroundings->microarchitecture) == 0)
            row = &microarchitecture_rows[at];
    bool known = surroundings && surroundings->l1d_bytes.known && surroundings->l2_bytes.known;
    return (struct bottleneck_machine){
        .l1_bytes = known ? surroundings->l1d_bytes.value : L1_USUAL,
        .l2_bytes = known ? surroundings->l2_bytes.value : L2_USUAL,
        .caches_known = known,
        .l1_sets = surroundings && surroundings->l1d_sets.known ? surroundings->l1d_sets.value : 0,
        .l2_sets = surroundings && surroundings->l2_sets.known ? surroundings->l2_sets.value : 0,
        .base_page_bytes = 4096,
        .code_bytes = surroundings && surroundings->l1i_bytes.known ? surroundings->l1i_bytes.value : 0,
        .widest_bits = surroundings ? surroundings_widest_bits(surroundings) : 0,
        .core = row ? core_costs_find(row->key) : NULL,
        .clock_hz = ceilings_figure(ceilings, CALIBRATION_CLOCK),
        .issue_share = ceilings_share(ceilings),
        .read_bytes_s = ceilings_figure(ceilings, CALIBRATION_READ_ONE),
        .why_no_clock = "the machine's clock was not calibrated beside the run",
    };
}

static const double LONG_LEAST_S = 0.5; /* so long a wait is a fact, however little CPU time there was */
static const double BUSY_LEAST = 0.5; /* of the elapsed time; below it what it waits for matters more */

static const char *not_a_cpu_problem(const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    struct measured busy = run->from_switches ? run->wanted_ratio : run->on_cpu_ratio;
    bool is_short = run->elapsed_s.known && run->elapsed_s.value < LONG_LEAST_S && run->cpu_s.known &&
                    run->cpu_s.value < ENOUGH_CPU_S;
    if (run->scope != RUN_MACHINE && is_short)
        return "it ran too short for an estimate";
    struct time_shares shares = time_shares_of(run, results->activity, results->waits);
    double free = shares.known ? 1 - shares.held.mid : 1;
    if (run->scope == RUN_MACHINE || !busy.known || busy.value >= BUSY_LEAST * free)
        return NULL;
    return time_shares_no_cpu_problem(&shares, arena);
}

/* Where samples see the program's own code alone, their shares are of that: the estimate is of all its CPU time. */
static void estimate_of_all(struct bottleneck_verdict *verdict, struct interval sampled)
{
    if (!sampled.known)
        return;
    verdict->share = interval_product(verdict->share, sampled);
    verdict->sampled = interval_product(verdict->sampled, sampled);
    verdict->at_border *= sampled.mid;
    verdict->not_told *= sampled.mid;
    verdict->second.share = interval_product(verdict->second.share, sampled);
    verdict->recoverable = interval_product(verdict->recoverable, sampled);
}

/* Where samples land, as the self-tests beside the run had it. */
static struct stall_skid skid_of(const struct loaded_case *loaded)
{
    return (struct stall_skid){.one_behind = loaded->costs.one_behind,
                               .exact = loaded->costs.exact,
                               .restarts_behind = loaded->costs.restarts_behind};
}

static void bottleneck_analyse(struct loaded_case *loaded, const struct recording *recording)
{
    struct results *results = &loaded->results;
    bool is_counted = results->topdown && results->topdown->has_first_level;
    struct bottleneck_machine machine = bottleneck_machine_of(results->surroundings, results->ceilings);
    const struct bottleneck_request request = {
        .stalls = &loaded->stalls,
        .recording = recording,
        .machine = &machine,
        .costs = &loaded->costs,
        .trace = results->probes && results->probes->of[PROBE_STEP].known ? &results->probes->of[PROBE_STEP].step.trace
                                                                          : NULL,
        .not_a_cpu_problem = not_a_cpu_problem(results, &loaded->arena),
    };
    if (!is_counted) {
        bottleneck_find(&loaded->bottleneck, &request, &loaded->arena);
        estimate_of_all(&loaded->bottleneck.program, results->sampled);
        results->bottleneck = &loaded->bottleneck;
        group_sizes_settle(&loaded->stalls, &loaded->bottleneck);
    }
    const struct phase_bottleneck_request by_phase = {
        .program = &request,
        .phases = &loaded->phases,
        .trees = &loaded->phase_trees,
        .bundle = &loaded->bundle,
        .pages = loaded->pages,
        .pages_count = loaded->pages_count,
        .skid = skid_of(loaded),
    };
    phase_bottlenecks_find(&loaded->phase_estimates, &by_phase, &loaded->arena);
    for (size_t at = 0; at < loaded->phase_estimates.count; at++)
        estimate_of_all(&loaded->phase_estimates.items[at].verdict, results->sampled);
}

/* "-C 5" and the like are plumb record's, too. */
static struct host_scope host_scope_of_case(struct loaded_case *loaded)
{
    char **typed = shell_words(loaded->manifest.target_options, &loaded->arena);
    size_t count = 0;
    while (typed && typed[count])
        count++;
    const char **words = arena_array(&loaded->arena, const char *, count + 2);
    words[0] = "plumb";
    words[1] = "record";
    for (size_t at = 0; at < count; at++)
        words[at + 2] = typed[at];
    return host_scope_of(words, count + 2, &loaded->arena);
}

/*
 * Of CPUs that were watched; of a program or process only where guests show in it, which is then a monitor of virtual
 * machines.
 */
static void host_analyse(struct loaded_case *loaded, const struct recording *recording)
{
    bool of_cpus = scope_of(loaded->manifest.scope) == RUN_MACHINE;
    const struct recorded_event *event = NULL;
    for (size_t at = 0; at < recording->event_count && !event; at++)
        if (!recording->events[at].counts_again && !recorded_event_is_switch(&recording->events[at]))
            event = &recording->events[at];
    if (!event)
        return;
    host_profile_of(&loaded->host, recording, &loaded->bundle);
    struct host_scope scope = host_scope_of_case(loaded);
    const struct host_whole whole = {
        .counts_ns = event->counts_ns, .user_only = event->user_only, .event = event->name};
    if (loaded->host.total > 0 && (of_cpus || host_profile_has_guests(&loaded->host)))
        loaded->host_denominator =
            host_denominator(of_cpus ? scope : (struct host_scope){HOST_SCOPE_PROGRAM, NULL}, &whole, &loaded->arena);
}

static void analyse(struct loaded_case *loaded)
{
    struct results *results = &loaded->results;
    struct recording *recording = loaded->has_recording ? &loaded->capture.recording : NULL;
    const struct run_time_request request = {
        .recording = recording,
        .activity = results->activity,
        .scope = scope_of(loaded->manifest.scope),
        .elapsed_s = loaded->manifest.elapsed_s,
        .user_s = loaded->manifest.user_s,
        .system_s = loaded->manifest.system_s,
        .task_clock_s = task_clock_of(results->counters),
        .held_s = results->probes ? results->probes->of[PROBE_STEP].step.held_s : 0,
    };
    loaded->run = run_time_of(&request);
    results->run = &loaded->run;
    const char *refused = case_manifest_gap_of(&loaded->manifest, "samples");
    results->samples_refused = refused != NULL;
    results->why[RESULT_STALLS] = results->why[RESULT_KERNEL] = refused ? refused : "the case has no recording";
    results->why[RESULT_WAITS] = "no context switches were recorded";
    if (!recording)
        return;
    stalls_find(&loaded->stalls, recording, &loaded->bundle, loaded->pages, loaded->pages_count,
                skid_of(loaded), &loaded->arena);
    loaded->stalls.why_no_skid = loaded->costs.skid_known ? NULL : loaded->costs.skid_why_not;
    loaded->run.balance = thread_balance_of(recording, &loaded->bundle);
    call_parts_find(&loaded->parts, recording, &loaded->bundle);
    call_holders_find(&loaded->holders, recording, &loaded->bundle);
    call_classes_find(&loaded->called, recording, &loaded->bundle, called_of);
    results->called = &loaded->called;
    results->parts = &loaded->parts;
    results->holders = &loaded->holders;
    loaded->programs = program_shares_of(recording, &loaded->arena);
    results->programs = &loaded->programs;
    loaded->loading = loading_of(recording);
    results->loading = &loaded->loading;
    loaded->phases = phase_rows_of(recording, &loaded->bundle, &loaded->arena);
    if (results->topdown)
        phase_trees_find(&loaded->phase_trees, &loaded->topdown_counts, &loaded->phases, &loaded->arena);
    results->phase_trees = loaded->phase_trees.count ? &loaded->phase_trees : NULL;
    recording->watcher_pid = loaded->manifest.watcher_pid;
    loaded->waits = wait_rows_of(recording, &loaded->bundle, &loaded->arena);
    if (loaded->run.held_s > 0)
        wait_rows_take_held(&loaded->waits);
    results->waits = loaded->waits.known ? &loaded->waits : NULL;
    results->stalls = &loaded->stalls;
    access_costs_settle(&loaded->costs, &loaded->stalls);
    kernel_analyse(loaded, recording);
    host_analyse(loaded, recording);
    bottleneck_analyse(loaded, recording);
}

/* Without the decoder nothing is known of any instruction, here or where the case is replayed. */
static void decoder_check(struct loaded_case *loaded)
{
    struct disassembler *disassembler = NULL;
    struct error missing = {0};
    if (!loaded->has_bundle)
        return;
    if (disassembler_new(&disassembler, loaded->bundle.architecture, SYNTAX_ATT, &missing))
        disassembler_free(disassembler);
    else
        case_manifest_gap(&loaded->manifest, &loaded->arena, "instructions",
                          arena_printf(&loaded->arena, "%s (%s)", missing.message, missing.hint));
}

static bool topdown_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    bool found;
    if (!part_open(folder, "topdown.json", &document, &found, err))
        return false;
    if (!found)
        return true;
    loaded->has_topdown_table =
        topdown_counts_read(&loaded->topdown_counts, &loaded->topdown_table, json_root(document), &loaded->arena, err);
    if (!loaded->has_topdown_table)
        return error_wrap(err, "'%s/topdown.json'", folder);
    bool known = topdown_counts_tree(&loaded->topdown, &loaded->topdown_counts, &loaded->arena);
    loaded->results.topdown = known ? &loaded->topdown : NULL;
    if (!loaded->topdown.has_first_level)
        case_manifest_gap(&loaded->manifest, &loaded->arena, "the top-down tree",
                          topdown_why_unknown(&loaded->topdown));
    return true;
}

static bool exits_part_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    struct exits_input input;
    if (!case_part_exists(folder, "exits.json"))
        return true;
    scoped_free char *path = memory_printf("%s/exits.json", folder);
    exits_init(&loaded->exits);
    loaded->has_exits = exits_read(&loaded->exits, &input, path, err);
    if (!loaded->has_exits)
        exits_done(&loaded->exits);
    return loaded->has_exits;
}

/* Each by itself: one that is damaged takes no other along. */
static const struct {
    const char *file;
    bool (*read)(struct loaded_case *, const char *folder, struct error *);
} parts[] = {
    {"code.json", bundle_read},       {"pages.json", pages_read},       {"costs.json", costs_read},
    {"calibration.json", ceilings_part_read}, {"guest.json", guest_read}, {"probes.json", probes_read},
    {"machine.json", machine_part_read}, {"activity.json", activity_part_read}, {"counters.json", counters_part_read},
    {"runs.json", runs_read},         {"imports.json", imports_read}, {"statements.json", statements_read},
    {"exits.json", exits_part_read},  {"topdown.json", topdown_part_read},
};

/* Of counted runs, of the only two that were timed, or as it is told; unless runs of one thing differ by as much. */
static struct measured gap_asked_about(const struct results *results)
{
    static const double TOLD_LEAST = 0.005; /* less is no gap to speak of */
    struct imported_two two;
    struct measured gap = imported_gap_of(results->imported), spread = imported_spread_of(results->imported);
    bool is_told = results->told && results->told->gap.known && results->told->gap.low >= TOLD_LEAST;
    if (!gap.known && results->imported && imported_two_of(results->imported, &two) && two.gap >= TOLD_LEAST)
        gap = measured_as(two.gap);
    if (gap.known)
        return spread.known && gap.value <= spread.value ? not_measured("it may be chance") : gap;
    return is_told ? measured_as(results->told->gap.low) : not_measured("no gap is told");
}

/*
 * Where what others ask about is less than the usual effect, a cause of half of it matters, and a bound that all of it
 * fits into rules nothing out.
 */
static void effect_settle(struct loaded_case *loaded)
{
    static const double EFFECT_LEAST = 0.005;
    struct measured gap = gap_asked_about(&loaded->results);
    double half = gap.known ? fmax(gap.value / 2, EFFECT_LEAST) : 1;
    if (strcmp(loaded->manifest.scope, "imported") == 0 && half < loaded->results.effect)
        loaded->results.effect = half;
}

static bool case_load(struct loaded_case *loaded, const char *folder, bool names_from_here, struct error *err)
{
    *loaded = (struct loaded_case){0};
    arena_init(&loaded->arena);
    capture_init(&loaded->capture);
    if (!case_manifest_find(loaded, folder, err)) {
        loaded_case_done(loaded);
        return false;
    }
    recording_read(loaded, folder);
    for (size_t at = 0; at < array_count(parts); at++) {
        struct error broken = {0};
        if (!parts[at].read(loaded, folder, &broken))
            case_part_leave_out(loaded, parts[at].file, broken.message);
    }
    case_manifest_complete(loaded);
    if (names_from_here && loaded->has_recording && !loaded->has_bundle)
        case_bundle_make(loaded);
    decoder_check(loaded);
    loaded->results.effect = loaded->manifest.effect;
    loaded->results.command = loaded->manifest.command[0] ? loaded->manifest.command : NULL;
    loaded->results.ended = case_manifest_gap_of(&loaded->manifest, CASE_GAP_ENDED);
    loaded->results.cut = case_manifest_gap_of(&loaded->manifest, CASE_GAP_CUT);
    loaded->results.exit_status = loaded->manifest.child_ended ? loaded->manifest.child_exit_code : 0;
    loaded->results.target_options = loaded->manifest.target_options;
    analyse(loaded);
    effect_settle(loaded);
    return true;
}

bool loaded_case_read(struct loaded_case *loaded, const char *folder, struct error *err)
{
    return case_load(loaded, folder, false, err);
}

bool loaded_case_replay(struct loaded_case *loaded, const char *folder, struct error *err)
{
    return case_load(loaded, folder, true, err);
}

void loaded_case_done(struct loaded_case *loaded)
{
    if (loaded->has_exits)
        exits_done(&loaded->exits);
    if (loaded->has_topdown_table)
        metric_table_done(&loaded->topdown_table);
    capture_done(&loaded->capture);
    arena_done(&loaded->arena);
}
