/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_collect.h"

#include "base/clock.h"
#include "base/scope.h"
#include "capture/case/case_command.h"
#include "capture/case/shell_line.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/diagnose/diagnose_intervention.h"
#include "experiment/experiment.h"
#include "finding/wording.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    /* of samples, the stacks of waits apart: some hundreds with their registers and stacks */
    QUICK_ENOUGH_BYTES = 256 << 10,
    KILL_AFTER_S = 2 /* after SIGTERM, at the end of --duration */
};

/* ---- watching ---- */

/* A started program that outlives its time is asked to end, then made to. */
static bool time_is_up(const struct collection *collection, bool *asked_to_end)
{
    double most_s = collection->request->duration_s, elapsed_s = clock_s(CLOCK_MONOTONIC) - collection->began_s;
    if (most_s <= 0 || elapsed_s < most_s)
        return false;
    bool seen = !collection->recorder || recorder_unpaced_bytes(collection->recorder) >= QUICK_ENOUGH_BYTES;
    if (collection->request->quick && !seen && elapsed_s < 2 * most_s)
        return false;
    if (!collection->has_workload)
        return true;
    if (!*asked_to_end)
        kill(collection->workload.pid, SIGTERM);
    else if (elapsed_s >= most_s + KILL_AFTER_S)
        kill(collection->workload.pid, SIGKILL);
    *asked_to_end = true;
    return false;
}

/* Returns whether it was ended before its time. */
static bool watch_until_end(struct collection *collection)
{
    bool asked_to_end = false;
    for (;;) {
        if (collection->has_workload)
            watch_look_ended(collection);
        if (collection->has_workload && workload_wait(&collection->workload, 0))
            return asked_to_end || workload_stop_requested();
        if (!collection->has_workload && (workload_stop_requested() || watch_ended(collection)))
            return workload_stop_requested();
        if (time_is_up(collection, &asked_to_end))
            return false;
        recording_wait(collection);
        tree_tick(collection);
        ends_look(collection);
        watch_look(collection);
        progress_tick(collection);
    }
}

/* ---- a program, once or several times ---- */

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void run_keep(struct collection *collection, struct run_row *row)
{
    const struct workload *workload = &collection->workload;
    uint64_t ended_ns = workload->ended_ns;
    if (collection->exited_ns > workload->started_ns && collection->exited_ns < ended_ns)
        ended_ns = collection->exited_ns;
    row->elapsed_s = (double)(ended_ns - workload->started_ns) * 1e-9;
    row->user_s = measured_as(seconds_of(workload->usage.ru_utime));
    row->system_s = measured_as(seconds_of(workload->usage.ru_stime));
    row->resident_most_bytes = measured_as((double)workload->usage.ru_maxrss * 1024);
    row->exit_code = workload_exit_code(workload);
    collection->totals.minor_faults += (double)workload->usage.ru_minflt;
    collection->totals.major_faults += (double)workload->usage.ru_majflt;
    collection->totals.voluntary_switches += (double)workload->usage.ru_nvcsw;
    collection->totals.involuntary_switches += (double)workload->usage.ru_nivcsw;
    collection->totals.resident_most_bytes += row->resident_most_bytes.value;
    *vec_push(&collection->runs) = *row;
}

/* What it has waited for a CPU, as /proc counts it; 0: not known. */
static double delay_so_far_s(const struct collection *collection, pid_t pid)
{
    char line[128];
    uint64_t run_ns, delay_ns;
    if (!sysroot_line(collection->context->root, line, sizeof(line), "/proc/%d/schedstat", (int)pid))
        return 0;
    struct view rest = view_of(line);
    bool read = view_u64(view_word(&rest), 10, &run_ns) && view_u64(view_word(&rest), 10, &delay_ns);
    return read ? (double)delay_ns * 1e-9 : 0;
}

/* Whoever interrupts before the program began wants none of it. */
static bool still_wanted(struct error *err)
{
    if (!workload_stop_requested())
        return true;
    const char *name = sigabbrev_np(workload_stop_signal());
    return error_set(err, ERROR_INTERRUPTED, "ended by %s%s before the program was started: there is nothing to tell",
                     name ? "SIG" : "a signal", name ? name : "");
}

