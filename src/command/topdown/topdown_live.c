/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb topdown: the tree of what runs here, counted in passes, drilled where it is flagged. */
#include "analyse/topdown/topdown_tree.h"
#include "base/scope.h"
#include "command/topdown/topdown_locate.h"
#include "command/topdown/topdown_machine.h"
#include "command/topdown/topdown_modes.h"
#include "command/topdown/topdown_session.h"
#include "command/topdown/topdown_timeline.h"
#include "render/topdown/topdown_page.h"
#include "source/live/workload.h"

#include <errno.h>
#include <stdlib.h>

enum { LEVEL_USUAL = 2, LOCATE_SECONDS = 2 };

struct live_run {
    struct context *context;
    const struct topdown_options *options;
    char *const *argv; /* NULL: something is watched */
    struct topdown_machine machine;
    struct target_request target;
    bool has_target;
    struct pass_subject_live *subject;
    struct topdown_setup setup;
    struct topdown_session session;
    struct topdown_tree tree;
    struct topdown_located located;
    struct topdown_timeline timeline;
    vec(struct topdown_phase_row) phases;
    vec(struct topdown_interval_row) intervals, cores, passes;
    FILE *out; /* --output, or where results go */
    bool intervals_begun;
    vec(const char *) notes;
};

#define note(run, ...) (*vec_push(&(run)->notes) = arena_printf(&(run)->machine.arena, __VA_ARGS__))

/* ---- which metrics ----------------------------------------------------------------------------------------- */

static bool metric_put(uint32_t *metrics, size_t *count, uint32_t metric)
{
    for (size_t at = 0; at < *count; at++)
        if (metrics[at] == metric)
            return false;
    metrics[(*count)++] = metric;
    return true;
}

/* A node's thresholds ask for all above it. */
static void node_put(const struct metric_table *table, uint32_t *metrics, size_t *count, uint32_t metric)
{
    for (unsigned depth = 0; metric != TABLE_NONE && depth < 16; depth++) {
        metric_put(metrics, count, metric);
        metric = table->metrics.items[metric].parent;
    }
}

static bool nodes_put(const struct live_run *run, uint32_t *metrics, size_t *count, struct error *err)
{
    struct view rest = view_of(run->options->nodes);
    if (rest.length && rest.text[0] == '+')
        rest = view_skip(rest, 1);
    while (rest.length) {
        struct view name = view_trim(view_cut(&rest, ','));
        if (name.length && name.text[0] == '+')
            name = view_skip(name, 1);
        struct view bare = name.length > 4 && view_starts_caseless(name, "tma_") ? view_skip(name, 4) : name;
        const char *dot = memrchr(bare.text, '.', bare.length);
        if (dot)
            bare = view_skip(bare, (size_t)(dot + 1 - bare.text));
        uint32_t metric = table_metric_find(&run->machine.table, bare);
        if (metric == TABLE_NONE) {
            error_set(err, ERROR_USAGE, "%s has no node or metric '%.*s'", run->machine.table.key, (int)name.length,
                      name.text);
            return error_hint(err, "plumb list --metrics names them");
        }
        node_put(&run->machine.table, metrics, count, metric);
    }
    return *count > 0 || error_set(err, ERROR_USAGE, "--nodes names none");
}

static bool metrics_choose(const struct live_run *run, uint32_t *metrics, size_t *ret_count, struct error *err)
{
    const struct metric_table *table = &run->machine.table;
    const char *nodes = run->options->nodes;
    unsigned level = run->options->level ? (unsigned)run->options->level : LEVEL_USUAL;
    bool only = nodes && nodes[0] != '+';
    *ret_count = 0;
    for (uint32_t at = 0; at < table->metrics.count && !run->machine.levels; at++)
        metric_put(metrics, ret_count, at);
    for (uint32_t at = 0; at < table->metrics.count && !only; at++)
        if (table->metrics.items[at].level && table->metrics.items[at].level <= level)
            metric_put(metrics, ret_count, at);
    return !nodes || nodes_put(run, metrics, ret_count, err);
}

