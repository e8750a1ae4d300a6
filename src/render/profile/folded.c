/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "render/profile/profile.h"

#include <stdlib.h>
#include <string.h>

struct folding {
    const struct profile_request *request;
    struct arena arena;
    struct view *names;             /* by place; text NULL: not asked for yet */
    struct folded_line {
        struct view comm;
        const uint32_t *frames; /* leaf first */
        uint32_t count;
        uint64_t weight;
    } *lines;
    size_t count;
};

static struct view kept(struct folding *folding, const struct text *text)
{
    return (struct view){arena_string_n(&folding->arena, text->bytes ? text->bytes : "", text->length), text->length};
}

/* ";" parts frames, and a blank parts the stack from its number: neither may stand in a thread's name. */
static struct view comm_name(struct folding *folding, const char *comm)
{
    scoped_text struct text name = {0};
    for (const char *at = comm; *at; at++)
        text_add_char(&name, *at == ';' ? ':' : *at == ' ' || *at == '\n' ? '_' : *at);
    return kept(folding, &name);
}

/* Many stacks have the same frames: each is written out once. */
static struct view frame_name(struct folding *folding, uint32_t place)
{
    struct view *known = &folding->names[place];
    if (known->text)
        return *known;
    scoped_text struct text name = {0};
    place_add_name(&name, &folding->request->profile->places->items[place]);
    for (size_t at = 0; at < name.length; at++)
        if (name.bytes[at] == ';' || name.bytes[at] == '\n')
            name.bytes[at] = ':';
    return *known = kept(folding, &name);
}

/* Which goes first, as parts of lines of which more follows (behind ";") or not: no name has a ";". */
static int part_compare(struct view a, bool a_goes_on, struct view b, bool b_goes_on)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.text, b.text, shorter);
    if (order)
        return order;
    unsigned char next_a = a.length > shorter ? (unsigned char)a.text[shorter] : a_goes_on ? ';' : '\0';
    unsigned char next_b = b.length > shorter ? (unsigned char)b.text[shorter] : b_goes_on ? ';' : '\0';
    return (next_a > next_b) - (next_a < next_b);
}

/* As strcmp() of the lines, without writing them: most have their first frames in common, which are the same numbers. */
static int line_compare(const void *left, const void *right, void *context)
{
    const struct folded_line *a = left, *b = right;
    const struct folding *folding = context;
    int order = part_compare(a->comm, a->count > 0, b->comm, b->count > 0);
    for (uint32_t at = 1; !order && at <= a->count && at <= b->count; at++) {
        uint32_t frame_a = a->frames[a->count - at], frame_b = b->frames[b->count - at];
        bool a_goes_on = at < a->count, b_goes_on = at < b->count;
        if (frame_a != frame_b || a_goes_on != b_goes_on)
            order = part_compare(folding->names[frame_a], a_goes_on, folding->names[frame_b], b_goes_on);
    }
    return order;
}

static void line_write(struct text *out, const struct folding *folding, const struct folded_line *line, uint64_t weight)
{
    text_append(out, line->comm.text, line->comm.length);
    for (uint32_t at = line->count; at-- > 0;) {
        struct view name = folding->names[line->frames[at]];
        text_add_char(out, ';');
        text_append(out, name.text, name.length);
    }
    text_add_char(out, ' ');
    text_add_u64(out, weight);
    text_add_char(out, '\n');
}

static void lines_collect(struct folding *folding)
{
    const struct profile_request *request = folding->request;
    const struct stack_profile *profile = request->profile;
    const char *last_comm = NULL;
    struct view comm = {0};
    for (size_t at = 0; at < profile->count; at++) {
        const struct profile_stack *stack = &profile->items[at];
        const uint32_t *frames = profile->frames + stack->first;
        if (!profile_wants(request, stack->event))
            continue;
        for (uint32_t frame = 0; frame < stack->count; frame++)
            frame_name(folding, frames[frame]);
        if (stack->comm != last_comm)
            comm = comm_name(folding, last_comm = stack->comm);
        folding->lines[folding->count++] = (struct folded_line){
            .comm = comm, .frames = frames, .count = stack->count, .weight = request->by_period ? stack->period : stack->samples};
    }
}

void profile_folded(struct text *out, const struct profile_request *request)
{
    const struct stack_profile *profile = request->profile;
    struct folding folding = {.request = request,
                              .names = memory_alloc(memory_product(profile->places->count + 1, sizeof(struct view))),
                              .lines = memory_alloc(memory_product(profile->count + 1, sizeof(struct folded_line)))};
    arena_init(&folding.arena);
    lines_collect(&folding);
    qsort_r(folding.lines, folding.count, sizeof(*folding.lines), line_compare, &folding);
    for (size_t at = 0; at < folding.count; at++) {
        const struct folded_line *line = &folding.lines[at];
        uint64_t weight = line->weight;
        for (; at + 1 < folding.count && line_compare(line, &folding.lines[at + 1], &folding) == 0; at++)
            weight += folding.lines[at + 1].weight; /* functions of one name in two binaries read the same */
        line_write(out, &folding, line, weight);
    }
    arena_done(&folding.arena);
    free(folding.names);
    free(folding.lines);
}
