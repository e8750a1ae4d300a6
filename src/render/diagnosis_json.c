/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis.h"

#include "base/json_writer.h"
#include "finding/wording.h"

static void put_interval(struct json_writer *json, const char *key, const struct interval *interval)
{
    if (!interval->known) {
        json_null(json, key);
        return;
    }
    json_object_open(json, key);
    json_double(json, "low", interval->low);
    json_double(json, "mid", interval->mid);
    json_double(json, "high", interval->high);
    json_object_close(json);
}

/* {"value": 1.5} or {"not_measured": "why"}. */
static void put_measured(struct json_writer *json, const char *key, const struct measured *value)
{
    json_object_open(json, key);
    if (value->known)
        json_double(json, "value", value->value);
    else
        json_string(json, "not_measured", value->why_not ? value->why_not : "no reason was recorded");
    json_object_close(json);
}

static void put_run(struct json_writer *json, const struct results *results)
{
    static const char *const scopes[] = {
        [RUN_STARTED] = "started", [RUN_ATTACHED] = "attached", [RUN_MACHINE] = "machine"};
    const struct run_time *run = results->run;
    if (!run) {
        json_null(json, "run");
        return;
    }
    json_object_open(json, "run");
    json_string(json, "scope", scopes[run->scope]);
    put_measured(json, "elapsed_s", &run->elapsed_s);
    put_measured(json, "cpu_s", &run->cpu_s);
    put_measured(json, "user_s", &run->user_s);
    put_measured(json, "system_s", &run->system_s);
    put_measured(json, "on_cpu_ratio", &run->on_cpu_ratio);
    put_measured(json, "run_delay_s", &run->run_delay_s);
    put_measured(json, "cpus_used", &run->cpus_used);
    put_measured(json, "migrations", &run->migrations);
    json_u64(json, "threads_seen", run->threads_seen);
    json_object_close(json);
}

static void put_row(struct json_writer *json, const struct stall_row *row)
{
    char address[32];
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)row->shown_addr);
    json_object_open(json, NULL);
    json_string(json, "address", address);
    json_string(json, "instruction", row->text);
    json_u64(json, "samples", row->samples);
    json_string(json, "class", instruction_class_name(row->class));
    json_u64(json, "vector_bits", row->vector_bits);
    json_string(json, "file", row->path);
    if (row->path)
        json_u64(json, "line", row->line);
    json_object_close(json);
}

static void put_function(struct json_writer *json, const struct stall_function *function)
{
    enum {
        ROWS = 12
    };
    json_object_open(json, NULL);
    json_string(json, "name", function->name);
    json_string(json, "dso", function->dso_path);
    json_string(json, "producer", function->producer);
    json_bool(json, "kernel", function->is_kernel);
    json_u64(json, "samples", function->samples);
    put_interval(json, "share", &function->share);
    json_array_open(json, "instructions");
    for (size_t at = 0; at < function->row_count && at < ROWS; at++)
        put_row(json, &function->rows[at]);
    json_array_close(json);
    json_object_close(json);
}

static void put_size(struct json_writer *json, const char *key, const struct set_size *size)
{
    json_object_open(json, key);
    if (size->known)
        json_double(json, "bytes", size->bytes);
    json_double(json, "at_least_bytes", size->at_least_bytes);
    json_object_close(json);
}

static void put_group(struct json_writer *json, const struct stalls *stalls, const struct stall_group *group)
{
    json_object_open(json, NULL);
    json_string(json, "function", stalls->functions[group->function].name);
    json_string(json, "instruction", group->row.text);
    json_string(json, "mapping", group->area);
    json_u64(json, "mapping_bytes", group->area_bytes);
    json_u64(json, "samples", group->samples);
    put_interval(json, "share", &group->share);
    put_interval(json, "base_page_share", &group->base_share);
    put_size(json, "lines", &group->set.lines);
    put_size(json, "pages", &group->set.pages);
    json_u64(json, "stride_bytes", group->set.stride_bytes);
    json_object_close(json);
}

static void put_code(struct json_writer *json, const struct diagnosis *diagnosis)
{
    const struct stalls *stalls = diagnosis->results->stalls;
    if (!stalls) {
        json_null(json, "code");
        return;
    }
    json_object_open(json, "code");
    json_string(json, "event", diagnosis->sampled_event);
    json_u64(json, "samples", stalls->sample_count);
    json_bool(json, "attributed_to_stalled_instruction", stalls->attributed);
    json_array_open(json, "functions");
    for (size_t at = 0; at < stalls->function_count && at < diagnosis->top; at++)
        put_function(json, &stalls->functions[at]);
    json_array_close(json);
    json_array_open(json, "memory");
    for (size_t at = 0; at < stalls->group_count; at++)
        put_group(json, stalls, &stalls->groups[at]);
    json_array_close(json);
    json_object_close(json);
}

