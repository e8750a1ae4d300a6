/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/exits/exits_processes.h"

#include "base/scope.h"
#include "base/text.h"
#include "system/key_value.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PARENTS_MOST = 64 };

/* The first PID namespace's inode is fixed. Source: include/linux/proc_ns.h, PROC_PID_INIT_INO. */
static const char first_namespace[] = "pid:[4026531836]";

static int process_fd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

bool exits_processes_open(struct exits_processes *processes, const char *list, struct error *err)
{
    *processes = (struct exits_processes){0};
    for (struct view rest = view_of(list ? list : ""); rest.length;) {
        struct view word = view_item(&rest);
        uint64_t pid;
        bool good = view_u64(word, 10, &pid) && pid && pid <= INT32_MAX;
        if (!good)
            error_set(err, ERROR_USAGE, "-p takes process numbers, not '%s'", list);
        else if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            good = error_set(err, ERROR_NOT_FOUND, "there is no process %d", (int)pid);
        if (!good) {
            exits_processes_done(processes);
            return false;
        }
        *vec_push(processes) = (struct exits_process){(pid_t)pid, process_fd((pid_t)pid)};
    }
    if (list && !processes->count)
        return error_set(err, ERROR_USAGE, "-p takes process numbers");
    return true;
}

void exits_processes_done(struct exits_processes *processes)
{
    for (size_t at = 0; at < processes->count; at++)
        if (processes->items[at].fd >= 0)
            close(processes->items[at].fd);
    vec_done(processes);
}

void exits_processes_add(struct exits_processes *processes, pid_t pid)
{
    *vec_push(processes) = (struct exits_process){pid, -1};
}

static bool has_ended(const struct exits_process *process)
{
    struct pollfd polled = {.fd = process->fd, .events = POLLIN};
    if (process->fd >= 0)
        return poll(&polled, 1, 0) > 0;
    return kill(process->pid, 0) != 0 && errno == ESRCH;
}

bool exits_processes_ended(const struct exits_processes *processes)
{
    for (size_t at = 0; at < processes->count; at++)
        if (!has_ended(&processes->items[at]))
            return false;
    return processes->count > 0;
}

static pid_t parent_of(const struct sysroot *root, pid_t pid)
{
    char path[64];
    struct fact_number parent = {.known = false};
    const struct key_fact keys[] = {{"PPid", &parent}};
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    key_facts_read(keys, array_count(keys), root, path);
    return parent.known ? (pid_t)parent.value : 0;
}

bool exits_processes_cover(const struct exits_processes *processes, const struct sysroot *root, pid_t pid)
{
    for (int generation = 0; pid > 0 && generation < PARENTS_MOST; generation++, pid = parent_of(root, pid))
        for (size_t at = 0; at < processes->count; at++)
            if (processes->items[at].pid == pid)
                return true;
    return false;
}

bool exits_processes_are_renumbered(const struct sysroot *root)
{
    char target[64];
    return sysroot_link(root, target, sizeof(target), "/proc/self/ns/pid") && strcmp(target, first_namespace) != 0;
}
