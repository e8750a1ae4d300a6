/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb record: sample a program, processes, CPUs or a cgroup into a perf.data file. */
#include "command/command_table.h"
#include "command/options.h"

#include "base/scope.h"
#include "metric/event.h"
#include "source/perf_data/perf_data_format.h"
#include "source/recorder/recorder.h"
#include "source/live/target.h"
#include "source/live/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "perf.data"
#define ENDLESS        INT64_MAX

enum {
    DEFAULT_FREQUENCY = 4000,
    POLL_MS = 100,
    STOP_GRACE_MS = 1000 /* after Ctrl-C: how long the program may take to end while still recorded */
};

#define END_GRACE_NS 2000000000 /* after SIGTERM */

struct record_options {
    struct option_texts events, cgroups;
    const char *frequency, *callchain, *user_registers, *interrupt_registers, *processes, *threads, *cpus, *output;
    const char *pages, *compression, *branch_filters, *clock, *period;
    double duration_seconds;
    uint64_t timeout_ms, delay_ms;
    bool all_cpus, callchain_auto, no_inherit, addresses, weight, branches, switches, physical_addresses;
    bool data_page_sizes, code_page_sizes, quiet, per_thread, user_only, kernel_only, cgroup_records, no_code;
    int verbosity;
};

#define AT(member) offsetof(struct record_options, member)

static const struct option_row record_rows[] = {
    {.kind = OPTION_HEADING, .help = "what to sample"},
    {'e', "event", OPTION_TEXTS, AT(events), "EVENTS", "events as plumb list names them; default: cycles, else cpu-clock"},
    {'F', "freq", OPTION_TEXT, AT(frequency), "HZ", "samples per second and CPU, or max; default: 4000"},
    {'c', "count", OPTION_TEXT, AT(period), "N", "a sample every N events instead"},
    {0, "all-user", OPTION_FLAG, AT(user_only), NULL, "samples of user space only"},
    {0, "all-kernel", OPTION_FLAG, AT(kernel_only), NULL, "samples of the kernel only"},
    {.kind = OPTION_HEADING, .help = "whom"},
    {'a', "all-cpus", OPTION_FLAG, AT(all_cpus), NULL, "everything on all CPUs; a command then only says how long"},
    {'C', "cpu", OPTION_TEXT, AT(cpus), "LIST", "everything on these CPUs (0-3,8)"},
    {'p', "pid", OPTION_TEXT, AT(processes), "PIDS", "running processes with all their threads"},
    {'t', "tid", OPTION_TEXT, AT(threads), "TIDS", "running threads"},
    {'G', "cgroup", OPTION_TEXTS, AT(cgroups), "PATH", "the processes of a cgroup"},
    {'i', "no-inherit", OPTION_FLAG, AT(no_inherit), NULL, "don't follow children and new threads"},
    {0, "per-thread", OPTION_FLAG, AT(per_thread), NULL, "a buffer per thread instead of per CPU; no new threads"},
    {'D', "delay", OPTION_U64, AT(delay_ms), "MS", "start sampling that long after the program"},
    {0, "duration", OPTION_DOUBLE, AT(duration_seconds), "SECONDS", "stop after that long; a started program is ended"},
    {0, "timeout", OPTION_U64, AT(timeout_ms), "MS", "the same in milliseconds"},
    {.kind = OPTION_HEADING, .help = "what each sample holds"},
    {'g', NULL, OPTION_FLAG, AT(callchain_auto), NULL, "call chains; as --call-graph auto"},
    {0, "call-graph", OPTION_TEXT, AT(callchain), "MODE", "fp, dwarf[,BYTES], lbr, or auto: fp where it reaches the root, else dwarf"},
    {0, "user-regs", OPTION_OPTIONAL, AT(user_registers), "NAMES", "registers of user space; all general ones without NAMES"},
    {'I', "intr-regs", OPTION_OPTIONAL, AT(interrupt_registers), "NAMES", "registers at the interrupt"},
    {'d', "data", OPTION_FLAG, AT(addresses), NULL, "data addresses and sources, and mappings of data"},
    {'W', "weight", OPTION_FLAG, AT(weight), NULL, "weights (latencies) where the event has them"},
    {0, "phys-data", OPTION_FLAG, AT(physical_addresses), NULL, "physical data addresses"},
    {0, "data-page-size", OPTION_FLAG, AT(data_page_sizes), NULL, "size of the page of the data address"},
    {0, "code-page-size", OPTION_FLAG, AT(code_page_sizes), NULL, "size of the page of the code address"},
    {'b', "branch-any", OPTION_FLAG, AT(branches), NULL, "the last taken branches"},
    {'j', "branch-filter", OPTION_TEXT, AT(branch_filters), "FILTERS", "branches of these kinds (any_call,u,…)"},
    {.kind = OPTION_HEADING, .help = "what else is recorded"},
    {0, "switch-events", OPTION_FLAG, AT(switches), NULL, "when threads get and leave a CPU"},
    {0, "all-cgroups", OPTION_FLAG, AT(cgroup_records), NULL, "the cgroup of each sample"},
    {0, "no-code", OPTION_FLAG, AT(no_code), NULL, "don't keep copies of hot code that no file holds (JIT)"},
    {'k', "clockid", OPTION_TEXT, AT(clock), "NAME", "take times from this clock (monotonic, realtime, …)"},
    {.kind = OPTION_HEADING, .help = "output"},
    {'o', "output", OPTION_TEXT, AT(output), "FILE", "default: perf.data, which becomes perf.data.old; -: a pipe"},
    {'z', "compression-level", OPTION_OPTIONAL, AT(compression), "LEVEL", "compress with zstd; default level: 1"},
    {'m', "mmap-pages", OPTION_TEXT, AT(pages), "PAGES", "size of each ring buffer, in pages or as 512K, 4M"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "errors only"},
    {'v', "verbose", OPTION_COUNT, AT(verbosity), NULL, "say what was opened"},
    {.kind = OPTION_END},
};

