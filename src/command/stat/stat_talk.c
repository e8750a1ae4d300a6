/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user must know to read the numbers; all of it goes beside the result. */
#include "command/stat/stat.h"

#include "source/live/guarded_program.h"

#include "base/vec.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

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

void stat_line_say(struct stat_run *run, const char *what, const char *about)
{
    say(run, "%s: %s", what, about);
}

void stat_notice_show(void *context, enum counting_notice notice, const char *about)
{
    struct stat_run *run = context;
    switch (notice) {
    case NOTICE_ENABLED:
    case NOTICE_DISABLED:
        fprintf(run->context->talk, "%s%s %s\n", about ? "Event " : "Events", about ? about : "",
                notice == NOTICE_ENABLED ? "enabled" : "disabled");
        break;
    case NOTICE_EVENT:
        fprintf(run->context->talk, "%s\n", about);
        break;
    case NOTICE_UNKNOWN_EVENT:
        say(run, "--control: no event '%s' is counted; evlist names them", about);
        break;
    case NOTICE_UNKNOWN_ORDER:
        say(run, "--control: '%s' is none of " CONTROL_WORDS, about);
        break;
    case NOTICE_STOPPED:
        say(run, "process %s is stopped (SIGSTOP, or a debugger): it counts nothing until it goes on (kill -CONT PID)",
            about);
        break;
    }
}

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
    return counter->user_only && event_kernel_part(counter->spec) != EVENT_KERNEL_KEPT;
}

static bool picks_kept_whole(const struct counter *counter)
{
    return counter->user_only && event_kernel_part(counter->spec) == EVENT_KERNEL_KEPT;
}

static bool picks_machine_wide(const struct counter *counter)
{
    return counter->machine_wide && counter->refusal == REFUSAL_NONE;
}

static bool picks_broken_group(const struct counter *counter)
{
    return counter->group_broken;
}

static bool picks_stays(const struct counter *counter)
{
    return counter->stays && counter->refusal == REFUSAL_NONE;
}

static bool picks_probe_permission(const struct counter *counter)
{
    return counter->refusal == REFUSAL_PERMISSION && event_is_probe(counter->spec);
}

static bool picks_permission(const struct counter *counter)
{
    if (picks_probe_permission(counter))
        return false;
    return counter->refusal == REFUSAL_PERMISSION || counter->refusal == REFUSAL_NO_SYSCALL;
}

static bool picks_too_big(const struct counter *counter)
{
    return counter->refusal == REFUSAL_UNSUPPORTED && counter->open_errno == EINVAL &&
           counter->spec->group != EVENT_NO_GROUP;
}

static bool picks_busy(const struct counter *counter)
{
    return counter->refusal == REFUSAL_BUSY;
}

/* A program whose exec ends the counting: what is shown is of the moment before. */
static void guarded_say(struct stat_run *run)
{
    bool by_task =
        run->argv && !run->target.all_cpus && !run->target.cpus && !run->target.processes && !run->target.threads;
    const char *why = by_task ? guarded_program_why(run->argv[0]) : NULL;
    if (!why)
        return;
    say(run, "'%s' is %s: the kernel ends the counting when it is executed, so the counts are not its own",
        run->argv[0], why);
    say(run, "hint: run plumb as root, or count whole CPUs (-a)");
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

/* What is marked :u only because no more is permitted, and what that means for each. */
static void user_only_say(struct stat_run *run, const struct counters *counters)
{
    char names[400], kept[400];
    int64_t paranoid = 0;
    bool lost = names_of(counters, picks_user_only, names, sizeof(names));
    bool whole = names_of(counters, picks_kept_whole, kept, sizeof(kept));
    bool known = sysroot_i64(run->context->root, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    if (lost)
        say(run,
            "the kernel's part isn't counted of %s, marked :u (kernel.perf_event_paranoid is %lld; 1 or CAP_PERFMON "
            "allows it)",
            names, known ? (long long)paranoid : 2LL);
    if (whole)
        say(run, "%s: marked :u too, but nothing is missing: the kernel counts it in either mode", kept);
}

void stat_counters_say(struct stat_run *run, const struct counters *counters)
{
    char names[400];
    if (counters->count)
        guarded_say(run);
    user_only_say(run, counters);
    if (names_of(counters, picks_stays, names, sizeof(names)))
        say(run,
            "%s: counted in the threads there are at the start only: the kernel can't hand probes on to new ones and "
            "to children (whole "
            "CPUs are counted with -a)",
            names);
    static bool (*const refused[])(const struct counter *) = {picks_permission, picks_probe_permission, picks_busy,
                                                              picks_too_big};
    for (size_t at = 0; at < array_count(refused); at++)
        if (names_of(counters, refused[at], names, sizeof(names)))
            refusals_say(run, counters, refused[at], names);
    if (names_of(counters, picks_machine_wide, names, sizeof(names)))
        say(run, "%s: counts the whole machine, not only the program", names);
    if (run->options.verbose && names_of(counters, picks_broken_group, names, sizeof(names)))
        say(run, "counted apart from its group: %s", names);
}

void stat_verbose_say(struct stat_run *run, const struct counters *counters)
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
void stat_death_say(struct stat_run *run, const struct counting *counting)
{
    int status = counting->workload.wait_status;
    if (!counting->has_workload || !WIFSIGNALED(status) || counting->ended_here || WTERMSIG(status) == SIGINT ||
        WTERMSIG(status) == SIGPIPE)
        return;
    fprintf(run->context->talk, "%s%s\n", strsignal(WTERMSIG(status)), WCOREDUMP(status) ? " (core dumped)" : "");
}