static void put_value(struct json_writer *json, const struct value *value)
{
    if (value->unit == UNIT_TEXT) {
        json_string(json, value->name, value->text);
        return;
    }
    json_object_open(json, value->name);
    json_string(json, "unit", unit_name(value->unit));
    put_interval(json, "interval", &value->number);
    json_object_close(json);
}

static void put_evidence(struct json_writer *json, const struct evidence *evidence)
{
    json_object_open(json, NULL);
    json_string(json, "key", evidence->key);
    json_string(json, "weight", weight_name(evidence->weight));
    json_string(json, "origin", origin_name(evidence->origin));
    json_string(json, "text", evidence->text);
    json_object_open(json, "values");
    for (size_t at = 0; at < evidence->value_count; at++)
        put_value(json, &evidence->values[at]);
    json_object_close(json);
    json_object_close(json);
}

static void put_finding(struct json_writer *json, const struct finding *finding)
{
    json_object_open(json, NULL);
    json_string(json, "id", finding->hypothesis->id);
    json_string(json, "family", finding->hypothesis->family);
    json_string(json, "title", finding->hypothesis->title);
    json_string(json, "verdict", verdict_name(finding->verdict));
    json_string(json, "confidence", confidence_name(finding->confidence));
    json_string(json, "confidence_reason", finding->confidence_reason);
    json_bool(json, "estimate", finding->is_estimate);
    put_interval(json, "recoverable_ratio", &finding->recoverable);
    json_string(json, "of", denominator_name(finding->of));
    json_double(json, "of_seconds", finding->of_seconds);
    json_bool(json, "gain_unmeasured", finding->gain_unmeasured);
    json_string(json, "headline", finding->headline);
    json_string(json, "subject", finding->subject);
    json_string(json, "reason", finding->reason);
    json_string(json, "remedy", finding->remedy);
    json_array_open(json, "evidence");
    for (size_t at = 0; at < finding->evidence_count; at++)
        put_evidence(json, &finding->evidence[at]);
    json_array_close(json);
    json_array_open(json, "advice");
    for (size_t at = 0; at < finding->advice_count; at++)
        json_string(json, NULL, finding->advice[at]);
    json_array_close(json);
    json_string(json, "confirm", finding->confirm);
    json_object_close(json);
}

static void put_waits(struct json_writer *json, const struct diagnosis *diagnosis)
{
    if (!diagnosis->waiting_known) {
        json_null(json, "waiting");
        return;
    }
    json_object_open(json, "waiting");
    json_double(json, "thread_seconds", diagnosis->waiting_s);
    json_array_open(json, "places");
    for (size_t at = 0; at < diagnosis->wait_count; at++) {
        const struct wait_line *wait = &diagnosis->waits[at];
        json_object_open(json, NULL);
        json_string(json, "kind", wait->kind);
        json_string(json, "function", wait->place[0] ? wait->place : NULL);
        json_double(json, "total_s", wait->total_s);
        json_double(json, "longest_s", wait->longest_s);
        json_u64(json, "count", wait->count);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void put_phases(struct json_writer *json, const struct diagnosis *diagnosis)
{
    json_array_open(json, "phases");
    for (size_t at = 0; at < diagnosis->phase_count; at++) {
        const struct phase_line *line = &diagnosis->phases[at];
        json_object_open(json, NULL);
        json_u64(json, "phase", line->phase);
        json_double(json, "start_s", line->start_s);
        json_double(json, "end_s", line->end_s);
        json_u64(json, "samples", line->samples);
        json_array_open(json, "functions");
        for (size_t function = 0; function < line->function_count; function++) {
            json_object_open(json, NULL);
            json_string(json, "name", line->functions[function].name);
            json_double(json, "share_ratio", line->functions[function].share_ratio);
            json_object_close(json);
        }
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

void diagnosis_json(struct text *out, const struct diagnosis *diagnosis)
{
    struct json_writer json;
    scoped_text struct text sentence = {0};
    diagnosis_sentence(&sentence, diagnosis);
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-diagnose-1");
    json_string(&json, "subject", diagnosis->subject);
    json_string(&json, "verdict", text_string(&sentence));
    json_bool(&json, "hardware_counters", diagnosis->has_pmu);
    json_double(&json, "effect_ratio", diagnosis->results->effect);
    put_run(&json, diagnosis->results);
    put_waits(&json, diagnosis);
    put_code(&json, diagnosis);
    put_phases(&json, diagnosis);
    json_array_open(&json, "findings");
    for (size_t at = 0; at < diagnosis->findings->count; at++)
        put_finding(&json, &diagnosis->findings->items[at]);
    json_array_close(&json);
    json_array_open(&json, "notes");
    for (size_t at = 0; at < diagnosis->note_count; at++)
        json_string(&json, NULL, diagnosis->notes[at]);
    json_array_close(&json);
    json_object_close(&json);
}
