/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/workload.h"

#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Set by the handler only; signal flags are the one kind of global the project allows. */
static volatile sig_atomic_t stop_signal;
static volatile pid_t forward_pid;

/* Undo our handlers in the child, which may still be waiting for its release when a signal arrives. */
static void signals_to_default(void)
{
    for (size_t at = 0; at < array_count(forwarded_signals); at++) {
        struct sigaction action;
        if (sigaction(forwarded_signals[at], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(forwarded_signals[at], SIG_DFL);
    }
}

/* 0, or the errno of what can't be. */
static int surroundings_apply(const struct workload_surroundings *surroundings)
{
    for (char *const *entry = surroundings->environment; entry && *entry; entry++)
        putenv(*entry);
    int null_fd = surroundings->streams_null ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (null_fd >= 0) {
        dup2(null_fd, STDIN_FILENO);
        dup2(surroundings->output_fd > 0 ? surroundings->output_fd : null_fd, STDOUT_FILENO);
    }
    return surroundings->prepare ? surroundings->prepare(surroundings->prepare_context) : 0;
}

/* What comes through the error pipe of a child that was never exec'ed because of what it was to find around it. */
enum {
    SURROUNDINGS_FAILED = 0x10000
};

static const char *search_path(const struct workload_surroundings *surroundings)
{
    const char *path = getenv("PATH");
    for (char *const *entry = surroundings ? surroundings->environment : NULL; entry && *entry; entry++)
        if (strncmp(*entry, "PATH=", 5) == 0)
            path = *entry + 5;
    return path ? path : "";
}

bool workload_program_find(const char *name, const char *path, struct text *ret_found)
{
    for (struct view rest = view_of(path); rest.length && !strchr(name, '/');) {
        struct view folder = view_cut(&rest, ':');
        struct stat found;
        text_clear(ret_found);
        text_printf(ret_found, "%.*s%s%s", (int)folder.length, folder.text, folder.length ? "/" : "./", name);
        if (stat(text_string(ret_found), &found) == 0 && S_ISREG(found.st_mode) &&
            access(text_string(ret_found), X_OK) == 0)
            return true;
    }
    text_clear(ret_found);
    text_add(ret_found, name);
    return strchr(name, '/') && access(name, X_OK) == 0;
}

__attribute__((noreturn)) static void child_run(const char *program, char *const argv[],
                                                const struct workload_surroundings *surroundings, int release_fd,
                                                int error_fd)
{
    char byte;
    ssize_t got;
    signals_to_default();
    do
        got = read(release_fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(127); /* our parent went away */
    int exec_errno = surroundings ? surroundings_apply(surroundings) : 0;
    if (exec_errno) {
        exec_errno |= SURROUNDINGS_FAILED;
    } else {
        execv(program, argv);
        execvp(argv[0], argv);
        exec_errno = errno;
    }
    if (write(error_fd, &exec_errno, sizeof(exec_errno)) < 0)
        _exit(126);
    _exit(exec_errno == ENOENT ? 127 : 126);
}

bool workload_start(struct workload *workload, char *const argv[], struct error *err)
{
    return workload_start_in(workload, argv, NULL, err);
}

bool workload_start_in(struct workload *workload, char *const argv[],
                       const struct workload_surroundings *surroundings, struct error *err)
{
    *workload = (struct workload){.release_fd = -1, .exec_error_fd = -1, .pid_fd = -1};
    int release[2], failure[2];
    if (pipe2(release, O_CLOEXEC) < 0)
        return error_system(err, errno, "can't make a pipe for '%s'", argv[0]);
    scoped_fd int release_read = release[0], release_write = release[1];
    if (pipe2(failure, O_CLOEXEC) < 0)
        return error_system(err, errno, "can't make a pipe for '%s'", argv[0]);
    scoped_fd int failure_read = failure[0], failure_write = failure[1];
    /*
     * Looking takes time and memory that are no part of the run. The child looks itself for what is found by no path:
     * scripts without "#!".
     */
    scoped_text struct text program = {0};
    (void)workload_program_find(argv[0], search_path(surroundings), &program);
    pid_t pid = fork();
    if (pid < 0)
        return error_system(err, errno, "can't fork for '%s'", argv[0]);
    if (pid == 0) {
        close(release_write); /* so that the parent's death is the end of the pipe */
        child_run(text_string(&program), argv, surroundings, release_read, failure_write);
    }
    signal(SIGCHLD, SIG_DFL); /* ignored, its status would be lost; the child keeps what we were given */
    workload->pid = pid;
    workload->program = argv[0];
    if (surroundings) {
        workload->ended = surroundings->ended;
        workload->ended_context = surroundings->ended_context;
    }
    workload->release_fd = fd_steal(&release_write);
    workload->exec_error_fd = fd_steal(&failure_read);
#ifdef SYS_pidfd_open
    workload->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
    return true;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The interpreter that a script's first line names, when it is missing; what ENOENT then means. */
static bool missing_interpreter(const char *path, char *interpreter, size_t size)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char head[256];
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
    if (got < 3 || head[0] != '#' || head[1] != '!')
        return false;
    struct view rest = {head + 2, (size_t)got - 2}, line = {0};
    if (!view_line(&rest, &line))
        return false;
    struct view word = view_word(&line);
    snprintf(interpreter, size, "%.*s", (int)word.length, word.text);
    return word.length > 0 && access(interpreter, F_OK) != 0;
}

static bool exec_failed(const char *program, int exec_errno, struct error *err)
{
    char interpreter[256];
    if (exec_errno & SURROUNDINGS_FAILED)
        return error_system(err, exec_errno & ~SURROUNDINGS_FAILED, "%s: its settings can't be made", program);
    bool is_path = strchr(program, '/') != NULL;
    if (exec_errno == ENOENT && is_path && missing_interpreter(program, interpreter, sizeof(interpreter))) {
        error_set(err, ERROR_NOT_FOUND, "%s: interpreter '%s' not found", program, interpreter);
    } else if (exec_errno == ENOENT && !is_path) {
        error_set(err, ERROR_NOT_FOUND, "%s: command not found", program);
    } else if (exec_errno == EACCES && is_path && is_directory(program)) {
        error_set(err, ERROR_PERMISSION, "%s: Is a directory", program);
    } else {
        error_set(err, exec_errno == ENOENT ? ERROR_NOT_FOUND : ERROR_PERMISSION, "%s: %s", program,
                  strerror(exec_errno));
    }
    if (err)
        err->sys_errno = exec_errno;
    return false;
}

/* Its end is seen before it is reaped, so that no signal is passed on to a number that is free again. */
static bool reap(struct workload *workload, int flags)
{
    siginfo_t ended = {0};
    int found;
    do
        found = waitid(P_PID, (id_t)workload->pid, &ended, WEXITED | WNOWAIT | flags);
    while (found < 0 && errno == EINTR);
    if (found == 0 && ended.si_pid == 0)
        return false;
    if (forward_pid == workload->pid)
        forward_pid = 0;
    uint64_t ended_ns = clock_ns(CLOCK_MONOTONIC);
    if (workload->ended)
        workload->ended(workload->ended_context, workload->pid);
    while (wait4(workload->pid, &workload->wait_status, 0, &workload->usage) < 0 && errno == EINTR)
        continue;
    workload->ended_ns = ended_ns;
    workload->reaped = true;
    return true;
}

/* After a signal has arrived the wait goes on: as in a shell, the program decides whether it ends. */
static bool wait_readable(int fd, int64_t timeout_ns)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ns;
    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC), left = end_ns > now ? end_ns - now : 0;
        struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        int ready = ppoll(&poll_fd, fd >= 0 ? 1 : 0, &timeout, NULL);
        if (ready >= 0)
            return ready > 0;
        if (errno != EINTR)
            return false;
    }
}

