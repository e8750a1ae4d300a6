/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/doctor/guest.h"

#include "probe/guest/typical_cost.h"

static void place_members(struct json_writer *json, const struct machine *machine)
{
    const struct virtualisation *place = &machine->virtualisation;
    json_bool(json, "is_guest", virtualisation_is_guest(place));
    json_string(json, "hypervisor", hypervisor_name(place->hypervisor));
    json_string(json, "hypervisor_evidence", place->evidence);
    json_string(json, "confidential",
                place->confidential == CONFIDENTIAL_NONE ? NULL : confidential_name(place->confidential));
    json_string(json, "confidential_evidence", place->confidential_evidence);
    json_string(json, "microarchitecture", machine->cpu.microarchitecture ? machine->cpu.microarchitecture->key : NULL);
}

static void share_member(struct json_writer *json, const char *key, const struct fact_number *millionths)
{
    if (millionths->known) {
        json_double(json, key, (double)millionths->value * 1e-6);
        return;
    }
    json_object_open(json, key);
    json_string(json, "not_measured", millionths->why);
    json_object_close(json);
}

static void word_member(struct json_writer *json, const char *key, const struct fact_word *word)
{
    if (word->known) {
        json_string(json, key, word->text);
        return;
    }
    json_object_open(json, key);
    json_string(json, "not_measured", word->why);
    json_object_close(json);
}

static void leaves_object(struct json_writer *json, const struct guest_costs *costs)
{
    static const enum guest_cost instructions[] = {GUEST_COST_CPUID, GUEST_COST_CPUID_HOST, GUEST_COST_CLOCK};
    json_object_open(json, "leaves_the_guest");
    for (size_t at = 0; at < sizeof(instructions) / sizeof(instructions[0]); at++) {
        enum guest_leaves leaves = guest_cost_leaves(costs, instructions[at]);
        if (leaves == GUEST_LEAVES_UNKNOWN)
            json_null(json, guest_cost_key(instructions[at]));
        else
            json_bool(json, guest_cost_key(instructions[at]), leaves == GUEST_LEAVES_YES);
    }
    json_object_close(json);
}

static void typical_array(struct json_writer *json)
{
    json_array_open(json, "typical");
    for (size_t at = 0; at < typical_cost_row_count; at++) {
        const struct typical_cost *typical = &typical_cost_rows[at];
        json_object_open(json, NULL);
        json_string(json, "cost", typical->key);
        json_string(json, "where", typical_place_name(typical->place));
        if (typical->low_ns >= 0) {
            json_double(json, "low", typical->low_ns);
            json_double(json, "high", typical->high_ns);
        } else {
            json_null(json, "low");
            json_null(json, "high");
        }
        json_string(json, "source", typical->source);
        json_object_close(json);
    }
    json_array_close(json);
}

static void missing_object(struct json_writer *json, const struct silicon_missing *missing)
{
    json_object_open(json, "missing_flags");
    json_string(json, "silicon", missing->set ? missing->set->key : NULL);
    json_string(json, "source", missing->set ? missing->set->source : NULL);
    json_string(json, "why_not", missing->why_not);
    json_array_open(json, "flags");
    for (size_t at = 0; at < missing->count; at++) {
        json_object_open(json, NULL);
        json_string(json, "name", missing->flags[at]->name);
        json_string(json, "matters", silicon_weight_name(missing->flags[at]->weight));
        json_string(json, "effect", missing->flags[at]->effect);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void pmu_object(struct json_writer *json, const struct capabilities *all)
{
    json_object_open(json, "pmu");
    json_string(json, "tier", pmu_tier_key(all->tier));
    json_string(json, "reason", all->tier_reason);
    json_object_close(json);
}

static void guest_members(struct json_writer *json, const struct guest_report *report)
{
    const struct machine *machine = report->machine;
    share_member(json, "steal_ratio_since_boot", &report->steal_boot_millionths);
    share_member(json, "steal_ratio_now", &report->steal_now_millionths);
    word_member(json, "clocksource", &machine->clocksource.current);
    json_bool(json, "clocksource_without_system_call", clocksource_is_fast(&machine->clocksource));
    word_member(json, "nohz_full", &machine->isolation.nohz_full);
    word_member(json, "isolated", &machine->isolation.isolated);
    json_object_open(json, "costs");
    guest_costs_members(report->costs, json);
    json_object_close(json);
    leaves_object(json, report->costs);
    typical_array(json);
    missing_object(json, report->missing);
    pmu_object(json, report->capabilities);
}

void guest_json(struct text *out, const struct guest_report *report)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-doctor-guest");
    json_i64(&json, "version", GUEST_JSON_VERSION);
    json_string(&json, "plumb", PLUMB_VERSION);
    json_string(&json, "source", report->machine->live ? "live" : "snapshot");
    place_members(&json, report->machine);
    if (report->costs)
        guest_members(&json, report);
    json_object_close(&json);
    text_add_char(out, '\n');
}
