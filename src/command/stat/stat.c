/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb stat: count events of a program, processes, threads, CPUs or cgroups; perf stat's options and layouts. */
#include "command/stat/stat.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMBER(name) offsetof(struct stat_options, name)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to count"},
    {'e', "event", OPTION_TEXTS, MEMBER(events), "EVENT[,EVENT]", "events, groups {a,b}; again for more (plumb list)"},
    {0, "tables", OPTION_TEXT, MEMBER(tables), "FOLDER",
     "take vendors' event names from published JSON tables instead of plumb's own"},
    {'d', "detailed", OPTION_COUNT, MEMBER(detailed), NULL, "cache events too; -dd, -ddd: more of them"},
    {'M', "metrics", OPTION_TEXTS, MEMBER(metrics), "NAME[,NAME]",
     "metrics and groups of them, by perf's names or the tables' (plumb list --metrics)"},
    {0, "topdown", OPTION_FLAG, MEMBER(topdown), NULL,
     "the top-down tree's first level, in columns without the counts; plumb topdown says more"},
    {0, "td-level", OPTION_U64, MEMBER(topdown_level), "N", "with --topdown: that level instead"},
    {0, "all-user", OPTION_FLAG, MEMBER(all_user), NULL, "user code only, for every event"},
    {0, "all-kernel", OPTION_FLAG, MEMBER(all_kernel), NULL, "the kernel only, for every event"},
    {'n', "null", OPTION_FLAG, MEMBER(null_run), NULL, "count nothing: only times"},
    {0, NULL, OPTION_HEADING, 0, NULL, "of whom"},
    {'a', "all-cpus", OPTION_FLAG, MEMBER(all_cpus), NULL, "everything on every CPU"},
    {'C', "cpu", OPTION_LIST, MEMBER(cpus), "LIST", "everything on these CPUs"},
    {'p', "pid", OPTION_LIST, MEMBER(processes), "PID[,PID]", "these processes, all their threads"},
    {'t', "tid", OPTION_LIST, MEMBER(threads), "TID[,TID]", "these threads"},
    {'G', "cgroup", OPTION_LIST, MEMBER(cgroups), "PATH[,PATH]", "a cgroup: one for all events, or one for each"},
    {0, "for-each-cgroup", OPTION_LIST, MEMBER(each_cgroup), "PATH[,PATH]", "all events for each of these cgroups"},
    {'i', "no-inherit", OPTION_FLAG, MEMBER(no_inherit), NULL, "leave out threads and children started later"},
    {0, NULL, OPTION_HEADING, 0, NULL, "when"},
    {'I', "interval-print", OPTION_U64, MEMBER(interval_ms), "MS", "print what was counted in each interval"},
    {0, "interval-count", OPTION_U64, MEMBER(interval_count), "N", "stop printing after N intervals"},
    {0, "interval-clear", OPTION_FLAG, MEMBER(interval_clear), NULL, "clear the terminal before each interval"},
    {0, "timeout", OPTION_U64, MEMBER(timeout_ms), "MS", "stop after this time"},
    {'D', "delay", OPTION_TEXT, MEMBER(delay), "MS", "start counting later; -1: when --control says so"},
    {0, "control", OPTION_TEXT, MEMBER(control), "fifo:CTL[,ACK]|fd:CTL[,ACK]",
     "enable, disable, stop, ping, evlist from there"},
    {'r', "repeat", OPTION_U64, MEMBER(repeat), "N", "run N times: mean and its error; 0: until stopped"},
    {0, "table", OPTION_FLAG, MEMBER(table), NULL, "with -r: each run's time"},
    {0, "pre", OPTION_TEXT, MEMBER(before), "COMMAND", "shell command before each run"},
    {0, "post", OPTION_TEXT, MEMBER(after), "COMMAND", "shell command after each run"},
    {'S', "sync", OPTION_FLAG, MEMBER(sync), NULL, "call sync() before each run"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how it is summed"},
    {'A', "no-aggr", OPTION_FLAG, MEMBER(no_aggregation), NULL, "per CPU"},
    {0, "per-core", OPTION_FLAG, MEMBER(per_core), NULL, "per core"},
    {0, "per-die", OPTION_FLAG, MEMBER(per_die), NULL, "per die"},
    {0, "per-socket", OPTION_FLAG, MEMBER(per_socket), NULL, "per socket"},
    {0, "per-node", OPTION_FLAG, MEMBER(per_node), NULL, "per NUMA node"},
    {0, "per-thread", OPTION_FLAG, MEMBER(per_thread), NULL, "per thread (with -p, -t or -a)"},
    {0, "no-merge", OPTION_FLAG, MEMBER(no_merge), NULL, "don't sum an event that several PMUs count"},
    {'c', "scale", OPTION_FLAG, MEMBER(scale), NULL, "scale what was multiplexed (the default); --no-scale: don't"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'x', "field-separator", OPTION_TEXT, MEMBER(separator), "SEP", "fields with this between them"},
    {'j', "json-output", OPTION_FLAG, MEMBER(json), NULL, "a JSON object per line"},
    {'o', "output", OPTION_TEXT, MEMBER(output), "FILE", "there instead of to standard error"},
    {0, "append", OPTION_FLAG, MEMBER(append), NULL, "add to that file"},
    {0, "log-fd", OPTION_TEXT, MEMBER(log_fd), "FD", "to this descriptor"},
    {'B', "big-num", OPTION_COUNT, MEMBER(big_num), NULL, "1,234,567 in any locale"},
    {0, "no-big-num", OPTION_FLAG, MEMBER(no_big_num), NULL, "1234567 in any locale"},
    {0, "summary", OPTION_FLAG, MEMBER(summary), NULL, "with -I: the whole as well, at the end"},
    {0, "no-csv-summary", OPTION_FLAG, MEMBER(no_csv_summary), NULL,
     "with -x, -I and --summary: its lines aren't marked"},
    {0, "quiet", OPTION_FLAG, MEMBER(quiet), NULL, "print nothing; only the program's status is passed on"},
    {0, "metric-only", OPTION_FLAG, MEMBER(metric_only), NULL, "metrics and ratios in columns, without the counts"},
    {0, "metric-no-group", OPTION_FLAG, MEMBER(metric_no_group), NULL,
     "count a metric's events each by itself, not in groups"},
    {0, "metric-no-merge", OPTION_FLAG, MEMBER(metric_no_merge), NULL,
     "a group of its own for each metric, shared with no other"},
    {'v', "verbose", OPTION_COUNT, MEMBER(verbose), NULL, "raw counts, and why an event can't be counted"},
    OPTION_ROW_PEER(PEER_STAT),
    {0},
};

