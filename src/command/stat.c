/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb stat: count events of a program, processes, threads, CPUs or cgroups; perf stat's options and layouts. */
#include "analyse/counts/event_counts.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/counting.h"
#include "command/command.h"
#include "command/options.h"
#include "render/event_counts.h"
#include "symbol/function_offset.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct stat_options {
    struct option_texts events;
    bool all_cpus, no_aggregation, per_core, per_die, per_socket, per_node, per_thread;
    const char *cpus, *processes, *threads, *cgroups, *each_cgroup;
    bool no_inherit, null_run, sync, scale, no_merge, json, append, summary, no_big_num, table;
    int big_num, detailed, verbose;
    const char *separator, *output, *log_fd, *delay, *control, *before, *after;
    uint64_t interval_ms, interval_count, timeout_ms, repeat;
};

#define MEMBER(name) offsetof(struct stat_options, name)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to count"},
    {'e', "event", OPTION_TEXTS, MEMBER(events), "EVENT[,EVENT]", "events, groups {a,b}; again for more (plumb list)"},
    {'d', "detailed", OPTION_COUNT, MEMBER(detailed), NULL, "cache events too; -dd, -ddd: more of them"},
    {'n', "null", OPTION_FLAG, MEMBER(null_run), NULL, "count nothing: only times"},
    {0, NULL, OPTION_HEADING, 0, NULL, "of whom"},
    {'a', "all-cpus", OPTION_FLAG, MEMBER(all_cpus), NULL, "everything on every CPU"},
    {'C', "cpu", OPTION_TEXT, MEMBER(cpus), "LIST", "everything on these CPUs"},
    {'p', "pid", OPTION_TEXT, MEMBER(processes), "PID[,PID]", "these processes, all their threads"},
    {'t', "tid", OPTION_TEXT, MEMBER(threads), "TID[,TID]", "these threads"},
    {'G', "cgroup", OPTION_TEXT, MEMBER(cgroups), "PATH[,PATH]", "a cgroup: one for all events, or one for each"},
    {0, "for-each-cgroup", OPTION_TEXT, MEMBER(each_cgroup), "PATH[,PATH]", "all events for each of these cgroups"},
    {'i', "no-inherit", OPTION_FLAG, MEMBER(no_inherit), NULL, "leave out threads and children started later"},
    {0, NULL, OPTION_HEADING, 0, NULL, "when"},
    {'I', "interval-print", OPTION_U64, MEMBER(interval_ms), "MS", "print what was counted in each interval"},
    {0, "interval-count", OPTION_U64, MEMBER(interval_count), "N", "stop printing after N intervals"},
    {0, "timeout", OPTION_U64, MEMBER(timeout_ms), "MS", "stop after this time"},
    {'D', "delay", OPTION_TEXT, MEMBER(delay), "MS", "start counting later; -1: when --control says so"},
    {0, "control", OPTION_TEXT, MEMBER(control), "fifo:CTL[,ACK]|fd:CTL[,ACK]", "enable, disable, stop, ping from there"},
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
    {'v', "verbose", OPTION_COUNT, MEMBER(verbose), NULL, "raw counts, and why an event can't be counted"},
    {0},
};

/* What runs need, prepared from the options. */
struct stat_run {
    struct context *context;
    struct stat_options options;
    struct arena arena;
    struct event_list events;
    struct counter_cgroup *cgroups; /* one per event, or NULL */
    struct target_request target;
    char *const *argv; /* NULL: no program */
    struct counting_plan plan;
    struct topology topology;
    struct count_options counts;
    struct count_style style;
    struct count_report report; /* of all runs */
    FILE *out;
    bool own_out;
    int control_fds[2];
    double *run_seconds;
    struct rusage usage;
    size_t windows;
};

enum {
    HEADER_EVERY = 26 /* intervals after which the column heads are printed again */
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
    if (options->null_run && options->events.count)
        return error_set(err, ERROR_USAGE, "-n (count nothing) and -e exclude each other");
    if (options->cgroups && options->each_cgroup)
        return error_set(err, ERROR_USAGE, "-G and --for-each-cgroup exclude each other");
    return true;
}

/* Events. */

