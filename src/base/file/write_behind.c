/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/write_behind.h"

#include <errno.h>
#include <signal.h>

void write_behind_begin(struct write_behind *behind, FILE *file)
{
    *behind = (struct write_behind){.file = file, .has_core = worker_has_core()};
}

static void write_piece(void *context)
{
    struct write_behind *behind = context;
    if (!spliced_text_write_file(&behind->piece, &behind->buffer, behind->file) && !behind->write_errno)
        behind->write_errno = errno;
}

/*
 * The other core has signals blocked: that nobody reads any more ends the program here, as it would have ended there.
 */
static void piece_wait(struct write_behind *behind)
{
    bool was_running = behind->worker.is_running;
    worker_end(&behind->worker);
    if (was_running && behind->write_errno == EPIPE)
        raise(SIGPIPE);
}

bool write_behind_is_ready(struct write_behind *behind)
{
    return worker_is_idle(&behind->worker);
}

bool write_behind_give(struct write_behind *behind, struct spliced_text *text)
{
    piece_wait(behind);
    struct spliced_text written = behind->piece;
    behind->piece = *text;
    *text = written; /* empty: its memory is used again */
    if (behind->write_errno) {
        spliced_text_done(&behind->piece);
        return false;
    }
    if (behind->has_core)
        worker_begin(&behind->worker, write_piece, behind);
    else
        write_piece(behind);
    return behind->has_core || !behind->write_errno;
}

bool write_behind_end(struct write_behind *behind)
{
    piece_wait(behind);
    spliced_text_done(&behind->piece);
    text_done(&behind->buffer);
    return !behind->write_errno;
}
