/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are awkward to count.
 *
 *     luckless spin SECONDS [STATUS]   work for so long
 *     luckless storm COUNT STATUS      so many short children, and half as many short threads, one after the other
 *     luckless threads SECONDS         threads that come and go all the time, beside one that works
 *     luckless turns SECONDS EVERY_MS  two functions by turns of so long, as the monotonic clock has them: whole turns only, the
 *                                      first one is slept for
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void work(void)
{
    for (unsigned long at = 0; at < 100000; at++)
        sink += at;
}

__attribute__((noinline)) static void other_work(void)
{
    for (unsigned long at = 0; at < 100000; at++)
        sink ^= at << 3;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *thread_short(void *none)
{
    work();
    return none;
}

static void thread_once(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_short, NULL) == 0)
        pthread_join(thread, NULL);
}

/* Each child touches pages of its own, which is counted in it alone. */
static void child_once(void)
{
    enum { PAGES = 8, PAGE = 4096 };
    pid_t child = fork();
    if (child == 0) {
        char *pages = malloc(PAGES * PAGE);
        for (int at = 0; pages && at < PAGES; at++)
            ((volatile char *)pages)[at * PAGE] = 1;
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static int storm(int count, int status)
{
    for (int at = 0; at < count; at++) {
        child_once();
        if (at % 2)
            thread_once();
    }
    return status;
}

static int turns(double for_s, double every_s)
{
    double begins = ((unsigned long)(seconds() / every_s) + 1) * every_s, end = begins + for_s;
    struct timespec at = {.tv_sec = (time_t)begins, .tv_nsec = (long)((begins - (time_t)begins) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    for (double now; (now = seconds()) < end;)
        (unsigned long)(now / every_s) % 2 ? other_work() : work();
    return 0;
}

int main(int argc, char **argv)
{
    double for_s = argc > 2 ? atof(argv[2]) : 1, end = seconds() + for_s;
    const char *what = argc > 1 ? argv[1] : "spin";
    int status = argc > 3 ? atoi(argv[3]) : 0;
    if (strcmp(what, "storm") == 0)
        return storm(argc > 2 ? atoi(argv[2]) : 100, status);
    if (strcmp(what, "turns") == 0)
        return turns(for_s, status / 1e3);
    while (seconds() < end) {
        if (strcmp(what, "threads") == 0)
            thread_once();
        work();
    }
    puts("done");
    return status;
}
