/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits of this host's guests while they happen: by programs in the kernel, else by records, else by numbers alone. */
#include "base/clock.h"
#include "base/scope.h"
#include "capture/exits/exits_input.h"
#include "capture/exits/exits_live.h"
#include "command/exits/exits.h"
#include "command/exits/exits_processes.h"
#include "command/exits/exits_statistics.h"
#include "metric/event_parser.h"
#include "source/live/counters.h"
#include "source/live/workload.h"
#include "source/recorder/recorder.h"
#include "system/host/kvm_statistics.h"
#include "system/host/virtual_machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum way { WAY_ANY, WAY_BPF, WAY_TRACEPOINT, WAY_PERF, WAY_COUNT };
static const char *const way_names[] = {"", "bpf", "tracepoint", "perf", "count"};

enum { LOOK_MS = 50 };

struct live {
    struct context *context;
    const struct exits_options *options;
    const struct guest_symbols *symbols;
    char **command;
    struct arena arena;
    struct exits_notes notes;
    struct workload workload;
    bool has_workload, follows; /* follows: only some processes are watched */
    bool no_kvm_exit;           /* this KVM fires neither kvm_exit nor kvm_entry */
    uint64_t begun_ns, ended_ns;
    const char *method;
    struct exits_processes processes; /* that are followed: -p's, or the program */
    bool renumbered;            /* the kernel's programs see other numbers of threads than we do */
    struct exits_statistics statistics;
    const struct exit_machine *machines;
    size_t machine_count;
};

/* ---- what is watched ---- */

static void points_choose(const struct live *live, bool wanted[EXIT_POINT_COUNT])
{
    for (size_t at = 0; at < EXIT_POINT_COUNT; at++)
        wanted[at] = true;
    /* ioctl is everybody's: its tracepoint is used only where nothing else tells when a guest is entered. */
    wanted[EXIT_POINT_RUN] = live->no_kvm_exit;
    wanted[EXIT_POINT_EXIT] = wanted[EXIT_POINT_ENTRY] = !live->no_kvm_exit;
}

static bool is_module(const struct live *live, const char *name)
{
    return sysroot_exists(live->context->root, "/sys/module/%s", name);
}

/* VMX and SVM fire kvm_exit; a KVM of neither (PVM) doesn't. */
static void kvm_look(struct live *live)
{
    live->no_kvm_exit = is_module(live, "kvm") && !is_module(live, "kvm_intel") && !is_module(live, "kvm_amd");
    if (!live->no_kvm_exit)
        return;
    exits_note(&live->notes,
               "this KVM (%s) is neither VMX nor SVM, and doesn't fire kvm_exit: the table is put together from "
               "returns to the monitor "
               "(kvm_userspace_exit) and from what was emulated. One exit may stand in several rows, and exits that "
               "the kernel handles "
               "without any of these tracepoints in none",
               is_module(live, "kvm_pvm") ? "PVM" : "kvm alone");
}

/* Threads made while we look are followed by the kernel: two looks that see the same are enough. */
static bool process_follow(struct exit_watch *watch, pid_t pid, struct error *err)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    for (int look = 0; look < 2; look++) {
        scoped_dir DIR *folder = opendir(path);
        if (!folder)
            return error_set(err, ERROR_NOT_FOUND, "there is no process %d", pid);
        for (struct dirent *entry; (entry = readdir(folder));) {
            uint64_t tid;
            if (view_u64(view_of(entry->d_name), 10, &tid) && !exit_watch_follow(watch, (uint32_t)tid, err))
                return false;
        }
    }
    return true;
}

static bool processes_follow(const struct live *live, struct exit_watch *watch, struct error *err)
{
    for (size_t at = 0; live->follows && at < live->processes.count; at++)
        if (!process_follow(watch, live->processes.items[at].pid, err))
            return false;
    return true;
}

/* ---- names of vCPUs ---- */

