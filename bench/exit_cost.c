/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an event cost that plumb exits counts, beside others' ways? On raw_syscalls:sys_enter in a loop of getppid, by this process's own CPU time:
 * a guest's exit takes so long that any tracer's cost drowns in it.
 *
 * A core's speed swings within a run. So each block of calls is short and stands between two blocks under programs that do nothing, at the same places;
 * what counts is the ratio to these two, and of all ratios the median and quartiles.
 *
 * Usage: exit_cost BLOCKS [NAME COMMAND]...: COMMAND is a shell's; it is started, given four seconds to attach, and ended by SIGINT.
 * Prints "NAME ns-per-call ns-per-call-under-nothing added-ns-per-event lower-quartile upper-quartile blocks" a line; the first has 0 for what it can't say.
 *        exit_cost now FILE: writes CLOCK_MONOTONIC, in nanoseconds.
 */
#include "source/exits/exit_watch.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 40000, BLOCKS_MOST = 501, KINDS_MOST = 16, OURS = 7, ATTACH_SECONDS = 4, COMMAND_BLOCKS = 25, COMMAND_ROUNDS = 3 };

/* What runs at the tracepoints during a block. */
enum way { WAY_NOTHING, WAY_LEAST, WAY_OURS };

struct kind {
    const char *name, *command;
    enum way way;
    bool raw, times;
    unsigned blocks;
    double ns[BLOCKS_MOST], empty_ns[BLOCKS_MOST], added_ns[BLOCKS_MOST];
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double loop_ns(void)
{
    for (int at = 0; at < CALLS / 20; at++)
        syscall(SYS_getppid);
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (int at = 0; at < CALLS; at++)
        syscall(SYS_getppid);
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e9 / CALLS;
}

/* System calls in the places of kvm's events: counted by number, or timed from one to the end. */
static bool watched_block(const struct kind *kind, double *ret_ns)
{
    struct exit_watch watch;
    struct sysroot root;
    struct error err = {0};
    struct exit_point_row points[EXIT_POINT_COUNT];
    memcpy(points, exit_points, sizeof(points));
    struct exit_point_row enter = {.system = "raw_syscalls", .name = "sys_enter", .fields = {"id"}, .arguments = {2}, .parameters = {"regs", "id"},
                                   .raw_suffices = true};
    points[EXIT_POINT_MSR] = points[EXIT_POINT_EXIT] = enter;
    points[EXIT_POINT_ENTRY] = (struct exit_point_row){.system = "raw_syscalls", .name = "sys_exit", .parameters = {"regs", "ret"}, .raw_suffices = true};
    struct exit_watch_request request = {.points = points, .times = kind->times, .no_raw = !kind->raw};
    request.wanted[kind->times ? EXIT_POINT_EXIT : EXIT_POINT_MSR] = true;
    request.wanted[EXIT_POINT_ENTRY] = kind->times;
    sysroot_init(&root, NULL);
    if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err)) {
        fprintf(stderr, "exit_cost: %s\n", err.message);
        return false;
    }
    *ret_ns = loop_ns();
    exit_watch_close(&watch);
    return true;
}

static int raw_attach(const struct kernel *kernel, int program, const char *place)
{
    union bpf_attr open = {0};
    open.raw_tracepoint.name = (uint64_t)(uintptr_t)place;
    open.raw_tracepoint.prog_fd = (uint32_t)program;
    return kernel->bpf(kernel->context, BPF_RAW_TRACEPOINT_OPEN, &open, sizeof(open));
}

static int tracepoint_attach(const struct kernel *kernel, int program, const char *place)
{
    struct sysroot root;
    char number[24];
    uint64_t id;
    sysroot_init(&root, NULL);
    const char *tracefs = sysroot_tracefs(&root);
    if (!tracefs || !sysroot_line(&root, number, sizeof(number), "%s/events/raw_syscalls/%s/id", tracefs, place) || !view_u64(view_of(number), 10, &id))
        return -1;
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id, .disabled = 1};
    int fd = kernel->perf_event_open(kernel->context, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 && kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_SET_BPF, (unsigned long)program) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The least that any program does: nothing; or, to time, ask the clock. With nothing at both ends, above all system calls take a longer way, which exits don't. */
static bool least_block(bool raw, bool both_ends, bool asks_clock, double *ret_ns)
{
    struct bpf_insn code[] = {{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns}, {.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1}, {.code = BPF_JMP | BPF_EXIT}};
    const struct kernel *kernel = kernel_live();
    int (*attach)(const struct kernel *, int, const char *) = raw ? raw_attach : tracepoint_attach;
    union bpf_attr load = {0};
    load.prog_type = raw ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_TRACEPOINT;
    load.insns = (uint64_t)(uintptr_t)(asks_clock ? code : code + 1);
    load.insn_cnt = asks_clock ? 3 : 2;
    load.license = (uint64_t)(uintptr_t)"GPL";
    int program = kernel->bpf(kernel->context, BPF_PROG_LOAD, &load, sizeof(load));
    int enter = program < 0 ? -1 : attach(kernel, program, "sys_enter"), leave = enter < 0 || !both_ends ? -1 : attach(kernel, program, "sys_exit");
    bool good = enter >= 0 && (leave >= 0 || !both_ends);
    if (good)
        *ret_ns = loop_ns();
    else
        perror("exit_cost: a program that does nothing");
    if (leave >= 0)
        close(leave);
    if (enter >= 0)
        close(enter);
    if (program >= 0)
        close(program);
    return good;
}

