/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time several commands against each other: in each round every command runs once, in random order.
 *
 *     interleave ROUNDS SEED 'command a' 'command b' …
 *
 * A command's time runs from its start until its standard output and error have both been closed by
 * everybody who held them and it was reaped: what a shell's $(…) waits for. Prints one line a run:
 * command index, wall ns, CPU ns (user + system of the command and its waited-for children), peak RSS in KiB, exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS_MOST = 1200
};

static char **split(char *command)
{
    char **words = calloc(WORDS_MOST + 1, sizeof(*words));
    size_t count = 0;
    if (!words)
        exit(1);
    for (char *rest = command, *word; (word = strsep(&rest, " ")) && count < WORDS_MOST;)
        if (*word)
            words[count++] = word;
    return words;
}

static long long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void drain(int fd)
{
    char buffer[65536];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
        ;
}

static pid_t spawn(char **argv, int output)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    pid_t pid = -1;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0) {
        fprintf(stderr, "interleave: can't start '%s'\n", argv[0]);
        exit(127);
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void run(int index, char **argv)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        exit(1);
    long long started = now_ns();
    pid_t pid = spawn(argv, ends[1]);
    close(ends[1]);
    drain(ends[0]);
    struct rusage usage;
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    long long wall = now_ns() - started;
    close(ends[0]);
    long long cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
                    (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
    printf("%d %lld %lld %ld %d\n", index, wall, cpu, usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: interleave ROUNDS SEED COMMAND…\n", stderr);
        return 2;
    }
    int rounds = (int)strtol(argv[1], NULL, 10), count = argc - 3;
    srand48(strtol(argv[2], NULL, 10));
    char ***commands = calloc((size_t)count, sizeof(*commands));
    int *order = calloc((size_t)count, sizeof(*order));
    if (!commands || !order)
        return 1;
    for (int at = 0; at < count; at++) {
        commands[at] = split(argv[3 + at]);
        order[at] = at;
    }
    for (int round = 0; round < rounds; round++) {
        for (int at = count; at > 1; at--) {
            int other = (int)(drand48() * at), moved = order[at - 1];
            order[at - 1] = order[other];
            order[other] = moved;
        }
        for (int at = 0; at < count; at++)
            run(order[at], commands[order[at]]);
        fflush(stdout);
    }
    return 0;
}
