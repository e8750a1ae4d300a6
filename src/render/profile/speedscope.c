/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "render/profile/profile.h"

static void add_frames(struct json_writer *json, const struct places *places)
{
    scoped_text struct text name = {0};
    json_object_open(json, "shared");
    json_array_open(json, "frames");
    for (size_t at = 0; at < places->count; at++) {
        const struct place *place = &places->items[at];
        text_clear(&name);
        place_add_name(&name, place);
        json_object_open(json, NULL);
        json_string(json, "name", text_string(&name));
        if (place->dso_path && place->dso_path[0])
            json_string(json, "file", place->dso_path);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void add_stacks(struct json_writer *json, const struct stack_profile *profile, uint32_t event)
{
    json_array_open(json, "samples");
    for (size_t at = 0; at < profile->count; at++) {
        const struct profile_stack *stack = &profile->items[at];
        if (stack->event != event)
            continue;
        json_array_open(json, NULL);
        for (uint32_t frame = stack->count; frame-- > 0;)
            json_u64(json, NULL, profile->frames[stack->first + frame]);
        json_array_close(json);
    }
    json_array_close(json);
}

static void add_event(struct json_writer *json, const struct profile_request *request, uint32_t event)
{
    const struct stack_profile *profile = request->profile;
    const struct profile_event *recorded = &request->profile->events[event];
    uint64_t all = 0;
    json_object_open(json, NULL);
    json_string(json, "type", "sampled");
    json_string(json, "name", recorded->name);
    json_string(json, "unit", recorded->counts_ns ? "nanoseconds" : "none");
    add_stacks(json, profile, event);
    json_array_open(json, "weights");
    for (size_t at = 0; at < profile->count; at++)
        if (profile->items[at].event == event) {
            json_u64(json, NULL, profile->items[at].period);
            all += profile->items[at].period;
        }
    json_array_close(json);
    json_u64(json, "startValue", 0);
    json_u64(json, "endValue", all);
    json_object_close(json);
}

void profile_speedscope(struct text *out, const struct profile_request *request)
{
    struct json_writer json;
    json_begin(&json, out);
    json.compact = true;
    json_object_open(&json, NULL);
    json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_string(&json, "exporter", "plumb " PLUMB_VERSION);
    json_string(&json, "name", request->name);
    add_frames(&json, request->profile->places);
    json_array_open(&json, "profiles");
    for (uint32_t event = 0; event < request->profile->event_count; event++)
        if (profile_wants(request, event))
            add_event(&json, request, event);
    json_array_close(&json);
    json_object_close(&json);
    text_add_char(out, '\n');
}