/* Options that need each other or exclude each other. */

static bool options_check(const struct stat_options *options, bool has_program, struct error *err)
{
    int groupings = options->no_aggregation + options->per_core + options->per_die + options->per_socket +
                    options->per_node + options->per_thread;
    bool attached = options->processes || options->threads;
    bool by_cpu_grouping = groupings && !options->per_thread;
    if (groupings > 1)
        return error_set(err, ERROR_USAGE, "only one of -A, --per-core, --per-die, --per-socket, --per-node and "
                                           "--per-thread is possible");
    if (by_cpu_grouping && attached)
        return error_set(err, ERROR_USAGE, "sums per CPU, core, die, socket or node need -a or -C, not -p or -t");
    if (options->per_thread && !attached && !options->all_cpus && has_program) {
        error_set(err, ERROR_USAGE, "--per-thread needs threads that exist: -p, -t or -a");
        return false;
    }
    if (options->all_user && options->all_kernel)
        return error_set(err, ERROR_USAGE, "--all-user and --all-kernel exclude each other");
    if (options->interval_clear && !options->interval_ms)
        return error_set(err, ERROR_USAGE, "--interval-clear needs -I");
    if (options->quiet && (options->output || options->log_fd))
        return error_set(err, ERROR_USAGE, "--quiet prints nothing, so that -o and --log-fd have nothing to hold");
    if (options->json && options->separator)
        return error_set(err, ERROR_USAGE, "-j and -x exclude each other");
    if (options->output && options->log_fd)
        return error_set(err, ERROR_USAGE, "-o and --log-fd exclude each other");
    if (options->append && !options->output)
        return error_set(err, ERROR_USAGE, "--append needs -o FILE");
    if (options->table && options->repeat < 2)
        return error_set(err, ERROR_USAGE, "--table needs -r N");
    if (options->repeat != 1 && !has_program)
        return error_set(err, ERROR_USAGE, "-r needs a program to run");
    if (options->interval_count && !options->interval_ms)
        return error_set(err, ERROR_USAGE, "--interval-count needs -I");
    if (options->summary && !options->interval_ms)
        return error_set(err, ERROR_USAGE, "--summary needs -I");
    if (options->topdown_level && !options->topdown)
        return error_set(err, ERROR_USAGE, "--td-level needs --topdown");
    if (options->null_run && (options->metrics.count || options->topdown))
        return error_set(err, ERROR_USAGE, "-n (count nothing) excludes -M and --topdown");
    if (options->null_run && options->events.count)
        return error_set(err, ERROR_USAGE, "-n (count nothing) and -e exclude each other");
    if (options->cgroups && options->each_cgroup)
        return error_set(err, ERROR_USAGE, "-G and --for-each-cgroup exclude each other");
    return true;
}

