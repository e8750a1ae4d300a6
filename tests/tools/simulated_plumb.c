/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plumb on a machine whose PMU is simulated and all else real: programs, threads, signals, software events.
 *
 *     simulated_plumb SPR L2_Bound [knob=value]... topdown --drill -- ./program
 *
 * Hardware events count as the planted bottleneck wants it, by the clock on the wall, as long as they are enabled; what is sampled
 * are real samples of cpu-clock under the event's name. /proc and /sys are a made-up machine's, with the processes of this
 * one that there are when it begins.
 *
 * Knobs: taken=N counters others hold, and fixed=MASK; then=LEAF is the bottleneck; these from the beginning or, with after_runs=N, once
 * the program ran so often, or with every_ms=N by turns of so long with the leaf planted first, as the monotonic clock has them (luckless
 * turns); share=1: others take turns with us; sampling=0: refused; precise=0: refused, exact=1: as
 * precise as asked (else one instruction late), exact=2: with registers of another moment; fds=N: no more descriptors;
 * smt=1: SMT is on; hidden=1: there is no PMU at all; refuse=N: every Nth event isn't known to the kernel;
 * run_opens=FILE: how many descriptors of counters were open in the end, and the most at a time.
 * standin=1: nothing is simulated, each hardware event is a task-clock of the kernel's: what is counted means nothing, and everything
 * costs what it costs but the hardware's part; costs=FILE: plumb's own CPU time in all and from one run of the program to the next, and
 * how long nothing was counted between two slices of a watch.
 */
#define CRITERION_H_ /* the headers shared with the units assert without it here */
#include <stdio.h>
#include <stdlib.h>

#define cr_assert(condition, ...) ((condition) ? (void)0 : (fprintf(stderr, "simulated_plumb: failed: " #condition "\n"), abort()))
#define cr_assert_neq(one, other, ...) cr_assert((one) != (other))
#define cr_expect_eq(one, other, ...) cr_assert((one) == (other))

#include "base/clock.h"
#include "base/scope.h"
#include "command/command.h"
#include "command/help.h"
#include "precise_samples.h"
#include "unit/simulated/table_program.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIMULATED_FIRST_FD = 100000, STEP_NS = 4000000, LOOK_NS = 1000000, ALL_COUNTERS = 32 };

struct played {
    struct table_program program;
    const struct kernel *simulated, *live;
    struct kernel kernel;
    uint64_t last_ns, looked_ns, steps; /* looked: which programs have ended */
    unsigned taken, taken_fixed, open, open_most;
    unsigned runs, runs_before; /* of the program; how many before the knobs are turned */
    pid_t run_pid;
    bool shares, no_sampling, hidden, smt;
    unsigned refuses; /* every so manieth event; 0: none */
    unsigned precise_most;
    bool exact;
    struct precise_samples precise;
    const char *leaf_then, *opens_path;
    double *rates_then, *rates_first; /* of each rule */
    uint64_t every_ns; /* 0: no turns */
    bool stands_in;
    const char *costs_path;
    uint64_t disabled_ns; /* when a group was stopped last; 0: another has begun since */
    bool watches;         /* the counters opened last aren't plumb's own, to try them */
    uint64_t run_own_ns;  /* plumb's CPU time when the last run's counters were opened */
    vec(uint64_t) gaps_ns, passes_ns;
};

static bool task_lives(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

static void rates_set(struct played *played, const double *rates)
{
    for (unsigned rule = 0; rule < played->program.rule_count; rule++)
        played->program.rules[rule].per_second = rates[rule];
}

/* How long until the other bottleneck's turn; the rates are this one's. */
static uint64_t turn_set(struct played *played)
{
    if (!played->every_ns)
        return STEP_NS;
    rates_set(played, played->last_ns / played->every_ns % 2 ? played->rates_then : played->rates_first);
    return played->every_ns - played->last_ns % played->every_ns;
}

/* The simulation's clock catches up; others take and leave counters meanwhile. */
static void time_pass(struct played *played)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - played->looked_ns > LOOK_NS) {
        simulated_pmu_tasks_end(played->program.simulated, task_lives);
        played->looked_ns = now;
    }
    while (played->last_ns < now) {
        uint64_t most = turn_set(played), step = now - played->last_ns < STEP_NS ? now - played->last_ns : STEP_NS;
        step = step < most ? step : most;
        bool held = played->runs >= played->runs_before;
        bool theirs = played->shares && played->steps++ % 2;
        simulated_pmu_taken_set(played->program.simulated, theirs ? ALL_COUNTERS : held ? played->taken : 0,
                                theirs ? UINT32_MAX : held ? played->taken_fixed : 0);
        simulated_pmu_run(played->program.simulated, step);
        played->last_ns += step;
    }
}