static const char *const detail_events[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static bool events_add(struct stat_run *run, const char *text, struct error *err)
{
    return event_list_parse(&run->events, text, run->context->root, &run->arena, err);
}

/* The events perf counts when none are named; stalled cycles only where the PMU lists them. */
static bool events_default(struct stat_run *run, bool by_cpu, struct error *err)
{
    const struct sysroot *root = run->context->root;
    static const char *const stalled[] = {"stalled-cycles-frontend", "stalled-cycles-backend"};
    if (!events_add(run, by_cpu ? "cpu-clock" : "task-clock", err) ||
        !events_add(run, "context-switches,cpu-migrations,page-faults,cycles", err))
        return false;
    for (size_t at = 0; at < array_count(stalled); at++)
        if (sysroot_exists(root, "/sys/bus/event_source/devices/cpu/events/%s", stalled[at]) &&
            !events_add(run, stalled[at], err))
            return false;
    return events_add(run, "instructions,branches,branch-misses", err);
}

static bool events_parse(struct stat_run *run, bool by_cpu, struct error *err)
{
    const struct stat_options *options = &run->options;
    if (options->null_run)
        return true;
    bool good = true;
    for (size_t at = 0; good && at < options->events.count; at++)
        good = events_add(run, options->events.items[at], err);
    if (good && !options->events.count) {
        good = events_default(run, by_cpu, err);
        for (size_t at = 0; good && at < run->events.count; at++)
            run->events.items[at].is_default = true;
    }
    for (int level = 0; good && level < options->detailed && level < (int)array_count(detail_events); level++)
        good = events_add(run, detail_events[level], err);
    good = good && event_list_resolve_probes(&run->events, function_offset, NULL, err);
    if (!good && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_USAGE))
        run->context->exit_code = EXIT_CODE_USAGE;
    return good;
}

static bool all_machine_wide(const struct event_list *events)
{
    for (size_t at = 0; at < events->count; at++)
        if (!events->items[at].cpu_count || events->items[at].cpus_are_core)
            return false;
    return events->count > 0;
}

/* Cgroups. */

static bool cgroup_add(struct stat_run *run, size_t event, struct view name, struct error *err)
{
    if (!name.length)
        return true;
    for (size_t at = 0; at < event; at++)
        if (run->cgroups[at].name && view_equal(name, run->cgroups[at].name)) {
            run->cgroups[event] = run->cgroups[at];
            return true;
        }
    run->cgroups[event].name = arena_string_n(&run->arena, name.text, name.length);
    return cgroup_open(run->context->root, run->cgroups[event].name, &run->cgroups[event].fd, err);
}

static bool cgroups_assign(struct stat_run *run, struct error *err)
{
    struct view rest = view_of(run->options.cgroups);
    bool one = !memchr(rest.text, ',', rest.length);
    size_t event = 0;
    run->cgroups = arena_array(&run->arena, struct counter_cgroup, run->events.count);
    for (; event < run->events.count && (one || rest.length); event++)
        if (!cgroup_add(run, event, one ? rest : view_cut(&rest, ','), err))
            return false;
    if (!one && rest.length)
        return error_set(err, ERROR_USAGE, "-G names more cgroups than there are events (%zu)", run->events.count);
    return true;
}

/* Every event once for each cgroup. */
static bool cgroups_multiply(struct stat_run *run, struct error *err)
{
    struct view rest = view_of(run->options.each_cgroup);
    size_t events = run->events.count, copies = 0;
    int groups = run->events.group_count;
    vec(struct view) names = {0};
    while (rest.length)
        *vec_push(&names) = view_cut(&rest, ',');
    vec_reserve(&run->events, events * names.count);
    run->cgroups = arena_array(&run->arena, struct counter_cgroup, events * names.count);
    bool good = true;
    vec_for_each(&names, name)
    {
        for (size_t at = 0; good && at < events; at++) {
            struct event_spec *copy = &run->events.items[copies * events + at];
            *copy = run->events.items[at];
            if (copies && copy->group != EVENT_NO_GROUP)
                copy->group += groups * (int)copies;
            good = cgroup_add(run, copies * events + at, *name, err);
        }
        copies++;
    }
    run->events.count = events * copies;
    run->events.group_count = groups * (int)copies;
    vec_done(&names);
    return good;
}

static bool cgroups_prepare(struct stat_run *run, struct error *err)
{
    if (run->options.cgroups)
        return cgroups_assign(run, err);
    return run->options.each_cgroup ? cgroups_multiply(run, err) : true;
}

/* Where the result goes. */

