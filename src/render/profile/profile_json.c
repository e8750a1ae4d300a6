/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "render/profile/profile.h"

static void add_events(struct json_writer *json, const struct profile_request *request)
{
    json_array_open(json, "events");
    for (uint32_t event = 0; event < request->profile->event_count; event++) {
        const struct profile_event *recorded = &request->profile->events[event];
        if (!profile_wants(request, event))
            continue;
        json_object_open(json, NULL);
        json_string(json, "name", recorded->name);
        json_string(json, "unit", recorded->counts_ns ? "ns" : "count");
        json_u64(json, "samples", recorded->samples);
        json_u64(json, "period", recorded->period);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_frames(struct json_writer *json, const struct places *places)
{
    json_array_open(json, "frames");
    for (size_t at = 0; at < places->count; at++) {
        const struct place *place = &places->items[at];
        json_object_open(json, NULL);
        json_string(json, "symbol", place->symbol);
        json_string(json, "dso", place->dso_path);
        json_u64(json, "addr", place->addr);
        json_bool(json, "inlined", place->is_inlined);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_stack(struct json_writer *json, const struct profile_request *request,
                      const struct profile_stack *stack)
{
    json_object_open(json, NULL);
    json_string(json, "event", request->profile->events[stack->event].name);
    json_string(json, "comm", stack->comm);
    json_u64(json, "samples", stack->samples);
    json_u64(json, "period", stack->period);
    json_array_open(json, "frames");
    for (uint32_t at = 0; at < stack->count; at++)
        json_u64(json, NULL, request->profile->frames[stack->first + at]);
    json_array_close(json);
    json_object_close(json);
}

void profile_json(struct text *out, const struct profile_request *request)
{
    struct json_writer json;
    json_begin(&json, out);
    json.compact = true;
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-profile-1");
    json_string(&json, "tool", "plumb " PLUMB_VERSION);
    json_string(&json, "recording", request->name);
    add_events(&json, request);
    add_frames(&json, request->profile->places);
    json_array_open(&json, "stacks");
    for (size_t at = 0; at < request->profile->count; at++)
        if (profile_wants(request, request->profile->items[at].event))
            add_stack(&json, request, &request->profile->items[at]);
    json_array_close(&json);
    json_object_close(&json);
    text_add_char(out, '\n');
}