/* experiment's runner: the program under the recorder, with the streams it would have without us. */
static bool run_once(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                     int *ret_exit_code, struct error *err)
{
    struct collection *collection = context;
    (void)block;
    struct run_row row = {
        .cpu_s = not_measured("task-clock was not counted"),
        .cycles = not_measured("cycles were not counted"),
        .instructions = not_measured("instructions were not counted"),
    };
    if (!workload_start(&collection->workload, arm->argv, err))
        return false;
    collection->has_workload = true;
    target_of_workload(&collection->target, collection->workload.pid, &collection->arena);
    recording_open(collection);
    workload_forward_signals(&collection->workload);
    double held_s = delay_so_far_s(collection, collection->workload.pid);
    tree_start(collection);
    bool released = still_wanted(err) && workload_release(&collection->workload, err);
    if (released) {
        pid_t pid = collection->workload.pid;
        watch_begin(collection, &pid, 1);
        activity_watch_held(collection->watch, pid, held_s);
        row.interrupted = watch_until_end(collection);
        recording_finish(collection, &row);
        run_keep(collection, &row);
        child_cells(&collection->workload, ret_cells);
        *ret_exit_code = row.exit_code;
    } else {
        recording_discard(collection);
    }
    workload_forward_signals(NULL);
    workload_done(&collection->workload);
    collection->has_workload = false;
    return released;
}

static bool wants_run(void *context, const struct run_table *so_far)
{
    const struct collection *collection = context;
    bool stopped = collection->runs.count && collection->runs.items[collection->runs.count - 1].interrupted;
    uint64_t wanted = collection->request->runs ? collection->request->runs : 1;
    return !stopped && so_far->block_count < wanted;
}

static void sum_runs(struct collection *collection)
{
    double user_s = 0, system_s = 0;
    collection->elapsed_s = 0;
    collection->manifest.child_ended = true;
    vec_for_each(&collection->runs, row) {
        collection->elapsed_s += row->elapsed_s;
        user_s += row->user_s.value;
        system_s += row->system_s.value;
        collection->manifest.child_ended &= !row->interrupted;
        if (row->exit_code && !collection->manifest.child_exit_code)
            collection->manifest.child_exit_code = row->exit_code;
    }
    collection->manifest.user_s = measured_as(user_s);
    collection->manifest.system_s = measured_as(system_s);
}

static const char *seconds_words(double seconds, struct arena *arena)
{
    scoped_text struct text words = {0};
    print_seconds(&words, seconds);
    return arena_string(arena, text_string(&words));
}

/* Whoever reads the page has to know that the program would have gone on. */
static void note_cut(struct collection *collection, double after_s, bool by_signal)
{
    struct arena *arena = &collection->arena;
    const char *name = by_signal ? sigabbrev_np(workload_stop_signal()) : NULL, *after = seconds_words(after_s, arena);
    const char *how = by_signal
                          ? arena_printf(arena, "%s%s, which plumb got", name ? "SIG" : "a signal", name ? name : "")
                          : "plumb (--duration)";
    case_manifest_gap(&collection->manifest, arena, CASE_GAP_CUT,
                      collection->request->argv
                          ? arena_printf(arena, "it was ended after %s by %s", after, how)
                          : arena_printf(arena, "watching was ended after %s by %s", after, how));
}

static bool collect_runs(struct collection *collection, struct collect_result *result, struct error *err)
{
    const struct experiment_arm arm = {.label = "program", .argv = collection->request->argv};
    const struct experiment_request request = {
        .arms = &arm,
        .arm_count = 1,
        .keep_failed = true,
        .runner = {collection, child_quantities, CHILD_QUANTITY_COUNT, run_once},
        .policy = {collection, wants_run},
    };
    struct experiment_result experiment = {0};
    ceilings_before(collection);
    if (isatty(STDOUT_FILENO))
        progress_say(collection, "plumb: watching until it ends (Ctrl-C ends it)\n");
    bool ran = experiment_run_blocks(&request, &experiment, err);
    experiment_result_done(&experiment);
    if (!collection->runs.count) {
        result->child_exit_code =
            workload_stop_requested() ? 128 + workload_stop_signal() : workload_exec_exit_code(err);
        return false;
    }
    result->child_started = true;
    sum_runs(collection);
    const struct run_row *last = &collection->runs.items[collection->runs.count - 1];
    if (last->interrupted)
        note_cut(collection, last->elapsed_s, workload_stop_requested());
    result->child_exit_code = collection->manifest.child_exit_code;
    /* The program went away between two runs: those there were are diagnosed. */
    if (!ran)
        case_manifest_gap(&collection->manifest, &collection->arena, "the remaining runs", err->message);
    return true;
}

/* ---- what runs already ---- */

