/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stacks does a folded text hold? A line each: frames from the root on, joined by ";", a blank, and a number.
 *
 * What stackcollapse-*.pl, inferno, bpftrace's scripts and `plumb export folded` write. A number with decimals is
 * rounded. Does not support: lines with two numbers (difffolded.pl); their first number is read as the end of a name.
 */
#ifndef PLUMB_DECODE_FOLDED_TEXT_H
#define PLUMB_DECODE_FOLDED_TEXT_H

#include "base/text.h"

enum folded_mark { /* FlameGraph's annotations, at a name's end */
    FOLDED_UNMARKED,
    FOLDED_KERNEL,  /* _[k] */
    FOLDED_JIT,     /* _[j] */
    FOLDED_INLINED, /* _[i] */
};

struct folded_line {
    struct view frames; /* joined by ";"; not empty */
    uint64_t count;
};

/* The next line that is a stack; others but empty ones are counted. False at the end. */
bool folded_text_next(struct view *rest, struct folded_line *ret_line, uint64_t *unread);
/* Cut the next frame from the frames; false when none is left. Empty names are passed over. */
bool folded_frame_next(struct view *frames, struct view *ret_name, enum folded_mark *ret_mark);

#endif