static bool output_open(struct stat_run *run, struct error *err)
{
    const struct stat_options *options = &run->options;
    uint64_t fd = 0;
    run->out = run->context->talk;
    if (options->log_fd) {
        if (!view_u64(view_of(options->log_fd), 10, &fd) || fd > INT_MAX)
            return error_set(err, ERROR_USAGE, "'%s' is no file descriptor", options->log_fd);
        int own_fd = fcntl((int)fd, F_DUPFD_CLOEXEC, 3);
        run->out = own_fd < 0 ? NULL : fdopen(own_fd, "a");
        if (!run->out)
            return error_system(err, errno, "can't write to descriptor %s", options->log_fd);
        run->own_out = true;
    } else if (options->output && strcmp(options->output, "-") != 0) {
        run->out = fopen(options->output, options->append ? "ae" : "we");
        if (!run->out)
            return error_system(err, errno, "can't write '%s'", options->output);
        run->own_out = true;
        time_t now = time(NULL);
        char date[64];
        struct tm local;
        if (localtime_r(&now, &local) && strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &local))
            fprintf(run->out, "# started on %s\n\n", date);
    }
    return true;
}

static bool output_flush(struct stat_run *run, struct text *text, struct error *err)
{
    if (text_write_file(text, run->out) && fflush(run->out) == 0)
        return true;
    return error_system(err, errno, "can't write the result");
}

/* Thousands are grouped where the user's locale groups them; decimals are always written with a point. */
static bool locale_groups_thousands(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_NUMERIC", "LANG"};
    const char *name = NULL;
    for (size_t at = 0; at < array_count(variables) && (!name || !*name); at++)
        name = getenv(variables[at]);
    if (!name || !*name || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strncmp(name, "C.", 2) == 0)
        return false;
    locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    const char *separator = nl_langinfo_l(THOUSEP, locale);
    bool groups = separator && *separator;
    freelocale(locale);
    return groups;
}

static const char *separator_of(const char *text)
{
    return strcmp(text, "\\t") == 0 ? "\t" : text;
}

static void style_prepare(struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    struct count_style *style = &run->style;
    style->format = options->json ? COUNT_JSON : options->separator ? COUNT_FIELDS : COUNT_TEXT;
    style->separator = options->separator ? separator_of(options->separator) : ",";
    style->group_thousands = style->format == COUNT_TEXT && !options->no_big_num &&
                             (options->big_num || locale_groups_thousands());
    style->interval = options->interval_ms > 0;
    style->skip_zero_threads = run->target.every_thread;
}

/* One line beside the result, marked as a comment where the result is for machines. */
__attribute__((format(printf, 2, 3))) static void say(struct stat_run *run, const char *format, ...)
{
    va_list args;
    fputs(run->style.format == COUNT_TEXT ? "plumb stat: " : "# plumb stat: ", run->context->talk);
    va_start(args, format);
    vfprintf(run->context->talk, format, args);
    va_end(args);
    fputc('\n', run->context->talk);
}

/* Control file. */