/* ---- whom -------------------------------------------------------------------------------------------------- */

static void progress_tell(void *context, const char *what)
{
    struct live_run *run = context;
    if (run->argv && run->session.steps)
        fprintf(run->context->talk, "plumb topdown: step %zu, %s\n", run->session.steps, what);
}

static void first_pass_done(void *context)
{
    struct live_run *run = context;
    pass_subject_live_silence(run->subject, true);
}

static void watch_lasts(void *context, uint64_t duration_ns)
{
    struct live_run *run = context;
    pass_subject_live_lasts(run->subject, duration_ns);
}

/* ---- -I ---------------------------------------------------------------------------------------------------- */

static bool is_text(const struct live_run *run)
{
    return !run->options->json && !run->options->separator;
}

/* What the lines are of. */
static const char *intervals_heading(const struct live_run *run, const struct topdown_window *window,
                                     struct arena *arena)
{
    if (window->runs > 1)
        return arena_printf(arena, "Over time, in run %zu of %zu, which counts the first level", window->run,
                            window->runs);
    if (window->sharing > 1 && window->read_ns > run->options->interval_ms * 1000000)
        return arena_printf(arena,
                            "Over time: %zu groups of events share the counters, and intervals are %.0f ms, so that "
                            "all have turns in each",
                            window->sharing, (double)window->read_ns / 1e6);
    if (window->sharing > 1)
        return arena_printf(
            arena,
            "Over time: %zu groups of events share the counters, so that each line was counted for a part of its time",
            window->sharing);
    return run->argv && run->options->drill ? "Over time, in the first run" : "Over time";
}

static void interval_write(struct live_run *run, const struct topdown_window *window,
                           const struct topdown_interval_row *row, struct arena *arena)
{
    struct text out = {0};
    struct page page = page_for(&out, run->out);
    if (is_text(run) && !run->intervals_begun)
        page_printf(&page, PAGE_STRONG, "%s\n", intervals_heading(run, window, arena));
    if (is_text(run))
        topdown_interval_text(&page, row);
    else if (run->options->separator)
        topdown_interval_lines(&out, row, run->options->separator[0]);
    run->intervals_begun = true;
    (void)!text_write_file(&out, run->out); /* the tree behind it says it */
    fflush(run->out);
    text_done(&out);
}

/* The first level in one window, as it ends. */
static void window_done(void *context, const struct topdown_window *window)
{
    struct live_run *run = context;
    const struct metric_table *table = &run->machine.table;
    const struct topdown_values_request request = {
        .table = table, .constants = run->machine.constants, .cpu_id = table->cpu_id, .cycles = run->session.cycles};
    struct topdown_interval_row row = {.start_s = (double)window->group.windows[0].start_ns / 1e9,
                                       .end_s = (double)window->group.windows[0].end_ns / 1e9};
    struct arena scratch = {0};
    for (uint32_t at = 0; at < table->metrics.count && row.count < TOPDOWN_INTERVAL_VALUES; at++) {
        struct measured share = table->metrics.items[at].level == 1
                                    ? metric_group_value(&request, at, &window->group, &scratch)
                                    : not_measured("");
        if (!share.known)
            continue;
        row.names[row.count] = table->metrics.items[at].name;
        row.values[row.count++] = share.value;
    }
    if (row.count && run->options->json)
        *vec_push(&run->intervals) = row;
    if (row.count)
        interval_write(run, window, &row, &scratch);
    arena_done(&scratch);
}