static void vcpus_name(struct live *live, struct exits *exits)
{
    size_t unknown = 0;
    for (size_t at = 0; at < exits->thread_count; at++) {
        struct exit_thread *thread = &exits->threads[at];
        char comm[64];
        if (thread->vcpu < 0 && !live->renumbered &&
            sysroot_line(live->context->root, comm, sizeof(comm), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm",
                         thread->pid ? thread->pid : thread->tid, thread->tid))
            thread->vcpu = vcpu_number_of(comm);
        unknown += thread->vcpu < 0;
    }
    if (unknown && live->options->vcpu)
        exits_note(&live->notes, "the vCPU's number of %zu threads isn't known: they are left out", unknown);
}

/* ---- waiting ---- */

static bool is_over(struct live *live, uint64_t until_ns)
{
    return workload_stop_requested() || clock_ns(CLOCK_MONOTONIC) >= until_ns ||
           (live->has_workload && live->workload.reaped) || exits_processes_ended(&live->processes);
}

/* Until then, or the program's or the monitors' end, or the user's stop. */
static void wait_until(struct live *live, uint64_t until_ns)
{
    while (!is_over(live, until_ns)) {
        uint64_t left_ns = until_ns - clock_ns(CLOCK_MONOTONIC);
        int64_t pause_ns = left_ns < (uint64_t)LOOK_MS * 1000000 ? (int64_t)left_ns : (int64_t)LOOK_MS * 1000000;
        if (live->has_workload) {
            (void)workload_wait(&live->workload, pause_ns);
        } else {
            struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
            nanosleep(&pause, NULL);
        }
    }
}

static bool begin(struct live *live, struct error *err)
{
    /* Everybody's exits are counted from the moment on that the programs are there. */
    live->begun_ns = live->begun_ns ? live->begun_ns : clock_ns(CLOCK_MONOTONIC);
    if (!live->has_workload)
        return true;
    if (workload_release(&live->workload, err))
        return true;
    live->context->exit_code = workload_exec_exit_code(err);
    return false;
}