static bool block(const struct kind *kind, double *ret_ns)
{
    if (kind->way == WAY_OURS)
        return watched_block(kind, ret_ns);
    if (kind->way == WAY_LEAST)
        return least_block(kind->raw, kind->times, kind->times, ret_ns);
    *ret_ns = loop_ns();
    return true;
}

static void block_add(struct kind *kind, double ns, double before_ns, double after_ns)
{
    if (kind->blocks == BLOCKS_MOST)
        return;
    kind->ns[kind->blocks] = ns;
    kind->empty_ns[kind->blocks] = (before_ns + after_ns) / 2;
    kind->blocks++;
}

static bool pair_run(struct kind *kind)
{
    double before_ns, ns, after_ns;
    if (!least_block(true, kind->times, false, &before_ns) || !block(kind, &ns) || !least_block(true, kind->times, false, &after_ns))
        return false;
    block_add(kind, ns, before_ns, after_ns);
    return true;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *items, unsigned count)
{
    qsort(items, count, sizeof(*items), compare);
    return (items[(count - 1) / 2] + items[count / 2]) / 2;
}

static bool empty_median(double *ret_ns)
{
    double ns[COMMAND_BLOCKS];
    for (unsigned at = 0; at < COMMAND_BLOCKS; at++)
        if (!least_block(true, false, false, &ns[at]))
            return false;
    *ret_ns = median(ns, COMMAND_BLOCKS);
    return true;
}

static pid_t command_start(const struct kind *kind)
{
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(126);
        execl("/bin/sh", "sh", "-c", kind->command, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid);
    return pid;
}

/* Another program can't come and go for each block: medians of blocks before, while and after. */
static bool command_round(struct kind *kind)
{
    double before_ns, after_ns, ns[COMMAND_BLOCKS];
    if (!empty_median(&before_ns))
        return false;
    pid_t pid = command_start(kind);
    sleep(ATTACH_SECONDS);
    for (unsigned at = 0; at < COMMAND_BLOCKS; at++)
        ns[at] = loop_ns();
    bool alive = waitpid(pid, NULL, WNOHANG) == 0;
    kill(-pid, SIGINT);
    for (int wait = 0; alive && waitpid(pid, NULL, WNOHANG) == 0; wait++) {
        struct timespec pause = {.tv_nsec = 100000000};
        nanosleep(&pause, NULL);
        if (wait == 50) /* it was still starting when it was asked to end */
            kill(-pid, SIGKILL);
    }
    if (!alive) {
        fprintf(stderr, "exit_cost: '%s' had ended already\n", kind->command);
        return false;
    }
    if (!empty_median(&after_ns))
        return false;
    block_add(kind, median(ns, COMMAND_BLOCKS), before_ns, after_ns);
    return true;
}

/* The ratios at the speed that is usual here. */
static void kind_print(struct kind *kind)
{
    unsigned count = kind->blocks, events = kind->times ? 2 : 1;
    for (unsigned at = 0; at < count; at++)
        kind->added_ns[at] = kind->ns[at] / kind->empty_ns[at] - 1;
    double ns = median(kind->ns, count), empty_ns = median(kind->empty_ns, count), scale = empty_ns / events;
    double added_ns = median(kind->added_ns, count) * scale;
    printf("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%u\n", kind->name, ns, empty_ns, added_ns, kind->added_ns[count / 4] * scale,
           kind->added_ns[count - 1 - count / 4] * scale, count);
}

/* One CPU for all blocks: two may differ in speed. */
static void stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    (void)sched_setaffinity(0, sizeof(here), &here);
}

static int now_write(const char *path)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    FILE *file = fopen(path, "w");
    bool good = file && fprintf(file, "%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec) > 0;
    return file && fclose(file) == 0 && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct kind kinds[KINDS_MOST] = {{.name = "nothing"},
                                            {.name = "plumb, raw tracepoint", .way = WAY_OURS, .raw = true},
                                            {.name = "an empty program, tracepoint", .way = WAY_LEAST},
                                            {.name = "plumb, tracepoint", .way = WAY_OURS},
                                            {.name = "the clock alone, raw tracepoints, both ends", .way = WAY_LEAST, .raw = true, .times = true},
                                            {.name = "plumb, raw tracepoints, both ends timed", .way = WAY_OURS, .raw = true, .times = true},
                                            {.name = "plumb, tracepoints, both ends timed", .way = WAY_OURS, .times = true}};
    size_t count = OURS;
    if (argc == 3 && strcmp(argv[1], "now") == 0)
        return now_write(argv[2]);
    unsigned blocks = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (blocks < 1 || blocks > BLOCKS_MOST || argc % 2 != 0 || (argc - 2) / 2 > KINDS_MOST - OURS) {
        fprintf(stderr, "usage: exit_cost BLOCKS [NAME COMMAND]... | exit_cost now FILE\n");
        return 2;
    }
    for (int at = 2; at + 1 < argc; at += 2)
        kinds[count++] = (struct kind){.name = argv[at], .command = argv[at + 1]};
    for (size_t at = OURS; at < count; at++) /* before we stay: what is started may run anywhere */
        for (unsigned round = 0; round < COMMAND_ROUNDS && round < blocks; round++)
            if (!command_round(&kinds[at]))
                return 1;
    stay_here();
    for (unsigned block = 0; block < blocks; block++)
        for (size_t at = 0; at < OURS; at++)
            if (!pair_run(&kinds[(at + block) % OURS]))
                return 1;
    for (size_t at = 0; at < count; at++)
        kind_print(&kinds[at]);
    return 0;
}
