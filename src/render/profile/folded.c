/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "base/vec.h"
#include "render/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* A name with what stands behind it in a line: ";" or the line's end. Lines are sorted by the ranks of these texts. */
struct part {
    uint32_t name; /* string id */
    bool goes_on;
    struct view text;
};

struct folding {
    const struct profile_request *request;
    struct strings names;     /* as they are written */
    uint32_t *name_of_place;  /* string id; NAME_NONE: not asked for yet */
    uint32_t *ranks;          /* of a name, at PART(name, goes_on) */
    struct view *text_of_rank;
    uint32_t *parts; /* of all lines: ranks, the thread's name first */
    struct folded_line {
        uint32_t *parts;
        uint32_t count;
        uint64_t weight;
    } *lines;
    size_t count;
};

#define NAME_NONE           UINT32_MAX
#define PART(name, goes_on) (2 * (size_t)(name) + (goes_on))

/* ---- names ---- */

/* ";" parts frames, and a blank parts the stack from its number: neither may stand in a thread's name. */
static uint32_t comm_name(struct folding *folding, const char *comm)
{
    scoped_text struct text name = {0};
    for (const char *at = comm; *at; at++)
        text_add_char(&name, *at == ';' ? ':' : *at == ' ' || *at == '\n' ? '_' : *at);
    return strings_intern_n(&folding->names, text_string(&name), name.length);
}

static uint32_t frame_name(struct folding *folding, uint32_t place)
{
    uint32_t *known = &folding->name_of_place[place];
    if (*known != NAME_NONE)
        return *known;
    scoped_text struct text name = {0};
    place_add_name(&name, &folding->request->profile->places->items[place]);
    for (size_t at = 0; at < name.length; at++)
        if (name.bytes[at] == ';' || name.bytes[at] == '\n')
            name.bytes[at] = ':';
    return *known = strings_intern_n(&folding->names, text_string(&name), name.length);
}

/* Which goes first, as strcmp() of lines has it: no name has a ";". */
static int part_compare(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    size_t shorter = a->text.length < b->text.length ? a->text.length : b->text.length;
    int order = memcmp(a->text.text, b->text.text, shorter);
    if (order)
        return order;
    unsigned char next_a = a->text.length > shorter ? (unsigned char)a->text.text[shorter] : a->goes_on ? ';' : '\0';
    unsigned char next_b = b->text.length > shorter ? (unsigned char)b->text.text[shorter] : b->goes_on ? ';' : '\0';
    return (next_a > next_b) - (next_a < next_b);
}

static void names_rank(struct folding *folding)
{
    size_t count = strings_count(&folding->names), part_count = memory_product(count, 2);
    scoped_free struct part *parts = memory_alloc(memory_product(part_count, sizeof(*parts)));
    folding->ranks = memory_alloc(memory_product(part_count, sizeof(*folding->ranks)));
    folding->text_of_rank = memory_alloc(memory_product(part_count, sizeof(*folding->text_of_rank)));
    for (uint32_t at = 0; at < part_count; at++)
        parts[at] = (struct part){at / 2, at % 2, view_of(strings_text(&folding->names, at / 2))};
    qsort(parts, part_count, sizeof(*parts), part_compare);
    for (uint32_t rank = 0; rank < part_count; rank++) {
        folding->ranks[PART(parts[rank].name, parts[rank].goes_on)] = rank;
        folding->text_of_rank[rank] = parts[rank].text;
    }
}

/* ---- lines ---- */

static void lines_collect(struct folding *folding)
{
    const struct profile_request *request = folding->request;
    const struct stack_profile *profile = request->profile;
    const char *last_comm = NULL;
    uint32_t comm = 0, *parts = folding->parts;
    for (size_t at = 0; at < profile->count; at++) {
        const struct profile_stack *stack = &profile->items[at];
        const uint32_t *frames = profile->frames + stack->first;
        if (!profile_wants(request, stack->event))
            continue;
        if (stack->comm != last_comm)
            comm = comm_name(folding, last_comm = stack->comm);
        folding->lines[folding->count++] = (struct folded_line){
            .parts = parts, .count = stack->count + 1, .weight = request->by_period ? stack->period : stack->samples};
        *parts++ = comm;
        for (uint32_t frame = stack->count; frame-- > 0;)
            *parts++ = frame_name(folding, frames[frame]);
    }
}

