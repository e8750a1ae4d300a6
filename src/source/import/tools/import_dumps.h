/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where did a program's threads stand when somebody looked? Stacks of gdb ("thread apply all bt", as often as it was
 * asked), jstack and py-spy dump; and such stacks counted by their innermost frames, as sort | uniq -c has them, below
 * a line that says so: "8 parse_exp,regcomp,main", "174 pool.borrow <- pool.get".
 *
 * Each is a look, and no sample of CPU time: whether the thread computed or waited there isn't told by it.
 * Does not support: reports of sanitizers, which have such frames without arguments, and stacks of crashes (fewer than
 * LOOKS_LEAST tell nothing).
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_DUMPS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_DUMPS_H

#include "base/arena.h"
#include "base/text.h"
#include "source/import/import_text.h"

enum { LOOKS_LEAST = 3 };

struct import_look {
    const struct view *frames; /* the innermost first; owner: arena */
    size_t frame_count;
    uint64_t count;          /* of threads or times that it was seen so */
    bool is_idle;            /* as its tool says, or by what it waits for: work to come */
    bool is_active, has_gil; /* by py-spy */
    bool is_blocked;         /* by jstack: at a lock that another thread has */
};

struct import_dumps {
    struct import_look *items; /* owner: arena */
    size_t count;
};

/* The text without these lines; the text itself where there are none. */
struct view import_dumps_turned(struct view text, struct arena *arena, struct import_dumps *ret_dumps);

enum { DUMP_ROWS_MOST = 2 };
/* What most of them have between them, as shares in percent by base/share_names; returns how many were written. */
size_t import_dumps_rows(const struct import_dumps *dumps, struct arena *arena,
                         struct import_row ret_rows[DUMP_ROWS_MOST]);

#endif