void workload_let_go(struct workload *workload)
{
    workload->started_ns = clock_ns(CLOCK_MONOTONIC);
    /* a child that was killed meanwhile is found by the wait; SIGPIPE must not end us for it */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGPIPE, &ignore, &old);
    workload->never_started = write(workload->release_fd, "", 1) != 1;
    sigaction(SIGPIPE, &old, NULL);
    close(fd_steal(&workload->release_fd));
}

bool workload_exec_check(struct workload *workload, struct error *err)
{
    int exec_errno = 0;
    ssize_t got;
    do
        got = read(workload->exec_error_fd, &exec_errno, sizeof(exec_errno));
    while (got < 0 && errno == EINTR);
    close(fd_steal(&workload->exec_error_fd));
    if (workload->never_started)
        return error_set(err, ERROR_SYSTEM, "%s: killed before it was started", workload->program);
    if (got != sizeof(exec_errno))
        return true; /* closed by the exec */
    if (!workload->reaped)
        reap(workload, 0);
    return exec_failed(workload->program, exec_errno, err);
}

bool workload_release(struct workload *workload, struct error *err)
{
    workload_let_go(workload);
    return workload_exec_check(workload, err);
}

int workload_exec_exit_code(const struct error *err)
{
    return err->kind == ERROR_NOT_FOUND ? 127 : 126;
}

