/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does another program want of a running count or recording? Commands, one a line, from a FIFO or descriptor
 * (--control): enable [EVENT], disable [EVENT], stop, ping, evlist. "ack" goes back when one has been done.
 *
 * Does not support: snapshot (there is none to take): said, and not acknowledged.
 */
#ifndef PLUMB_CAPTURE_CONTROL_H
#define PLUMB_CAPTURE_CONTROL_H

#include "base/error.h"

enum control_command {
    CONTROL_ENABLE,
    CONTROL_DISABLE,
    CONTROL_STOP,
    CONTROL_PING,
    CONTROL_EVENTS,
    CONTROL_UNKNOWN
};

/* What there is, for whoever wrote something else. */
#define CONTROL_WORDS "enable, disable, stop, ping, evlist"

struct control_order {
    enum control_command command;
    char line[256];    /* as it came, without its end; of a longer one, which is unknown, the beginning */
    const char *event; /* the word behind the command, in line; NULL: none */
};

struct control {
    int command_fd, acknowledge_fd; /* -1: none, or closed by the other side */
    char pending[256];
    unsigned pending_bytes;
    bool in_long_line; /* that has been told: its rest is no order of its own */
};

/* "fifo:CTL[,ACK]" or "fd:CTL[,ACK]"; NULL: no control. Errors: ERROR_USAGE, or that it can't be opened. */
MUST_CHECK bool control_open(struct control *control, const char *where, struct error *err);
void control_done(struct control *control);
/* The next order that has come; false when there is none now. Never waits. */
bool control_next(struct control *control, struct control_order *ret_order);
void control_acknowledge(struct control *control);

#endif