static bool all_machine_wide(const struct event_list *events)
{
    for (size_t at = 0; at < events->count; at++)
        if (!events->items[at].cpu_count || events->items[at].cpus_are_core)
            return false;
    return events->count > 0;
}

/* Running. */

static bool shell_run(char *command, const char *option, struct error *err)
{
    char shell[] = "/bin/sh", flag[] = "-c";
    char *const argv[] = {shell, flag, command, NULL};
    struct workload workload;
    if (!command)
        return true;
    bool good = workload_start(&workload, argv, err) && workload_release(&workload, err) &&
                workload_wait(&workload, -1);
    if (good && workload_exit_code(&workload) != 0)
        good = error_set(err, ERROR_SYSTEM, "%s '%s' failed (status %d)", option, command,
                         workload_exit_code(&workload));
    workload_done(&workload);
    return good;
}

static bool run_once(struct stat_run *run, struct counting *counting, struct error *err)
{
    if (!shell_run((char *)run->options.before, "--pre", err))
        return false;
    if (run->options.sync)
        sync();
    if (!counting_run(counting, &run->plan, run->context->kernel, run->context->root, err)) {
        if (run->argv && counting->workload.reaped && err->sys_errno)
            run->context->exit_code = workload_exec_exit_code(err);
        return false;
    }
    bool ended_by_us = counting->ended_here && WIFSIGNALED(counting->workload.wait_status);
    if (counting->has_workload && counting->workload.reaped && !ended_by_us)
        run->context->exit_code = workload_exit_code(&counting->workload);
    run->usage = counting->workload.usage;
    count_report_add(&run->report, &counting->total, &run->counts);
    run->run_seconds = memory_resize(run->run_seconds, run->report.run_count * sizeof(double));
    run->run_seconds[run->report.run_count - 1] = (double)counting->elapsed_ns / 1e9;
    return shell_run((char *)run->options.after, "--post", err);
}

/*
 * A run's counters are closed only when the next run's are open: closing the last user of a tracepoint is slow.
 */
static bool runs(struct stat_run *run, struct error *err)
{
    struct counting countings[2] = {0};
    size_t done = 0;
    bool good = true, show = !run->options.interval_ms || run->options.summary;
    for (; good && (run->options.repeat == 0 || done < run->options.repeat); done++) {
        struct counting *counting = &countings[done & 1], *before = &countings[~done & 1];
        good = run_once(run, counting, err);
        if (done > 0)
            counting_done(before);
        if (good && done == 0)
            stat_counters_say(run, &counting->counters);
        if (good && run->options.verbose)
            stat_verbose_say(run, &counting->counters);
        if (good)
            stat_death_say(run, counting);
        if (good && run->options.repeat == 0 && !workload_stop_requested()) {
            good = stat_report_show(run, &counting->total, err);
            count_report_done(&run->report);
        }
        if (!good || workload_stop_requested() || counting->interval_failed) {
            done++;
            break;
        }
    }
    struct counting *last = &countings[(done - 1) & 1];
    if (good && show && run->options.repeat != 0)
        good = stat_report_show(run, &last->total, err);
    counting_done(last);
    return good;
}

static enum count_grouping grouping_of(const struct stat_options *options)
{
    return options->no_aggregation ? COUNT_PER_CPU
           : options->per_core     ? COUNT_PER_CORE
           : options->per_die      ? COUNT_PER_DIE
           : options->per_socket   ? COUNT_PER_SOCKET
           : options->per_node     ? COUNT_PER_NODE
           : options->per_thread   ? COUNT_PER_THREAD
                                   : COUNT_GLOBAL;
}

