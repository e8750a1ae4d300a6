/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/output_reader.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* FNV-1a: pieces come as the program writes them, so that the digest must not depend on where they are cut. */
static const uint64_t digest_empty = 14695981039346656037u, digest_prime = 1099511628211u;

static void take(struct output_reader *reader, const unsigned char *piece, size_t size_bytes)
{
    reader->bytes += size_bytes;
    for (size_t at = 0; at < size_bytes; at++)
        reader->digest = (reader->digest ^ piece[at]) * digest_prime;
}

/* At most so much of what lies in the pipe; 0: nobody will write any more, or it can't be read. */
static size_t take_piece(struct output_reader *reader, size_t bytes_most)
{
    unsigned char piece[65536];
    ssize_t got = read(reader->read_fd, piece, bytes_most < sizeof(piece) ? bytes_most : sizeof(piece));
    if (got > 0)
        take(reader, piece, (size_t)got);
    return got > 0 ? (size_t)got : 0;
}

/* What lay there as the program ended: a child that goes on writing would never let the pipe be empty. */
static void take_rest(struct output_reader *reader)
{
    int left = 0;
    if (ioctl(reader->read_fd, FIONREAD, &left) != 0)
        return;
    for (size_t rest = left > 0 ? (size_t)left : 0, got; rest && (got = take_piece(reader, rest)); rest -= got)
        continue;
}

static void read_until_stopped(void *context)
{
    struct output_reader *reader = context;
    if (pthread_equal(pthread_self(), reader->owner))
        return; /* no thread could be had, and nobody else would end this one's waiting */
    struct pollfd waits[] = {{.fd = reader->read_fd, .events = POLLIN}, {.fd = reader->stop_read_fd, .events = POLLIN}};
    for (;;) {
        int ready = poll(waits, array_count(waits), -1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0 || waits[1].revents)
            return take_rest(reader);
        if (!take_piece(reader, SIZE_MAX))
            return;
    }
}

static void all_closed(struct output_reader *reader)
{
    const int fds[] = {reader->read_fd, reader->output_fd, reader->stop_read_fd, reader->stop_write_fd};
    for (size_t at = 0; at < array_count(fds); at++)
        if (fds[at] >= 0)
            close(fds[at]);
}

bool output_reader_begin(struct output_reader *reader)
{
    int output[2] = {-1, -1}, stop[2] = {-1, -1};
    bool made = pipe2(output, O_CLOEXEC) == 0 && pipe2(stop, O_CLOEXEC) == 0;
    *reader = (struct output_reader){.read_fd = output[0],
                                     .output_fd = output[1],
                                     .stop_read_fd = stop[0],
                                     .stop_write_fd = stop[1],
                                     .digest = digest_empty,
                                     .owner = pthread_self()};
    if (made)
        worker_begin(&reader->worker, read_until_stopped, reader);
    if (reader->worker.is_running)
        return true;
    all_closed(reader);
    return false;
}

void output_reader_end(struct output_reader *reader)
{
    close(reader->output_fd);
    close(reader->stop_write_fd); /* its other end is readable now: the end of a pipe */
    reader->output_fd = reader->stop_write_fd = -1;
    worker_end(&reader->worker);
    all_closed(reader);
}
