/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an event cost that plumb exits counts, beside others' ways? On raw_syscalls:sys_enter in a loop of getppid, by this process's own CPU time:
 * a guest's exit takes so long that any tracer's cost drowns in it.
 *
 * Usage: exit_cost ROUNDS [NAME COMMAND]...: COMMAND is a shell's; it is started, given four seconds to attach, and ended by SIGINT.
 * Prints "NAME ns-per-call-median ns-per-call-least open-ms-median" a line, of rounds in turns.
 */
#include "source/exits/exit_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 400000, ROUNDS_MOST = 101, KINDS_MOST = 16, OURS = 6, ATTACH_SECONDS = 4 };

struct kind {
    const char *name, *command;
    bool watches, raw, times, empty;
    double ns[ROUNDS_MOST], open_ms[ROUNDS_MOST];
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
static bool watched_round(struct kind *kind, unsigned round)
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
    double begin = seconds_of(CLOCK_MONOTONIC);
    if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err)) {
        fprintf(stderr, "exit_cost: %s\n", err.message);
        return false;
    }
    kind->open_ms[round] = (seconds_of(CLOCK_MONOTONIC) - begin) * 1e3;
    kind->ns[round] = loop_ns();
    exit_watch_close(&watch);
    return true;
}

/* What a program costs that does nothing: above all, system calls take a longer way then, which exits don't. */
static bool empty_round(struct kind *kind, unsigned round)
{
    struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
    const struct kernel *kernel = kernel_live();
    union bpf_attr load = {0}, open = {0};
    load.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    load.insns = (uint64_t)(uintptr_t)code;
    load.insn_cnt = 2;
    load.license = (uint64_t)(uintptr_t)"GPL";
    int program = kernel->bpf(kernel->context, BPF_PROG_LOAD, &load, sizeof(load));
    open.raw_tracepoint.name = (uint64_t)(uintptr_t)"sys_enter";
    open.raw_tracepoint.prog_fd = (uint32_t)program;
    int link = program < 0 ? -1 : kernel->bpf(kernel->context, BPF_RAW_TRACEPOINT_OPEN, &open, sizeof(open));
    if (link < 0) {
        perror("exit_cost: an empty program");
        return false;
    }
    kind->ns[round] = loop_ns();
    close(link);
    close(program);
    return true;
}

static bool command_round(struct kind *kind, unsigned round)
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
    sleep(ATTACH_SECONDS);
    kind->ns[round] = loop_ns();
    bool alive = waitpid(pid, NULL, WNOHANG) == 0;
    kill(-pid, SIGINT);
    for (int wait = 0; alive && waitpid(pid, NULL, WNOHANG) == 0; wait++) {
        struct timespec pause = {.tv_nsec = 100000000};
        nanosleep(&pause, NULL);
        if (wait == 50) /* it was still starting when it was asked to end */
            kill(-pid, SIGKILL);
    }
    if (!alive)
        fprintf(stderr, "exit_cost: '%s' had ended already\n", kind->command);
    return alive;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    struct kind kinds[KINDS_MOST] = {{.name = "nothing"},
                                     {.name = "an empty program at the raw tracepoint", .empty = true},
                                     {.name = "plumb, raw tracepoint", .watches = true, .raw = true},
                                     {.name = "plumb, tracepoint", .watches = true},
                                     {.name = "plumb, raw tracepoints, both ends timed", .watches = true, .raw = true, .times = true},
                                     {.name = "plumb, tracepoints, both ends timed", .watches = true, .times = true}};
    size_t count = OURS;
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (rounds < 1 || rounds > ROUNDS_MOST || argc % 2 != 0 || (argc - 2) / 2 > KINDS_MOST - OURS) {
        fprintf(stderr, "usage: exit_cost ROUNDS [NAME COMMAND]...\n");
        return 2;
    }
    for (int at = 2; at + 1 < argc; at += 2)
        kinds[count++] = (struct kind){.name = argv[at], .command = argv[at + 1]};
    for (unsigned round = 0; round < rounds; round++)
        for (size_t at = 0; at < count; at++) {
            struct kind *kind = &kinds[(at + round) % count];
            if (kind->command ? !command_round(kind, round) : kind->watches && !watched_round(kind, round))
                return 1;
            if (kind->empty && !empty_round(kind, round))
                return 1;
            if (!kind->command && !kind->watches && !kind->empty)
                kind->ns[round] = loop_ns();
        }
    for (size_t at = 0; at < count; at++) {
        qsort(kinds[at].ns, rounds, sizeof(double), compare);
        qsort(kinds[at].open_ms, rounds, sizeof(double), compare);
        printf("%s\t%.1f\t%.1f\t%.2f\n", kinds[at].name, kinds[at].ns[rounds / 2], kinds[at].ns[0], kinds[at].open_ms[rounds / 2]);
    }
    return 0;
}