static void subject_make(struct live_run *run)
{
    const struct topdown_options *options = run->options;
    run->target = (struct target_request){.processes = options->processes,
                                          .threads = options->threads,
                                          .cpus = options->cpus,
                                          .all_cpus = options->all_cpus};
    run->has_target = options->processes || options->threads || options->cpus || options->all_cpus;
    struct pass_subject_request request = {.argv = run->argv,
                                           .target = run->has_target ? &run->target : NULL,
                                           .root = run->context->root,
                                           .duration_ns = (uint64_t)(options->duration * 1e9)};
    run->subject = pass_subject_live_new(&request);
    run->setup = (struct topdown_setup){.kernel = run->context->kernel,
                                        .root = run->context->root,
                                        .table = &run->machine.table,
                                        .pmu = run->machine.pmu,
                                        .subject = pass_subject_live_interface(run->subject),
                                        .first_pass_done = run->argv ? first_pass_done : NULL,
                                        .watch_lasts = run->argv ? NULL : watch_lasts,
                                        .context = run,
                                        .argv = run->argv,
                                        .is_program = run->argv != NULL,
                                        .once = options->once,
                                        .seconds = options->duration,
                                        .read_ns = options->interval_ms * 1000000,
                                        .constants = run->machine.constants,
                                        .cpu_id = run->machine.table.cpu_id,
                                        .progress = progress_tell,
                                        .window_done = options->interval_ms ? window_done : NULL};
}

/* Slots of whole cores say nothing of one task while the core's other thread runs somebody else's. */
static bool subject_check(const struct live_run *run, struct error *err)
{
    bool whole = run->options->all_cpus || run->options->cpus;
    if (!run->machine.slots_are_the_cores || whole)
        return true;
    error_set(err, ERROR_UNSUPPORTED,
              "%s counts slots for the whole core, and SMT is on: a program's own part can't be told",
              run->machine.processor);
    return error_hint(
        err,
        "count whole cores: plumb topdown -a -- CMD (as root, or with kernel.perf_event_paranoid 0), with nothing else "
        "running; or switch SMT off (echo off > /sys/devices/system/cpu/smt/control)");
}

/* ---- what is said of it ------------------------------------------------------------------------------------ */

static void agreement_note(struct live_run *run)
{
    const struct pass_agreement *agreement = &run->session.agreement;
    if (!agreement->compared || agreement->agree)
        return;
    if (agreement->instructions_spread > 0.02)
        note(run,
             "the passes don't agree: their instructions differ by %.1f %%; values of different passes are of "
             "different runs",
             agreement->instructions_spread * 100);
    if (agreement->share_spread > 0.03 && agreement->share < run->session.control_count)
        note(run, "the passes don't agree: %s is %.1f points higher in pass %zu than in pass %zu",
             run->machine.table.metrics.items[run->session.controls[agreement->share]].name,
             agreement->share_spread * 100, agreement->pass_high + 1, agreement->pass_low + 1);
}

/* A leaf whose parts are not known may be none. */
static void below_note(struct live_run *run)
{
    const struct topdown_tree *tree = &run->tree;
    const char *why = NULL;
    size_t parts = 0, unknown = 0;
    for (size_t at = 0; at < tree->count && tree->leaf != SIZE_MAX && run->options->drill; at++) {
        if (tree->nodes[at].parent != tree->leaf || !tree->nodes[at].level)
            continue;
        parts++;
        if (tree->nodes[at].value.known)
            continue;
        unknown++;
        why = why ? why : tree->nodes[at].value.why_not;
    }
    if (unknown)
        note(run, "the drill ended at %s: %zu of its %zu parts could not be measured (%s), so the leaf may lie below",
             tree->nodes[tree->leaf].name, unknown, parts, why);
}

static void notes_collect(struct live_run *run)
{
    vec_for_each(&run->machine.notes, text) *vec_push(&run->notes) = *text;
    vec_for_each(&run->session.notes, text) *vec_push(&run->notes) = *text;
    agreement_note(run);
    if (run->session.user_only)
        note(run, "only user code was counted, as the kernel may not be (kernel.perf_event_paranoid): what happened "
                  "there is no part of this");
    if (run->session.interrupted)
        note(run, "it was interrupted: what is said rests on the passes until then");
    below_note(run);
    if (run->argv && run->session.exit_code)
        note(run, "the program ended with status %d", run->session.exit_code);
    if (run->argv && run->session.exits_other)
        note(run,
             "%zu of its %zu runs ended with another status than the first (%d, not %d), so they did something else: "
             "only the first has "
             "your standard input, and what a run leaves behind is there for the next (--once runs it once only)",
             run->session.exits_other, run->session.exits, run->session.exit_other, run->session.exit_code);
    if (run->session.has_warmup)
        note(run, "the beginning was warm-up (it faulted pages at several times the rate of the rest) and is no part "
                  "of the tree");
    if (run->options->interval_ms && !run->intervals_begun)
        note(run, "intervals: none had the first level of the tree in it, which this PMU doesn't count, or the program "
                  "was too short");
    if (run->argv && run->session.passes > 1)
        note(run,
             "the program ran %zu times, once for each group of events; intervals are of the program, from how its "
             "runs differed",
             run->session.passes);
}

