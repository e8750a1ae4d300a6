/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb record: sample a program, processes, CPUs or a cgroup into a perf.data file. */
#include "base/clock.h"
#include "command/command_table.h"
#include "command/record/record_options.h"
#include "command/record/record_summary.h"

#include "base/scope.h"
#include "capture/control.h"
#include "source/live/guarded_program.h"
#include "source/live/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define ENDLESS      INT64_MAX
#define END_GRACE_NS 2000000000 /* after SIGTERM */

enum {
    POLL_MS = 40, /* code made at run time is copied as often: it may be gone soon */
    STOP_GRACE_MS = 1000 /* after Ctrl-C: how long the program may take to end while still recorded */
};

/* A run of the command. */
struct recording_run {
    struct context *context;
    struct record_options options;
    struct arena arena;
    struct record_choice choice;
    struct workload workload;
    bool has_workload;
    const char *program; /* started, or NULL */
    struct recorder_request request;
    struct recorder *recorder;
    struct control control;
    size_t notes_said;
    int64_t deadline_ns, enable_at_ns, stop_at_ns;
    bool ended_here; /* by us, as asked: not by the program or its user */
    int pipe_fd;
};

__attribute__((format(printf, 2, 3))) static void say(const struct recording_run *run, const char *format, ...)
{
    va_list args;
    if (run->options.quiet)
        return;
    fputs("plumb record: ", run->context->talk);
    va_start(args, format);
    vfprintf(run->context->talk, format, args);
    va_end(args);
    fputc('\n', run->context->talk);
}

/* The recording goes where stdout goes; whatever else would be written there goes to stderr. */
static bool claim_stdout(struct recording_run *run, struct error *err)
{
    if (strcmp(run->request.output, "-") != 0)
        return true;
    if (isatty(STDOUT_FILENO))
        return error_set(err, ERROR_USAGE, "a recording isn't text: -o - needs a pipe or a file behind it");
    run->pipe_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (run->pipe_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return error_system(err, errno, "can't write to the standard output");
    run->request.pipe_fd = run->pipe_fd;
    return true;
}

/* Orders from --control. */

static bool switch_events(struct recording_run *run, const struct control_order *order, struct error *err)
{
    bool on = order->command == CONTROL_ENABLE;
    struct error refused = {0};
    run->enable_at_ns = ENDLESS; /* it was said otherwise */
    if (recorder_switch(run->recorder, order->event, on, &refused)) {
        say(run, "%s %s", order->event ? order->event : "events", on ? "enabled" : "disabled");
        control_acknowledge(&run->control);
        return true;
    }
    if (refused.kind != ERROR_NOT_FOUND) {
        *err = refused;
        return false;
    }
    say(run, "--control: %s", refused.message);
    return true;
}

static bool obey(struct recording_run *run, const struct control_order *order, struct error *err)
{
    switch (order->command) {
    case CONTROL_ENABLE:
    case CONTROL_DISABLE:
        return switch_events(run, order, err);
    case CONTROL_STOP:
        run->ended_here = true;
        break;
    case CONTROL_EVENTS:
        vec_for_each(&run->choice.events, event)
            fprintf(run->context->talk, "%s\n", event->name);
        break;
    case CONTROL_PING:
        break;
    case CONTROL_UNKNOWN:
        say(run, "--control: '%s' is none of " CONTROL_WORDS, order->line);
        return true;
    }
    control_acknowledge(&run->control);
    return true;
}

static bool obey_all(struct recording_run *run, struct error *err)
{
    struct control_order order;
    while (control_next(&run->control, &order))
        if (!obey(run, &order, err))
            return false;
    recorder_watch(run->recorder, run->control.command_fd);
    return true;
}

/* When it starts and ends. */

static void set_times(struct recording_run *run)
{
    const struct record_options *options = &run->options;
    int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC), delay_ms = run->choice.delay_ms;
    double ms = options->duration_seconds * 1000 + (double)options->timeout_ms;
    run->deadline_ns = ms > 0 ? now + (int64_t)(ms * 1e6) : ENDLESS;
    run->enable_at_ns = delay_ms && delay_ms != RECORD_DELAY_ENDLESS ? now + delay_ms * 1000000 : ENDLESS;
    run->stop_at_ns = ENDLESS;
}

static int poll_ms(const struct recording_run *run)
{
    int64_t until = run->deadline_ns < run->enable_at_ns ? run->deadline_ns : run->enable_at_ns;
    until = until < run->stop_at_ns ? until : run->stop_at_ns;
    int64_t left_ms = until == ENDLESS ? POLL_MS : (until - (int64_t)clock_ns(CLOCK_MONOTONIC)) / 1000000 + 1;
    return left_ms < 0 ? 0 : left_ms > POLL_MS ? POLL_MS : (int)left_ms;
}

