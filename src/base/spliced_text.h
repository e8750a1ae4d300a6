/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is a long text made whose lines repeat? By its own bytes, and by runs that stand elsewhere: these are copied
 * once, when it is written, by whoever writes it.
 *
 * A borrowed run stays where it is until then. Its own bytes are a builder (text.h) that anybody may append to.
 */
#ifndef PLUMB_BASE_SPLICED_TEXT_H
#define PLUMB_BASE_SPLICED_TEXT_H

#include "base/text.h"

enum {
    /* bytes behind a borrowed run that can be read, too: runs are short, and copied so many bytes at once */
    SPLICE_PADDING = 32
};

struct splice {
    const char *from;
    uint32_t at; /* it stands before own.bytes[at] */
    uint32_t length;
};

struct spliced_text {
    struct text own; /* less than 4 GiB */
    struct splice *items;
    size_t count, capacity;
};

void spliced_text_done(struct spliced_text *text);
/* Append a run without copying it; SPLICE_PADDING bytes behind it can be read. */
void spliced_text_borrow(struct spliced_text *text, const char *from, size_t length);
/* Bytes of memory that it takes by now. */
size_t spliced_text_bytes(const struct spliced_text *text);
/*
 * Write all and clear; false with errno set when the stream fails. buffer: empty before and afterwards, its memory is
 * used.
 */
bool spliced_text_write_file(struct spliced_text *text, struct text *buffer, FILE *file);

#endif
