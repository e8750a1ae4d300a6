/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_stacks.h"

#include "base/scope.h"
#include "base/vec.h"
#include "decode/folded_text.h"

#include <ctype.h>

/* Frames without a blank behind their ";", as code and prose have it, and a whole number at the end. */
static bool is_stack(struct view line)
{
    line = view_trim(line);
    size_t digits = 0;
    while (digits < line.length && isdigit((unsigned char)line.text[line.length - digits - 1]))
        digits++;
    bool counted = digits && digits + 1 < line.length && line.text[line.length - digits - 1] == ' ';
    return counted && view_find(line, ";") > 0 && view_find(line, "; ") < 0 && view_find(line, "{") < 0;
}

/* ---- a frame a line ---- */

enum { FRAMES_MOST = 512 };

struct block {
    struct view frames[FRAMES_MOST]; /* the leaf first */
    size_t count;
};

/* "do_futex+0x12" is in do_futex. */
static struct view without_offset(struct view frame)
{
    size_t at = frame.length;
    while (at > 0 && (isxdigit((unsigned char)frame.text[at - 1]) || frame.text[at - 1] == 'x'))
        at--;
    bool offset = at > 1 && at < frame.length && frame.text[at - 1] == '+' && isdigit((unsigned char)frame.text[at]);
    return offset ? (struct view){frame.text, at - 1} : frame;
}

static bool frame_add(struct block *block, struct view line)
{
    line = view_trim(line);
    if (block->count == FRAMES_MOST || !line.length || view_find(line, ";") >= 0)
        return false;
    block->frames[block->count++] = without_offset(line);
    return true;
}

static struct view block_joined(const struct block *block, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = block->count; at-- > 0;) {
        text_append(&out, block->frames[at].text, block->frames[at].length);
        text_add(&out, at ? ";" : "");
    }
    return (struct view){arena_copy(arena, out.bytes, out.length), out.length};
}

static bool number_of(struct view line, uint64_t *ret_count)
{
    line = view_trim(line);
    return line.length && isdigit((unsigned char)line.text[0]) && view_u64(line, 10, ret_count);
}

/* "@wait_us[", "@blocked[": a map of times that something waited, by its name. */
static bool is_of_waits(struct view name)
{
    static const char *const waits[] = {"wait", "block", "offcpu", "off_cpu", "sleep", "delay", "contend"},
                             *const counts[] = {"count", "calls", "num"};
    bool is_one = false;
    for (size_t at = 0; at < array_count(waits); at++)
        is_one |= view_mentions(name, waits[at]);
    for (size_t at = 0; at < array_count(counts); at++)
        is_one &= !view_mentions(name, counts[at]);
    return is_one;
}

/* What waits has left its CPU: so the kernel's frames would say, which such a map may be without. */
static void frames_leave(struct block *block)
{
    static const char *const leaves[] = {"schedule", "-"}; /* "-" parts the kernel's from the program's */
    if (block->count + array_count(leaves) > FRAMES_MOST || view_starts(block->frames[0], "schedule") ||
        view_starts(block->frames[0], "__schedule") || view_starts(block->frames[0], "finish_task_switch"))
        return;
    memmove(&block->frames[array_count(leaves)], block->frames, block->count * sizeof(*block->frames));
    for (size_t at = 0; at < array_count(leaves); at++)
        block->frames[at] = view_of(leaves[at]);
    block->count += array_count(leaves);
}

/* As microseconds; what has no unit in its name stays. */
static uint64_t count_in_us(struct view name, uint64_t count)
{
    static const uint64_t THOUSAND = 1000;
    return view_mentions(name, "_ns")                                    ? count / THOUSAND
           : view_mentions(name, "_ms") && count < UINT64_MAX / THOUSAND ? count * THOUSAND
                                                                         : count;
}

/* "@name[" with nothing behind it, frames, and "]: 12" or ", program]: 12". */
static bool map_read(struct view first, struct view rest, struct block *block, uint64_t *ret_count,
                     struct view *ret_rest)
{
    struct view line;
    block->count = 0;
    if (!view_starts(first, "@") || !view_ends(view_trim(first), "["))
        return false;
    while (view_line(&rest, &line)) {
        struct view bare = view_trim(line);
        ptrdiff_t end = view_starts(bare, "]") || view_starts(bare, ",") ? view_find(bare, "]: ") : -1;
        if (end >= 0) {
            *ret_rest = rest;
            if (!block->count || !number_of(view_skip(bare, (size_t)end + 3), ret_count))
                return false;
            if (is_of_waits(first)) {
                frames_leave(block);
                *ret_count = count_in_us(first, *ret_count);
            }
            return true;
        }
        if (view_starts(bare, "@") || (bare.length && !view_equal(bare, ",") && !frame_add(block, line)))
            return false;
    }
    return false;
}

/* How a program's line begins below its frames: "    -                name (4711)". */
static bool is_program(struct view line)
{
    line = view_trim(line);
    return view_starts(line, "- ") && view_ends(line, ")") && view_find(line, " (") > 0;
}

static bool is_frame(struct view line)
{
    return view_starts(line, "    ") && view_trim(line).length && !isdigit((unsigned char)view_trim(line).text[0]) &&
           !is_program(line);
}

/* Frames from this line on, a program's line, and the count below it. */
static bool listing_read(struct view first, struct view rest, struct block *block, uint64_t *ret_count,
                         struct view *ret_rest)
{
    struct view line = first;
    block->count = 0;
    do {
        if (is_program(line))
            break;
        bool part = view_equal(view_trim(line), "--"); /* between the kernel's and the program's own */
        if (!part && (!is_frame(line) || !frame_add(block, line)))
            return false;
    } while (view_line(&rest, &line));
    if (!block->count || !is_program(line) || !view_line(&rest, &line) || !number_of(line, ret_count))
        return false;
    *ret_rest = rest;
    return true;
}

struct view import_stacks_turned(struct view text, struct arena *arena, struct import_stacks *ret_stacks)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    vec(struct import_stack) stacks = {0};
    struct block *block = arena_array(arena, struct block, 1);
    bool after_frame = false; /* a listing that wasn't one at its first line is none at the next */
    while (view_line(&rest, &line)) {
        struct view one = line, behind;
        struct folded_line stack;
        uint64_t unread = 0, count;
        if (is_stack(line) && folded_text_next(&one, &stack, &unread)) {
            *vec_push(&stacks) = (struct import_stack){stack.frames, stack.count};
            continue;
        }
        if (map_read(line, rest, block, &count, &behind) ||
            (!after_frame && listing_read(line, rest, block, &count, &behind))) {
            *vec_push(&stacks) = (struct import_stack){block_joined(block, arena), count};
            rest = behind;
            continue;
        }
        after_frame = is_frame(line);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    ret_stacks->items = arena_array(arena, struct import_stack, stacks.count + 1);
    ret_stacks->count = stacks.count;
    for (size_t at = 0; at < stacks.count; at++)
        ret_stacks->items[at] = stacks.items[at];
    vec_done(&stacks);
    return ret_stacks->count ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
