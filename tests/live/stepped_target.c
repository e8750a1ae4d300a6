/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that notices whatever a tracer does to it: wrong sums, signals lost or out of order, calls that end with
 * EINTR though no handler ran. `stepped_target SECONDS [fork|exec]` works so long, or until whoever holds the other end of
 * its standard input closes it, prints "fine …" and ends with 0, else says what is wrong. With "exec" it starts itself anew
 * every fifth of a second.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int wrong, ended;
static atomic_long interrupted, signals, sums, disordered;
static pthread_t computing;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void heard(int number, siginfo_t *info, void *context)
{
    static int last = -1;
    (void)number;
    (void)context;
    if (info->si_value.sival_int != last + 1)
        disordered++;
    last = info->si_value.sival_int;
    signals++;
}

/* No signal is for this thread: whoever ends its wait is no handler. */
static void *waiter(void *ignored)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    (void)ignored;
    while (!ended)
        if (epoll_wait(fd, &event, 1, 2) < 0 && errno == EINTR)
            interrupted++;
    return NULL;
}

static void *sender(void *ignored)
{
    (void)ignored;
    for (int number = 0; !ended; number++) {
        union sigval value = {.sival_int = number};
        while (pthread_sigqueue(computing, SIGRTMIN, value) == EAGAIN)
            usleep(100);
        usleep(700);
    }
    return NULL;
}

static uint32_t table[4096];

/* Two ways to the same sum, with branches, calls and a vector loop. */
static uint64_t sum_up(uint64_t seed)
{
    uint64_t sum = 0;
    for (int at = 0; at < 4096; at++)
        table[at] = (uint32_t)(seed = seed * 6364136223846793005u + 1442695040888963407u) >> 8;
    for (int at = 0; at < 4096; at++)
        sum += table[at] & 1 ? table[at] : table[at] / 2;
    return sum;
}

static uint64_t sum_down(void)
{
    uint64_t sum = 0;
    for (int at = 4095; at >= 0; at--)
        sum += table[at] >> !(table[at] & 1);
    return sum;
}

/* A closed pipe; a terminal, a file or /dev/null never hangs up. */
static bool told_to_end(void)
{
    struct pollfd input = {.fd = STDIN_FILENO};
    return poll(&input, 1, 0) > 0 && (input.revents & POLLHUP);
}

static bool is_bad(void)
{
    return wrong || interrupted || disordered || !sums || !signals;
}

static void fork_once(uint64_t seed)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(sum_up(seed) == sum_down() ? 0 : 9);
    if (waitpid(child, &status, 0) != child || status)
        wrong++;
}

static void threads_end(pthread_t threads[2])
{
    ended = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
    double began = now(), until = began + (argc > 1 ? atof(argv[1]) : 1);
    const char *habit = argc > 2 ? argv[2] : "";
    struct sigaction action = {.sa_sigaction = heard, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t mine;
    pthread_t threads[2];
    sigemptyset(&mine);
    sigaddset(&mine, SIGRTMIN);
    computing = pthread_self();
    pthread_sigmask(SIG_BLOCK, &mine, NULL);
    pthread_create(&threads[0], NULL, waiter, NULL);
    sigaction(SIGRTMIN, &action, NULL);
    pthread_create(&threads[1], NULL, sender, NULL);
    pthread_sigmask(SIG_UNBLOCK, &mine, NULL);
    for (uint64_t seed = 1; now() < until && !(now() > began + 0.1 && told_to_end()); seed++) {
        if (sum_up(seed) != sum_down())
            wrong++;
        sums++;
        if (strcmp(habit, "fork") == 0 && seed % 64 == 0)
            fork_once(seed);
        if (strcmp(habit, "exec") == 0 && now() > began + 0.2) {
            char left[16];
            threads_end(threads); /* and with them the last signal, which nobody would hear in the next program */
            if (is_bad())
                break;
            snprintf(left, sizeof(left), "%.1f", until - now());
            execl("/proc/self/exe", argv[0], left, habit, (char *)NULL);
            wrong++;
        }
    }
    if (!ended)
        threads_end(threads);
    printf("%s sums=%ld wrong=%d signals=%ld disordered=%ld interrupted=%ld\n", is_bad() ? "BAD" : "fine", sums, wrong, signals,
           disordered, interrupted);
    return is_bad();
}
