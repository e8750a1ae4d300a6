/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks in a text: folded ("main;work;read 12"), as stackcollapse-perf.pl, bcc's profile -f and offcputime -f print
 * them; a frame a line with the count below it, as bcc's tools do without -f; and the keys of bpftrace's maps ("@[", a
 * frame a line, "]: 12"). The latter two begin with the leaf. Those of a map of waits by its name ("@wait_us[") have
 * left their CPU.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_STACKS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_STACKS_H

#include "base/arena.h"
#include "base/text.h"

struct import_stack {
    struct view frames; /* from the root on, joined by ";"; owner: the text or the arena */
    uint64_t count;     /* samples, or microseconds: the line doesn't say */
};

struct import_stacks {
    struct import_stack *items; /* owner: arena */
    size_t count;
};

/* The text without these lines; the text itself where there are none. */
struct view import_stacks_turned(struct view text, struct arena *arena, struct import_stacks *ret_stacks);

#endif
