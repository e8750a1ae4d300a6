/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"
#include "render/profile/profile.h"

#include <stdlib.h>

struct folded_line {
    char *stack; /* owned */
    uint64_t weight;
};

/* ";" parts frames, and a blank parts the stack from its number: neither may stand in a thread's name. */
static void add_comm(struct text *out, const char *comm)
{
    for (const char *at = comm; *at; at++)
        text_add_char(out, *at == ';' ? ':' : *at == ' ' || *at == '\n' ? '_' : *at);
}

static void add_frame(struct text *out, const struct place *place)
{
    size_t begin = out->length;
    text_add_char(out, ';');
    place_add_name(out, place);
    for (size_t at = begin + 1; at < out->length; at++)
        if (out->bytes[at] == ';' || out->bytes[at] == '\n')
            out->bytes[at] = ':';
}

static int line_compare(const void *a, const void *b)
{
    return strcmp(((const struct folded_line *)a)->stack, ((const struct folded_line *)b)->stack);
}

void profile_folded(struct text *out, const struct profile_request *request)
{
    const struct stack_profile *profile = request->profile;
    vec(struct folded_line) lines = {0};
    for (size_t at = 0; at < profile->count; at++) {
        const struct profile_stack *stack = &profile->items[at];
        struct text line = {0};
        if (!profile_wants(request, stack->event))
            continue;
        add_comm(&line, stack->comm);
        for (uint32_t frame = stack->count; frame-- > 0;)
            add_frame(&line, &request->profile->places->items[profile->frames[stack->first + frame]]);
        *vec_push(&lines) = (struct folded_line){text_steal(&line), request->by_period ? stack->period : stack->samples};
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(*lines.items), line_compare);
    for (size_t at = 0; at < lines.count; at++) {
        uint64_t weight = lines.items[at].weight;
        for (; at + 1 < lines.count && line_compare(&lines.items[at], &lines.items[at + 1]) == 0; at++)
            weight += lines.items[at + 1].weight; /* functions of one name in two binaries read the same */
        text_add(out, lines.items[at].stack);
        text_add_char(out, ' ');
        text_add_u64(out, weight);
        text_add_char(out, '\n');
    }
    vec_for_each (&lines, line)
        free(line->stack);
    vec_done(&lines);
}
