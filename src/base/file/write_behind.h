/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is a long output written while the next piece of it is being made?
 *
 * Pieces come out in the order in which they were given; what they borrow stays until write_behind_end(). Where no
 * second core is at hand each is written before the call returns. Nothing else may be written to the file until
 * write_behind_end().
 */
#ifndef PLUMB_BASE_FILE_WRITE_BEHIND_H
#define PLUMB_BASE_FILE_WRITE_BEHIND_H

#include "base/spliced_text.h"
#include "base/worker.h"

struct write_behind {
    FILE *file;
    struct spliced_text piece; /* that is being written */
    struct text buffer;        /* its writer's: what it borrows is copied there */
    struct worker worker;
    bool has_core;
    int write_errno; /* of the first piece that couldn't be written; 0: none */
};

void write_behind_begin(struct write_behind *behind, FILE *file);
/* Whether write_behind_give wouldn't wait for an earlier piece. */
bool write_behind_is_ready(struct write_behind *behind);
/* Take the text, which is empty afterwards; false when an earlier piece couldn't be written (write_errno). */
bool write_behind_give(struct write_behind *behind, struct spliced_text *text);
/* Wait until all is written, and release; false when some couldn't be. Once is enough, again is allowed. */
bool write_behind_end(struct write_behind *behind);

#endif
