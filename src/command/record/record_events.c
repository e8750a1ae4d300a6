/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which events to sample, how often, and what their samples hold, from plumb record's options. */
#include "command/record/record_options.h"
#include "command/record/record_words.h"
#include "symbol/function_offset.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_FREQUENCY = 4000 };

/* How often. */

static bool frequency_limit(const struct record_options *options, uint64_t most, struct record_choice *choice,
                            uint64_t *frequency, struct error *err)
{
    static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
    if (!most || *frequency <= most)
        return true;
    if (options->strict_frequency) {
        error_set(err, ERROR_UNSUPPORTED, "-F %llu is more than the kernel allows (%llu)",
                  (unsigned long long)*frequency, (unsigned long long)most);
        return error_hint(err, "as root: echo %llu >%s", (unsigned long long)*frequency, path);
    }
    if (options->frequency)
        *vec_push(&choice->notes) =
            memory_printf("-F %llu is more than the kernel allows: sampling at %llu Hz (%s)",
                          (unsigned long long)*frequency, (unsigned long long)most, path);
    *frequency = most;
    return true;
}

static bool choose_rate(const struct record_options *options, const struct context *context,
                        struct record_choice *choice, struct recorder_event *event, struct error *err)
{
    uint64_t most = 0;
    if (options->frequency && options->period)
        return error_set(err, ERROR_USAGE, "-F and -c exclude each other");
    if (options->period)
        return count_parse(options->period, "-c", &event->period, err);
    if (!sysroot_u64(context->root, &most, "/proc/sys/kernel/perf_event_max_sample_rate"))
        most = 0;
    event->frequency = DEFAULT_FREQUENCY;
    if (options->frequency && strcmp(options->frequency, "max") == 0)
        event->frequency = most ? most : DEFAULT_FREQUENCY;
    else if (options->frequency && !count_parse(options->frequency, "-F", &event->frequency, err))
        return error_hint(err, "-F max samples as often as the kernel allows");
    return frequency_limit(options, most, choice, &event->frequency, err);
}

/* What each sample holds. */

static uint64_t sample_type_of(const struct record_options *options)
{
    return (options->addresses ? PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC : 0) |
           (options->weight ? PERF_SAMPLE_WEIGHT : 0) |
           (options->transactions ? PERF_SAMPLE_TRANSACTION : 0) |
           (options->raw ? PERF_SAMPLE_RAW : 0) |
           (options->physical_addresses ? PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR : 0) |
           (options->data_page_sizes ? PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR : 0) |
           (options->code_page_sizes ? PERF_SAMPLE_CODE_PAGE_SIZE : 0);
}

/* What every event of this run has in common. */
static bool common_event(const struct record_options *options, const struct context *context,
                         struct record_choice *choice, struct recorder_event *event, struct error *err)
{
    *event = (struct recorder_event){.sample_type = sample_type_of(options)};
    if (options->callchain) {
        if (!callchain_parse(options->callchain, &event->callchain, &event->stack_bytes, err))
            return false;
    } else if (options->callchain_auto) {
        event->callchain = CALLCHAIN_AUTO;
    }
    return registers_parse(options->user_registers, &event->user_registers, err) &&
           registers_parse(options->interrupt_registers, &event->interrupt_registers, err) &&
           branches_parse(options->branches, options->branch_filters, &event->branch_sample_type, err) &&
           choose_rate(options, context, choice, event, err);
}

/* Which events. */

/* Whether this machine counts cycles and can sample by them. */
static bool cycles_work(const struct kernel *kernel)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .size = sizeof(attr),
        .sample_freq = DEFAULT_FREQUENCY,
        .freq = 1,
        .sample_type = PERF_SAMPLE_IP,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 0);
    if (fd >= 0)
        kernel->close(kernel->context, fd);
    /* Forbidden isn't missing: the real opening will say what is in the way. */
    return fd >= 0 || errno == EACCES || errno == EPERM;
}

/* The filters of events that stand in the list from `first` on; NULL: none. */
typedef vec(const char *) event_filters;

static bool filter_add(const struct event_list *parsed, size_t first, const char *filter, event_filters *filters,
                       struct error *err)
{
    if (parsed->count == first) {
        error_set(err, ERROR_USAGE, "--filter '%s' stands before the event it is for", filter);
        return error_hint(err, "write -e sched:sched_switch --filter '%s'", filter);
    }
    for (size_t at = first; at < parsed->count; at++) {
        if (parsed->items[at].attr.type != PERF_TYPE_TRACEPOINT) {
            error_set(err, ERROR_USAGE, "'%s' is no tracepoint and takes no --filter", parsed->items[at].name);
            return error_hint(err, "--filter is for the events of the -e before it");
        }
        if (filters->items[at])
            return error_set(err, ERROR_USAGE, "'%s' has two filters: join them with &&", parsed->items[at].name);
        filters->items[at] = filter;
    }
    return true;
}