static void target_prepare(struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    bool attached = options->processes || options->threads;
    run->target = (struct target_request){
        .processes = options->processes, .threads = options->threads, .cpus = options->cpus};
    bool every = options->all_cpus && !options->cpus;
    every |= !attached && !options->cpus && (options->cgroups || options->each_cgroup || !run->argv);
    every |= !attached && !options->cpus && options->no_aggregation; /* per CPU needs CPUs: as if -a */
    every |= !attached && !options->cpus &&
             (options->per_core || options->per_die || options->per_socket || options->per_node);
    run->target.every_thread = every && options->per_thread;
    run->target.all_cpus = every && !options->per_thread;
}

static bool plan_prepare(struct stat_run *run, struct error *err)
{
    const struct stat_options *options = &run->options;
    int64_t delay_ms = 0;
    if (options->delay && (!view_i64(view_of(options->delay), &delay_ms) || delay_ms < -1 || delay_ms > INT32_MAX))
        return error_set(err, ERROR_USAGE, "--delay expects milliseconds or -1, not '%s'", options->delay);
    run->plan = (struct counting_plan){
        .events = &run->events,
        .cgroups = run->cgroups,
        .target = &run->target,
        .argv = run->argv,
        .inherit = !options->no_inherit,
        .keep_pmus_apart = options->no_merge,
        .interval_ns = options->interval_ms * 1000000u,
        .interval_count = options->interval_count,
        .timeout_ns = options->timeout_ms * 1000000u,
        .delay_ns = delay_ms < 0 ? -1 : delay_ms * 1000000,
        .control = run->control.command_fd >= 0 ? &run->control : NULL,
        .interval = stat_window_show,
        .notice = stat_notice_show,
        .context = run,
    };
    run->counts = (struct count_options){.grouping = grouping_of(options),
                                         .topology = &run->topology,
                                         .raw_counts = !options->scale,
                                         .largest_first = run->target.every_thread};
    bool needs_topology = run->counts.grouping >= COUNT_PER_CORE && run->counts.grouping <= COUNT_PER_NODE;
    if (needs_topology)
        topology_read(&run->topology, run->context->root, &run->arena);
    return true;
}

static bool prepare(struct stat_run *run, struct error *err)
{
    if (!options_check(&run->options, run->argv != NULL, err))
        return false;
    target_prepare(run);
    bool by_cpu = run->target.all_cpus || run->target.cpus;
    if (!stat_events_parse(run, by_cpu, err))
        return false;
    if (!by_cpu && !run->target.processes && !run->target.threads && all_machine_wide(&run->events))
        run->target.all_cpus = true;
    stat_style_prepare(run);
    return stat_cgroups_prepare(run, err) && control_open(&run->control, run->options.control, err) &&
           plan_prepare(run, err) && stat_output_open(run, err);
}

static void run_release(struct stat_run *run)
{
    for (size_t at = 0; run->cgroups && at < run->events.count; at++) {
        bool shared = false;
        for (size_t before = 0; before < at; before++)
            shared |= run->cgroups[before].fd == run->cgroups[at].fd;
        if (run->cgroups[at].name && !shared)
            close(run->cgroups[at].fd);
    }
    control_done(&run->control);
    if (run->own_out)
        fclose(run->out);
    count_report_done(&run->report);
    free(run->run_seconds);
    stat_metrics_done(run);
    event_list_done(&run->events);
    arena_done(&run->arena);
    options_done(option_rows, &run->options);
}

static bool stat_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct stat_run run = {.context = context, .control = {.command_fd = -1, .acknowledge_fd = -1}};
    run.options = (struct stat_options){.scale = true, .repeat = 1};
    int first = 0;
    FILE *talk = context->talk; /* --quiet takes it away while the program runs */
    bool good = options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &run.options, &first, err);
    run.argv = good && first < argc ? &argv[first] : NULL;
    good = good && prepare(&run, err) && runs(&run, err);
    run_release(&run);
    context->talk = talk;
    return good;
}

const struct command command_stat = {
    .name = "stat",
    .summary = "count events of a program, processes, CPUs or cgroups",
    .usage = "plumb stat [options] [--] [command [arguments]]",
    .options = option_rows,
    .run = stat_run,
};
