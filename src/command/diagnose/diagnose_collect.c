/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_collect.h"

#include "base/scope.h"
#include "base/vec.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_probe.h"
#include "metric/event.h"
#include "source/recorder/recorder.h"
#include "source/live/workload.h"
#include "symbol/code_bundle.h"
#include "system/activity.h"
#include "system/memory/process_pages_json.h"
#include "system/surroundings.h"

#include <ctype.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    POLL_MS = 50,
    PROCESSES_MOST = 8, /* whose page maps are taken */
    PAGES_SHARE = 50,   /* page maps may take 1/50 of the time */
};

static const double CODE_LEAST_SHARE = 0.004;

struct kept_pages { /* the best page map so far of one process */
    struct process_pages pages;
    uint64_t resident_bytes;
};

struct collection {
    struct context *context;
    const struct collect_request *request;
    const char *folder;
    struct arena arena;
    struct case_manifest manifest;
    struct target target;
    struct workload workload;
    bool has_workload;
    struct recorder *recorder;
    struct activity_watch *watch;
    vec(struct kept_pages) pages;
    double began_s, next_look_s, next_pages_s, pages_cost_s;
    double look_step_s;
    uint64_t looks;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the recorder ---- */

static bool recorder_start(struct collection *collection, bool user_only, struct error *err)
{
    struct event_list events = {0};
    struct arena *arena = &collection->arena;
    const struct context *context = collection->context;
    bool cgroup = collection->target.kind == TARGET_CGROUP;
    /* Without the kernel nobody is seen to leave a CPU: that happens in there. */
    bool switches = !cgroup && !user_only;
    bool opened = event_list_parse(&events, switches ? "cpu-clock,context-switches" : "cpu-clock", context->root,
                                   arena, err);
    if (opened) {
        struct recorder_event sampled[2] = {recorder_event_of(&events.items[0])};
        sampled[0].frequency = collection->request->frequency;
        sampled[0].callchain = CALLCHAIN_FRAME_POINTERS;
        sampled[0].user_registers = recorder_all_registers;
        if (switches) {
            sampled[1] = recorder_event_of(&events.items[1]);
            sampled[1].period = 1; /* the kernel throttles it when there are too many */
            sampled[1].callchain = CALLCHAIN_FRAME_POINTERS;
        }
        char *path = arena_printf(arena, "%s/perf.data", collection->folder);
        char name[] = "plumb", command[] = "diagnose";
        char *const no_command[] = {name, command, NULL};
        struct recorder_request request = {
            .events = sampled,
            .event_count = switches ? 2 : 1,
            .target = &collection->target,
            .output = path,
            .pipe_fd = -1,
            .command_line = collection->request->argv ? collection->request->argv : no_command,
            .user_only = user_only,
            .record_switches = !cgroup,
            .clock_id = RECORDER_NO_CLOCK,
            .keep_code = true,
            .wake_fd = collection->has_workload ? collection->workload.pid_fd : -1,
        };
        opened = recorder_open(&collection->recorder, &request, context->kernel, context->root, err);
    }
    event_list_done(&events);
    return opened;
}

static void recorder_start_or_gap(struct collection *collection)
{
    struct error err = {0}, again = {0};
    if (recorder_start(collection, false, &err))
        return;
    if (err.kind == ERROR_PERMISSION && recorder_start(collection, true, &again)) {
        case_manifest_gap(&collection->manifest, &collection->arena, "the kernel's share", err.message);
        return;
    }
    collection->recorder = NULL;
    case_manifest_gap(&collection->manifest, &collection->arena, "samples",
                      err.hint[0] ? arena_printf(&collection->arena, "%s (%s)", err.message, err.hint)
                                  : err.message);
}

/* ---- looking while it runs ---- */

static void pages_keep(struct collection *collection, const struct process_pages *pages)
{
    uint64_t resident = 0;
    for (size_t at = 0; at < pages->area_count; at++)
        resident += pages->areas[at].resident_bytes;
    vec_for_each(&collection->pages, kept) {
        if (kept->pages.pid != pages->pid)
            continue;
        /* A program that gives memory back at its end must not hide what it worked on. */
        if (resident * 2 >= kept->resident_bytes)
            *kept = (struct kept_pages){*pages, resident};
        return;
    }
    *vec_push(&collection->pages) = (struct kept_pages){*pages, resident};
}

static void pages_look(struct collection *collection)
{
    double before_s = now_s();
    pid_t pids[PROCESSES_MOST];
    size_t count = activity_processes(collection->watch, pids, PROCESSES_MOST);
    for (size_t at = 0; at < count; at++) {
        struct process_pages pages;
        struct error ignored;
        if (process_pages_read(collection->context->root, collection->context->kernel, pids[at], &pages,
                               &collection->arena, &ignored))
            pages_keep(collection, &pages);
    }
    collection->pages_cost_s = now_s() - before_s;
    double pause = collection->pages_cost_s * PAGES_SHARE;
    double elapsed = now_s() - collection->began_s;
    pause = pause > elapsed * 0.5 ? pause : elapsed * 0.5;
    collection->next_pages_s = now_s() + (pause > 0.02 ? pause : 0.02);
}

static void look(struct collection *collection)
{
    double now = now_s();
    if (now >= collection->next_look_s) {
        activity_look(collection->watch);
        collection->looks++;
        double cost = now_s() - now, elapsed = now - collection->began_s;
        collection->look_step_s = elapsed < 0.5 ? 0.05 : elapsed < 5 ? 0.1 : 0.25;
        if (cost * 50 > collection->look_step_s)
            collection->look_step_s = cost * 50;
        collection->next_look_s = now_s() + collection->look_step_s;
    }
    if (now_s() >= collection->next_pages_s)
        pages_look(collection);
}

static void progress(const struct collection *collection)
{
    if (!collection->request->progress)
        return;
    double elapsed = now_s() - collection->began_s, most = collection->request->duration_s;
    if (most > 0)
        fprintf(collection->context->talk, "\rplumb: watching, %.1f of %.1f s (Ctrl-C ends it) ", elapsed, most);
    else
        fprintf(collection->context->talk, "\rplumb: watching, %.1f s (Ctrl-C ends it) ", elapsed);
    fflush(collection->context->talk);
}

static void progress_say(const struct collection *collection, const char *what)
{
    if (!collection->request->progress)
        return;
    fprintf(collection->context->talk, "\r%-60s", what);
    fflush(collection->context->talk);
}

static void wait_a_moment(struct collection *collection)
{
    struct error err = {0};
    if (collection->recorder) {
        if (recorder_poll(collection->recorder, POLL_MS, &err))
            return;
        case_manifest_gap(&collection->manifest, &collection->arena, "the rest of the samples", err.message);
        struct recorder_result ignored;
        (void)!recorder_finish(collection->recorder, &ignored, &err);
        recorder_free(collection->recorder);
        collection->recorder = NULL;
        return;
    }
    struct timespec pause = {0, POLL_MS * 1000000};
    nanosleep(&pause, NULL);
}

static bool targets_ended(const struct collection *collection)
{
    if (collection->target.kind != TARGET_PROCESSES && collection->target.kind != TARGET_THREADS)
        return false;
    pid_t pids[1];
    return activity_processes(collection->watch, pids, 1) == 0;
}

static void watch_until_end(struct collection *collection)
{
    double most = collection->request->duration_s;
    bool asked_to_end = false;
    for (;;) {
        if (collection->has_workload && workload_wait(&collection->workload, 0))
            return;
        if (!collection->has_workload && (workload_stop_requested() || targets_ended(collection)))
            return;
        if (most > 0 && now_s() - collection->began_s >= most) {
            if (!collection->has_workload)
                return;
            if (!asked_to_end)
                kill(collection->workload.pid, SIGTERM);
            else if (now_s() - collection->began_s >= most + 2)
                kill(collection->workload.pid, SIGKILL);
            asked_to_end = true;
        }
        wait_a_moment(collection);
        look(collection);
        progress(collection);
    }
}

/* ---- the parts ---- */

#define MEASURED_BY_US "measured by plumb " PLUMB_VERSION

static bool write_activity(struct collection *collection, struct error *err)
{
    struct activity activity;
    scoped_text struct text out = {0};
    activity_look(collection->watch);
    activity_result(collection->watch, &collection->arena, &activity);
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
        case_manifest_gap(&collection->manifest, &collection->arena, "hardware counters",
                          surroundings.pmu_counters.why_not);
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
    loaded_case_done(&loaded);
    progress_say(collection, "plumb: measuring what such accesses cost here");
    return written && diagnose_probe(collection->context, collection->folder, &collection->manifest,
                                     &collection->arena, err) &&
           case_manifest_write(&collection->manifest, collection->folder, err);
}

static bool finish(struct collection *collection, struct error *err)
{
    double ended_s = now_s();
    struct recorder_result recorded;
    struct error broken = {0};
    if (collection->recorder) {
        if (!recorder_finish(collection->recorder, &recorded, &broken))
            case_manifest_gap(&collection->manifest, &collection->arena, "the end of the samples", broken.message);
        if (recorded.lost_samples)
            case_manifest_gap(&collection->manifest, &collection->arena, "some samples",
                              arena_printf(&collection->arena, "%llu of them were lost in the buffers",
                                           (unsigned long long)recorded.lost_samples));
        for (size_t at = 0; at < recorder_note_count(collection->recorder); at++)
            case_manifest_gap(&collection->manifest, &collection->arena, "note",
                              recorder_note(collection->recorder, at));
        recorder_free(collection->recorder);
        collection->recorder = NULL;
        case_manifest_part(&collection->manifest, "perf.data", MEASURED_BY_US);
    }
    collection->manifest.elapsed_s = measured_as(ended_s - collection->began_s);
    if (collection->has_workload && collection->workload.reaped) {
        const struct workload *workload = &collection->workload;
        collection->manifest.elapsed_s = measured_as((double)(workload->ended_ns - workload->started_ns) * 1e-9);
        collection->manifest.user_s = measured_as((double)workload->usage.ru_utime.tv_sec +
                                                  (double)workload->usage.ru_utime.tv_usec * 1e-6);
        collection->manifest.system_s = measured_as((double)workload->usage.ru_stime.tv_sec +
                                                    (double)workload->usage.ru_stime.tv_usec * 1e-6);
        collection->manifest.child_ended = true;
        collection->manifest.child_exit_code = workload_exit_code(workload);
    }
    return write_activity(collection, err) && write_machine(collection, err) && write_pages(collection, err) &&
           write_followers(collection, err);
}

/* ---- begin ---- */

static bool needs_quotes(const char *word)
{
    for (const char *at = word; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_-./=:,+@%", *at))
            return true;
    return !*word;
}

static const char *command_line(char *const *argv, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; argv && argv[at]; at++) {
        text_add(&out, at ? " " : "");
        if (!needs_quotes(argv[at])) {
            text_add(&out, argv[at]);
            continue;
        }
        text_add_char(&out, '\'');
        for (const char *letter = argv[at]; *letter; letter++)
            if (*letter == '\'')
                text_add(&out, "'\\''");
            else
                text_add_char(&out, *letter);
        text_add_char(&out, '\'');
    }
    return arena_string(arena, text_string(&out));
}

/* The program once, or a shell that runs it so many times and stops at its first failure. */
static char *const *workload_argv(const struct collect_request *request, struct arena *arena)
{
    if (request->runs <= 1)
        return request->argv;
    size_t count = 0;
    while (request->argv[count])
        count++;
    char **argv = arena_array(arena, char *, count + 6);
    argv[0] = arena_string(arena, "/bin/sh");
    argv[1] = arena_string(arena, "-c");
    argv[2] = arena_string(arena, "left=$1; shift; while [ \"$left\" -gt 0 ]; do \"$@\" || exit; left=$((left - 1)); done");
    argv[3] = arena_string(arena, "plumb-runs");
    argv[4] = arena_printf(arena, "%llu", (unsigned long long)request->runs);
    memcpy(argv + 5, request->argv, count * sizeof(*argv));
    return argv;
}

static bool begin_workload(struct collection *collection, struct collect_result *result, struct error *err)
{
    if (!workload_start(&collection->workload, workload_argv(collection->request, &collection->arena), err))
        return false;
    collection->has_workload = true;
    target_of_workload(&collection->target, collection->workload.pid, &collection->arena);
    recorder_start_or_gap(collection);
    workload_forward_signals(&collection->workload);
    if (!workload_release(&collection->workload, err)) {
        result->child_exit_code = workload_exec_exit_code(err);
        if (collection->recorder)
            recorder_discard(collection->recorder);
        return false;
    }
    result->child_started = true;
    collection->began_s = now_s();
    pid_t pid = collection->workload.pid;
    collection->watch = activity_watch_new(collection->context->root, &pid, 1, NULL);
    return true;
}

static bool begin_attached(struct collection *collection, struct error *err)
{
    struct target *target = &collection->target;
    if (!target_resolve(target, collection->request->target, collection->context->root, &collection->arena, err))
        return false;
    recorder_start_or_gap(collection);
    vec(pid_t) pids = {0};
    for (size_t at = 0; at < target->thread_count; at++) {
        bool known = false;
        for (size_t other = 0; other < pids.count; other++)
            known |= pids.items[other] == target->threads[at].pid;
        if (!known)
            *vec_push(&pids) = target->threads[at].pid;
    }
    workload_forward_signals(NULL);
    collection->began_s = now_s();
    struct error refused = {0};
    if (collection->recorder && !recorder_enable(collection->recorder, &refused)) {
        case_manifest_gap(&collection->manifest, &collection->arena, "samples", refused.message);
        recorder_free(collection->recorder);
        collection->recorder = NULL;
    }
    collection->watch = activity_watch_new(collection->context->root, pids.items, pids.count, target->cgroup_path);
    vec_done(&pids);
    return true;
}

static void collection_done(struct collection *collection)
{
    recorder_free(collection->recorder);
    activity_watch_free(collection->watch);
    target_done(&collection->target);
    if (collection->has_workload)
        workload_done(&collection->workload);
    vec_done(&collection->pages);
    arena_done(&collection->arena);
}

bool diagnose_collect(struct context *context, const char *folder, const struct collect_request *request,
                      struct collect_result *ret_result, struct error *err)
{
    struct collection collection = {.context = context, .request = request, .folder = folder};
    collection.target.cgroup_fd = -1;
    arena_init(&collection.arena);
    bool machine = request->target && (request->target->all_cpus || request->target->cpus);
    collection.manifest = (struct case_manifest){
        .command = command_line(request->argv, &collection.arena),
        .scope = request->argv ? "started" : machine ? "machine" : "attached",
        .target_options = request->target_options,
        .effect = request->effect,
        .user_s = not_measured("the program was not started by plumb"),
        .system_s = not_measured("the program was not started by plumb"),
    };
    bool began = request->argv ? begin_workload(&collection, ret_result, err) : begin_attached(&collection, err);
    if (began) {
        watch_until_end(&collection);
        progress_say(&collection, "plumb: done watching");
    }
    bool collected = began && finish(&collection, err);
    if (collected && request->argv)
        ret_result->child_exit_code = workload_exit_code(&collection.workload);
    progress_say(&collection, "");
    if (request->progress)
        fputc('\r', context->talk);
    collection_done(&collection);
    return collected;
}