static int control_open(struct stat_run *run, struct view word, bool fifo, int flags, struct error *err)
{
    uint64_t number;
    scoped_free char *name = memory_printf("%.*s", (int)word.length, word.text);
    if (!fifo) {
        if (!view_u64(word, 10, &number) || number > INT_MAX || fcntl((int)number, F_GETFD) < 0) {
            error_set(err, ERROR_USAGE, "--control: '%s' is no open file descriptor", name);
            return -1;
        }
        return fcntl((int)number, F_DUPFD_CLOEXEC, 3);
    }
    int fd = open(name, flags | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        error_system(err, errno, "--control: can't open '%s'", name);
    (void)run;
    return fd;
}

static bool control_prepare(struct stat_run *run, struct error *err)
{
    run->control_fds[0] = run->control_fds[1] = -1;
    if (!run->options.control)
        return true;
    struct view rest = view_of(run->options.control), kind = view_cut(&rest, ':');
    bool fifo = view_equal(kind, "fifo");
    struct view control = view_cut(&rest, ',');
    if ((!fifo && !view_equal(kind, "fd")) || !control.length) {
        error_set(err, ERROR_USAGE, "--control expects fifo:CTL[,ACK] or fd:CTL[,ACK], not '%s'", run->options.control);
        return false;
    }
    /* a FIFO opened for both ends never reports that its writer went away */
    run->control_fds[0] = control_open(run, control, fifo, O_RDWR, err);
    if (run->control_fds[0] < 0)
        return false;
    if (rest.length) {
        run->control_fds[1] = control_open(run, rest, fifo, O_RDWR, err);
        if (run->control_fds[1] < 0)
            return false;
    }
    return true;
}

/* Printing. */

static const char *subject_of(struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    if (run->target.all_cpus || run->target.every_thread)
        return "'system wide'";
    if (run->target.cpus)
        return arena_printf(&run->arena, "'CPU(s) %s'", run->target.cpus);
    if (options->processes)
        return arena_printf(&run->arena, "process id '%s'", options->processes);
    if (options->threads)
        return arena_printf(&run->arena, "thread id '%s'", options->threads);
    struct text words = {0};
    for (size_t at = 0; run->argv && run->argv[at]; at++)
        text_printf(&words, "%s%s", at ? " " : "", run->argv[at]);
    const char *subject = arena_printf(&run->arena, "'%s'", text_string(&words));
    text_done(&words);
    return subject;
}

static bool window_show(void *context, const struct count_table *window)
{
    struct stat_run *run = context;
    struct count_report report = {0};
    scoped_text struct text out = {0};
    count_report_add(&report, window, &run->counts);
    count_report_finish(&report, window);
    struct count_style style = run->style;
    style.unit_width = count_unit_width(&report);
    style.several_runs = false;
    if (run->windows++ % HEADER_EVERY == 0)
        count_interval_header_render(&out, &report, &style);
    count_lines_render(&out, &report, window->end_ns, &style);
    count_report_done(&report);
    return output_flush(run, &out, NULL);
}

static void notice_show(void *context, enum counting_notice notice)
{
    struct stat_run *run = context;
    fputs(notice == NOTICE_ENABLED ? "Events enabled\n" : "Events disabled\n", run->context->talk);
}

/* The whole, after the last run. */
static bool report_show(struct stat_run *run, const struct count_table *table, struct error *err)
{
    struct count_report *report = &run->report;
    scoped_text struct text out = {0};
    struct count_style style = run->style;
    count_report_finish(report, table);
    style.unit_width = count_unit_width(report);
    style.several_runs = report->run_count > 1 || run->options.repeat > 1;
    style.interval = false;
    style.summary = run->options.summary;
    bool one_program = run->argv && !run->target.all_cpus && !run->target.cpus && !run->target.processes &&
                       !run->target.threads && !run->target.every_thread;
    struct count_caption caption = {
        .subject = subject_of(run),
        .has_usage = one_program && !style.several_runs,
        .user_seconds = (double)run->usage.ru_utime.tv_sec + (double)run->usage.ru_utime.tv_usec / 1e6,
        .system_seconds = (double)run->usage.ru_stime.tv_sec + (double)run->usage.ru_stime.tv_usec / 1e6,
        .run_seconds = run->options.table ? run->run_seconds : NULL,
        .nothing_counted = run->events.count == 0,
    };
    count_header_render(&out, report, &caption, &style);
    count_lines_render(&out, report, report->run_count ? (uint64_t)report->elapsed_ns : 0, &style);
    count_footer_render(&out, report, &caption, &style);
    return output_flush(run, &out, err);
}

/* What the user must know to read the numbers. */

/* Names of the counters that a test picks, as "a, b and 3 more". */
static bool names_of(const struct counters *counters, bool (*picks)(const struct counter *), char *names, size_t size)
{
    size_t picked = 0, left_out = 0;
    names[0] = '\0';
    for (size_t at = 0; at < counters->count; at++) {
        if (!picks(&counters->items[at]))
            continue;
        size_t used = strlen(names);
        if (picked++ < 8 && used + strlen(counters->items[at].spec->name) + 40 < size)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", counters->items[at].spec->name);
        else
            left_out++;
    }
    if (left_out)
        snprintf(names + strlen(names), size - strlen(names), " and %zu more", left_out);
    return picked > 0;
}

static bool picks_user_only(const struct counter *counter)
{
    return counter->user_only;
}

static bool picks_machine_wide(const struct counter *counter)
{
    return counter->machine_wide && counter->refusal == REFUSAL_NONE;
}

static bool picks_broken_group(const struct counter *counter)
{
    return counter->group_broken;
}

static bool picks_permission(const struct counter *counter)
{
    return counter->refusal == REFUSAL_PERMISSION || counter->refusal == REFUSAL_NO_SYSCALL;
}

static bool picks_busy(const struct counter *counter)
{
    return counter->refusal == REFUSAL_BUSY;
}

static void refusals_say(struct stat_run *run, const struct counters *counters,
                         bool (*picks)(const struct counter *), const char *names)
{
    for (size_t at = 0; at < counters->count; at++)
        if (picks(&counters->items[at])) {
            struct error reason;
            counter_refusal_explain(&counters->items[at], run->context->root, &reason);
            say(run, "not counted: %s: %s", names, reason.message);
            if (reason.hint[0])
                say(run, "hint: %s", reason.hint);
            return;
        }
}

static void counters_say(struct stat_run *run, const struct counters *counters)
{
    char names[400];
    int64_t paranoid = 0;
    if (names_of(counters, picks_user_only, names, sizeof(names))) {
        bool known = sysroot_i64(run->context->root, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
        say(run, "the kernel's part isn't counted, events are marked :u (kernel.perf_event_paranoid is %lld; 1 or "
                 "CAP_PERFMON allows it)", known ? (long long)paranoid : 2LL);
    }
    if (names_of(counters, picks_permission, names, sizeof(names)))
        refusals_say(run, counters, picks_permission, names);
    if (names_of(counters, picks_busy, names, sizeof(names)))
        refusals_say(run, counters, picks_busy, names);
    if (names_of(counters, picks_machine_wide, names, sizeof(names)))
        say(run, "%s: counts the whole machine, not only the program", names);
    if (run->options.verbose && names_of(counters, picks_broken_group, names, sizeof(names)))
        say(run, "counted apart from its group: %s", names);
}

static void verbose_say(struct stat_run *run, const struct counters *counters)
{
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        struct counter_value sum = {0};
        if (counter->refusal != REFUSAL_NONE) {
            struct error reason;
            counter_refusal_explain(counter, run->context->root, &reason);
            say(run, "%s: %s", counter->spec->name, reason.message);
            continue;
        }
        for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++) {
            sum.value += counter->values[cell].value;
            sum.enabled_ns += counter->values[cell].enabled_ns;
            sum.running_ns += counter->values[cell].running_ns;
        }
        fprintf(run->context->talk, "%s: %llu %llu %llu\n", counter->name, (unsigned long long)sum.value,
                (unsigned long long)sum.enabled_ns, (unsigned long long)sum.running_ns);
    }
}

