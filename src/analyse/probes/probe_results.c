/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/probes/probe_results.h"

#include "base/vec.h"
#include "statistics/json_interval.h"

static const char *const names[PROBE_KIND_COUNT] = {
    [PROBE_STEP] = "step", [PROBE_COLLAPSE] = "collapse", [PROBE_PIN] = "pin",
    [PROBE_HOG] = "hog",   [PROBE_WIDTH] = "width",
};

const char *probe_kind_name(enum probe_kind kind)
{
    return names[kind];
}

bool probe_kind_parse(struct view name, enum probe_kind *ret_kind)
{
    for (int kind = 0; kind < PROBE_KIND_COUNT; kind++) {
        if (!view_equal(name, names[kind]))
            continue;
        *ret_kind = (enum probe_kind)kind;
        return true;
    }
    return false;
}

void probe_result_note(struct probe_result *result, const char *text)
{
    if (result->note_count < PROBE_NOTES_MOST)
        result->notes[result->note_count++] = text;
}

static void step_members(struct json_writer *json, const struct probe_step *step)
{
    trace_summary_write(json, "trace", &step->trace);
    json_double(json, "held_s", step->held_s);
    json_u64(json, "empty_bursts", step->empty_bursts);
    json_array_open(json, "ends");
    for (size_t at = 0; at < PROBE_ENDS_MOST; at++) {
        if (!step->ends[at].bursts)
            continue;
        json_object_open(json, NULL);
        json_string(json, "end", step->ends[at].words);
        json_u64(json, "bursts", step->ends[at].bursts);
        json_object_close(json);
    }
    json_array_close(json);
}

static void effect_members(struct json_writer *json, const struct probe_effect *effect)
{
    json_string(json, "subject", effect->subject);
    json_string(json, "speed_of", effect->speed_of);
    json_interval(json, "speed_up", effect->speed_up);
    json_interval(json, "control", effect->control);
    json_string(json, "verdict", effect->verdict);
}

static void result_write(struct json_writer *json, enum probe_kind kind, const struct probe_result *result)
{
    json_object_open(json, names[kind]);
    if (!result->known)
        json_string(json, "not_measured", result->why_not ? result->why_not : "unknown");
    else if (kind == PROBE_STEP)
        step_members(json, &result->step);
    else
        effect_members(json, &result->effect);
    json_array_open(json, "notes");
    for (size_t at = 0; at < result->note_count; at++)
        json_string(json, NULL, result->notes[at]);
    json_array_close(json);
    json_object_close(json);
}

void probe_results_members(struct json_writer *json, const struct probe_results *results)
{
    for (int kind = 0; kind < PROBE_KIND_COUNT; kind++)
        if (results->of[kind].asked)
            result_write(json, (enum probe_kind)kind, &results->of[kind]);
}

void probe_results_write(const struct probe_results *results, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    probe_results_members(&json, results);
    json_object_close(&json);
}

static const char *text_of(struct json_value value, struct arena *arena)
{
    const char *text = json_text_or(value, NULL);
    return text ? arena_string(arena, text) : NULL;
}

static bool step_read(struct probe_step *step, struct json_value value, struct arena *arena)
{
    struct json_value ends = json_member(value, "ends");
    if (!trace_summary_read(&step->trace, json_member(value, "trace")))
        return false;
    step->held_s = json_number_or(json_member(value, "held_s"), 0);
    step->empty_bursts = json_unsigned_or(json_member(value, "empty_bursts"), 0);
    for (size_t at = 0; at < json_count(ends) && at < PROBE_ENDS_MOST; at++) {
        const char *words = text_of(json_member(json_item(ends, at), "end"), arena);
        step->ends[at].words = words ? words : "";
        step->ends[at].bursts = json_unsigned_or(json_member(json_item(ends, at), "bursts"), 0);
    }
    return true;
}

static void effect_read(struct probe_effect *effect, struct json_value value, struct arena *arena)
{
    *effect = (struct probe_effect){
        .subject = text_of(json_member(value, "subject"), arena),
        .speed_of = text_of(json_member(value, "speed_of"), arena),
        .speed_up = json_interval_or_unknown(json_member(value, "speed_up")),
        .control = json_interval_or_unknown(json_member(value, "control")),
        .verdict = text_of(json_member(value, "verdict"), arena),
    };
}

bool probe_results_read(struct probe_results *ret_results, struct json_value root, struct arena *arena,
                        struct error *err)
{
    struct probe_results results = {0};
    if (!json_is_record(root))
        return error_set(err, ERROR_FORMAT, "it is no object of probes");
    for (int kind = 0; kind < PROBE_KIND_COUNT; kind++) {
        struct json_value value = json_member(root, names[kind]);
        struct probe_result *result = &results.of[kind];
        if (!json_is_record(value))
            continue;
        result->asked = true;
        result->why_not = text_of(json_member(value, "not_measured"), arena);
        result->known = !result->why_not;
        for (size_t at = 0; at < json_count(json_member(value, "notes")); at++) {
            const char *note = text_of(json_item(json_member(value, "notes"), at), arena);
            probe_result_note(result, note ? note : "");
        }
        if (result->known && kind == PROBE_STEP && !step_read(&result->step, value, arena))
            return error_set(err, ERROR_FORMAT, "the probe 'step' has no trace");
        if (kind != PROBE_STEP)
            effect_read(&result->effect, value, arena);
    }
    *ret_results = results;
    return true;
}