/* From names to their ranks. */
static void lines_rank(struct folding *folding)
{
    names_rank(folding);
    for (size_t at = 0; at < folding->count; at++) {
        struct folded_line *line = &folding->lines[at];
        for (uint32_t part = 0; part < line->count; part++)
            line->parts[part] = folding->ranks[PART(line->parts[part], part + 1 < line->count)];
    }
}

/* Lines that have their first `depth` parts in common. */
struct stretch {
    size_t begin, end;
    uint32_t depth;
};

static uint32_t median_part(const struct folded_line *lines, const struct stretch *of)
{
    uint32_t a = lines[of->begin].parts[of->depth], b = lines[of->begin + (of->end - of->begin) / 2].parts[of->depth],
             c = lines[of->end - 1].parts[of->depth];
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static void lines_swap(struct folded_line *a, struct folded_line *b)
{
    struct folded_line swapped = *a;
    *a = *b;
    *b = swapped;
}

/*
 * By the parts one after the other (multikey quicksort): what lines have in common is looked at once, not for each two
 * of them. A line's last part is none that goes on in another, so lines whose parts are the same end together.
 */
static void lines_sort(struct folded_line *lines, size_t count)
{
    vec(struct stretch) open = {0};
    *vec_push(&open) = (struct stretch){0, count, 0};
    while (open.count) {
        struct stretch at = open.items[--open.count];
        if (at.end - at.begin < 2)
            continue;
        uint32_t pivot = median_part(lines, &at);
        size_t less = at.begin, more = at.end;
        for (size_t line = at.begin; line < more;) {
            uint32_t part = lines[line].parts[at.depth];
            if (part < pivot)
                lines_swap(&lines[less++], &lines[line++]);
            else if (part > pivot)
                lines_swap(&lines[line], &lines[--more]);
            else
                line++;
        }
        *vec_push(&open) = (struct stretch){at.begin, less, at.depth};
        *vec_push(&open) = (struct stretch){more, at.end, at.depth};
        if (lines[less].count > at.depth + 1)
            *vec_push(&open) = (struct stretch){less, more, at.depth + 1};
    }
    vec_done(&open);
}

static bool lines_same(const struct folded_line *a, const struct folded_line *b)
{
    return a->count == b->count && memcmp(a->parts, b->parts, a->count * sizeof(*a->parts)) == 0;
}

static void line_write(struct text *out, const struct folding *folding, const struct folded_line *line, uint64_t weight)
{
    for (uint32_t at = 0; at < line->count; at++) {
        struct view name = folding->text_of_rank[line->parts[at]];
        if (at)
            text_add_char(out, ';');
        text_append(out, name.text, name.length);
    }
    text_add_char(out, ' ');
    text_add_u64(out, weight);
    text_add_char(out, '\n');
}

static void folding_done(struct folding *folding)
{
    strings_done(&folding->names);
    free(folding->name_of_place);
    free(folding->ranks);
    free(folding->text_of_rank);
    free(folding->parts);
    free(folding->lines);
}

void profile_folded(struct text *out, const struct profile_request *request)
{
    const struct stack_profile *profile = request->profile;
    size_t place_bytes = memory_product(profile->places->count + 1, sizeof(uint32_t));
    struct folding folding = {
        .request = request,
        .name_of_place = memory_alloc(place_bytes),
        .parts = memory_alloc(memory_product(profile->frame_count + profile->count + 1, sizeof(uint32_t))),
        .lines = memory_alloc(memory_product(profile->count + 1, sizeof(struct folded_line)))};
    memset(folding.name_of_place, 0xff, place_bytes); /* NAME_NONE */
    strings_init(&folding.names);
    lines_collect(&folding);
    lines_rank(&folding);
    lines_sort(folding.lines, folding.count);
    for (size_t at = 0; at < folding.count; at++) {
        const struct folded_line *line = &folding.lines[at];
        uint64_t weight = line->weight;
        for (; at + 1 < folding.count && lines_same(line, &folding.lines[at + 1]); at++)
            weight += folding.lines[at + 1].weight; /* functions of one name in two binaries read the same */
        line_write(out, &folding, line, weight);
        text_spill(out, request->file);
    }
    folding_done(&folding);
}