/* As a shell tells it: nothing of an interrupt or a closed pipe, which the user caused. */
static void death_say(struct stat_run *run, const struct counting *counting)
{
    int status = counting->workload.wait_status;
    if (!counting->has_workload || !WIFSIGNALED(status) || counting->timed_out || WTERMSIG(status) == SIGINT ||
        WTERMSIG(status) == SIGPIPE)
        return;
    fprintf(run->context->talk, "%s%s\n", strsignal(WTERMSIG(status)), WCOREDUMP(status) ? " (core dumped)" : "");
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
    bool ended_by_us = counting->timed_out && WIFSIGNALED(counting->workload.wait_status);
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
            counters_say(run, &counting->counters);
        if (good && run->options.verbose)
            verbose_say(run, &counting->counters);
        if (good)
            death_say(run, counting);
        if (good && run->options.repeat == 0 && !workload_stop_requested()) {
            good = report_show(run, &counting->total, err);
            count_report_done(&run->report);
        }
        if (!good || workload_stop_requested() || counting->interval_failed) {
            done++;
            break;
        }
    }
    struct counting *last = &countings[(done - 1) & 1];
    if (good && show && run->options.repeat != 0)
        good = report_show(run, &last->total, err);
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
        .control_fd = run->control_fds[0],
        .acknowledge_fd = run->control_fds[1],
        .interval = window_show,
        .notice = notice_show,
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
    if (!events_parse(run, by_cpu, err))
        return false;
    if (!by_cpu && !run->target.processes && !run->target.threads && all_machine_wide(&run->events))
        run->target.all_cpus = true;
    style_prepare(run);
    return cgroups_prepare(run, err) && control_prepare(run, err) && plan_prepare(run, err) && output_open(run, err);
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
    scope_close(&run->control_fds[0]);
    scope_close(&run->control_fds[1]);
    if (run->own_out)
        fclose(run->out);
    count_report_done(&run->report);
    free(run->run_seconds);
    event_list_done(&run->events);
    arena_done(&run->arena);
    options_done(option_rows, &run->options);
}

static bool stat_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct stat_run run = {.context = context, .control_fds = {-1, -1}};
    run.options = (struct stat_options){.scale = true, .repeat = 1};
    int first = 0;
    bool good = options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &run.options, &first, err);
    run.argv = good && first < argc ? &argv[first] : NULL;
    good = good && prepare(&run, err) && runs(&run, err);
    run_release(&run);
    return good;
}

const struct command command_stat = {
    .name = "stat",
    .summary = "count events of a program, processes, CPUs or cgroups",
    .usage = "plumb stat [options] [--] [command [arguments]]",
    .options = option_rows,
    .run = stat_run,
};