/* A run of the command. */
struct recording_run {
    struct context *context;
    struct record_options options;
    struct arena arena;
    struct event_list parsed;
    vec(struct recorder_event) events;
    struct target target;
    struct workload workload;
    bool has_workload;
    struct recorder_request request;
    struct recorder *recorder;
    size_t notes_said;
    int64_t deadline_ns;
    bool timed_out, stopped;
    int pipe_fd;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Small languages of single options. */

struct named_bits {
    const char *name;
    uint64_t bits;
};

#if defined(__x86_64__)
static const struct named_bits registers[] = {
    {"ax", 1 << 0},   {"bx", 1 << 1},   {"cx", 1 << 2},   {"dx", 1 << 3},   {"si", 1 << 4},   {"di", 1 << 5},
    {"bp", 1 << 6},   {"sp", 1 << 7},   {"ip", 1 << 8},   {"flags", 1 << 9}, {"cs", 1 << 10}, {"ss", 1 << 11},
    {"r8", 1 << 16},  {"r9", 1 << 17},  {"r10", 1 << 18}, {"r11", 1 << 19}, {"r12", 1 << 20}, {"r13", 1 << 21},
    {"r14", 1 << 22}, {"r15", 1 << 23},
};
#elif defined(__aarch64__)
#define X(n) {"x" #n, 1ull << (n)}
static const struct named_bits registers[] = {
    X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),  X(8),  X(9),  X(10),
    X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21),
    X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), {"lr", 1ull << 30}, {"sp", 1ull << 31}, {"pc", 1ull << 32},
};
#undef X
#else
static const struct named_bits registers[] = {{NULL, 0}};
#endif