/* A run of the program is known by the process that its counters are opened on. */
static void run_seen(struct played *played, pid_t pid)
{
    if (pid == played->run_pid)
        return;
    uint64_t own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (played->run_pid)
        *vec_push(&played->passes_ns) = own_ns - played->run_own_ns;
    played->run_own_ns = own_ns;
    played->run_pid = pid;
    if (played->runs++ == played->runs_before && played->leaf_then && !played->every_ns)
        rates_set(played, played->rates_then);
}

static int open_counted(struct played *played, int fd)
{
    played->open += fd >= 0;
    played->open_most = played->open > played->open_most ? played->open : played->open_most;
    return fd;
}

static int sampling_opened(struct played *played, const struct perf_event_attr *attr, int fd)
{
    if (played->exact)
        precise_opened(&played->precise, played->live, fd, attr->sample_type, attr->precise_ip);
    return open_counted(played, fd);
}

static int played_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
    struct played *played = context;
    struct perf_event_attr asked = *attr;
    bool is_software = attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;
    if (attr->enable_on_exec && !is_software)
        run_seen(played, pid);
    played->watches = pid != 0;
    played->disabled_ns = 0;
    if (!is_software && played->stands_in && !attr->sample_period) {
        asked.type = PERF_TYPE_SOFTWARE;
        asked.config = PERF_COUNT_SW_TASK_CLOCK;
        asked.config1 = asked.config2 = 0;
        return open_counted(played, played->live->perf_event_open(played->live->context, &asked, pid, cpu, group_fd, flags));
    }
    if (is_software)
        return sampling_opened(played, attr, played->live->perf_event_open(played->live->context, attr, pid, cpu, group_fd, flags));
    bool is_refused = played->refuses && attr->type == PERF_TYPE_RAW && (attr->config ^ attr->config >> 8) % played->refuses == 1;
    if (played->hidden || is_refused) {
        errno = ENOENT;
        return -1;
    }
    time_pass(played);
    if (pid > 0 && !task_lives(pid))
        return -1;
    if (attr->sample_period && (played->no_sampling || attr->precise_ip > played->precise_most)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    asked.precise_ip = 0;
    int fd = played->simulated->perf_event_open(played->simulated->context, &asked, pid, cpu, group_fd, flags);
    if (fd < 0 || !attr->sample_period) {
        if (fd >= 0 && attr->enable_on_exec)
            played->simulated->ioctl(played->simulated->context, fd, PERF_EVENT_IOC_ENABLE, 0);
        return open_counted(played, fd);
    }
    played->simulated->close(played->simulated->context, fd);
    asked.type = PERF_TYPE_SOFTWARE;
    asked.config = PERF_COUNT_SW_CPU_CLOCK;
    asked.config1 = asked.config2 = 0;
    return sampling_opened(played, attr, played->live->perf_event_open(played->live->context, &asked, pid, cpu, group_fd, flags));
}

static const struct kernel *whose(struct played *played, int fd)
{
    if (fd < SIMULATED_FIRST_FD)
        return played->live;
    time_pass(played);
    return played->simulated;
}

static int played_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    struct played *played = context;
    const struct kernel *kernel = whose(played, fd);
    int result = kernel->ioctl(kernel->context, fd, request, argument);
    precise_pump(&played->precise);
    if (played->costs_path && request == PERF_EVENT_IOC_DISABLE)
        played->disabled_ns = clock_ns(CLOCK_MONOTONIC);
    if (played->costs_path && request == PERF_EVENT_IOC_ENABLE && played->disabled_ns) {
        if (played->watches)
            *vec_push(&played->gaps_ns) = clock_ns(CLOCK_MONOTONIC) - played->disabled_ns;
        played->disabled_ns = 0;
    }
    return result;
}

static ssize_t played_read(void *context, int fd, void *buffer, size_t size_bytes)
{
    const struct kernel *kernel = whose(context, fd);
    return kernel->read(kernel->context, fd, buffer, size_bytes);
}

static void *played_mmap(void *context, size_t size_bytes, int protection, int flags, int fd, off_t offset_bytes)
{
    struct played *played = context;
    const struct kernel *kernel = whose(context, fd);
    void *mapped = kernel->mmap(kernel->context, size_bytes, protection, flags, fd, offset_bytes);
    return precise_map(&played->precise, fd, mapped, size_bytes);
}

