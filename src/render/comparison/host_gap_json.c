/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/comparison/host_gap.h"

#include "base/json/json_measured.h"
#include "statistics/json_interval.h"

static void texts_write(struct json_writer *json, const char *key, const struct gap_texts *texts)
{
    json_array_open(json, key);
    for (size_t at = 0; at < texts->count; at++)
        json_string(json, NULL, texts->items[at]);
    json_array_close(json);
}

static void side_write(struct json_writer *json, const char *key, const struct gap_side_report *side,
                       struct interval whole_s)
{
    json_object_open(json, key);
    json_string(json, "case", side->folder);
    json_string(json, "command", side->command);
    json_interval(json, "seconds", whole_s);
    json_u64(json, "runs", side->runs);
    json_measured(json, "work", side->work);
    if (side->surroundings) {
        json_object_open(json, "machine");
        surroundings_members(side->surroundings, json);
        json_object_close(json);
    } else {
        json_null(json, "machine");
    }
    json_object_close(json);
}

static void component_write(struct json_writer *json, const struct gap_component *component)
{
    json_object_open(json, NULL);
    json_string(json, "component", gap_cause_key(component->cause));
    json_string(json, "origin", gap_origin_words(component->origin));
    json_interval(json, "seconds", component->seconds);
    if (!component->seconds.known)
        json_string(json, "not_measured", component->why_not ? component->why_not : "its times don't bound it");
    json_interval(json, "share_of_guest", component->share);
    json_interval(json, "guest_pays_s", component->guest_s);
    json_interval(json, "host_pays_s", component->host_s);
    json_string(json, "verdict", gap_verdict_key(component->verdict));
    texts_write(json, "evidence", &component->evidence);
    texts_write(json, "remedies", &component->remedies);
    json_object_close(json);
}

void host_gap_json(struct text *out, const struct gap_report *report, struct arena *arena)
{
    const struct host_gap *gap = report->gap;
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-gap-1");
    json_string(&json, "of", denominator_name(gap->of));
    json_double(&json, "effect", gap->effect);
    if (report->host)
        side_write(&json, "host", report->host, gap->host_s);
    else
        json_null(&json, "host");
    side_write(&json, "guest", &report->guest, gap->guest_s);
    json_interval(&json, "gap_s", gap->gap_s);
    json_string(&json, "no_gap_because", gap->gap_s.known ? NULL : gap->why_no_gap);
    json_string(&json, "sentence", gap_sentence(gap, arena));
    json_string(&json, "leading", gap->leading == GAP_CAUSE_COUNT ? NULL : gap_cause_key(gap->leading));
    json_array_open(&json, "components");
    for (size_t at = 0; at < gap->component_count; at++)
        component_write(&json, &gap->components[at]);
    json_array_close(&json);
    json_interval(&json, "remainder_s", gap->remainder_s);
    texts_write(&json, "remainder_notes", &gap->remainder);
    json_array_open(&json, "overlaps");
    for (size_t at = 0; at < gap->overlap_count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "a", gap_cause_key(gap->overlaps[at].a));
        json_string(&json, "b", gap_cause_key(gap->overlaps[at].b));
        json_string(&json, "text", gap->overlaps[at].text);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_array_open(&json, "notes");
    for (size_t at = 0; at < report->note_count; at++)
        json_string(&json, NULL, report->notes[at]);
    json_array_close(&json);
    json_object_close(&json);
    text_add_char(out, '\n');
}