static bool parse_events(const struct record_options *options, const struct context *context, struct arena *arena,
                         struct record_choice *choice, event_filters *filters, struct error *err)
{
    struct event_list *parsed = &choice->parsed;
    size_t first = 0;
    for (size_t at = 0; at < options->events.count; at++) {
        bool is_filter = strcmp(options->events.items[at], "filter") == 0;
        if (is_filter) {
            if (!filter_add(parsed, first, options->events.items[++at], filters, err))
                return false;
            continue;
        }
        first = parsed->count;
        if (!event_list_parse(parsed, options->events.items[at], context->root, arena, err))
            return false;
        while (filters->count < parsed->count)
            *vec_push(filters) = NULL;
    }
    return event_list_resolve_probes(parsed, function_offset, NULL, err);
}

static bool default_event(const struct context *context, struct arena *arena, struct record_choice *choice,
                          struct error *err)
{
    bool cycles = cycles_work(context->kernel);
    if (!cycles)
        *vec_push(&choice->notes) = memory_string("no hardware cycles counter here: sampling cpu-clock, which ticks "
                                                  "with the time spent on a CPU");
    return event_list_parse(&choice->parsed, cycles ? "cycles:P" : "cpu-clock", context->root, arena, err);
}

/* A tracepoint, breakpoint or probe is an occurrence: unless told otherwise each one is recorded. */
static bool is_occurrence(const struct event_spec *spec)
{
    return spec->attr.type == PERF_TYPE_TRACEPOINT || spec->attr.type == PERF_TYPE_BREAKPOINT || spec->probe_path ||
           (spec->pmu && view_ends(view_of(spec->pmu), "probe"));
}

static struct recorder_event event_of(const struct event_spec *spec, const struct recorder_event *common,
                                      bool rate_asked)
{
    struct recorder_event event = recorder_event_of(spec);
    if (!event.frequency && !event.period) {
        bool each = is_occurrence(spec) && !rate_asked;
        event.frequency = each ? 0 : common->frequency;
        event.period = each ? 1 : common->period;
    }
    event.sample_type = common->sample_type;
    event.callchain = common->callchain;
    event.stack_bytes = common->stack_bytes;
    event.user_registers = common->user_registers;
    event.interrupt_registers = common->interrupt_registers;
    event.branch_sample_type = common->branch_sample_type;
    return event;
}

static const char *without_self(const char *filter, struct arena *arena)
{
    return filter ? arena_printf(arena, "(%s) && common_pid != %d", filter, (int)getpid())
                  : arena_printf(arena, "common_pid != %d", (int)getpid());
}

static bool add_events(const struct record_options *options, const struct context *context, struct arena *arena,
                       struct record_choice *choice, const event_filters *filters, struct error *err)
{
    struct recorder_event common;
    bool tracepoints = false;
    if (!common_event(options, context, choice, &common, err))
        return false;
    for (size_t at = 0; at < choice->parsed.count; at++) {
        const struct event_spec *spec = &choice->parsed.items[at];
        if (!event_is_safe(spec, context->root, err))
            return false;
        struct recorder_event event = event_of(spec, &common, options->frequency || options->period);
        event.stays = !event_is_handed_on(&choice->parsed, at);
        if (event.stays && !options->all_cpus && !options->cpus && !options->no_inherit)
            *vec_push(&choice->notes) = memory_printf(
                "%s: recorded in the threads there are at the start only: the kernel can't hand probes on "
                "to new ones and to children (whole CPUs are recorded with -a)",
                spec->name);
        event.filter = at < filters->count ? filters->items[at] : NULL;
        if (options->exclude_self && spec->attr.type == PERF_TYPE_TRACEPOINT) {
            event.filter = without_self(event.filter, arena);
            tracepoints = true;
        }
        *vec_push(&choice->events) = event;
    }
    return !options->exclude_self || tracepoints ||
           error_set(err, ERROR_USAGE, "--exclude-perf is for tracepoints, and none is recorded");
}

bool record_choose_events(const struct record_options *options, const struct context *context, struct arena *arena,
                          struct record_choice *choice, struct error *err)
{
    event_filters filters = {0};
    bool good = parse_events(options, context, arena, choice, &filters, err) &&
                (choice->parsed.count || default_event(context, arena, choice, err)) &&
                add_events(options, context, arena, choice, &filters, err);
    vec_done(&filters);
    return good;
}