static void watch_target(struct collection *collection)
{
    const struct target *target = &collection->target;
    vec(pid_t) pids = {0};
    for (size_t at = 0; at < target->thread_count; at++) {
        bool known = false;
        vec_for_each(&pids, pid)
            known |= *pid == target->threads[at].pid;
        if (!known)
            *vec_push(&pids) = target->threads[at].pid;
    }
    watch_begin(collection, pids.items, pids.count);
    vec_done(&pids);
}

/* Whoever asked for 10 s should know that there were 3, and that a service is gone. */
static void note_end(struct collection *collection)
{
    struct arena *arena = &collection->arena;
    double asked_s = collection->request->duration_s;
    const char *of = asked_s > 0 ? arena_printf(arena, " of the %.3g s asked for", asked_s) : "";
    case_manifest_gap(&collection->manifest, arena, CASE_GAP_ENDED,
                      arena_printf(arena, "all that was watched (%s) ended after %s%s",
                                   collection->request->target_options, seconds_words(collection->elapsed_s, arena),
                                   of));
}

/* Which processes those are. A cgroup's or the machine's come and go: they aren't kept. */
static void processes_take(const struct collection *collection, struct case_command *command, struct arena *arena)
{
    for (size_t at = 0; collection->request->target->processes && at < collection->target.thread_count; at++) {
        const struct target_thread *thread = &collection->target.threads[at];
        if (thread->pid == thread->tid)
            case_command_add_process(command, thread->pid, collection->context->root, arena);
    }
}

static bool collect_attached(struct collection *collection, struct case_command *command, struct error *err)
{
    struct run_row row = {0};
    if (!target_resolve(&collection->target, collection->request->target, collection->context->root,
                        &collection->arena, err))
        return false;
    processes_take(collection, command, &collection->arena);
    ceilings_before(collection);
    ends_begin(collection);
    recording_open(collection);
    workload_forward_signals(NULL);
    recording_start(collection);
    double began_s = clock_s(CLOCK_MONOTONIC);
    watch_target(collection);
    bool stopped = watch_until_end(collection);
    bool ended = !stopped && watch_ended(collection);
    double until_s = ended ? ends_last_s(collection) : clock_s(CLOCK_MONOTONIC);
    recording_finish(collection, &row);
    collection->elapsed_s = until_s - began_s;
    if (ended)
        note_end(collection);
    if (stopped)
        note_cut(collection, collection->elapsed_s, true);
    return true;
}

/* ---- all of it ---- */

static void collection_done(struct collection *collection)
{
    recording_discard(collection);
    tree_free(collection);
    ends_free(collection);
    activity_watch_free(collection->watch);
    target_done(&collection->target);
    vec_done(&collection->pages);
    vec_done(&collection->busy);
    vec_done(&collection->glimpses);
    interventions_free(collection->interventions);
    vec_done(&collection->runs);
    arena_done(&collection->arena);
}

bool diagnose_collect(struct context *context, const char *folder, const struct collect_request *request,
                      struct collect_result *ret_result, struct error *err)
{
    struct collection collection = {.context = context, .request = request, .folder = folder};
    struct case_command command = {0};
    collection.target.cgroup_fd = -1;
    arena_init(&collection.arena);
    bool machine = request->target && (request->target->all_cpus || request->target->cpus);
    collection.manifest = (struct case_manifest){
        .command = request->argv ? shell_line(request->argv, &collection.arena) : "",
        .scope = request->argv ? "started" : machine ? "machine" : "attached",
        .target_options = request->target_options,
        .effect = request->effect,
        .watcher_pid = (uint32_t)getpid(),
        .user_s = not_measured("the program was not started by plumb"),
        .system_s = not_measured("the program was not started by plumb"),
    };
    collection.interventions = interventions_new(request->probes);
    recording_choose(&collection);
    tree_prepare(&collection);
    if (request->argv)
        case_command_take(&command, request->argv, &collection.arena);
    bool collected =
        request->argv ? collect_runs(&collection, ret_result, err) : collect_attached(&collection, &command, err);
    if (collected) {
        progress_say(&collection, "plumb: done watching");
        ceilings_after(&collection);
        collection.manifest.elapsed_s = measured_as(collection.elapsed_s);
        case_manifest_part(&collection.manifest, CASE_COMMAND_FILE, MEASURED_BY_US);
        collected = case_command_write(&command, folder, err) && parts_write(&collection, err);
    }
    progress_say(&collection, "");
    collection_done(&collection);
    return collected;
}
