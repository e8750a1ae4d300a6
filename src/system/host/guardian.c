/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/guardian.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_MS = 5000,
    DESCRIPTORS_MOST = 1 << 16, /* more than a process is given */
};

static bool is_kept(const struct guardian_request *request, int own, int fd)
{
    bool kept = fd == own;
    for (size_t at = 0; at < request->kept_count; at++)
        kept |= request->kept[at] == fd;
    return kept;
}

/* Nothing of ours is held open by it: who waits for the end of our output must not wait for it. */
static void others_close(const struct guardian_request *request, int own)
{
    long limit = sysconf(_SC_OPEN_MAX);
    int end = limit > 0 && limit < DESCRIPTORS_MOST ? (int)limit : DESCRIPTORS_MOST;
    for (int fd = 0; fd < end; fd++)
        if (!is_kept(request, own, fd))
            close(fd);
}

static bool byte_read(int fd)
{
    char byte;
    ssize_t got;
    do
        got = read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static _Noreturn void guard(const struct guardian_request *request, int fd)
{
    (void)setsid(); /* what is sent to our group or terminal isn't for it */
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_IGN);
    others_close(request, fd);
    if (write(fd, "r", 1) != 1 || !byte_read(fd))
        request->undo(request->context);
    _exit(0);
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* No fork has more time than that, on a machine that is still alive. */
static bool is_ready(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int got;
    do
        got = poll(&ready, 1, READY_MS);
    while (got < 0 && errno == EINTR);
    return got == 1 && byte_read(fd);
}

bool guardian_start(struct guardian *guardian, const struct guardian_request *request, struct error *err)
{
    int ends[2];
    *guardian = (struct guardian){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return error_system(err, errno, "can't start who would undo it");
    pid_t pid = fork();
    if (pid == 0)
        guard(request, ends[1]);
    int failed = errno;
    close(ends[1]);
    if (pid > 0 && is_ready(ends[0])) {
        *guardian = (struct guardian){pid, ends[0]};
        return true;
    }
    close(ends[0]);
    if (pid < 0)
        return error_system(err, failed, "can't start who would undo it");
    kill(pid, SIGKILL);
    reap(pid);
    return error_set(err, ERROR_LIMIT, "who would undo it did not start in time");
}

void guardian_end(struct guardian *guardian)
{
    if (guardian->pid <= 0)
        return;
    ssize_t told = send(guardian->fd, "d", 1, MSG_NOSIGNAL);
    (void)told; /* else its end of the line closes: it undoes once more what is undone */
    close(guardian->fd);
    reap(guardian->pid);
    *guardian = (struct guardian){.fd = -1};
}
