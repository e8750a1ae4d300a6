/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks in a text: "main;work;read 12", as stackcollapse-perf.pl, bcc's profile -f and offcputime -f print them. */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_STACKS_H
#define PLUMB_SOURCE_IMPORT_IMPORT_STACKS_H

#include "base/arena.h"
#include "base/text.h"

struct import_stack {
    struct view frames; /* from the root on, joined by ";"; in the text */
    uint64_t count;     /* samples, or microseconds: the line doesn't say */
};

struct import_stacks {
    struct import_stack *items; /* owner: arena */
    size_t count;
};

/* The text without these lines; the text itself where there are none. */
struct view import_stacks_turned(struct view text, struct arena *arena, struct import_stacks *ret_stacks);

#endif
