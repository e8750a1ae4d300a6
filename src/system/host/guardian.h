/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must be undone, whatever becomes of us: who does it when we are killed?
 *
 * A process in a session of its own, deaf to signals, that waits for our end. It undoes with what memory held when it
 * was started (and with what is shared). Does not support: a kill of everything in our control group, or a crash of the
 * machine, which reach it, too.
 */
#ifndef PLUMB_SYSTEM_HOST_GUARDIAN_H
#define PLUMB_SYSTEM_HOST_GUARDIAN_H

#include "base/error.h"

#include <stddef.h>
#include <sys/types.h>

struct guardian {
    pid_t pid; /* 0: none */
    int fd;    /* our end: when it closes without a word, the guardian undoes */
};

struct guardian_request {
    void (*undo)(void *context); /* runs in the guardian */
    void *context;
    const int *kept; /* descriptors that stay open in the guardian: locks that end with its work */
    size_t kept_count;
};

/*
 * On return it is there: nothing may be changed before. Errors: ERROR_SYSTEM, ERROR_LIMIT. Owner: the caller
 * (guardian_end).
 */
MUST_CHECK bool guardian_start(struct guardian *guardian, const struct guardian_request *request, struct error *err);
/* We have undone it ourselves. Nothing without a guardian. */
void guardian_end(struct guardian *guardian);

#endif