static const struct named_bits branch_filters[] = {
    {"u", PERF_SAMPLE_BRANCH_USER},
    {"k", PERF_SAMPLE_BRANCH_KERNEL},
    {"hv", PERF_SAMPLE_BRANCH_HV},
    {"any", PERF_SAMPLE_BRANCH_ANY},
    {"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
    {"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
    {"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
    {"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
    {"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
    {"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
    {"cond", PERF_SAMPLE_BRANCH_COND},
    {"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
    {"call", PERF_SAMPLE_BRANCH_CALL},
    {"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
    {"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
};

static const struct named_bits clocks[] = {
    {"realtime", CLOCK_REALTIME},  {"real", CLOCK_REALTIME},         {"r", CLOCK_REALTIME},
    {"monotonic", CLOCK_MONOTONIC}, {"mono", CLOCK_MONOTONIC},       {"m", CLOCK_MONOTONIC},
    {"monotonic_raw", CLOCK_MONOTONIC_RAW}, {"raw", CLOCK_MONOTONIC_RAW},
    {"boottime", CLOCK_BOOTTIME},  {"boot", CLOCK_BOOTTIME},         {"b", CLOCK_BOOTTIME},
    {"tai", CLOCK_TAI},            {"clock_realtime", CLOCK_REALTIME}, {"clock_monotonic", CLOCK_MONOTONIC},
    {"clock_monotonic_raw", CLOCK_MONOTONIC_RAW}, {"clock_boottime", CLOCK_BOOTTIME}, {"clock_tai", CLOCK_TAI},
};

static bool lookup(const struct named_bits *table, size_t count, struct view word, const char *what,
                   uint64_t *ret_bits, struct error *err)
{
    char lower[32] = "", names[300] = "";
    for (size_t at = 0; at < word.length && at + 1 < sizeof(lower); at++)
        lower[at] = (char)(word.text[at] >= 'A' && word.text[at] <= 'Z' ? word.text[at] + 32 : word.text[at]);
    for (size_t at = 0; at < count; at++) {
        if (table[at].name && strcmp(table[at].name, lower) == 0) {
            *ret_bits = table[at].bits;
            return true;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", table[at].name ? table[at].name : "none");
    }
    error_set(err, ERROR_USAGE, "'%.*s' is no %s", (int)word.length, word.text, what);
    return error_hint(err, "there are %s", names);
}

static bool parse_bits(const struct named_bits *table, size_t count, const char *list, const char *what,
                       uint64_t *ret_bits, struct error *err)
{
    struct view rest = view_of(list);
    uint64_t all = 0;
    while (rest.length) {
        uint64_t bits = 0;
        if (!lookup(table, count, view_trim(view_cut(&rest, ',')), what, &bits, err))
            return false;
        all |= bits;
    }
    *ret_bits = all;
    return true;
}

static bool parse_registers(const char *list, uint64_t *ret_mask, struct error *err)
{
    *ret_mask = 0;
    if (!list)
        return true;
    if (!recorder_all_registers)
        return error_set(err, ERROR_UNSUPPORTED, "sampling registers isn't known on this architecture");
    if (!list[0]) {
        *ret_mask = recorder_all_registers;
        return true;
    }
    return parse_bits(registers, array_count(registers), list, "register", ret_mask, err);
}

static bool parse_branches(const struct record_options *options, uint64_t *ret_type, struct error *err)
{
    static const uint64_t levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
    *ret_type = options->branches ? PERF_SAMPLE_BRANCH_ANY : 0;
    uint64_t filters = 0;
    if (options->branch_filters && !parse_bits(branch_filters, array_count(branch_filters), options->branch_filters,
                                               "kind of branch", &filters, err))
        return false;
    if (filters && !(filters & ~levels))
        filters |= PERF_SAMPLE_BRANCH_ANY;
    *ret_type |= filters;
    return true;
}

/* "64" pages, or "512K", "4M"; rounded up to a power of two. */
static bool parse_ring_bytes(const char *word, size_t *ret_bytes, struct error *err)
{
    static const char units[] = "BKMG";
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct view number = view_of(word);
    const char *unit = number.length ? strchr(units, number.text[number.length - 1] & ~32) : NULL;
    uint64_t count, factor = page;
    if (unit && *unit) {
        number.length--;
        factor = 1ull << (10 * (unit - units));
    }
    if (!view_u64(number, 10, &count) || count == 0 || count > (1ull << 40) / factor)
        return error_set(err, ERROR_USAGE, "option '-m' expects a number of pages or a size such as 4M, not '%s'", word);
    uint64_t bytes = page;
    while (bytes < count * factor)
        bytes *= 2;
    *ret_bytes = (size_t)bytes;
    return true;
}

static bool parse_callchain(const char *word, enum callchain_mode *ret_mode, uint32_t *ret_stack_bytes,
                            struct error *err)
{
    struct view rest = view_of(word), mode = view_cut(&rest, ',');
    uint64_t bytes = RECORDER_STACK_BYTES;
    bool has_size = mode.length < strlen(word);
    if (view_equal(mode, "fp")) {
        *ret_mode = CALLCHAIN_FRAME_POINTERS;
    } else if (view_equal(mode, "dwarf")) {
        *ret_mode = CALLCHAIN_DWARF;
    } else if (view_equal(mode, "lbr")) {
        *ret_mode = CALLCHAIN_LBR;
    } else if (view_equal(mode, "auto")) {
        *ret_mode = CALLCHAIN_AUTO;
    } else if (view_equal(mode, "no") || view_equal(mode, "none")) {
        *ret_mode = CALLCHAIN_NONE;
    } else {
        error_set(err, ERROR_USAGE, "option '--call-graph' has no mode '%.*s'", (int)mode.length, mode.text);
        return error_hint(err, "there are fp, dwarf[,BYTES], lbr, auto, none");
    }
    bool takes_size = *ret_mode == CALLCHAIN_DWARF || *ret_mode == CALLCHAIN_AUTO;
    if (has_size && (!takes_size || !view_u64(rest, 0, &bytes) || bytes == 0))
        return error_set(err, ERROR_USAGE, "option '--call-graph' can't make a size of '%.*s'", (int)rest.length,
                         rest.text);
    bytes = (bytes + 7) & ~(uint64_t)7;
    if (bytes > RECORDER_STACK_MOST)
        return error_set(err, ERROR_USAGE, "a stack dump has at most %u bytes, not %llu", RECORDER_STACK_MOST,
                         (unsigned long long)bytes);
    *ret_stack_bytes = (uint32_t)bytes;
    return true;
}

static void say(const struct recording_run *run, const char *text)
{
    if (!run->options.quiet)
        fprintf(run->context->talk, "plumb record: %s\n", text);
}

/* Events. */

static bool parse_count(const char *word, const char *option, uint64_t *ret_count, struct error *err)
{
    return (view_u64(view_of(word), 0, ret_count) && *ret_count > 0) ||
           error_set(err, ERROR_USAGE, "option '%s' expects a number above 0, not '%s'", option, word);
}

static bool parse_rate(struct recording_run *run, uint64_t *ret_frequency, uint64_t *ret_period, struct error *err)
{
    const struct record_options *options = &run->options;
    uint64_t most = 0;
    *ret_frequency = *ret_period = 0;
    if (options->frequency && options->period)
        return error_set(err, ERROR_USAGE, "-F and -c exclude each other");
    if (options->period)
        return parse_count(options->period, "-c", ret_period, err);
    bool limited = sysroot_u64(run->context->root, &most, "/proc/sys/kernel/perf_event_max_sample_rate") && most;
    if (options->frequency && strcmp(options->frequency, "max") == 0) {
        *ret_frequency = limited ? most : DEFAULT_FREQUENCY;
        return true;
    }
    *ret_frequency = DEFAULT_FREQUENCY;
    if (options->frequency && !parse_count(options->frequency, "-F", ret_frequency, err))
        return error_hint(err, "-F max samples as often as the kernel allows");
    if (limited && *ret_frequency > most) {
        char text[200];
        if (options->frequency) {
            snprintf(text, sizeof(text),
                     "-F %llu is more than the kernel allows: sampling at %llu Hz "
                     "(/proc/sys/kernel/perf_event_max_sample_rate)",
                     (unsigned long long)*ret_frequency, (unsigned long long)most);
            say(run, text);
        }
        *ret_frequency = most;
    }
    return true;
}

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

static bool parse_events(struct recording_run *run, struct error *err)
{
    const struct record_options *options = &run->options;
    for (size_t at = 0; at < options->events.count; at++)
        if (!event_list_parse(&run->parsed, options->events.items[at], run->context->root, &run->arena, err))
            return false;
    if (options->events.count)
        return true;
    bool cycles = cycles_work(run->context->kernel);
    if (!cycles)
        say(run, "no hardware cycles counter here: sampling cpu-clock, which ticks with the time spent on a CPU");
    return event_list_parse(&run->parsed, cycles ? "cycles:P" : "cpu-clock", run->context->root, &run->arena, err);
}

static uint64_t sample_type_of(const struct record_options *options)
{
    return (options->addresses ? PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC : 0) |
           (options->weight ? PERF_SAMPLE_WEIGHT : 0) |
           (options->physical_addresses ? PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR : 0) |
           (options->data_page_sizes ? PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR : 0) |
           (options->code_page_sizes ? PERF_SAMPLE_CODE_PAGE_SIZE : 0);
}

/* What every event of this run has in common. */
static bool common_event(struct recording_run *run, struct recorder_event *event, struct error *err)
{
    const struct record_options *options = &run->options;
    *event = (struct recorder_event){.sample_type = sample_type_of(options)};
    if (options->callchain) {
        if (!parse_callchain(options->callchain, &event->callchain, &event->stack_bytes, err))
            return false;
    } else if (options->callchain_auto) {
        event->callchain = CALLCHAIN_AUTO;
    }
    return parse_registers(options->user_registers, &event->user_registers, err) &&
           parse_registers(options->interrupt_registers, &event->interrupt_registers, err) &&
           parse_branches(options, &event->branch_sample_type, err) &&
           parse_rate(run, &event->frequency, &event->period, err);
}

static bool choose_events(struct recording_run *run, struct error *err)
{
    struct recorder_event common;
    bool rate_asked = run->options.frequency || run->options.period;
    if (!parse_events(run, err) || !common_event(run, &common, err))
        return false;
    for (size_t at = 0; at < run->parsed.count; at++) {
        const struct event_spec *spec = &run->parsed.items[at];
        if (!event_is_safe(spec, run->context->root, err))
            return false;
        struct recorder_event event = recorder_event_of(spec);
        /* A tracepoint, breakpoint or probe is an occurrence: unless told otherwise each one is recorded. */
        bool occurrence = spec->attr.type == PERF_TYPE_TRACEPOINT || spec->attr.type == PERF_TYPE_BREAKPOINT ||
                          spec->probe_path || (spec->pmu && view_ends(view_of(spec->pmu), "probe"));
        if (!event.frequency && !event.period) {
            event.frequency = occurrence && !rate_asked ? 0 : common.frequency;
            event.period = occurrence && !rate_asked ? 1 : common.period;
        }
        event.sample_type = common.sample_type;
        event.callchain = common.callchain;
        event.stack_bytes = common.stack_bytes;
        event.user_registers = common.user_registers;
        event.interrupt_registers = common.interrupt_registers;
        event.branch_sample_type = common.branch_sample_type;
        *vec_push(&run->events) = event;
    }
    return true;
}

/* Target and request. */

static bool choose_target(struct recording_run *run, bool *ret_given, struct error *err)
{
    const struct record_options *options = &run->options;
    if (options->cgroups.count > 1)
        return error_set(err, ERROR_USAGE, "plumb records one cgroup at a time");
    const char *cgroup = options->cgroups.count ? options->cgroups.items[0] : NULL;
    *ret_given = options->processes || options->threads || options->cpus || options->all_cpus || cgroup;
    if (!*ret_given)
        return true;
    struct target_request request = {.processes = options->processes,
                                     .threads = options->threads,
                                     .cpus = options->cpus,
                                     .all_cpus = options->all_cpus,
                                     .cgroup = cgroup};
    return target_resolve(&run->target, &request, run->context->root, &run->arena, err);
}

static bool choose_request(struct recording_run *run, struct error *err)
{
    const struct record_options *options = &run->options;
    uint64_t clock = 0, level = 1;
    run->request = (struct recorder_request){
        .target = &run->target,
        .output = options->output ? options->output : DEFAULT_OUTPUT,
        .pipe_fd = -1,
        .no_inherit = options->no_inherit,
        .per_thread = options->per_thread,
        .delayed = options->delay_ms != 0,
        .user_only = options->user_only,
        .kernel_only = options->kernel_only,
        .record_switches = options->switches,
        .record_data_mmaps = options->addresses,
        .record_cgroups = options->cgroup_records,
        .clock_id = RECORDER_NO_CLOCK,
        .keep_code = !options->no_code,
        .wake_fd = -1,
    };
    if (options->user_only && options->kernel_only)
        return error_set(err, ERROR_USAGE, "--all-user and --all-kernel exclude each other");
    if (options->duration_seconds < 0 || options->duration_seconds > 1e9)
        return error_set(err, ERROR_USAGE, "--duration expects seconds");
    if (options->pages && !parse_ring_bytes(options->pages, &run->request.ring_bytes, err))
        return false;
    if (options->compression && options->compression[0] &&
        (!view_u64(view_of(options->compression), 10, &level) || level < 1 || level > 22))
        return error_set(err, ERROR_USAGE, "option '-z' expects a level from 1 to 22, not '%s'", options->compression);
    run->request.compression_level = options->compression ? (int)level : 0;
    if (options->clock) {
        if (!lookup(clocks, array_count(clocks), view_of(options->clock), "clock", &clock, err))
            return false;
        run->request.clock_id = (int)clock;
    }
    return true;
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

/* Running. */

static void say_notes(struct recording_run *run)
{
    for (; run->notes_said < recorder_note_count(run->recorder); run->notes_said++)
        say(run, recorder_note(run->recorder, run->notes_said));
}

static void say_opened(const struct recording_run *run)
{
    if (!run->options.verbosity)
        return;
    for (size_t at = 0; at < run->events.count; at++) {
        const struct recorder_event *event = &run->events.items[at];
        fprintf(run->context->talk, "plumb record: event '%s', type %u, config 0x%llx, %s %llu\n", event->name,
                event->attr.type, (unsigned long long)event->attr.config, event->frequency ? "frequency" : "period",
                (unsigned long long)(event->frequency ? event->frequency : event->period));
    }
}

static void set_deadline(struct recording_run *run)
{
    const struct record_options *options = &run->options;
    double ms = options->duration_seconds * 1000 + (double)options->timeout_ms;
    run->deadline_ns = ms > 0 ? now_ns() + (int64_t)(ms * 1e6) : ENDLESS;
}

static int poll_ms(int64_t until_ns)
{
    int64_t left_ms = until_ns == ENDLESS ? POLL_MS : (until_ns - now_ns()) / 1000000 + 1;
    return left_ms < 0 ? 0 : left_ms > POLL_MS ? POLL_MS : (int)left_ms;
}

/* Record until the program or target ends, the time is over, or the user stops it. */
static bool record_on(struct recording_run *run, struct error *err)
{
    int64_t enable_at = run->request.delayed ? now_ns() + (int64_t)run->options.delay_ms * 1000000 : ENDLESS;
    int64_t stop_at = ENDLESS;
    for (;;) {
        if (run->has_workload && workload_wait(&run->workload, 0))
            return true;
        if (!run->has_workload && recorder_target_ended(run->recorder))
            return true;
        int64_t now = now_ns();
        if (now >= run->deadline_ns) {
            run->timed_out = true;
            return true;
        }
        if (workload_stop_requested() && stop_at == ENDLESS) {
            run->stopped = true;
            stop_at = run->has_workload ? now + (int64_t)STOP_GRACE_MS * 1000000 : now;
        }
        if (now >= stop_at)
            return true;
        if (now >= enable_at) {
            enable_at = ENDLESS;
            if (!recorder_enable(run->recorder, err))
                return false;
        }
        int64_t until = run->deadline_ns < enable_at ? run->deadline_ns : enable_at;
        if (!recorder_poll(run->recorder, poll_ms(until < stop_at ? until : stop_at), err))
            return false;
        say_notes(run);
    }
}

static const char *mode_name(enum callchain_mode mode)
{
    switch (mode) {
    case CALLCHAIN_DWARF:
        return "stack dumps";
    case CALLCHAIN_LBR:
        return "branch records";
    default:
        return "frame pointers";
    }
}

static void say_stacks(const struct recording_run *run, const struct recorder_result *result)
{
    char text[300];
    if (result->callchain == CALLCHAIN_NONE)
        return;
    if (result->callchain == CALLCHAIN_DWARF && result->stack_dumps) {
        snprintf(text, sizeof(text), "%.1f %% of %llu stack dumps filled the size asked for%s",
                 100.0 * (double)result->stack_dumps_full / (double)result->stack_dumps,
                 (unsigned long long)result->stack_dumps,
                 result->stack_dumps_full ? ": what lay deeper is cut (--call-graph dwarf,BYTES)" : "");
        say(run, text);
    } else if (result->callchain == CALLCHAIN_FRAME_POINTERS && result->stacks_judged) {
        double share = 100.0 * (double)result->stacks_at_root / (double)result->user_stacks;
        snprintf(text, sizeof(text), "%.1f %% of %llu user stacks reach their thread's root (%s)%s", share,
                 (unsigned long long)result->user_stacks, mode_name(result->callchain),
                 share < 50 ? "; --call-graph dwarf copies stacks instead" : "");
        say(run, text);
    } else if (result->callchain == CALLCHAIN_FRAME_POINTERS) {
        say(run, "too few user stacks to tell how many reach their thread's root");
    }
}

static void say_losses(const struct recording_run *run, const struct recorder_result *result)
{
    char text[300];
    if (result->lost_samples || result->lost_records) {
        uint64_t lost = result->lost_samples ? result->lost_samples : result->lost_records;
        snprintf(text, sizeof(text), "LOST %llu %s (%.1f %%): larger buffers (-m, now %zuK) or a lower rate (-F) help",
                 (unsigned long long)lost, result->lost_samples ? "samples" : "records",
                 100.0 * (double)lost / (double)(lost + result->samples), result->ring_bytes / 1024);
        say(run, text);
    }
    if (result->throttles) {
        snprintf(text, sizeof(text), "the kernel throttled sampling %llu times: the rate was too high for this machine",
                 (unsigned long long)result->throttles);
        say(run, text);
    }
    if (result->broken_bytes) {
        snprintf(text, sizeof(text), "%llu bytes from the kernel were no records and are left out",
                 (unsigned long long)result->broken_bytes);
        say(run, text);
    }
}

static void say_result(const struct recording_run *run, const struct recorder_result *result, bool complete)
{
    char text[600];
    bool to_pipe = strcmp(run->request.output, "-") == 0;
    snprintf(text, sizeof(text), "%llu samples%s, %.3f MB%s%s", (unsigned long long)result->samples,
             complete ? "" : ", not all of them written", (double)result->bytes / 1e6, to_pipe ? "" : " in ",
             to_pipe ? "" : run->request.output);
    say(run, text);
    say_stacks(run, result);
    if (result->code_pages) {
        snprintf(text, sizeof(text), "%llu pages of code that no file holds were copied (%llu KiB)",
                 (unsigned long long)result->code_pages, (unsigned long long)result->code_bytes / 1024);
        say(run, text);
    }
    say_losses(run, result);
}

/* A program that outlives its recording is asked to end, as its user asked us; one that won't is left alone. */
static void end_workload(struct recording_run *run)
{
    if (!run->has_workload || workload_wait(&run->workload, 0))
        return;
    kill(run->workload.pid, SIGTERM);
    if (workload_wait(&run->workload, END_GRACE_NS))
        return;
    char text[100];
    snprintf(text, sizeof(text), "the program (pid %d) goes on: it didn't end when asked to", (int)run->workload.pid);
    say(run, text);
}

static int exit_code_of(const struct recording_run *run)
{
    if (!run->has_workload || !run->workload.reaped || run->timed_out)
        return EXIT_CODE_OK;
    return workload_exit_code(&run->workload);
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

static bool run_recording(struct recording_run *run, char **argv, bool target_given, struct error *err)
{
    if (!claim_stdout(run, err) || !start_program(run, argv, err))
        return false;
    /* After the fork: the program keeps the signals it was given. Writing then fails with an errno instead. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* A shell starts background jobs with SIGINT ignored; `kill -INT` is how scripts end a recording all the same. */
    signal(SIGINT, SIG_DFL);
    if (!target_given)
        target_of_workload(&run->target, run->workload.pid, &run->arena);
    say_opened(run);
    if (!recorder_open(&run->recorder, &run->request, run->context->kernel, run->context->root, err))
        return false;
    say_notes(run);
    workload_forward_signals(run->has_workload ? &run->workload : NULL);
    if (!release_program(run, err))
        return false;
    set_deadline(run);
    bool starts_here = target_given && !run->request.delayed;
    bool recorded = (!starts_here || recorder_enable(run->recorder, err)) && record_on(run, err);
    return finish(run, recorded, err);
}

static void run_done(struct recording_run *run)
{
    recorder_free(run->recorder);
    if (run->has_workload)
        workload_done(&run->workload);
    target_done(&run->target);
    vec_done(&run->events);
    options_done(record_rows, &run->options);
    event_list_done(&run->parsed);
    arena_done(&run->arena);
    scope_close(&run->pipe_fd);
}

static bool record_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct recording_run run = {.context = context, .target = {.cgroup_fd = -1}, .pipe_fd = -1};
    int operand;
    bool target_given = false;
    arena_init(&run.arena);
    char **command_line = arena_array(&run.arena, char *, (size_t)argc + 2);
    command_line[0] = arena_string(&run.arena, "plumb");
    memcpy(command_line + 1, argv, (size_t)argc * sizeof(argv[0]));
    bool good = options_parse(record_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &run.options, &operand, err) &&
                choose_request(&run, err) && choose_target(&run, &target_given, err);
    if (good && !target_given && operand >= argc) {
        good = error_set(err, ERROR_USAGE, "nothing to record");
        error_hint(err, "plumb record [options] -- command, or -p PID, -a, -C CPUS, --cgroup PATH");
    }
    run.request.command_line = command_line;
    good = good && choose_events(&run, err);
    run.request.events = run.events.items;
    run.request.event_count = run.events.count;
    good = good && run_recording(&run, argv + (operand < argc ? operand : argc), target_given, err);
    run_done(&run);
    return good;
}

const struct command command_record = {
    .name = "record",
    .summary = "sample a program, process or machine into a perf.data file",
    .usage = "plumb record [options] [--] command [arguments]\n       plumb record [options] -p PID | -t TID | -a | -C CPUS | --cgroup PATH [-- command]",
    .options = record_rows,
    .run = record_run,
};
