/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_chains.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_line.h"

#include <string.h>

enum { FRAMES_MOST = 32 };

struct chain {
    struct view frames[FRAMES_MOST]; /* in the order of the text */
    size_t count;
    double whole;   /* percent, of what the next branch is a part of */
    size_t column;  /* of the branch that is followed; 0: none yet */
    bool has_ended; /* another branch began, or none has half of it */
};

/* "|--61.20%--_raw_spin_lock", "---malloc", "| path_openat": what a line of a tree holds behind its bars. */
struct branch {
    bool begins; /* a branch of its own, with its share */
    double percent;
    size_t column;
    struct view frame; /* length 0: bars alone */
};

/* "--61.20%--" at the begin of the text: what stands behind it; "---": no share. */
static bool fork_read(struct view text, struct branch *branch)
{
    struct view rest = view_skip(text, 2);
    ptrdiff_t end = view_find(rest, "%--");
    if (view_starts(text, "---")) {
        branch->frame = view_trim(view_skip(text, 3));
        return branch->frame.length > 0;
    }
    if (!view_starts(text, "--") || end < 1 || !view_decimal((struct view){rest.text, (size_t)end}, &branch->percent))
        return false;
    branch->begins = true;
    branch->frame = view_trim(view_skip(rest, (size_t)end + 3));
    return branch->frame.length > 0;
}

/* Trees are drawn to the right of shares, with bars and blanks. */
static bool branch_read(struct view line, struct branch *ret)
{
    enum { COLUMN_LEAST = 8 };
    size_t at = 0;
    bool barred = false;
    *ret = (struct branch){.begins = false};
    for (; at < line.length && (line.text[at] == ' ' || line.text[at] == '|'); at++)
        barred |= line.text[at] == '|';
    struct view rest = view_skip(line, at);
    ret->column = at;
    if (at < COLUMN_LEAST)
        return false;
    if (view_starts(rest, "--"))
        return fork_read(rest, ret);
    ret->frame = view_trim(rest);
    return barred || (ret->frame.length && view_find(ret->frame, "  ") < 0);
}

static struct view without_remark(struct view frame)
{
    static const char inlined[] = " (inlined)";
    frame.length -= view_ends(frame, inlined) ? sizeof(inlined) - 1 : 0;
    return frame;
}

/* Branches stand in the order of their shares, each with all that is in it: the first has most. */
static void fork_follow(struct chain *chain, const struct branch *branch)
{
    static const double HALF = 0.5, ROUNDED = 1.02;
    bool is_relative = branch->percent > ROUNDED * chain->whole; /* of its parent alone: -g fractal */
    double whole = is_relative ? 100 : chain->whole;
    chain->has_ended |= (chain->column && branch->column <= chain->column) || branch->percent < HALF * whole;
    chain->column = branch->column;
    chain->whole = is_relative ? 100 : branch->percent;
}

static void branch_add(struct chain *chain, const struct branch *branch)
{
    if (branch->begins && !chain->has_ended)
        fork_follow(chain, branch);
    if (!chain->has_ended && branch->frame.length && chain->count < FRAMES_MOST)
        chain->frames[chain->count++] = without_remark(branch->frame);
}

/* ---- which end is the caller ---- */

static bool view_same(struct view one, struct view other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

/* Where threads, programs and the kernel's work begin: from there a chain goes to what each calls. */
static bool is_outermost(struct view frame)
{
    static const char *const names[] = {
        "_start",        "__libc_start",      "main",          "start_thread", "clone", "__clone", "__GI___clone",
        "ret_from_fork", "secondary_startup", "entry_SYSCALL", "[unknown]",    "0x",    "asm_"};
    for (size_t at = 0; at < array_count(names); at++)
        if (view_starts(frame, names[at]))
            return true;
    return false;
}

/* How many frames of a chain that begins with the outermost stand before the function; 0: it isn't in there. */
static size_t frames_before(const struct chain *chain, struct view function)
{
    size_t at = chain->count;
    while (at && !view_same(chain->frames[at - 1], function))
        at--;
    return at ? at - 1 : 0;
}

static void frame_put(struct text *out, struct view frame, bool is_first)
{
    text_add(out, is_first ? IMPORT_CALLERS : ";");
    text_append(out, frame.text, frame.length);
}

/* The nearest caller first, without the function itself. */
static void callers_put(struct text *out, const struct chain *chain, struct view function)
{
    bool is_outer_first = chain->count && is_outermost(chain->frames[0]);
    size_t before = is_outer_first ? frames_before(chain, function) : 0, first = 0;
    for (size_t at = before; at > 0; at--)
        frame_put(out, chain->frames[at - 1], at == before);
    while (first < chain->count && view_same(chain->frames[first], function))
        first++;
    for (size_t at = first; at < chain->count && !is_outer_first; at++)
        frame_put(out, chain->frames[at], at == first);
}

struct view import_chains_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    char copy[IMPORT_LINE_MOST];
    bool turned = false;
    while (view_line(&rest, &line)) {
        struct import_line row;
        struct branch branch;
        struct view next, behind = rest;
        size_t lines = 0;
        text_append(&out, line.text, line.length);
        if (import_line_read(line, IMPORT_REPORT, copy, &row) && view_line(&behind, &next) &&
            branch_read(next, &branch)) {
            struct chain chain = {.whole = row.number};
            do {
                branch_add(&chain, &branch);
                lines++;
                rest = behind;
            } while (view_line(&behind, &next) && branch_read(next, &branch));
            callers_put(&out, &chain, row.name);
            turned = true;
        }
        text_add_char(&out, '\n');
        for (; lines > 0; lines--)
            text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