static int played_munmap(void *context, void *address, size_t size_bytes)
{
    struct played *played = context;
    return precise_unmap(&played->precise, address, size_bytes);
}

static int played_close(void *context, int fd)
{
    struct played *played = context;
    const struct kernel *kernel = whose(played, fd);
    precise_closed(&played->precise, fd);
    played->open--;
    return kernel->close(kernel->context, fd);
}

static int played_bpf(void *context, int command, union bpf_attr *attr, unsigned int size_bytes)
{
    (void)context, (void)command, (void)attr, (void)size_bytes;
    errno = EPERM;
    return -1;
}

static long played_ptrace(void *context, int request, pid_t pid, uint64_t address, uint64_t data)
{
    (void)context, (void)request, (void)pid, (void)address, (void)data;
    errno = EPERM;
    return -1;
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

static void link_put(const char *folder, const char *below, const char *name)
{
    char target[600], path[700];
    snprintf(target, sizeof(target), "%s%s", below, name);
    snprintf(path, sizeof(path), "%s%s%s", folder, below, name);
    if (symlink(target, path) != 0 && errno != EEXIST)
        fprintf(stderr, "simulated_plumb: %s: %s\n", path, strerror(errno));
}

/* The entries of a real folder, but these. */
static void links_put(const char *folder, const char *below, const char *but)
{
    scoped_dir DIR *entries = opendir(below);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char word[300];
        snprintf(word, sizeof(word), " %s ", entry->d_name);
        if (!strstr(but, word) && entry->d_name[0] != '.')
            link_put(folder, below, entry->d_name);
    }
}

