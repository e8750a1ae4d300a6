/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_stacks.h"

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

struct view import_stacks_turned(struct view text, struct arena *arena, struct import_stacks *ret_stacks)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    vec(struct import_stack) stacks = {0};
    while (view_line(&rest, &line)) {
        struct view one = line;
        struct folded_line stack;
        uint64_t unread = 0;
        if (is_stack(line) && folded_text_next(&one, &stack, &unread)) {
            *vec_push(&stacks) = (struct import_stack){stack.frames, stack.count};
            continue;
        }
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