static const char *origin_text(struct live_run *run)
{
    return arena_printf(&run->machine.arena, "%zu pass%s in %zu step%s, %.3f s each", run->session.passes,
                        run->session.passes == 1 ? "" : "es", run->session.steps, run->session.steps == 1 ? "" : "s",
                        run->session.seconds);
}

static bool result_write(struct live_run *run, FILE *to, struct error *err)
{
    struct text out = {0};
    if (run->intervals_begun && is_text(run))
        text_add(&out, "\n");
    struct topdown_page what = {.origin = origin_text(run),
                                .level_most = (unsigned)run->options->level,
                                .all = run->options->all,
                                .notes = run->notes.items,
                                .note_count = run->notes.count,
                                .is_live = true,
                                .phases = run->phases.items,
                                .phase_count = run->phases.count,
                                .cores = run->cores.items,
                                .core_count = run->cores.count,
                                .passes = run->passes.items,
                                .pass_count = run->passes.count,
                                .intervals = run->intervals.items,
                                .interval_count = run->intervals.count,
                                .located = run->located.lines.items,
                                .located_count = run->located.lines.count};
    if (run->options->json) {
        topdown_json_write(&out, &run->tree, &what);
    } else if (run->options->separator) {
        topdown_lines_write(&out, &run->tree, run->options->separator[0]);
    } else {
        struct page page = page_for(&out, to);
        topdown_text_write(&page, &run->tree, &what);
    }
    bool good = text_write_file(&out, to) || error_system(err, errno, "can't write the tree");
    text_done(&out);
    return good;
}

/* Before anything is counted: what can't be written needn't be. */
static bool output_open(struct live_run *run, struct error *err)
{
    run->out = run->options->output ? fopen(run->options->output, "we") : run->context->out;
    return run->out || error_system(err, errno, "can't write '%s'", run->options->output);
}

static bool output_close(struct live_run *run, struct error *err)
{
    bool good = !run->options->output || fclose(run->out) == 0 ||
                error_system(err, errno, "can't write '%s'", run->options->output);
    run->out = NULL;
    return good;
}

static bool known_is_any(const struct topdown_tree *tree, bool besides)
{
    for (size_t at = 0; at < tree->count; at++)
        if ((besides || tree->nodes[at].level) && tree->nodes[at].value.known)
            return true;
    return false;
}

/* ---- where the leaf is ------------------------------------------------------------------------------------- */

static void leaf_locate(struct live_run *run)
{
    struct error err = {0};
    struct arena *arena = &run->machine.arena;
    if (run->tree.leaf == SIZE_MAX || run->session.interrupted || workload_stop_requested())
        return;
    if (!run->argv && !(run->options->duration > 0))
        watch_lasts(run, (uint64_t)LOCATE_SECONDS * 1000000000);
    struct topdown_locating locating = {.context = run->context,
                                        .table = &run->machine.table,
                                        .tree = &run->tree,
                                        .subject = run->setup.subject,
                                        .argv = run->argv,
                                        .arena = arena,
                                        .progress = progress_tell,
                                        .progress_context = run};
    if (!topdown_locate(&run->located, &locating, &err))
        note(run, "where %s is could not be sampled: %s%s%s", run->tree.nodes[run->tree.leaf].name,
             arena_string(arena, err.message), err.hint[0] ? "; " : "", arena_string(arena, err.hint));
}

/* ---- over time --------------------------------------------------------------------------------------------- */