static void identity_put(const struct table_program *program, long cpus)
{
    static const struct {
        const char *key, *lines;
    } models[] = {
        {"SPR", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: a made-up Sapphire Rapids\nstepping\t: 8\n"},
        {"ICX", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: a made-up Ice Lake\nstepping\t: 6\n"},
        {"SKX", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: a made-up Skylake\nstepping\t: 4\n"},
        {"ZEN4", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: a made-up Zen 4\nstepping\t: 1\n"},
    };
    char text[4096] = "";
    for (long cpu = 0; cpu < cpus && cpu < 8; cpu++)
        for (size_t at = 0; at < array_count(models); at++)
            if (strcmp(models[at].key, program->key) == 0)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "processor\t: %ld\n%sflags\t\t: fpu tsc\n\n", cpu, models[at].lines);
    cr_assert(text[0]);
    made_folder_put(program->folder, "/proc/cpuinfo", "%s", text);
}

static void machine_put(const struct table_program *program)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    identity_put(program, cpus);
    made_folder_put(program->folder, "/sys/devices/system/cpu/online", "0-%ld\n", cpus - 1);
    made_folder_put(program->folder, "/sys/devices/system/cpu/smt/active", "%d\n", program->threads > 1);
    links_put(program->folder, "/", " proc sys ");
    links_put(program->folder, "/proc/", " cpuinfo ");
}

/* How fast every event counts where another bottleneck is. */
static void rates_then_find(struct played *played)
{
    struct table_program *program = &played->program, other;
    table_program_init(&other, program->key, program->threads);
    cr_assert(program_plant(&other, played->leaf_then, 8));
    played->rates_then = arena_array(&program->arena, double, program->rule_count);
    played->rates_first = arena_array(&program->arena, double, program->rule_count);
    for (unsigned rule = 0; rule < program->rule_count; rule++) {
        played->rates_then[rule] = played->rates_first[rule] = program->rules[rule].per_second;
        for (size_t at = 0; at < program->table.terms.count; at++)
            if (program->specs[at].count == 1 && program->same[at] == at && program->specs[at].specs[0].attr.config == program->rules[rule].config &&
                program->rules[rule].type == PERF_TYPE_RAW)
                played->rates_then[rule] = other.rates[at];
    }
    table_program_done(&other);
}

static void knob_turn(struct played *played, const char *knob, struct simulated_plan *plan)
{
    const char *value = strchr(knob, '=') + 1;
    uint64_t number = strtoull(value, NULL, 0);
    struct view name = {knob, (size_t)(value - 1 - knob)};
    if (view_equal(name, "taken"))
        played->taken = (unsigned)number;
    else if (view_equal(name, "fixed"))
        played->taken_fixed = (unsigned)number;
    else if (view_equal(name, "after_runs"))
        played->runs_before = (unsigned)number;
    else if (view_equal(name, "share"))
        played->shares = number;
    else if (view_equal(name, "hidden"))
        played->hidden = number;
    else if (view_equal(name, "smt"))
        played->smt = number;
    else if (view_equal(name, "refuse"))
        played->refuses = (unsigned)number;
    else if (view_equal(name, "then"))
        played->leaf_then = value;
    else if (view_equal(name, "every_ms"))
        played->every_ns = number * 1000000;
    else if (view_equal(name, "sampling"))
        played->no_sampling = !number;
    else if (view_equal(name, "precise"))
        played->precise_most = (unsigned)number;
    else if (view_equal(name, "exact"))
        played->exact = number, played->precise.loses_registers = number == 2;
    else if (view_equal(name, "fds"))
        plan->fd_limit = (unsigned)number;
    else if (view_equal(name, "standin"))
        played->stands_in = number;
    else if (view_equal(name, "costs"))
        played->costs_path = value;
    else if (view_equal(name, "run_opens"))
        played->opens_path = value;
    else
        cr_assert(!"such a knob");
}

static void played_begin(struct played *played, const char *key, const char *leaf, struct simulated_plan plan)
{
    struct table_program *program = &played->program;
    table_program_init(program, key, played->smt ? 2 : 1);
    cr_assert(program_plant(program, leaf, 5));
    program_rules(program);
    struct simulated_rule *rules = arena_array(&program->arena, struct simulated_rule, program->rule_count + 2);
    memcpy(rules, program->rules, program->rule_count * sizeof(*rules));
    program->rules = rules;
    rules[program->rule_count++] = (struct simulated_rule){.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE,
                                                           .fixed = 2, .per_second = 3e9};
    if (played->leaf_then)
        rates_then_find(played);
    machine_put(program);
    plan.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    table_program_start(program, plan);
    simulated_pmu_step_set(program->simulated, 0); /* time is real */
    played->simulated = simulated_pmu_kernel(program->simulated);
    played->live = kernel_live();
    played->kernel = (struct kernel){.context = played, .perf_event_open = played_open, .ioctl = played_ioctl, .read = played_read,
                                     .mmap = played_mmap, .munmap = played_munmap, .close = played_close, .bpf = played_bpf, .ptrace = played_ptrace};
    played->last_ns = clock_ns(CLOCK_MONOTONIC);
}

static int command_run(const struct played *played, int argc, char **argv)
{
    struct error err = {0};
    struct context context = {.root = &played->program.root, .kernel = &played->kernel, .out = stdout, .talk = stderr};
    const struct command *command = command_find(argv[0]);
    cr_assert(command);
    if (command->run(&context, argc, argv, &err))
        return context.exit_code;
    fprintf(stderr, "plumb %s: %s\n", command->name, err.message);
    if (err.hint[0])
        fprintf(stderr, "  hint: %s\n", err.hint);
    return context.exit_code ? context.exit_code : err.kind == ERROR_USAGE ? EXIT_CODE_USAGE : EXIT_CODE_FAILED;
}

static void times_write(FILE *file, const char *name, const uint64_t *items, size_t count)
{
    fprintf(file, ", \"%s\": [", name);
    for (size_t at = 0; at < count; at++)
        fprintf(file, "%s%.4f", at ? ", " : "", (double)items[at] / 1e6);
    fprintf(file, "]");
}

static void costs_write(struct played *played, uint64_t own_ns)
{
    scoped_file FILE *file = played->costs_path ? fopen(played->costs_path, "we") : NULL;
    if (file) {
        fprintf(file, "{\"own_ms\": %.3f, \"runs\": %u", (double)own_ns / 1e6, played->runs);
        times_write(file, "pass_ms", played->passes_ns.items, played->passes_ns.count);
        times_write(file, "gap_ms", played->gaps_ns.items, played->gaps_ns.count);
        fprintf(file, "}\n");
    }
    vec_done(&played->gaps_ns);
    vec_done(&played->passes_ns);
}

int main(int argc, char **argv)
{
    struct played played = {.precise_most = 2};
    struct simulated_plan plan = {0};
    int first = 3;
    cr_assert(argc > 3);
    for (; first < argc && strchr(argv[first], '='); first++)
        knob_turn(&played, argv[first], &plan);
    cr_assert(first < argc);
    played_begin(&played, argv[1], argv[2], plan);
    uint64_t before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    int exit_code = command_run(&played, argc - first, argv + first);
    costs_write(&played, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns);
    scoped_file FILE *opens = played.opens_path ? fopen(played.opens_path, "we") : NULL;
    if (opens)
        fprintf(opens, "%u %u\n", played.open, played.open_most);
    disassembler_free(played.precise.disassembler);
    table_program_done(&played.program);
    return fflush(stdout) == 0 ? exit_code : EXIT_CODE_FAILED;
}