/* Without pidfd_open (before 5.3) look again and again, at most every 10 ms. */
static bool wait_polling(struct workload *workload, int64_t timeout_ns)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ns, pause_ns = 100000;
    while (!reap(workload, WNOHANG)) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (now >= end_ns)
            return false;
        wait_readable(-1, (int64_t)(pause_ns < end_ns - now ? pause_ns : end_ns - now));
        pause_ns = pause_ns < 5000000 ? pause_ns * 2 : 10000000;
    }
    return true;
}

bool workload_wait(struct workload *workload, int64_t timeout_ns)
{
    if (workload->reaped)
        return true;
    if (timeout_ns < 0)
        return reap(workload, 0);
    if (workload->pid_fd < 0)
        return wait_polling(workload, timeout_ns);
    return (timeout_ns == 0 || wait_readable(workload->pid_fd, timeout_ns)) && reap(workload, WNOHANG);
}

int workload_exit_code(const struct workload *workload)
{
    if (WIFSIGNALED(workload->wait_status))
        return 128 + WTERMSIG(workload->wait_status);
    return WEXITSTATUS(workload->wait_status);
}

void workload_done(struct workload *workload)
{
    bool released = workload->release_fd < 0;
    if (workload->pid > 0 && !released && !workload->reaped) {
        kill(workload->pid, SIGKILL);
        reap(workload, 0);
    }
    scope_close(&workload->release_fd);
    scope_close(&workload->exec_error_fd);
    scope_close(&workload->pid_fd);
    if (forward_pid == workload->pid)
        forward_pid = 0;
    workload->release_fd = workload->exec_error_fd = workload->pid_fd = -1;
}

/*
 * A signal from the terminal (si_code > 0) has reached every process of the foreground group already: passing it
 * on would deliver it twice.
 */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved_errno = errno;
    pid_t pid = forward_pid;
    bool from_terminal = info && info->si_code > 0;
    stop_signal = number;
    if (pid > 0 && !(from_terminal && getpgid(pid) == getpgrp()))
        kill(pid, number);
    errno = saved_errno;
}

void workload_forward_signals(const struct workload *workload)
{
    forward_pid = workload && !workload->reaped ? workload->pid : 0;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    for (size_t at = 0; at < array_count(forwarded_signals); at++) {
        struct sigaction old;
        /*
         * nohup's SIGHUP and a background job's SIGINT stay ignored; but without a program that ends by itself, an
         * interrupt is how a script (`plumb stat -a & … kill -INT $!`) ends us, although its shell had us ignore it.
         */
        bool ends_us = !workload && forwarded_signals[at] == SIGINT;
        if (sigaction(forwarded_signals[at], NULL, &old) == 0 && (ends_us || old.sa_handler != SIG_IGN))
            sigaction(forwarded_signals[at], &action, NULL);
    }
}

bool workload_stop_requested(void)
{
    return stop_signal != 0;
}

int workload_stop_signal(void)
{
    return stop_signal;
}