static double phase_seconds(const struct topdown_timeline *timeline, unsigned phase, bool warmup)
{
    double seconds = 0;
    for (size_t at = 0; at < timeline->phases.segment_count; at++) {
        const struct topdown_segment *segment = &timeline->phases.segments[at];
        if (segment->phase != phase || segment->is_warmup != warmup)
            continue;
        for (size_t window = segment->first; window < segment->first + segment->count; window++)
            seconds += (double)(timeline->windows[window].end_ns - timeline->windows[window].start_ns) / 1e9;
    }
    return seconds;
}

/* "0.0-3.2 s, 7.1-9.0 s": the segments of a phase. */
static const char *phase_when(struct live_run *run, unsigned phase)
{
    const struct topdown_timeline *timeline = &run->timeline;
    const char *text = "";
    size_t said = 0;
    for (size_t at = 0; at < timeline->phases.segment_count; at++) {
        const struct topdown_segment *segment = &timeline->phases.segments[at];
        if (segment->phase != phase || said++ >= 4)
            continue;
        text = arena_printf(&run->machine.arena, "%s%s%.1f-%.1f s", text, *text ? ", " : "",
                            (double)timeline->windows[segment->first].start_ns / 1e9,
                            (double)timeline->windows[segment->first + segment->count - 1].end_ns / 1e9);
    }
    return said > 4 ? arena_printf(&run->machine.arena, "%s and %zu more", text, said - 4) : text;
}

static bool phase_is_warmup(const struct topdown_timeline *timeline, unsigned phase)
{
    for (size_t at = 0; at < timeline->phases.segment_count; at++)
        if (timeline->phases.segments[at].phase == phase)
            return timeline->phases.segments[at].is_warmup;
    return false;
}

static void phases_find(struct live_run *run)
{
    struct topdown_timeline *timeline = &run->timeline;
    topdown_timeline_find(timeline, &run->session, &run->machine.arena);
    for (unsigned phase = 0; phase < timeline->phases.phase_count && timeline->phases.phase_count > 1; phase++) {
        struct topdown_phase_row *row = vec_push(&run->phases);
        bool warmup = phase_is_warmup(timeline, phase);
        *row = (struct topdown_phase_row){
            .when = phase_when(run, phase), .seconds = phase_seconds(timeline, phase, warmup), .is_warmup = warmup};
        if (warmup)
            continue;
        struct topdown_values values;
        topdown_session_values(
            &run->session, topdown_timeline_groups(timeline, &run->session, (int)phase, &run->machine.arena), &values);
        topdown_tree_of_values(&row->tree, &run->machine.table, &values, &run->machine.arena);
    }
}

/* The first level of one core; false: its CPUs did next to nothing. */
static bool core_find(struct live_run *run, const bool *of_core, struct topdown_interval_row *row)
{
    const struct topdown_timeline *timeline = &run->timeline;
    row->count = 0;
    for (size_t value = 0; value < timeline->metric_count; value++) {
        struct measured share =
            topdown_session_on_cpus(&run->session, timeline->metrics[value], timeline->group, of_core);
        if (!share.known)
            return false;
        row->names[row->count] = run->machine.table.metrics.items[timeline->metrics[value]].name;
        row->values[row->count++] = share.value;
    }
    return row->count > 0;
}

static void cores_find(struct live_run *run)
{
    struct arena *arena = &run->machine.arena;
    if (!run->options->per_core || !run->timeline.count)
        return;
    const struct topdown_cpus *counted = &run->session.cpus.items[run->timeline.group];
    bool *done = arena_array(arena, bool, counted->count + 1);
    for (size_t first = 0; first < counted->count; first++) {
        bool *of_core = arena_array(arena, bool, counted->count + 1);
        const struct topology_cpu *place = topology_cpu_find(&run->machine.topology, counted->cpus[first]);
        struct topdown_interval_row row = {.core = ""};
        if (done[first])
            continue;
        for (size_t at = first; at < counted->count; at++) {
            const struct topology_cpu *other = topology_cpu_find(&run->machine.topology, counted->cpus[at]);
            of_core[at] = at == first || (place && other && other->first_sibling == place->first_sibling);
            done[at] |= of_core[at];
            if (of_core[at])
                row.core = arena_printf(arena, "%s%s%d", row.core, *row.core ? "," : "", counted->cpus[at]);
        }
        if (core_find(run, of_core, &row))
            *vec_push(&run->cores) = row;
    }
}