/* The program is asked only when its descriptor says so: a small ring brings us here ten thousand times a second. */
static bool target_ended(struct recording_run *run)
{
    if (!run->has_workload)
        return recorder_target_ended(run->recorder);
    return (run->request.wake_fd < 0 || recorder_woken(run->recorder)) && workload_wait(&run->workload, 0);
}

/* Whether the time, the size or the user's patience is at its end. */
static bool is_over(struct recording_run *run, int64_t now)
{
    uint64_t limit = run->choice.size_limit_bytes;
    if (limit && recorder_bytes(run->recorder) >= limit) {
        say(run, "--max-size %s is reached", run->options.size_limit);
        run->ended_here = true;
    }
    run->ended_here |= now >= run->deadline_ns;
    if (workload_stop_requested() && run->stop_at_ns == ENDLESS)
        run->stop_at_ns = run->has_workload ? now + (int64_t)STOP_GRACE_MS * 1000000 : now;
    return run->ended_here || now >= run->stop_at_ns;
}

static void say_notes(struct recording_run *run)
{
    for (; run->notes_said < recorder_note_count(run->recorder); run->notes_said++)
        say(run, "%s", recorder_note(run->recorder, run->notes_said));
}

/* Record until the program or target ends, the time is over, or the user stops it. */
static bool record_on(struct recording_run *run, struct error *err)
{
    for (;;) {
        if (target_ended(run))
            return true;
        int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC);
        if (is_over(run, now))
            return true;
        if (now >= run->enable_at_ns) {
            run->enable_at_ns = ENDLESS;
            if (!recorder_enable(run->recorder, err))
                return false;
        }
        if (!recorder_poll(run->recorder, poll_ms(run), err) || !obey_all(run, err))
            return false;
        say_notes(run);
    }
}

/* A program that outlives its recording is asked to end, as its user asked us; one that won't is left alone. */
static void end_workload(struct recording_run *run)
{
    if (!run->has_workload || workload_wait(&run->workload, 0))
        return;
    kill(run->workload.pid, SIGTERM);
    if (workload_wait(&run->workload, END_GRACE_NS))
        return;
    say(run, "the program (pid %d) goes on: it didn't end when asked to", (int)run->workload.pid);
}

static int exit_code_of(const struct recording_run *run)
{
    if (!run->has_workload || !run->workload.reaped || run->ended_here)
        return EXIT_CODE_OK;
    return workload_exit_code(&run->workload);
}

static void say_result(const struct recording_run *run, const struct recorder_result *result, bool complete)
{
    struct record_summary summary = {
        .talk = run->context->talk, .output = run->request.output, .quiet = run->options.quiet,
        .program = run->program};
    if (run->program && run->request.target->kind == TARGET_WORKLOAD) /* CPUs are sampled whoever runs on them */
        summary.guarded = guarded_program_why(run->program);
    struct unwound_share share;
    struct error reason = {0};
    if (result->stack_dumps && !summary.quiet) {
        if (record_unwinding_share(run->recorder, run->context, &share, &reason))
            summary.unwound = &share;
        else
            summary.not_unwound = reason.message;
    }
    record_summary_say(&summary, result, complete);
}

static bool finish(struct recording_run *run, bool recorded, struct error *err)
{
    struct recorder_result result;
    struct error finish_error = {0};
    bool finished = recorder_finish(run->recorder, &result, &finish_error);
    end_workload(run);
    say_notes(run);
    say_result(run, &result, recorded && finished);
    run->context->exit_code = exit_code_of(run);
    if (recorded && !finished)
        *err = finish_error;
    if (recorded && finished)
        return true;
    run->context->exit_code = EXIT_CODE_FAILED;
    return false;
}

static bool start_program(struct recording_run *run, char **argv, struct error *err)
{
    if (!argv[0])
        return true;
    if (!workload_start(&run->workload, argv, err))
        return false;
    run->has_workload = true;
    run->request.wake_fd = run->workload.pid_fd;
    return true;
}

static bool release_program(struct recording_run *run, struct error *err)
{
    if (!run->has_workload || workload_release(&run->workload, err))
        return true;
    run->context->exit_code = workload_exec_exit_code(err);
    recorder_discard(run->recorder);
    return false;
}

/* After the fork: the program keeps the signals it was given. */
static void take_signals(void)
{
    /* Writing then fails with an errno instead. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* A shell starts background jobs with SIGINT ignored; `kill -INT` is how scripts end a recording all the same. */
    signal(SIGINT, SIG_DFL);
}

