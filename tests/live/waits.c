/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for a third of a second in each way that is named, in functions of their own: lock condition pipe sleep socket chatter /FILE file */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 50, ROUND_NS = 6000000, LONG_NS = 200000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int turn;
static int ends[2];

static void pause_for(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

__attribute__((noinline)) static void hold(void)
{
    pthread_mutex_lock(&lock);
    pause_for(ROUND_NS);
    pthread_mutex_unlock(&lock);
    pause_for(ROUND_NS / 10);
}

__attribute__((noinline)) static void queue_push(void)
{
    pthread_mutex_lock(&lock); /* waits here: lock */
    turn++;
    pthread_mutex_unlock(&lock);
}

static void *holder(void *argument)
{
    for (int at = 0; at < ROUNDS; at++)
        hold();
    return argument;
}

static void *signaller(void *argument)
{
    for (int at = 0; at < ROUNDS; at++) {
        pause_for(ROUND_NS);
        pthread_mutex_lock(&lock);
        turn++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

__attribute__((noinline)) static void queue_pop(int seen)
{
    pthread_mutex_lock(&lock);
    while (turn == seen)
        pthread_cond_wait(&changed, &lock); /* waits here: condition */
    pthread_mutex_unlock(&lock);
}

static void *writer(void *argument)
{
    for (int at = 0; at < ROUNDS; at++) {
        pause_for(ROUND_NS);
        if (write(ends[1], "x", 1) != 1)
            break;
    }
    return argument;
}

__attribute__((noinline)) static int take_message(void)
{
    char byte;
    return read(ends[0], &byte, 1) == 1; /* waits here: pipe */
}

__attribute__((noinline)) static int take_packet(void)
{
    char byte;
    return recv(ends[0], &byte, 1, 0) == 1; /* waits here: socket */
}

__attribute__((noinline)) static void rest(void)
{
    nanosleep(&(struct timespec){0, ROUND_NS}, NULL); /* waits here: sleep */
}

__attribute__((noinline)) static int store(int file)
{
    return write(file, &turn, sizeof(turn)) == sizeof(turn) && fsync(file) == 0; /* waits here: file */
}

__attribute__((noinline)) static int work(const char *how, int at, int file)
{
    if (strcmp(how, "lock") == 0) {
        pause_for(ROUND_NS / 10);
        queue_push();
    } else if (strcmp(how, "condition") == 0)
        queue_pop(at);
    else if (strcmp(how, "pipe") == 0)
        return take_message();
    else if (strcmp(how, "socket") == 0)
        return take_packet();
    else if (strcmp(how, "file") == 0)
        return store(file);
    else
        rest();
    return 1;
}

/* Thousands of short waits, and a few long ones among them. */
static int back[2];

static void *echo(void *argument)
{
    char byte;
    while (read(ends[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
        continue;
    return argument;
}

__attribute__((noinline)) static int chat(void)
{
    char byte = 'x';
    return write(ends[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1;
}

__attribute__((noinline)) static void rest_long(void)
{
    pause_for(LONG_NS);
    turn++;
}

static int chatter(void)
{
    pthread_t other;
    if (pipe(ends) != 0 || pipe(back) != 0 || pthread_create(&other, NULL, echo, NULL) != 0)
        return 1;
    for (int at = 0; at < 3; at++) {
        for (int word = 0; word < 8000; word++)
            if (!chat())
                return 1;
        rest_long();
    }
    close(ends[1]);
    return pthread_join(other, NULL);
}

static int wait_by(const char *how, int file)
{
    pthread_t other;
    void *(*others)(void *) = strcmp(how, "lock") == 0        ? holder
                              : strcmp(how, "condition") == 0 ? signaller
                              : strcmp(how, "sleep") == 0 || strcmp(how, "file") == 0 ? NULL
                                                                                      : writer;
    turn = 0;
    if ((strcmp(how, "socket") == 0 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) != 0)
        return 1;
    if (others && pthread_create(&other, NULL, others, NULL) != 0)
        return 1;
    for (int at = 0; at < ROUNDS && work(how, at, file); at++)
        continue;
    return others ? pthread_join(other, NULL) : 0;
}

int main(int count, char **words)
{
    int file = -1;
    for (int at = 1; at < count; at++) {
        if (words[at][0] == '/')
            file = open(words[at], O_CREAT | O_WRONLY, 0600);
        else if (strcmp(words[at], "chatter") == 0 ? chatter() != 0 : wait_by(words[at], file) != 0)
            return 1;
    }
    return 0;
}
