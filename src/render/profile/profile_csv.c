/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line for each function and event: what it took itself, and with what it called. */
#include "base/arena.h"
#include "base/scope.h"
#include "render/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

struct function_row {
    uint32_t place, stamp; /* the last stack, plus one, that counted it: a recursion counts once */
    uint64_t samples, period, all_samples, all_period;
};

static int row_compare(const void *a, const void *b)
{
    const struct function_row *left = a, *right = b;
    if (left->period != right->period)
        return left->period < right->period ? 1 : -1;
    if (left->all_period != right->all_period)
        return left->all_period < right->all_period ? 1 : -1;
    return (left->place > right->place) - (left->place < right->place);
}

static void count_stack(struct function_row *rows, const struct stack_profile *profile, uint32_t index)
{
    const struct profile_stack *stack = &profile->items[index];
    const uint32_t *places = profile->frames + stack->first;
    rows[places[0]].samples += stack->samples;
    rows[places[0]].period += stack->period;
    for (uint32_t at = 0; at < stack->count; at++) {
        struct function_row *row = &rows[places[at]];
        if (row->stamp == index + 1)
            continue;
        row->stamp = index + 1;
        row->all_samples += stack->samples;
        row->all_period += stack->period;
    }
}

/* RFC 4180: quoted where it must be. */
static void add_field(struct text *out, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        text_add(out, value);
        return;
    }
    text_add_char(out, '"');
    for (; *value; value++)
        text_add(out, *value == '"' ? "\"\"" : (char[]){*value, 0});
    text_add_char(out, '"');
}

static void add_row(struct text *out, const struct profile_request *request, uint32_t event,
                    const struct function_row *row)
{
    const struct place *place = &request->profile->places->items[row->place];
    scoped_text struct text name = {0};
    place_add_name(&name, place);
    add_field(out, request->profile->events[event].name);
    text_add_char(out, ',');
    add_field(out, text_string(&name));
    text_add_char(out, ',');
    add_field(out, place->dso_path ? place->dso_path : "");
    text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", row->samples, row->period, row->all_samples,
                row->all_period);
}

static void add_event(struct text *out, const struct profile_request *request, uint32_t event)
{
    size_t count = request->profile->places->count;
    scoped_free struct function_row *rows = memory_alloc(memory_product(count + 1, sizeof(*rows)));
    memset(rows, 0, (count + 1) * sizeof(*rows));
    for (size_t at = 0; at < count; at++)
        rows[at].place = (uint32_t)at;
    for (uint32_t at = 0; at < request->profile->count; at++)
        if (request->profile->items[at].event == event)
            count_stack(rows, request->profile, at);
    qsort(rows, count, sizeof(*rows), row_compare);
    for (size_t at = 0; at < count; at++)
        if (rows[at].all_samples)
            add_row(out, request, event, &rows[at]);
}

void profile_csv(struct text *out, const struct profile_request *request)
{
    text_add(out, "event,function,dso,self_samples,self_period,total_samples,total_period\n");
    for (uint32_t event = 0; event < request->profile->event_count; event++)
        if (profile_wants(request, event))
            add_event(out, request, event);
}