static bool take_priority(const struct recording_run *run, struct error *err)
{
    struct sched_param priority = {.sched_priority = (int)run->options.priority};
    if (!run->options.priority || sched_setscheduler(0, SCHED_FIFO, &priority) == 0)
        return true;
    error_system(err, errno, "-r %d: can't take this realtime priority", priority.sched_priority);
    return error_hint(err, "it needs root, CAP_SYS_NICE or ulimit -r");
}

static void say_opened(const struct recording_run *run)
{
    if (!run->options.verbosity)
        return;
    vec_for_each(&run->choice.events, event)
        fprintf(run->context->talk, "plumb record: event '%s', type %u, config 0x%llx, %s %llu\n", event->name,
                event->attr.type, (unsigned long long)event->attr.config, event->frequency ? "frequency" : "period",
                (unsigned long long)(event->frequency ? event->frequency : event->period));
}

static bool open_recorder(struct recording_run *run, struct error *err)
{
    run->request.events = run->choice.events.items;
    run->request.event_count = run->choice.events.count;
    if (!run->choice.target_given)
        target_of_workload(&run->choice.target, run->workload.pid, &run->arena);
    say_opened(run);
    if (!recorder_open(&run->recorder, &run->request, run->context->kernel, run->context->root, err))
        return false;
    recorder_watch(run->recorder, run->control.command_fd);
    say_notes(run);
    return true;
}

static bool run_recording(struct recording_run *run, char **argv, struct error *err)
{
    run->program = argv[0];
    if (!claim_stdout(run, err) || !start_program(run, argv, err))
        return false;
    take_signals();
    if (!take_priority(run, err) || !open_recorder(run, err))
        return false;
    workload_forward_signals(run->has_workload ? &run->workload : NULL);
    if (!release_program(run, err))
        return false;
    set_times(run);
    bool starts_here = run->choice.target_given && !run->request.delayed;
    bool recorded = (!starts_here || recorder_enable(run->recorder, err)) && record_on(run, err);
    return finish(run, recorded, err);
}

static void run_done(struct recording_run *run)
{
    recorder_free(run->recorder);
    if (run->has_workload)
        workload_done(&run->workload);
    control_done(&run->control);
    record_choice_done(&run->choice);
    options_done(record_rows, &run->options);
    arena_done(&run->arena);
    scope_close(&run->pipe_fd);
}

static char **copy_command_line(struct arena *arena, int argc, char **argv)
{
    char **copy = arena_array(arena, char *, (size_t)argc + 2);
    copy[0] = arena_string(arena, "plumb");
    memcpy(copy + 1, argv, (size_t)argc * sizeof(argv[0]));
    return copy;
}

static void say_stopped(const struct recording_run *run)
{
    char name[100];
    for (size_t from = 0; target_stopped_next(&run->choice.target, run->context->root, &from, name, sizeof(name));)
        say(run,
            "process %s is stopped (SIGSTOP, or a debugger): there is nothing to sample until it goes on (kill -CONT "
            "PID)",
            name);
}

static bool choose(struct recording_run *run, bool has_program, struct error *err)
{
    if (!record_choose(&run->options, run->context, &run->arena, &run->choice, &run->request, err))
        return false;
    if (!run->choice.target_given && !has_program) {
        error_set(err, ERROR_USAGE, "nothing to record");
        return error_hint(err, "plumb record [options] -- command, or -p PID, -a, -C CPUS, --cgroup PATH");
    }
    if (!record_choose_events(&run->options, run->context, &run->arena, &run->choice, err) ||
        !control_open(&run->control, run->options.control, err))
        return false;
    vec_for_each(&run->choice.notes, note)
        say(run, "%s", *note);
    say_stopped(run);
    return true;
}

static bool record_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct recording_run run = {.context = context,
                                .choice.target.cgroup_fd = -1,
                                .control = {.command_fd = -1, .acknowledge_fd = -1},
                                .pipe_fd = -1};
    int operand = argc;
    arena_init(&run.arena);
    char **command_line = copy_command_line(&run.arena, argc, argv);
    bool good = options_parse(record_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &run.options, &operand, err) &&
                choose(&run, operand < argc, err);
    run.request.command_line = command_line;
    good = good && run_recording(&run, argv + (operand < argc ? operand : argc), err);
    run_done(&run);
    return good;
}

const struct command command_record = {
    .name = "record",
    .summary = "sample a program, process or machine into a perf.data file",
    .usage = "plumb record [options] [--] command [arguments]\n       plumb record [options] -p PID | -t TID | -u USER "
             "| -a | -C CPUS | --cgroup PATH [-- command]",
    .options = record_rows,
    .run = record_run,
};
