/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counting a command costs at least: fork, open perf stat's eight default events on the child, let it exec,
 * wait, read, print. The measure for `plumb stat COMMAND`.
 *
 *     cc -O2 -o minimal_stat bench/minimal_stat.c; ./minimal_stat true
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} events[] = {
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

enum {
    EVENTS = sizeof(events) / sizeof(events[0])
};

int main(int argc, char **argv)
{
    int go[2], fds[EVENTS], status = 0;
    char byte;
    if (argc < 2 || pipe(go) != 0)
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        if (read(go[0], &byte, 1) != 1)
            _exit(127);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    for (size_t at = 0; at < EVENTS; at++) {
        struct perf_event_attr attr;
        memset(&attr, 0, sizeof(attr));
        attr.size = sizeof(attr);
        attr.type = events[at].type;
        attr.config = events[at].config;
        attr.disabled = attr.inherit = attr.enable_on_exec = 1;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fds[at] = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
        return 1;
    for (size_t at = 0; at < EVENTS; at++) {
        uint64_t words[3] = {0};
        if (fds[at] >= 0 && read(fds[at], words, sizeof(words)) == sizeof(words))
            fprintf(stderr, "%20llu %s\n", (unsigned long long)words[0], events[at].name);
        else
            fprintf(stderr, "%20s %s\n", "<not supported>", events[at].name);
    }
    return WEXITSTATUS(status);
}
