/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/control.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static const char *const command_names[] = {
    [CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable", [CONTROL_STOP] = "stop",
    [CONTROL_PING] = "ping",     [CONTROL_EVENTS] = "evlist",
};

static bool open_descriptor(struct view word, int *ret_fd, struct error *err)
{
    uint64_t number;
    int fd = view_u64(word, 10, &number) && number <= INT_MAX ? fcntl((int)number, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd < 0)
        return error_set(err, ERROR_USAGE, "--control: '%.*s' is no open file descriptor", (int)word.length, word.text);
    *ret_fd = fd;
    return true;
}

/* Opened for both ends a FIFO never reports that its writer went away: the next one may come. */
static bool open_fifo(struct view word, int *ret_fd, struct error *err)
{
    scoped_free char *path = memory_printf("%.*s", (int)word.length, word.text);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "--control: can't open '%s'", path);
    *ret_fd = fd;
    return true;
}

bool control_open(struct control *control, const char *where, struct error *err)
{
    *control = (struct control){.command_fd = -1, .acknowledge_fd = -1};
    if (!where)
        return true;
    struct view rest = view_of(where), kind = view_cut(&rest, ':'), command = view_cut(&rest, ',');
    bool fifo = view_equal(kind, "fifo");
    if ((!fifo && !view_equal(kind, "fd")) || !command.length)
        return error_set(err, ERROR_USAGE, "--control expects fifo:CTL[,ACK] or fd:CTL[,ACK], not '%s'", where);
    bool (*open_end)(struct view, int *, struct error *) = fifo ? open_fifo : open_descriptor;
    return open_end(command, &control->command_fd, err) &&
           (!rest.length || open_end(rest, &control->acknowledge_fd, err));
}

void control_done(struct control *control)
{
    scope_close(&control->command_fd);
    scope_close(&control->acknowledge_fd);
    control->command_fd = control->acknowledge_fd = -1;
}

/* Read what has come; false when nothing has. */
static bool read_more(struct control *control)
{
    struct pollfd polled = {.fd = control->command_fd, .events = POLLIN};
    if (control->command_fd < 0 || poll(&polled, 1, 0) <= 0)
        return false;
    ssize_t got = read(control->command_fd, control->pending + control->pending_bytes,
                       sizeof(control->pending) - control->pending_bytes);
    if (got > 0) {
        control->pending_bytes += (unsigned)got;
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        scope_close(&control->command_fd); /* the other side has gone: recording goes on */
        control->command_fd = -1;
    }
    return false;
}

static void pending_drop(struct control *control, unsigned bytes)
{
    control->pending_bytes -= bytes;
    memmove(control->pending, control->pending + bytes, control->pending_bytes);
}

/*
 * Lines end in a line feed or, as some write them, in a NUL. One that is longer than any order is taken as it fills the
 * room, and what follows until its end is dropped. ret_whole: it is a line as it came.
 */
static bool take_line(struct control *control, struct control_order *order, bool *ret_whole)
{
    unsigned length = 0;
    while (length < control->pending_bytes && control->pending[length] != '\n' && control->pending[length] != '\0')
        length++;
    bool ends = length < control->pending_bytes, rest = control->in_long_line;
    if (!ends && !rest && length < sizeof(control->pending))
        return false;
    *ret_whole = ends && !rest;
    unsigned kept = rest ? 0 : ends ? length : length - 1; /* of the rest of a long line nothing, as of an empty one */
    memcpy(order->line, control->pending, kept);
    order->line[kept] = '\0';
    control->in_long_line = !ends;
    pending_drop(control, ends ? length + 1 : length);
    return ends || !rest;
}

static void understand(struct control_order *order)
{
    char *word = order->line + strspn(order->line, " \t");
    size_t length = strcspn(word, " \t");
    char *rest = word + length + strspn(word + length, " \t");
    order->command = CONTROL_UNKNOWN;
    for (size_t at = 0; at < array_count(command_names); at++)
        if (view_equal((struct view){word, length}, command_names[at]))
            order->command = (enum control_command)at;
    order->event = rest[0] ? rest : NULL;
}

bool control_next(struct control *control, struct control_order *ret_order)
{
    bool whole;
    do {
        while (!take_line(control, ret_order, &whole))
            if (!read_more(control))
                return false;
    } while (!ret_order->line[0]);
    understand(ret_order);
    if (!whole)
        ret_order->command = CONTROL_UNKNOWN;
    return true;
}

void control_acknowledge(struct control *control)
{
    static const char answer[] = "ack\n";
    if (control->acknowledge_fd >= 0 && write(control->acknowledge_fd, answer, sizeof(answer) - 1) < 0) {
        scope_close(&control->acknowledge_fd);
        control->acknowledge_fd = -1;
    }
}