static uint64_t end_ns(const struct live *live)
{
    double seconds = live->options->seconds;
    return seconds > 0 ? live->begun_ns + (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

static struct exit_report report_of(const struct live *live)
{
    const char *heading = !live->follows ? "all guests of this host"
                          : live->has_workload
                              ? live->command[0]
                              : arena_printf((struct arena *)&live->arena, "process %s", live->options->processes);
    return (struct exit_report){.heading = heading,
                                .method = live->method,
                                .at_s = -1,
                                .separator = live->options->separator,
                                .verbose = live->options->verbose > 0,
                                .notes = live->notes.items,
                                .note_count = live->notes.count,
                                .intervals = live->options->interval_ms > 0,
                                .machines = live->machines,
                                .machine_count = live->machine_count};
}

static void statistics_read(struct live *live, struct exits_statistics *statistics)
{
    exits_statistics_read(statistics, live->follows ? &live->processes : NULL, live->context->root, &live->arena);
}

static void statistics_say(struct live *live)
{
    struct exits_statistics now;
    statistics_read(live, &now);
    live->machine_count = exits_statistics_since(&live->statistics, &now, &live->machines, &live->notes);
}

static bool whole_show(struct live *live, struct exits *exits, struct error *err)
{
    struct exit_table_options table_options = exits_table_options(live->options, live->symbols);
    table_options.seconds = exits->seconds;
    exits_words_here(exits, live->context->root);
    vcpus_name(live, exits);
    statistics_say(live);
    struct exit_report report = report_of(live);
    return exits_show(live->context, live->options, exits, &table_options, &report, err);
}

/* ---- programs in the kernel ---- */

static const char *bpf_method(struct live *live, const struct exit_watch *watch)
{
    scoped_text struct text text = {0};
    static const char *const words[] = {[EXIT_RAW] = "raw tracepoints ", [EXIT_TRACEPOINT] = "tracepoints "};
    text_add(&text, "added up in the kernel (BPF), on ");
    bool said = false;
    for (enum exit_attachment kind = EXIT_RAW; kind <= EXIT_TRACEPOINT; kind++) {
        bool any = false;
        for (size_t at = 0; at < EXIT_POINT_COUNT; at++) {
            if (watch->attachments[at] != kind)
                continue;
            text_printf(&text, "%s%s", any ? ", " : said ? "; " : "", any ? "" : words[kind]);
            text_add(&text, exit_points[at].name);
            any = said = true;
        }
    }
    return arena_string(&live->arena, text_string(&text));
}

/* What came since the last look. */
static bool interval_show(struct live *live, const struct exits *now, const struct exits *before, uint64_t last_ns,
                          uint64_t at_ns, struct error *err)
{
    struct exits part;
    exits_init(&part);
    exits_copy(&part, now);
    exits_subtract(&part, before);
    exits_words_here(&part, live->context->root);
    vcpus_name(live, &part);
    struct exit_table_options table_options = exits_table_options(live->options, live->symbols);
    table_options.seconds = (double)(at_ns - last_ns) * 1e-9;
    table_options.interval = true;
    struct exit_report report = report_of(live);
    report.at_s = (double)(at_ns - live->begun_ns) * 1e-9;
    bool good = exits_show(live->context, live->options, &part, &table_options, &report, err);
    exits_done(&part);
    return good;
}

/* Each look is read once, so that the intervals add up to the whole, which is the last look. */
static bool intervals_run(struct live *live, const struct exit_watch *watch, struct exits *whole, struct error *err)
{
    uint64_t last_ns = live->begun_ns, step_ns = live->options->interval_ms * 1000000, next_ns = last_ns + step_ns;
    bool good = true;
    while (good && !is_over(live, end_ns(live))) {
        struct exits now;
        wait_until(live, next_ns < end_ns(live) ? next_ns : end_ns(live));
        uint64_t at_ns = clock_ns(CLOCK_MONOTONIC);
        exits_init(&now);
        exits_take(&now, watch);
        now.seconds = (double)(at_ns - live->begun_ns) * 1e-9;
        good = interval_show(live, &now, whole, last_ns, at_ns, err);
        exits_done(whole);
        *whole = now;
        last_ns = at_ns;
        next_ns += step_ns;
    }
    return good;
}

static bool bpf_watch(struct live *live, struct exit_watch *watch, struct error *err)
{
    struct exits exits;
    live->method = bpf_method(live, watch);
    live->begun_ns = live->follows ? 0 : clock_ns(CLOCK_MONOTONIC);
    if (watch->absent[0])
        exits_note(&live->notes,
                   sysroot_tracefs(live->context->root) ? "this kernel has not, or has other fields in: %s"
                                                        : "not watched, as tracefs is not mounted or not readable by "
                                                          "you (mount -t tracefs nodev /sys/kernel/tracing): %s",
                   watch->absent);
    if (!processes_follow(live, watch, err))
        return false;
    if (!live->begun_ns && !live->has_workload)
        live->begun_ns = clock_ns(CLOCK_MONOTONIC);
    /* takes a while where there are many machines: they are watched already */
    statistics_read(live, &live->statistics);
    if (!begin(live, err))
        return false;
    exits_init(&exits);
    bool good = !live->options->interval_ms || intervals_run(live, watch, &exits, err);
    if (good && !live->options->interval_ms) {
        wait_until(live, end_ns(live));
        exits.seconds = (double)(clock_ns(CLOCK_MONOTONIC) - live->begun_ns) * 1e-9;
        exits_take(&exits, watch);
    }
    good = good && whole_show(live, &exits, err);
    exits_done(&exits);
    return good;
}

static bool bpf_run(struct live *live, bool no_raw, bool *ret_opened, struct error *err)
{
    struct exit_watch watch;
    struct exit_watch_request request = {.points = exit_points,
                                         .only_followed = live->follows,
                                         .times = true,
                                         .objects = true,
                                         .rips = live->options->instructions,
                                         .no_raw = no_raw,
                                         .vcpus = live->options->vcpus};
    *ret_opened = false;
    if (live->renumbered && live->follows) {
        error_set(err, ERROR_UNSUPPORTED,
                  "we are in a PID namespace (a container), where processes have other numbers than programs in the "
                  "kernel see");
        return error_hint(err, "watch all guests (-a), run it on the host, or leave --method away");
    }
    points_choose(live, request.wanted);
    *ret_opened = exit_watch_open(&watch, &request, live->context->kernel, live->context->root, err);
    if (!*ret_opened)
        return false;
    bool good = bpf_watch(live, &watch, err);
    exit_watch_close(&watch);
    return good;
}

/* ---- records and numbers, where there is no BPF ---- */

/* "kvm:kvm_exit,kvm:kvm_entry,…": of those that are wanted, the ones that this kernel has. */
static bool events_name(const struct live *live, bool with_entries, struct text *names, struct error *err)
{
    bool wanted[EXIT_POINT_COUNT];
    const char *tracefs = sysroot_tracefs(live->context->root);
    points_choose(live, wanted);
    for (size_t at = 0; tracefs && at < EXIT_POINT_COUNT; at++) {
        bool is_entry = at == EXIT_POINT_ENTRY || at == EXIT_POINT_RUN;
        if (wanted[at] && (with_entries || !is_entry) &&
            sysroot_exists(live->context->root, "%s/events/%s/%s/format", tracefs, exit_points[at].system,
                           exit_points[at].name))
            text_printf(names, "%s%s:%s", names->length ? "," : "", exit_points[at].system, exit_points[at].name);
    }
    if (names->length)
        return true;
    error_set(err, ERROR_UNSUPPORTED, "this kernel has none of kvm's tracepoints%s",
              tracefs ? "" : " that can be seen: tracefs is not mounted, or not readable by you");
    return error_hint(err, "a host with KVM has them; as root: mount -t tracefs nodev /sys/kernel/tracing");
}

static bool target_choose(struct live *live, struct target *target, struct error *err)
{
    struct target_request request = {.processes = live->options->processes, .all_cpus = !live->follows};
    if (live->has_workload && live->follows) {
        target_of_workload(target, live->workload.pid, &live->arena);
        return true;
    }
    return target_resolve(target, &request, live->context->root, &live->arena, err);
}

/* The file has no name any more once it is read. */
static bool records_read(struct live *live, const char *path, const struct recorder_result *result, struct error *err)
{
    struct exits exits;
    struct exits_input input = {0};
    exits_init(&exits);
    double seconds = (double)(live->ended_ns - live->begun_ns) * 1e-9;
    bool good = exits_read_recording(&exits, &input, path, err);
    if (good) {
        exits.seconds = seconds;
        exits.lost = result->lost_samples > exits.lost ? result->lost_samples : exits.lost;
        if (input.broken_off[0])
            exits_note(&live->notes, "the recording breaks off: %s: what comes behind is missing", input.broken_off);
        if (input.broken)
            exits_note(&live->notes, "%" PRIu64 " events end before their fields do: they were left out", input.broken);
        good = whole_show(live, &exits, err);
    }
    exits_done(&exits);
    return good;
}

static bool records_gather(struct live *live, const struct event_list *list, const char *path, struct error *err)
{
    struct target target = {0};
    struct recorder *recorder = NULL;
    struct recorder_result result = {0};
    struct recorder_event *events = arena_array(&live->arena, struct recorder_event, list->count + 1);
    char *const words[] = {(char *)"plumb", (char *)"exits", NULL};
    for (size_t at = 0; at < list->count; at++) {
        events[at] = recorder_event_of(&list->items[at]);
        events[at].period = 1;
        if (strstr(list->items[at].name, exit_points[EXIT_POINT_RUN].name))
            events[at].filter = "cmd == 0xae80";
    }
    if (!target_choose(live, &target, err))
        return false;
    statistics_read(live, &live->statistics);
    struct recorder_request request = {.events = events,
                                       .event_count = list->count,
                                       .target = &target,
                                       .output = path,
                                       .command_line = words,
                                       .no_build_ids = true,
                                       .no_bpf_programs = true,
                                       .clock_id = RECORDER_NO_CLOCK,
                                       .pipe_fd = -1,
                                       .wake_fd = -1,
                                       .delayed = true};
    bool good = recorder_open(&recorder, &request, live->context->kernel, live->context->root, err) &&
                recorder_enable(recorder, err) && begin(live, err);
    while (good && !is_over(live, end_ns(live))) {
        good = recorder_poll(recorder, LOOK_MS, err);
        wait_until(live, clock_ns(CLOCK_MONOTONIC)); /* the program may have ended */
        if (live->has_workload)
            (void)workload_wait(&live->workload, 0);
    }
    live->ended_ns = clock_ns(CLOCK_MONOTONIC);
    if (recorder)
        good = recorder_finish(recorder, &result, good ? err : NULL) && good;
    recorder_free(recorder);
    target_done(&target);
    return good && records_read(live, path, &result, err);
}

static bool numbers_show(struct live *live, struct counters *counters, struct error *err)
{
    struct exits exits;
    exits_init(&exits);
    exits.seconds = (double)(clock_ns(CLOCK_MONOTONIC) - live->begun_ns) * 1e-9;
    uint32_t name = strings_intern(&exits.strings, "all, reasons not counted"), thread = exits_thread(&exits, 0, 0);
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        struct view point_name = view_of(counter->spec->name);
        view_cut(&point_name, ':');
        enum exit_point point = exit_point_of(point_name);
        if (point == EXIT_POINT_COUNT || counter->refusal != REFUSAL_NONE)
            continue;
        exits.watches[point] = true;
        struct exit_tally *tally = exits_tally(&exits, point, EXIT_ISA_NONE, UINT64_MAX, name, thread);
        for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
            tally->count += counter->values[cell].valid ? counter->values[cell].value : 0;
        exits.fires_exit |= point == EXIT_POINT_EXIT && tally->count;
    }
    exits_note(&live->notes, "counters know neither reasons nor times nor vCPUs: BPF and records do");
    bool good = whole_show(live, &exits, err);
    exits_done(&exits);
    return good;
}

static bool numbers_gather(struct live *live, const struct event_list *list, struct error *err)
{
    struct target target = {0};
    struct counters counters = {.kernel = live->context->kernel};
    if (!target_choose(live, &target, err))
        return false;
    statistics_read(live, &live->statistics);
    struct counter_request request = {.events = list, .target = &target, .inherit = true, .starts_later = true};
    bool good = counters_open(&counters, &request, live->context->kernel, live->context->root, &live->arena, err);
    if (good && !counters_open_count(&counters)) {
        counter_refusal_explain(&counters.items[0], live->context->root, err);
        good = false;
    }
    if (good) {
        counters_enable(&counters);
        good = begin(live, err);
    }
    if (good) {
        wait_until(live, end_ns(live));
        counters_disable(&counters);
        counters_read(&counters);
        good = numbers_show(live, &counters, err);
    }
    counters_close(&counters);
    target_done(&target);
    return good;
}

static bool without_bpf_run(struct live *live, enum way way, struct error *err)
{
    scoped_text struct text names = {0};
    struct event_list list = {0};
    if (live->options->interval_ms)
        return error_set(err, ERROR_UNSUPPORTED, "-I needs programs in the kernel (BPF)");
    if (!events_name(live, way == WAY_PERF, &names, err) ||
        !event_list_parse(&list, text_string(&names), live->context->root, &live->arena, err))
        return false;
    bool good;
    if (way == WAY_PERF) {
        char path[] = "/tmp/plumb-exits-XXXXXX";
        scoped_fd int fd = mkstemp(path);
        live->method = "from records of tracepoints (perf events), each an event of its own";
        good = fd >= 0 ? records_gather(live, &list, path, err) : error_system(err, errno, "can't make a file in /tmp");
        if (fd >= 0)
            unlink(path);
    } else {
        live->method = "counted by tracepoint (perf events) alone";
        good = numbers_gather(live, &list, err);
    }
    event_list_done(&list);
    return good;
}

/* ---- the command ---- */

static bool way_parse(const char *text, enum way *ret_way, struct error *err)
{
    *ret_way = WAY_ANY;
    for (size_t at = 1; text && at < array_count(way_names); at++)
        if (strcmp(text, way_names[at]) == 0)
            *ret_way = (enum way)at;
    return !text || *ret_way != WAY_ANY ||
           error_set(err, ERROR_USAGE, "--method is one of bpf, tracepoint, perf and count, not '%s'", text);
}

static bool ways_run(struct live *live, enum way way, struct error *err)
{
    bool opened = false;
    if (way == WAY_PERF || way == WAY_COUNT)
        return without_bpf_run(live, way, err);
    if (bpf_run(live, way == WAY_TRACEPOINT, &opened, err))
        return true;
    if (opened || way != WAY_ANY || err->kind == ERROR_USAGE)
        return false;
    /* Each next way needs less; the last one's refusal is what the user must know. */
    exits_note(&live->notes, "nothing is added up in the kernel, because %s", err->message);
    if (without_bpf_run(live, WAY_PERF, err))
        return true;
    if (live->begun_ns)
        return false;
    exits_note(&live->notes, "nothing is recorded either, because %s", err->message);
    return without_bpf_run(live, WAY_COUNT, err);
}

/* A wrong process number would look like a guest that never leaves. */
static void machines_note(struct live *live)
{
    for (size_t at = 0; at < live->processes.count; at++)
        if (!kvm_process_has_machine(live->context->root, live->processes.items[at].pid))
            exits_note(&live->notes,
                       "process %d had no virtual machine of KVM's when watching began: what is shown is of those that "
                       "it makes later",
                       (int)live->processes.items[at].pid);
}

static bool live_run(struct live *live, struct error *err)
{
    enum way way;
    if (!way_parse(live->options->method, &way, err) ||
        !exits_processes_open(&live->processes, live->options->processes, err))
        return false;
    kvm_look(live);
    machines_note(live);
    live->renumbered = exits_processes_are_renumbered(live->context->root);
    if (live->renumbered && !live->follows)
        exits_note(&live->notes,
                   "we are in a PID namespace (a container): the numbers of processes and threads may be the host's");
    if (live->command[0]) {
        if (!workload_start(&live->workload, live->command, err))
            return false;
        live->has_workload = true;
        if (live->follows)
            exits_processes_add(&live->processes, live->workload.pid);
    }
    workload_forward_signals(live->has_workload ? &live->workload : NULL);
    bool good = ways_run(live, way, err);
    if (live->has_workload) {
        if (good) {
            (void)workload_wait(&live->workload, -1);
            live->context->exit_code = workload_exit_code(&live->workload);
        }
        workload_done(&live->workload);
    }
    workload_forward_signals(NULL);
    return good;
}

bool exits_live(struct context *context, const struct exits_options *options, const struct guest_symbols *symbols,
                char **command, struct error *err)
{
    struct live live = {.context = context, .options = options, .symbols = symbols, .command = command,
                        .follows = options->processes || (command[0] && !options->all)};
    arena_init(&live.arena);
    live.notes.arena = &live.arena;
    bool good = live_run(&live, err);
    vec_done(&live.notes);
    exits_processes_done(&live.processes);
    arena_done(&live.arena);
    return good;
}