/* What contradicts itself is shown as it was: the first level of each pass. */
static void passes_find(struct live_run *run)
{
    const struct topdown_session *session = &run->session;
    for (size_t pass = 0; pass < session->passes && topdown_session_contradicts(session); pass++) {
        struct topdown_interval_row row = {.pass = pass + 1};
        for (size_t at = 0; at < session->control_count && row.count < TOPDOWN_INTERVAL_VALUES; at++) {
            const struct table_metric *metric = &run->machine.table.metrics.items[session->controls[at]];
            struct measured share = session->pass_controls[pass].shares[at];
            if (metric->level != 1 || !share.known)
                continue;
            row.names[row.count] = metric->name;
            row.values[row.count++] = share.value;
        }
        if (row.count)
            *vec_push(&run->passes) = row;
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

static bool program_failed(const struct live_run *run, const struct error *err)
{
    int code = run->argv ? workload_exec_exit_code(err) : 0;
    if (code)
        run->context->exit_code = code;
    return false;
}

/* A later step that can't be made takes nothing from what was measured before. */
static void drill_ended_note(struct live_run *run, const struct error *why)
{
    note(run, "the drill went no further: %s%s%s", arena_string(&run->machine.arena, why->message),
         why->hint[0] ? "; " : "", arena_string(&run->machine.arena, why->hint));
    if (why->kind == ERROR_LIMIT)
        run->context->exit_code = EXIT_CODE_INCONCLUSIVE;
}

static bool session_run(struct live_run *run, struct error *err)
{
    uint32_t *metrics = arena_array(&run->machine.arena, uint32_t, run->machine.table.metrics.count + 1);
    size_t count;
    if (!metrics_choose(run, metrics, &count, err))
        return false;
    topdown_session_init(&run->session, &run->setup);
    if (!topdown_session_measure(&run->session, metrics, count, err))
        return program_failed(run, err);
    struct error ended = {0};
    if (run->options->drill && !topdown_session_drill(&run->session, &ended))
        drill_ended_note(run, &ended);
    topdown_tree_of_values(&run->tree, &run->machine.table, &run->session.values, &run->machine.arena);
    if (run->options->drill)
        leaf_locate(run);
    return true;
}

static bool live_run(struct live_run *run, struct error *err)
{
    if (!output_open(run, err))
        return false;
    subject_make(run);
    bool good = session_run(run, err);
    if (good) {
        phases_find(run);
        cores_find(run);
        passes_find(run);
        notes_collect(run);
        good = result_write(run, run->out, err);
        if (run->argv && run->session.exit_code)
            run->context->exit_code = run->session.exit_code;
        if (!run->context->exit_code && !known_is_any(&run->tree, run->machine.levels == 0))
            run->context->exit_code = EXIT_CODE_INCONCLUSIVE;
    } else if (err->kind == ERROR_LIMIT) {
        run->context->exit_code = EXIT_CODE_INCONCLUSIVE;
    }
    if (run->session.setup)
        topdown_session_done(&run->session);
    pass_subject_live_free(run->subject);
    struct error unwritten = {0};
    bool written = output_close(run, good ? err : &unwritten);
    return good && written;
}

bool topdown_live(struct context *context, const struct topdown_options *options, char *const *argv, struct error *err)
{
    struct live_run run = {.context = context, .options = options, .argv = argv[0] ? argv : NULL};
    bool good = topdown_machine_find(&run.machine, options->tables, context->kernel, context->root, err) &&
                subject_check(&run, err) && live_run(&run, err);
    vec_done(&run.notes);
    vec_done(&run.located.lines);
    vec_done(&run.phases);
    vec_done(&run.intervals);
    vec_done(&run.cores);
    vec_done(&run.passes);
    topdown_machine_done(&run.machine);
    return good;
}
